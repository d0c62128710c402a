package service_test

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"voicepool/cmd/internal/serve/problemjson"
	"voicepool/cmd/internal/serve/service"
)

// TestCalls checks the answers and problems of all calls.
func TestCalls(t *testing.T) {
	s := open(t)
	const r = "/v1/rooms/main"
	for _, c := range []struct {
		call, body string
		status     int
		fields     []string
	}{
		{"GET /v1/rooms", "", 200, nil},
		{"GET /v1/rooms?x=1", "", 400, []string{"field", "x"}},
		{"POST " + r + "/play", `{"sound":"rain","id":"w","gain":-6}`, 201, []string{"voice", "1", "state", "playing", "id", "w"}},
		{"POST " + r + "/play", `{"sound":"bell","at":"1h"}`, 202, []string{"state", "pending"}},
		{"POST " + r + "/play", `{"sound":"bel"}`, 404, []string{"nearest", "bell", "field", "sound"}},
		{"POST " + r + "/play", `{}`, 400, []string{"detail", "sound: is missing", "field", "sound"}},
		{"POST " + r + "/play", ``, 400, []string{"field", "sound"}},
		{"POST " + r + "/play", `{"sound":"bell","gian":1}`, 400, []string{"field", "gian", "nearest", "gain"}},
		{"POST " + r + "/play", `{"sound":"bell","gain":[1]}`, 400, []string{"detail", "gain takes a number of decibels from -120 to 24, not a list", "field", "gain"}},
		{"POST " + r + "/play", `{"sound":"bell","gain":NaN}`, 400, nil},
		{"POST " + r + "/play", `{"sound":"bell","gain":1e999}`, 400, []string{"field", "gain"}},
		{"POST " + r + "/play", `{"sound":"bell","gain":40}`, 400, []string{"field", "gain"}},
		{"POST " + r + "/play", `{"sound":"bell","sound":"rain"}`, 400, []string{"detail", "sound: is given twice", "field", "sound"}},
		{"POST " + r + "/play", `{"sound":"bell"} {}`, 400, []string{"detail", "the JSON cannot be read: unexpected text after the object"}},
		{"POST " + r + "/play", `{"sound":"bell"`, 400, []string{"detail", "the JSON cannot be read: it ends too early"}},
		{"POST " + r + "/play", `["bell"]`, 400, []string{"detail", "the JSON cannot be read: want an object, such as {}"}},
		{"POST " + r + "/play", "{\"sound\":\"\xff\"}", 400, []string{"detail", "the JSON cannot be read: it is not valid UTF-8"}},
		{"POST " + r + "/play", `{"sound":null}`, 400, []string{"detail", "sound: want a string"}},
		{"POST " + r + "/play", `{"sound":"bell","loop":{}}`, 400, []string{"detail", "loop takes true or false, not a mapping"}},
		{"POST " + r + "/play", `{"sound":"bell","priority":1.5}`, 400, []string{"detail", "priority: want a whole number"}},
		{"POST " + r + "/play", `{"sound":"bell","from":"soon"}`, 400, []string{"field", "from"}},
		{"POST " + r + "/play", `{"sound":"bell","from":-1}`, 400, []string{"field", "from"}},
		{"POST " + r + "/play", `{"sound":"bell","from":true}`, 400, []string{"field", "from"}},
		{"POST " + r + "/play", `{"sound":"bell","at":1,"frame":1}`, 400, []string{"detail", "at: give either at or frame, not both"}},
		{"POST " + r + "/play", `{"sound":"bell","frame":-1}`, 400, []string{"detail", "frame: is negative"}},
		{"POST " + r + "/play", `{"sound":"` + strings.Repeat("x", 300) + `"}`, 400, []string{"detail", "sound: it is longer than 256 bytes"}},
		{"POST " + r + "/play", strings.Repeat(" ", 65<<10), 413, []string{"limit", "65536"}},
		{"POST /v1/rooms/mian/play", `{"sound":"bell"}`, 404, []string{"nearest", "main", "field", "room"}},
		{"PATCH " + r + "/voices/w", `{"gain":-3,"over":"1s"}`, 200, []string{"voices", "[1]"}},
		{"PATCH " + r + "/voices/1", `{"pan":0.5}`, 200, []string{"voices", "[1]"}},
		{"PATCH " + r + "/voices/1", `{"lowpass":400,"highpass":0,"over":"1s"}`, 200, []string{"voices", "[1]"}},
		{"PATCH " + r + "/voices/1", `{"lowpass":3}`, 400, []string{"field", "lowpass", "from 20 to 20000"}},
		{"PATCH " + r + "/voices/1", `{"pan":5}`, 400, []string{"field", "pan"}},
		{"PATCH " + r + "/voices/nobody", `{"pan":0}`, 404, nil},
		{"PATCH " + r + "/buses/music", `{"duck":{"when":"music","by":6}}`, 400, []string{"field", "duck.when"}},
		{"PATCH " + r + "/buses/music", `{"duck":{"when":"master","by":6}}`, 400, []string{"field", "duck.when"}},
		{"PATCH " + r + "/buses/music", `{"duck":{"when":"sfx","by":6,"above":0}}`, 400, []string{"field", "above", "from -120 to -1"}},
		{"PATCH " + r + "/buses/music", `{"duck":{"when":"sfx","by":6,"hold":-1}}`, 400, []string{"field", "duck.hold"}},
		{"DELETE " + r + "/voices/w?over=1s", "", 200, []string{"voices", "[1]"}},
		{"DELETE " + r + "/voices/w?over=x", "", 400, []string{"field", "over"}},
		{"DELETE " + r + "/voices/w?ovr=1s", "", 400, []string{"field", "ovr", "nearest", "over"}},
		{"DELETE " + r + "/voices/w?over=1s&over=2s", "", 400, []string{"field", "over"}},
		{"DELETE " + r + "/voices/nobody", "", 404, nil},
		{"PATCH " + r + "/buses/music", `{"gain":-6,"volume":"-9dB","mute":true}`, 200, []string{"bus", "music", "gain", "-6", "volume", "-9", "mute", "true"}},
		{"PATCH " + r + "/buses/music", `{"effects":{"reverb":{"time":3}}}`, 404, []string{"field", "effect"}},
		{"PATCH " + r + "/buses/music", `{"sends":{"hall":null}}`, 400, []string{"field", "sends.hall", "it takes a gain in dB, not null"}},
		{"PATCH " + r + "/buses/music", `{"lowpass":19}`, 400, []string{"field", "lowpass", "19 is out of range"}},
		{"PATCH " + r + "/buses/music", `{"lowpass":800,"highpass":0,"over":1}`, 200, []string{`"bus":"music"`}},
		{"PATCH " + r + "/buses/music", `{"effects":3}`, 400, []string{"field", "effects", "an object of effects"}},
		{"PATCH " + r + "/buses/music", `{"sends":{"sfx":"x"}}`, 400, []string{"field", "sends.sfx"}},
		{"PATCH " + r + "/buses/music", `{"sends":{"sfx":-3}}`, 400, []string{"field", "sends.sfx", "has no sends"}},
		{"PATCH " + r + "/buses/music", `{"duck":{"when":"sfx"}}`, 400, []string{"detail", "duck.by: is missing", "field", "duck.by"}},
		{"PATCH " + r + "/buses/music", `{"duck":{"when":"sfx","by":3,"hodl":1}}`, 400, []string{"field", "duck.hodl", "nearest", "hold"}},
		{"PATCH " + r + "/buses/misuc", `{"gain":-6}`, 404, []string{"nearest", "music"}},
		{"POST " + r + "/standby", `{}`, 400, []string{"field", "cue"}},
		{"POST " + r + "/standby", `{"step":2}`, 400, []string{"field", "step"}},
		{"POST " + r + "/standby", `{"cue":"3"}`, 409, []string{"field", "cue"}},
		{"POST " + r + "/standby", `{"cue":"22"}`, 404, []string{"nearest", "2", "field", "cue"}},
		{"POST " + r + "/standby", `{"cue":"2"}`, 200, []string{"standby", "2"}},
		{"POST " + r + "/standby", `{"cue":2}`, 200, []string{"standby", "2"}},
		{"POST " + r + "/standby", `{"cue":2.0}`, 200, []string{"standby", "2"}},
		{"POST " + r + "/go", `{"cue":9}`, 404, []string{"field", "cue"}},
		{"PATCH " + r + "/buses/music", `{"gain":"-6dB","lowpass":"off"}`, 200, []string{"gain", "-6"}},
		{"PATCH " + r + "/buses/music", `{"sends":{"sfx":"-3 dB"}}`, 400, []string{"field", "sends.sfx", "has no sends"}},
		{"POST " + r + "/standby", `{"step":-1}`, 200, []string{"standby", "1"}},
		{"POST " + r + "/go", `{"cue":"9"}`, 404, []string{"field", "cue"}},
		{"POST " + r + "/go", `{"form":"9"}`, 400, []string{"nearest", "from"}},
		{"POST " + r + "/go", ``, 200, []string{"cue", "1", "standby", "2"}},
		{"POST " + r + "/stop", `{"over":"10ms"}`, 200, []string{"said", "stop"}},
		{"POST " + r + "/stop", `{"target":"nobody"}`, 404, []string{"field", "target"}},
		{"POST " + r + "/stop", `{"target":"a b"}`, 404, []string{"field", "target"}},
		{"POST " + r + "/stop", `{"over":{}}`, 400, []string{"field", "over"}},
		{"POST " + r + "/pause", ``, 200, []string{"said", "pause"}},
		{"POST " + r + "/go", `{"cue":"2"}`, 409, nil},
		{"POST " + r + "/pause", `{"on":false}`, 200, []string{"said", "resume"}},
		{"POST " + r + "/pause", `{"on":"no"}`, 400, []string{"field", "on"}},
		{"POST " + r + "/pause", `{"target":"nobody"}`, 404, []string{"field", "target"}},
		{"POST " + r + "/scene", `{}`, 400, []string{"field", "scene"}},
		{"POST " + r + "/panic", ``, 200, []string{"said", "panic"}},
		{"POST " + r + "/panic", `{"now":1}`, 400, []string{"field", "now"}},
		{"POST " + r + "/batch", `{}`, 400, []string{"field", "commands"}},
		{"POST " + r + "/batch", `{"commands":[]}`, 400, []string{"detail", "commands: the list is empty"}},
		{"POST " + r + "/batch", `{"commands":[1]}`, 400, []string{"detail", "commands[0]: the JSON cannot be read: want an object, such as {}"}},
		{"POST " + r + "/batch", `{"commands":[{"do":"paly"}]}`, 400, []string{"field", "commands[0].do", "nearest", "play"}},
		{"POST " + r + "/batch", `{"commands":[{"do":"play","with":{"sound":[1]}}]}`, 400, []string{"field", "commands[0].with.sound"}},
		{"POST " + r + "/batch", `{"commands":[{"do":"set","with":{}}]}`, 400, []string{"field", "commands[0].voice"}},
		{"POST " + r + "/batch", `{"commands":[{"do":"play","with":{"sound":"bell","at":1}}]}`, 400, []string{"field", "commands[0].with.at"}},
		{"GET " + r + "/state", "", 200, []string{"room", "main", "rate", "48000"}},
		{"GET /v1/rooms/nobody/state", "", 404, []string{"field", "room"}},
		{"GET " + r + "/events?last=5", "", 200, nil},
		{"GET " + r + "/events?last=x", "", 400, []string{"field", "last"}},
		{"GET " + r + "/events?from=x", "", 400, []string{"field", "from"}},
		{"GET " + r + "/report", "", 200, []string{"version", "1"}},
		{"GET " + r + "/explain/1", "", 200, []string{"voice", "1"}},
		{"GET " + r + "/explain/x", "", 400, []string{"field", "voice"}},
		{"GET " + r + "/explain/999", "", 404, nil},
		{"POST " + r + "/expect", `{"expect":[{"heard":"rain","voice":1}],"from":1}`, 200, []string{"passed", "true", "failures", "[]"}},
		{"POST " + r + "/expect", "from: 1\nexpect:\n- never: rain", 200, []string{"passed", "false"}},
		{"POST " + r + "/expect", `{"expect":[{"heard":"bell","voice":999999},{"peak":-100}],"within":0.02}`, 200, []string{"passed", "false"}},
		{"POST " + r + "/expect", ``, 400, []string{"field", "expect"}},
		{"POST " + r + "/expect", `{"expect":[{"heard":"rian"}]}`, 400, []string{"field", "expect", "detail", `rules:1:12: no sound is called \"rian\"; the nearest is \"rain\`}},
		{"POST " + r + "/expect", `{"expect":[{"herd":"rain"}]}`, 400, []string{"field", "expect", "detail", `rules:1:13: unknown key \"herd\" in a rule; did you mean \"heard\"?`}},
		{"POST " + r + "/expect", `{"expect":[` + strings.Repeat(`{"heard":"rain"},`, 101) + `]}`, 400, []string{"field", "expect", "limit", "100"}},
		{"POST " + r + "/expect", `{"expect":[{"heard":"rain","at":0.5}],"within":0.7}`, 400, []string{"field", "within", "detail", "within: 700ms is too short; want at least 250ms more than the last time of the rules, 510ms"}},
		{"POST " + r + "/expect", `{"expect":[{"heard":"rain"}],"within":61}`, 400, []string{"field", "within", "limit", "60"}},
		{"POST " + r + "/expect", `{"expect":[{"heard":"rain"}],"from":99999}`, 404, []string{"field", "from"}},
		{"POST " + r + "/expect", strings.Repeat(" ", 65<<10), 413, []string{"limit", "65536"}},
		{"POST /v1/rooms/nobody/expect", `{"expect":[{"heard":"rain"}]}`, 404, []string{"field", "room"}},
		{"GET " + r + "/audio.wav?output=nowhere", "", 404, nil},
		{"GET " + r + "/audio", "", 426, nil},
		{"GET " + r + "/ws", "", 426, nil},
		{"GET /v1/rooms/nobody/ws", "", 404, nil},
		{"PUT /v1/rooms/.x", "", 400, []string{"field", "room"}},
		{"PUT /v1/rooms/new", "voices: 2", 415, []string{"field", "Content-Type"}},
		{"PUT " + r + "/sounds/.x", "", 400, []string{"field", "name"}},
		{"PUT /v1/rooms/nobody/sounds/x", "", 404, []string{"field", "room"}},
		{"DELETE /v1/rooms/nobody", "", 404, nil},
		{"DELETE /v1/rooms/main?over=1h", "", 400, []string{"field", "over"}},
		{"GET /metrics", "", 200, nil},
		{"GET /healthz", "", 200, []string{"status", "ok"}},
		{"GET /readyz", "", 200, []string{"status", "ok"}},
		{"GET /openapi.json", "", 200, []string{"openapi", "3.1.0"}},
		{"GET /nowhere", "", 404, nil},
		{"GET /v1/nowhere", "", 404, nil},
		{"GET " + r + "/play", "", 405, nil},
		{"TRACE " + r + "/play", "", 405, nil},
	} {
		t.Run(c.call+" "+c.body[:min(len(c.body), 40)], func(t *testing.T) {
			g := s.ask(c.call, c.body)
			g.is(t, c.status, c.fields...)
			if g.status == 405 && g.header.Get("Allow") != "POST" {
				t.Errorf("allows %q", g.header.Get("Allow"))
			}
		})
	}
}

// TestRefused checks that a full pool gives a 409 with the reason and the event.
func TestRefused(t *testing.T) {
	s := open(t)
	for range 2 {
		s.ask("POST /v1/rooms/main/play", `{"sound":"rain"}`).is(t, 201)
	}
	g := s.ask("POST /v1/rooms/main/play", `{"sound":"bell"}`)
	g.is(t, 409)
	if !strings.Contains(string(g.body), `"reason":"`) || !strings.Contains(string(g.body), `"kind":"rejected"`) {
		t.Errorf("%s", g.body)
	}
}

// TestRooms checks that rooms are made, listed and ended, and that their limits appear in problems.
func TestRooms(t *testing.T) {
	s := open(t, func(o *service.Options) {
		o.Folder = t.TempDir()
		o.Limits = service.Limits{Rooms: 2, RoomVoices: 100, SheetBytes: 100, SoundBytes: 100}
	})
	const yaml = "application/yaml"
	for _, nothing := range []string{"", " \n"} { // for example, from a missing file given to curl
		s.ask("PUT /v1/rooms/main", nothing, "Content-Type", yaml).is(t, 400, "field", "sheet")
	}
	if g := s.ask("GET /v1/rooms/main/state", ""); !strings.Contains(string(g.body), "bell") {
		t.Errorf("after an empty sheet the room has %s", g.body)
	}
	s.ask("PUT /v1/rooms/other", "sounds: {bell: {gain: 100}}", "Content-Type", yaml).is(t, 400)
	s.ask("PUT /v1/rooms/other", "sounds: {bell: {}}", "Content-Type", yaml).is(t, 201, "room", "other")
	s.ask("PUT /v1/rooms/other", "voices: 90\nvirtual: 10\n", "Content-Type", yaml).is(t, 429, "limit", "98", "field", "sheet") // main has two
	s.ask("PUT /v1/rooms/other", "voices: 90\nvirtual: 8\nsounds: {bell: {}}\n", "Content-Type", yaml).is(t, 200)
	s.ask("PUT /v1/rooms/third", "sounds: {bell: {}}", "Content-Type", yaml).is(t, 429, "limit", "2")
	s.ask("PUT /v1/rooms/other", strings.Repeat("#", 101), "Content-Type", yaml).is(t, 413, "limit", "100")
	s.ask("PUT /v1/rooms/other/sounds/x", strings.Repeat("#", 101)).is(t, 413, "limit", "100")
	s.ask("POST /v1/rooms/other/play", `{"sound":"bell"}`).is(t, 201, "voice", "1")
	if g := s.ask("GET /v1/rooms", ""); !strings.Contains(string(g.body), `"room":"main"`) || !strings.Contains(string(g.body), `"room":"other"`) {
		t.Errorf("%s", g.body)
	}
	s.ask("DELETE /v1/rooms/other?over=0", "").is(t, 200, "room", "other")
	s.ask("DELETE /v1/rooms/other", "").is(t, 404)
	if g := s.ask("GET /metrics", ""); !strings.Contains(string(g.body), "voicepool_starts_total{outcome=\"started\"} 1\n") || !strings.Contains(string(g.body), "voicepool_rooms 1\n") {
		t.Errorf("what an ended room has counted is lost:\n%s", g.body)
	}
}

// TestKeys checks that a key gives a single answer, even for simultaneous calls.
func TestKeys(t *testing.T) {
	s := open(t)
	const call, body = "POST /v1/rooms/main/play", `{"sound":"rain"}`
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() { s.ask(call, body, "Idempotency-Key", "a").is(t, 201, "voice", "1") })
	}
	all.Wait()
	s.ask(call, `{"sound":"bell"}`, "Idempotency-Key", "a").is(t, 422, "field", "Idempotency-Key")
	s.ask(call, body, "Idempotency-Key", "b").is(t, 201, "voice", "2")
	s.ask(call, `{"sound":"bell"}`, "Idempotency-Key", "c").is(t, 409)
	s.ask("DELETE /v1/rooms/main/voices/1", "").is(t, 200)
	s.ask(call, `{"sound":"bell"}`, "Idempotency-Key", "c").is(t, 409)
	s.ask("POST /v1/rooms/main/go", `{"cue":"1"}`, "Idempotency-Key", "a").is(t, 200, "cue", "1")
	s.ask("POST /v1/rooms/main/go", `{"cue":"1"}`, "Idempotency-Key", "a").is(t, 200, "cue", "1")
	s.ask(call, body, "Idempotency-Key", strings.Repeat("k", 129)).is(t, 400, "limit", "128")
}

