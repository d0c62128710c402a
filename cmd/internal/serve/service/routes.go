package service

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"voicepool/cmd/internal/serve/problemjson"
	"voicepool/internal/words"
)

// route is an HTTP call.
type route struct {
	pattern string
	role    Role
	params  []string // accepted query parameters
	do      string   // the name of its order; if empty, call answers
	call    func(*Server, http.ResponseWriter, *http.Request) error
}

// routes holds all calls except "/". openapi.json describes them.
var routes = [...]route{
	{"GET /v1/rooms", Read, nil, "", (*Server).list},
	{"PUT /v1/rooms/{room}", Admin, nil, "", (*Server).put},
	{"DELETE /v1/rooms/{room}", Admin, []string{"over"}, "", (*Server).end},
	{"POST /v1/rooms/{room}/play", Operate, nil, "play", nil},
	{"PATCH /v1/rooms/{room}/voices/{voice}", Operate, nil, "set", nil},
	{"DELETE /v1/rooms/{room}/voices/{voice}", Operate, stopFields, "stop", nil},
	{"PATCH /v1/rooms/{room}/buses/{bus}", Operate, nil, "bus", nil},
	{"POST /v1/rooms/{room}/go", Operate, nil, "go", nil},
	{"POST /v1/rooms/{room}/standby", Operate, nil, "standby", nil},
	{"POST /v1/rooms/{room}/panic", Operate, nil, "panic", nil},
	{"POST /v1/rooms/{room}/stop", Operate, nil, "stopall", nil},
	{"POST /v1/rooms/{room}/pause", Operate, nil, "pause", nil},
	{"POST /v1/rooms/{room}/scene", Operate, nil, "scene", nil},
	{"POST /v1/rooms/{room}/batch", Operate, nil, "batch", nil},
	{"GET /v1/rooms/{room}/state", Read, nil, "state", nil},
	{"GET /v1/rooms/{room}/events", Read, []string{"from", "last"}, "", (*Server).events},
	{"GET /v1/rooms/{room}/report", Read, nil, "", (*Server).report},
	{"GET /v1/rooms/{room}/timeline.html", Read, nil, "", (*Server).timeline},
	{"GET /v1/rooms/{room}/explain/{voice}", Read, nil, "", (*Server).explain},
	{"POST /v1/rooms/{room}/expect", Read, nil, "", (*Server).expect},
	{"GET /v1/rooms/{room}/audio.wav", Read, []string{"output"}, "", (*Server).wav},
	{"GET /v1/rooms/{room}/audio", Read, []string{"output"}, "", (*Server).audio},
	{"GET /v1/rooms/{room}/ws", Read, []string{"tell"}, "", (*Server).socket},
	{"PUT /v1/rooms/{room}/sounds/{name}", Admin, nil, "", (*Server).upload},
	{"GET /metrics", Read, nil, "", (*Server).scrape},
	{"GET /healthz", Public, nil, "", (*Server).healthy},
	{"GET /readyz", Public, nil, "", (*Server).ready},
	{"GET /openapi.json", Public, nil, "", (*Server).document},
}

// route returns an HTTP handler for the route c. The handler passes each request to Server.handle. If handle returns an
// error, the handler answers with problem JSON. If its http.ResponseWriter is a *trackingWriter and the response has
// already begun, the handler drops the error instead.
func (s *Server) route(c *route) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := s.handle(c, w, r); err != nil {
			if t, ok := w.(*trackingWriter); !ok || t.status == 0 {
				problemOf(err).Write(w)
			}
		}
	})
}

// handle answers a request on the route c. If another server plays the room, it redirects the request there. Otherwise
// it calls the function of the route, or carries out the order of the route with Do. The body of the request has the
// fields of the order; for a DELETE, a query may have them instead.
//
// handle returns an error if the caller lacks the role, the server is still opening its rooms, no server can play the
// room, or the query or the body is invalid. Then it has not answered, and the caller must do so. A function of a route
// may also return an error after the response has begun.
func (s *Server) handle(c *route, w http.ResponseWriter, r *http.Request) error {
	if err := s.allow(r.Context(), c.role, r.PathValue("room")); err != nil {
		return err
	}
	if c.role != Public && s.opening.Load() {
		return openingProblem()
	}
	if redirected, err := s.redirect(w, r); redirected || err != nil {
		return err
	}
	if r.URL.RawQuery != "" {
		if err := checkQuery(r, c.params); err != nil {
			return err
		}
	}
	if c.do == "" {
		return c.call(s, w, r)
	}
	o := Order{Do: c.do, Voice: r.PathValue("voice"), Bus: r.PathValue("bus"), Key: r.Header.Get("Idempotency-Key")}
	var err error
	if r.Method == http.MethodDelete && r.URL.RawQuery != "" {
		if o.With, err = json.Marshal(queryObject(r.URL.Query())); err != nil {
			return err
		}
	} else if r.Method != http.MethodGet {
		if o.With, err = s.body(w, r, s.options.Limits.BodyBytes); err != nil {
			return err
		}
	}
	status, body := s.Do(r.Context(), r.PathValue("room"), o)
	return write(w, status, body)
}

