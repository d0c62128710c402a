package problemjson_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"

	"voicepool/cmd/internal/serve/problemjson"
	"voicepool/cue/report"
	"voicepool/mixer"
)

func TestWrite(t *testing.T) {
	for _, c := range []struct {
		name    string
		problem *problemjson.Problem
		status  int
		body    string
		again   string
	}{
		{
			name: "a field", problem: problemjson.New(400, "gain: %d is above 24 dB", 40).WithField("gain"), status: 400,
			body: `{"type":"about:blank","title":"Bad Request","status":400,"detail":"gain: 40 is above 24 dB","field":"gain"}`,
		},
		{
			name: "a name", problem: problemjson.New(404, "there is no sound %q", "bel").WithNearest("bell"), status: 404,
			body: `{"type":"about:blank","title":"Not Found","status":404,"detail":"there is no sound \"bel\"; did you mean \"bell\"?","nearest":"bell"}`,
		},
		{
			name: "no name is near", problem: problemjson.New(404, "there is no sound").WithNearest(""), status: 404,
			body: `{"type":"about:blank","title":"Not Found","status":404,"detail":"there is no sound"}`,
		},
		{
			name: "a limit", problem: problemjson.New(429, "there are 2 rooms").WithLimit(2), status: 429, again: "1",
			body: `{"type":"about:blank","title":"Too Many Requests","status":429,"detail":"there are 2 rooms","limit":2}`,
		},
		{
			name: "a refusal", status: 409,
			problem: &problemjson.Problem{Type: "about:blank", Title: "Conflict", Status: 409, Detail: "no", Reason: "pool full", Event: &report.Event{Kind: mixer.EventRejected, Slot: -1}},
			body: `{"type":"about:blank","title":"Conflict","status":409,"detail":"no","reason":"pool full",` +
				`"event":{"frame":0,"kind":"rejected","cue":0,"priority":0}}`,
		},
	} {
		w := httptest.NewRecorder()
		c.problem.Write(w)
		h := w.Header()
		if w.Code != c.status || w.Body.String() != c.body+"\n" || h.Get("Content-Type") != problemjson.Type || h.Get("Retry-After") != c.again || h.Get("Cache-Control") != "no-store" {
			t.Errorf("%s: %d %v\n%s, want %d\n%s", c.name, w.Code, h, w.Body, c.status, c.body)
		}
	}
}

func TestError(t *testing.T) {
	var err error = problemjson.New(http.StatusNotFound, "there is none")
	var p *problemjson.Problem
	if !errors.As(err, &p) || err.Error() != "there is none" {
		t.Errorf("%v", err)
	}
}
