package guard

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

// wantsPage reports whether an Accept header asks for HTML, as that of a browser does when it opens an
// address. Scripts and programs accept JSON or anything.
func wantsPage(accept string) bool {
	accept = strings.ToLower(accept)
	return strings.Contains(accept, "text/html") && !strings.Contains(accept, "json")
}

// showsPage reports whether a browser shows the answer to a request.
func showsPage(r *http.Request) bool {
	return wantsPage(r.Header.Get("Accept")) && !upgrades(r)
}

// pageWriter replaces an answer in JSON that reports an error by a page with the same status and sentence. All
// other answers pass unchanged.
type pageWriter struct {
	http.ResponseWriter
	request *http.Request
	began   bool // a status was written or held
	status  int  // of the error that is held; 0: none
	held    bytes.Buffer
}

// WriteHeader holds the status of an error back.
func (p *pageWriter) WriteHeader(status int) {
	if !p.began && status >= 400 && strings.HasPrefix(p.Header().Get("Content-Type"), mediaType) {
		p.status = status
	}
	p.began = p.began || status >= 200
	if p.status == 0 {
		p.ResponseWriter.WriteHeader(status)
	}
}

// Write holds the text of an error back.
func (p *pageWriter) Write(b []byte) (int, error) {
	p.began = true
	if p.status != 0 {
		return p.held.Write(b)
	}
	return p.ResponseWriter.Write(b)
}

// FlushError flushes what is not held back.
func (p *pageWriter) FlushError() error {
	if p.status != 0 {
		return nil
	}
	p.began = true
	return http.NewResponseController(p.ResponseWriter).Flush()
}

// Unwrap is for http.ResponseController.
func (p *pageWriter) Unwrap() http.ResponseWriter { return p.ResponseWriter }

// finish writes the page of the error that was held back.
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
	p.ResponseWriter.Write(errorPage(p.held.Bytes(), p.status, h.Get("Retry-After"), next))
}

// errorPage returns the page of an error. problem is its JSON; after is a number of seconds, or empty; next is
// the address that a login leads to, or empty.
func errorPage(problem []byte, status int, after, next string) []byte {
	var said struct{ Detail string }
	_ = json.Unmarshal(problem, &said) // without a sentence the page has the title
	first, size := utf8.DecodeRuneInString(said.Detail)
	detail := said.Detail
	if size > 0 {
		detail = string(unicode.ToUpper(first)) + said.Detail[size:]
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
	}{status, http.StatusText(status), detail, after, login}) // a buffer takes all
	return page.Bytes()
}
