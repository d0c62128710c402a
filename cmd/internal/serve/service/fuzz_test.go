package service_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"voicepool/cmd/internal/serve/service"
)

// bodies are the calls with a body.
var bodies = []string{
	"POST play", "PATCH voices/w", "PATCH buses/music", "POST go", "POST standby", "POST panic", "POST stop", "POST pause", "POST scene", "POST batch",
	"PUT ", "PUT sounds/x",
}

func FuzzBodies(f *testing.F) {
	for i, text := range []string{
		`{"sound":"bell","gain":-3,"at":"1s"}`, `{"gain":-3,"over":1}`, `{"duck":{"when":"sfx","by":3}}`, `{"cue":"1","from":1}`, `{"step":1}`, `{}`,
		`{"over":"1s","target":"all"}`, `{"on":false}`, `{"scene":"quiet"}`, `{"commands":[{"do":"play","with":{"sound":"bell"}}]}`, `voices: 2`, `RIFF`,
	} {
		f.Add(byte(i), []byte(text))
	}
	s := open(f, func(o *service.Options) { o.Folder = f.TempDir() })
	f.Fuzz(func(t *testing.T, call byte, body []byte) {
		method, path, _ := strings.Cut(bodies[int(call)%len(bodies)], " ")
		r := httptest.NewRequest(method, strings.TrimSuffix("/v1/rooms/main/"+path, "/"), strings.NewReader(string(body)))
		if path == "" {
			r.Header.Set("Content-Type", "application/yaml")
		}
		w := httptest.NewRecorder()
		s.ServeHTTP(w, r)
		switch {
		case w.Code == http.StatusInternalServerError:
			t.Errorf("%s %s %q: %s", method, path, body, w.Body)
		case w.Code >= 400:
			valid(t, "Problem", w.Body.Bytes())
		case !json.Valid(w.Body.Bytes()):
			t.Errorf("%s %s %q: %s", method, path, body, w.Body)
		}
	})
}

func FuzzMessages(f *testing.F) {
	for _, text := range []string{
		`{"ref":1,"do":"play","with":{"sound":"bell"}}`, `{"do":"set","voice":"1","with":{"gain":-3}}`, `{"do":"state"}`, `{"do":"go","key":"a"}`, `{`, `[]`, `{"ref":"\ud800","do":"panic"}`,
		"{\"do\":\"go\",\"key\":\"\xff\"}", `{"ref":[1],"do":"go"}`, `{"ref":1,"do":"go","to":1}`, "",
	} {
		f.Add([]byte(text))
	}
	s := open(f)
	f.Fuzz(func(t *testing.T, message []byte) {
		reply := s.Answer(t.Context(), "main", message)
		valid(t, "Reply", reply)
		if strings.Contains(string(reply), `"status":500`) {
			t.Errorf("%q: %s", message, reply)
		}
	})
}