// TestRoles checks that each route requires its role, and that a caller without it gets no other
// information.
func TestRoles(t *testing.T) {
	type caller struct{}
	s := open(t, func(o *service.Options) {
		o.Allow = func(ctx context.Context, role service.Role, name string) error {
			have, known := ctx.Value(caller{}).(service.Role)
			switch {
			case !known:
				return problemjson.New(http.StatusUnauthorized, "a token is wanted")
			case have < role:
				return problemjson.New(http.StatusForbidden, "the token may not do this")
			}
			return nil
		}
	})
	roles := map[string]service.Role{"public": service.Public, "read": service.Read, "operate": service.Operate, "admin": service.Admin}
	for path, item := range paths() {
		for method, operation := range item {
			needs := roles[operation.(map[string]any)["x-role"].(string)]
			call := strings.ToUpper(method) + " " + strings.NewReplacer("{room}", "nobody", "{voice}", "1", "{bus}", "b", "{name}", "n").Replace(path)
			if needs == service.Public {
				s.ask(call, "").is(t, 200)
				continue
			}
			s.ask(call, "").is(t, 401)
			for have := service.Read; have <= service.Admin; have++ {
				inner := s.Server
				s.web.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					inner.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), caller{}, have)))
				})
				if g := s.ask(call, ""); (g.status == 403) != (have < needs) {
					t.Errorf("%s with role %d gives %d", call, have, g.status)
				}
			}
			s.web.Config.Handler = s.Server
		}
	}
}

// TestDocument checks that the API description and the server have the same calls.
func TestDocument(t *testing.T) {
	var documented []string
	for path, item := range paths() {
		for method := range item {
			documented = append(documented, strings.ToUpper(method)+" "+path)
		}
	}
	served := service.Patterns()
	slices.Sort(documented)
	slices.Sort(served)
	if !slices.Equal(documented, served) {
		t.Errorf("documented %q\nserved %q", documented, served)
	}
}

// TestPanic checks that a panic becomes a 500 without details.
func TestPanic(t *testing.T) {
	s := open(t, func(o *service.Options) {
		o.Board = http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic("/secret/path") })
	})
	g := s.ask("GET /", "")
	g.is(t, 500)
	if strings.Contains(string(g.body), "secret") {
		t.Errorf("%s", g.body)
	}
}
