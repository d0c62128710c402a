package webauth

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"errors"
	"html/template"
	"net/http"
	"net/url"
	"strings"
	"unicode"
	"unicode/utf8"

	"voicepool/cmd/internal/serve/problemjson"
)

//go:embed error.html
var errorText string

var errorTemplate = template.Must(template.New("error").Parse(errorText))

// prefersHTML reports whether the client prefers HTML, as browsers do for a page. accept is its Accept header. Scripts
// and programs accept JSON or anything, which gives false.
func prefersHTML(accept string) bool {
	accept = strings.ToLower(accept)
	return strings.Contains(accept, "text/html") && !strings.Contains(accept, "json")
}

// showsPage reports whether a browser will show the answer to r as a page. It is false for WebSockets and scripts.
func showsPage(r *http.Request) bool {
	return prefersHTML(r.Header.Get("Accept")) && !upgrades(r)
}

// pageWriter replaces a JSON error by an HTML page with the same status and sentence. Other answers
// pass unchanged.
type pageWriter struct {
	http.ResponseWriter
	request *http.Request
	began   bool // a status was written or held
	status  int  // of the held error; 0: no error
	body    bytes.Buffer
}

// WriteHeader passes status on to the underlying writer, unless the response is an error in problem JSON. For a status
// of 400 or more it then stores status in p instead, so that finish can write a page. Once another response has begun,
// each status is passed on.
func (p *pageWriter) WriteHeader(status int) {
	if !p.began && status >= 400 && strings.HasPrefix(p.Header().Get("Content-Type"), problemjson.Type) {
		p.status = status
	}
	p.began = p.began || status >= 200
	if p.status == 0 {
		p.ResponseWriter.WriteHeader(status)
	}
}

// Write passes b on to the underlying writer. But if WriteHeader has held back an error, Write collects b, so that
// finish can write a page instead.
func (p *pageWriter) Write(b []byte) (int, error) {
	p.began = true
	if p.status != 0 {
		return p.body.Write(b)
	}
	return p.ResponseWriter.Write(b)
}

// FlushError sends buffered data of the response to the client. While an error is held back, it has no effect and
// returns nil.
func (p *pageWriter) FlushError() error {
	if p.status != 0 {
		return nil
	}
	p.began = true
	return http.NewResponseController(p.ResponseWriter).Flush()
}

// Unwrap returns the underlying writer, for http.ResponseController.
func (p *pageWriter) Unwrap() http.ResponseWriter { return p.ResponseWriter }

// finish writes an HTML page in place of an error that WriteHeader has held back, with the same status. Without such an
// error it has no effect. Call it once, after the handler. For a 401 the page links to the login, which leads back to
// the URL of a GET request.
func (p *pageWriter) finish() {
	if p.status == 0 {
		return
	}
	h := p.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Cache-Control", "no-store")
	h.Add("Vary", "Accept")
	h.Del("Content-Length")
	p.ResponseWriter.WriteHeader(p.status)
	next := ""
	if p.request.Method == http.MethodGet {
		next = p.request.URL.RequestURI()
	}
	p.ResponseWriter.Write(errorPage(p.body.Bytes(), p.status, h.Get("Retry-After"), next))
}

// errorPage returns the HTML page of an error. problem is the error as problem JSON; the page shows its sentence.
// status is the HTTP status. after is the value of Retry-After in seconds, or "". For a 401 the page links to the
// login. The parameter next is the target of the redirect after that login; "" means "/".
func errorPage(problem []byte, status int, after, next string) []byte {
	var fields struct{ Detail string }
	_ = json.Unmarshal(problem, &fields) // without a sentence the page shows the title
	first, size := utf8.DecodeRuneInString(fields.Detail)
	detail := fields.Detail
	if size > 0 {
		detail = string(unicode.ToUpper(first)) + fields.Detail[size:]
	}
	login := ""
	if status == http.StatusUnauthorized {
		login = "/login"
		if next != "" {
			login += "?next=" + url.QueryEscape(next)
		}
	}
	var page bytes.Buffer
	_ = errorTemplate.Execute(&page, struct {
		Status                      int
		Title, Detail, After, Login string
	}{status, http.StatusText(status), detail, after, login}) // writing to a buffer cannot fail
	return page.Bytes()
}

// scheme is the value of WWW-Authenticate in answers with the status 401.
const scheme = `Bearer realm="voicepool"`

// Write answers an HTTP request with the error err as problem JSON (RFC 9457). If err is or wraps a
// *problemjson.Problem, the answer has its fields, otherwise the status 500 and a general sentence.
func Write(w http.ResponseWriter, err error) {
	p, ok := errors.AsType[*problemjson.Problem](err)
	if !ok {
		p = problemjson.New(500, "something went wrong")
	}
	if p.Status == http.StatusUnauthorized {
		w.Header().Set("WWW-Authenticate", scheme)
	}
	p.Write(w)
}
