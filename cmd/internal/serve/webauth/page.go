package webauth

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"html/template"
	"net/http"
	"net/url"
	"strings"
	"unicode"
	"unicode/utf8"
)

//go:embed error.html
var errorText string

var errorTemplate = template.Must(template.New("error").Parse(errorText))

// mediaType is the media type of an error (RFC 9457).
const mediaType = "application/problem+json"

// prefersHTML reports whether accept, an Accept header, prefers HTML, as browsers do for a page. Scripts and programs
// accept JSON or anything.
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

// WriteHeader holds back status if it is at least 400 and the response is problem JSON, so that finish can write a page
// instead. Any other status, and a status after the beginning of the response, is passed on.
func (p *pageWriter) WriteHeader(status int) {
	if !p.began && status >= 400 && strings.HasPrefix(p.Header().Get("Content-Type"), mediaType) {
		p.status = status
	}
	p.began = p.began || status >= 200
	if p.status == 0 {
		p.ResponseWriter.WriteHeader(status)
	}
}

// Write holds back b if the response is an error that finish replaces by a page. Otherwise it passes b on.
func (p *pageWriter) Write(b []byte) (int, error) {
	p.began = true
	if p.status != 0 {
		return p.body.Write(b)
	}
	return p.ResponseWriter.Write(b)
}

// FlushError flushes the response. While an error is held back, it has no effect and returns nil.
func (p *pageWriter) FlushError() error {
	if p.status != 0 {
		return nil
	}
	p.began = true
	return http.NewResponseController(p.ResponseWriter).Flush()
}

// Unwrap returns the underlying writer, for http.ResponseController.
func (p *pageWriter) Unwrap() http.ResponseWriter { return p.ResponseWriter }

// finish writes the HTML page of the error that was held back, if any, with the held status. Call it once, after the
// handler. The page offers a login that leads back to a GET request.
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

// errorPage returns the HTML page of an error. problem is its problem JSON, whose sentence the page shows, and status
// the HTTP status. after is the value of Retry-After in seconds, or "". For a 401 the page links to the login, which
// then redirects to next, or to "/" if next is "".
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