// redirect redirects a request to another server with status 307, if Options.Locate returns an address for its room. It
// reports whether it did. err is the error of Options.Locate, for a room that no server can play at the moment. A PUT
// of a sheet ignores that error. If redirected is false and err is nil, this server must answer: it has the room, the
// room is unknown, or the path has no room.
func (s *Server) redirect(w http.ResponseWriter, r *http.Request) (redirected bool, err error) {
	name := r.PathValue("room")
	if name == "" || s.options.Locate == nil {
		return false, nil
	}
	if _, err := s.entry(name); err == nil {
		return false, nil
	}
	address, err := s.options.Locate(name)
	if err != nil && r.Method == http.MethodPut && r.PathValue("name") == "" { // a sheet for a room that no server plays
		return false, nil
	}
	if err != nil || address == "" {
		return false, err
	}
	w.Header().Set("Location", address+r.URL.RequestURI())
	problemjson.New(http.StatusTemporaryRedirect, "the room %q is served by %s", name, address).WithField("room").WithReason("elsewhere").Write(w)
	return true, nil
}

// queryObject converts query parameters to the fields of a JSON body. Each field is the first value of its parameter,
// as a string. Only the parameter frame becomes an int64, if it is a whole number.
func queryObject(values url.Values) map[string]any {
	out := map[string]any{}
	for key := range values {
		out[key] = values.Get(key)
		if n, err := strconv.ParseInt(values.Get(key), 10, 64); err == nil && key == "frame" {
			out[key] = n
		}
	}
	return out
}

// checkQuery checks the query of the request r. known lists the parameters that the route accepts. Any other parameter,
// a parameter given twice, and a query that cannot be parsed are errors with the HTTP status 400.
func checkQuery(r *http.Request, known []string) error {
	values, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return problemjson.New(http.StatusBadRequest, "invalid query after the ? of the address")
	}
	for key, list := range values {
		switch {
		case !slices.Contains(known, key):
			return problemjson.New(http.StatusBadRequest, "unknown parameter %q", words.OneLine(key)).WithField(words.OneLine(key)).WithNearest(words.Nearest(key, known))
		case len(list) > 1:
			return problemjson.New(http.StatusBadRequest, "%s: is given twice", key).WithField(key)
		}
	}
	return nil
}

// body reads and returns the whole body of the request r. most is the largest length in bytes; a longer body is an
// error with the HTTP status 413. A body that ends too early is a 400. For an empty body, body may return nil.
func (s *Server) body(w http.ResponseWriter, r *http.Request, most int64) ([]byte, error) {
	if r.ContentLength == 0 || r.Body == nil {
		return nil, nil
	}
	if r.ContentLength > most {
		return nil, tooLong(most)
	}
	var b bytes.Buffer
	if r.ContentLength > 0 {
		b.Grow(int(r.ContentLength) + bytes.MinRead)
	}
	_, err := b.ReadFrom(http.MaxBytesReader(w, r.Body, most))
	return b.Bytes(), bodyError(err)
}

// bodyError converts err, an error of reading a request body, to an error with an HTTP status. The status is 413 if the
// body is too long, otherwise 400. If err is nil, the result is nil.
func bodyError(err error) error {
	var long *http.MaxBytesError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &long):
		return tooLong(long.Limit)
	}
	return problemjson.New(http.StatusBadRequest, "the body ends too early")
}

// tooLong returns the problem, with status 413, of a body of more than most bytes.
func tooLong(most int64) error {
	return problemjson.New(http.StatusRequestEntityTooLarge, "the body is longer than %d bytes", most).WithLimit(most)
}

// write answers with status and with body, encoded as JSON. The answer must not be cached. If body is a
// *problemjson.Problem, write uses the problem's own status and media type instead. If body cannot be encoded, write
// returns the error and writes no answer. A client that has disconnected is not an error.
func write(w http.ResponseWriter, status int, body any) error {
	if p, wrong := body.(*problemjson.Problem); wrong {
		p.Write(w)
		return nil
	}
	text, err := json.Marshal(body)
	if err != nil {
		return err
	}
	h := w.Header()
	h.Set("Content-Type", "application/json")
	h.Set("Content-Length", strconv.Itoa(len(text)+1))
	h.Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_, _ = w.Write(append(text, '\n')) // an error means that the client has gone
	return nil
}

// unmatched answers requests that match no route. If the path exists with other methods, the answer is a 405 with these
// methods. Otherwise Options.Board answers a path outside /v1/, if it is set. In all other cases the answer is a 404.
// First unmatched discards the request body, up to Limits.BodyBytes, so that the client receives the answer.
func (s *Server) unmatched(w http.ResponseWriter, r *http.Request) {
	var can []string
	for _, method := range []string{"GET", "POST", "PUT", "PATCH", "DELETE"} {
		probe := &http.Request{Method: method, URL: r.URL, Host: r.Host, Header: r.Header}
		if _, pattern := s.mux.Handler(probe); pattern != "/" && pattern != "" {
			can = append(can, method)
		}
	}
	_, _ = io.Copy(io.Discard, io.LimitReader(r.Body, s.options.Limits.BodyBytes)) // so that the client receives the answer
	switch {
	case len(can) > 0:
		w.Header().Set("Allow", strings.Join(can, ", "))
		problemjson.New(http.StatusMethodNotAllowed, "the method %s is not allowed; use %s", words.OneLine(r.Method), strings.Join(can, ", ")).Write(w)
	case s.options.Board != nil && !strings.HasPrefix(r.URL.Path, "/v1/"):
		s.options.Board.ServeHTTP(w, r)
	default:
		problemjson.New(http.StatusNotFound, "unknown path; openapi.json lists all paths").Write(w)
	}
}
