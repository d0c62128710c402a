// Package board serves a web page that shows and plays the rooms of a service: their voices, buses,
// cues and sounds. The page uses only the service's HTTP and WebSocket calls.
//
//	mux.Handle("GET /{$}", board.Handler())
//	mux.Handle("GET /board/", board.Handler())
package board

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"io/fs"
	"net/http"
	"path"
	"strings"
	"time"

	"voicepool/cmd/internal/serve/problemjson"
	"voicepool/internal/words"
)

//go:embed static
var files embed.FS

// Policy is the content security policy of the page. It forbids inline scripts and content from
// other hosts.
const Policy = "default-src 'self'; connect-src 'self' ws: wss:; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"

// types are the content types by file extension. The system's table may be different.
var types = map[string]string{
	".html": "text/html; charset=utf-8",
	".css":  "text/css; charset=utf-8",
	".js":   "text/javascript; charset=utf-8",
	".svg":  "image/svg+xml",
}

// asset is a file of the page.
type asset struct {
	data      []byte
	tag, kind string
}

// Handler returns an HTTP handler that serves the page at / and its files below /board/. Other paths get a 404 in
// problem JSON. Browsers may cache the files, but ask at each use whether their hash has changed.
func Handler() http.Handler {
	assets := map[string]asset{}
	entries, _ := fs.ReadDir(files, "static") // the folder is embedded
	for _, e := range entries {
		data, _ := files.ReadFile("static/" + e.Name())
		sum := sha256.Sum256(data)
		a := asset{data: data, tag: `"` + hex.EncodeToString(sum[:12]) + `"`, kind: types[path.Ext(e.Name())]}
		if e.Name() == "index.html" {
			assets["/"] = a
			continue
		}
		assets["/board/"+e.Name()] = a
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { serve(w, r, assets) })
}

// serve answers the request r with the file of its path. assets has the files by path. Another path gets a 404, and a
// method other than GET and HEAD a 405. The HTML page gets the header Content-Security-Policy, with Policy.
func serve(w http.ResponseWriter, r *http.Request, assets map[string]asset) {
	a, ok := assets[r.URL.Path]
	switch {
	case !ok:
		problemjson.New(http.StatusNotFound, "unknown path; openapi.json lists all paths").Write(w)
		return
	case r.Method != http.MethodGet && r.Method != http.MethodHead:
		w.Header().Set("Allow", "GET, HEAD")
		problemjson.New(http.StatusMethodNotAllowed, "the method %s is not allowed; use GET or HEAD", words.OneLine(r.Method)).Write(w)
		return
	}
	h := w.Header()
	h.Set("Content-Type", a.kind)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cache-Control", "no-cache")
	h.Set("ETag", a.tag)
	if strings.HasPrefix(a.kind, "text/html") {
		h.Set("Content-Security-Policy", Policy)
		h.Set("Referrer-Policy", "same-origin")
	}
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(a.data))
}
