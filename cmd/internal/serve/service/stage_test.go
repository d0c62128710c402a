package service_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"voicepool/cmd/internal/serve/pipenet"
	"voicepool/cmd/internal/serve/room"
	"voicepool/cmd/internal/serve/service"
	"voicepool/internal/leak"
)

func TestMain(m *testing.M) { leak.Main(m) }

const sheet = `
voices: 2
overflow: reject
buses: {music: {}, sfx: {parent: music}}
sounds:
  bell: {bus: sfx}
  rain: {loop: true, bus: music}
  coin: {cooldown: 1s}
scenes: {quiet: {buses: {music: {gain: -20}}}}
list:
  - {cue: 1, play: bell}
  - {cue: 2, play: rain, id: weather}
  - {cue: 3, play: bell, arm: false}
`

// stage is a server with a room.
type stage struct {
	*service.Server
	t   testing.TB
	web *httptest.Server
}

// open starts a server with the room main on a TCP port. The end of the test closes it.
func open(t testing.TB, change ...func(*service.Options)) *stage {
	t.Helper()
	return openOn(t, httptest.NewUnstartedServer(nil), change...)
}

// begin starts a web server. The client of a server in memory uses its network.
func begin(web *httptest.Server) {
	web.Start()
	if n, memory := web.Listener.(*pipenet.Network); memory {
		web.Client().Transport.(*http.Transport).DialContext = n.Dial
	}
}

// openOn starts an unstarted web server as a server with the room main. The end of the test closes it.
func openOn(t testing.TB, web *httptest.Server, change ...func(*service.Options)) *stage {
	t.Helper()
	var o service.Options
	for _, c := range change {
		c(&o)
	}
	s := service.New(o)
	r, err := room.Open(t.Context(), room.Options{Name: "main", Title: "show.yaml", Text: []byte(sheet)})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Add(r); err != nil {
		t.Fatal(err)
	}
	web.Config.Handler = s
	begin(web)
	t.Cleanup(func() {
		s.Close(0)
		web.Client().CloseIdleConnections()
		web.Close()
	})
	return &stage{s, t, web}
}

// got is the answer to a call.
type got struct {
	status int
	header http.Header
	body   []byte
}

// ask makes a call such as "POST /v1/rooms/main/play", and checks the answer against the API
// description. headers are pairs.
func (s *stage) ask(call, body string, headers ...string) got {
	s.t.Helper()
	method, path, _ := strings.Cut(call, " ")
	r, err := http.NewRequestWithContext(s.t.Context(), method, s.web.URL+path, strings.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	w, err := s.web.Client().Do(r)
	if err != nil {
		s.t.Fatalf("%s: %v", call, err)
	}
	defer w.Body.Close()
	text, err := io.ReadAll(w.Body)
	if err != nil {
		s.t.Fatalf("%s: %v", call, err)
	}
	g := got{w.StatusCode, w.Header, text}
	_, pattern := documented().Handler(r)
	if pattern != "" {
		holds(s.t, pattern, g)
	} else if g.status >= 400 {
		valid(s.t, "Problem", text)
	}
	return g
}

// documented has the routes of the API description.
var documented = sync.OnceValue(func() *http.ServeMux {
	mux := http.NewServeMux()
	for path, item := range paths() {
		for method := range item {
			mux.Handle(strings.ToUpper(method)+" "+path, http.NotFoundHandler())
		}
	}
	return mux
})

// document returns the OpenAPI description as JSON, and a compiler of its schemas.
var document = sync.OnceValues(func() (map[string]any, *jsonschema.Compiler) {
	w := httptest.NewRecorder()
	s := service.New(service.Options{})
	defer s.Close(0)
	s.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/openapi.json", nil))
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(w.Body.Bytes()))
	if err != nil {
		panic(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("openapi.json", doc); err != nil {
		panic(err)
	}
	return doc.(map[string]any), c
})

var compiling sync.Mutex

// paths returns the paths of the API description.
var paths = sync.OnceValue(func() map[string]map[string]any {
	out := map[string]map[string]any{}
	doc, _ := document()
	for path, item := range doc["paths"].(map[string]any) {
		out[path] = item.(map[string]any)
	}
	return out
})

// valid checks JSON against a schema of the API description.
func valid(t testing.TB, name string, text []byte) {
	t.Helper()
	check(t, "openapi.json#/components/schemas/"+name, text)
}

func check(t testing.TB, schema string, text []byte) {
	t.Helper()
	compiling.Lock()
	defer compiling.Unlock()
	_, c := document()
	compiled, err := c.Compile(schema)
	if err != nil {
		t.Fatal(err)
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err == nil {
		err = compiled.Validate(value)
	}
	if err != nil {
		t.Errorf("%s is not %s: %v", text, schema, err)
	}
}

// answered are the responses of the API description that tests have seen: "post
// /v1/rooms/{room}/play 201".
var (
	answeredMutex sync.Mutex
	answered      = map[string]bool{}
)

// holds checks an answer against the API description.
func holds(t testing.TB, pattern string, g got) {
	t.Helper()
	method, path, _ := strings.Cut(pattern, " ")
	method = strings.ToLower(method)
	operation := paths()[path][method].(map[string]any)
	key := strconv.Itoa(g.status)
	answer, known := operation["responses"].(map[string]any)[key].(map[string]any)
	if !known {
		t.Errorf("%s answers %s, of which the document does not know: %s", pattern, key, g.body)
		return
	}
	answeredMutex.Lock()
	answered[method+" "+path+" "+key] = true
	answeredMutex.Unlock()
	content, _ := answer["content"].(map[string]any)
	kind, _, _ := strings.Cut(g.header.Get("Content-Type"), ";")
	if _, known := content[kind]; !known && content != nil {
		t.Errorf("%s answers with %q", pattern, kind)
	}
	if kind == "application/json" || kind == "application/problem+json" {
		escape := strings.NewReplacer("~", "~0", "/", "~1", "{", "%7B", "}", "%7D", "+", "%2B")
		check(t, "openapi.json#/paths/"+escape.Replace(path)+"/"+method+"/responses/"+key+"/content/"+escape.Replace(kind)+"/schema", g.body)
	}
}

// is fails a test if the status or a field of the JSON is different, for example "field" and
// "nearest" of problems.
func (g got) is(t testing.TB, status int, fields ...string) {
	t.Helper()
	if g.status != status {
		t.Errorf("%d, want %d: %s", g.status, status, g.body)
		return
	}
	var all map[string]any
	if len(fields) > 0 {
		if err := json.Unmarshal(g.body, &all); err != nil {
			t.Fatalf("%s: %v", g.body, err)
		}
	}
	for i := 0; i+1 < len(fields); i += 2 {
		text := ""
		if v, there := all[fields[i]]; there {
			b, _ := json.Marshal(v)
			text = strings.Trim(string(b), `"`)
		}
		if text != fields[i+1] {
			t.Errorf("%s is %q, want %q: %s", fields[i], text, fields[i+1], g.body)
		}
	}
}
