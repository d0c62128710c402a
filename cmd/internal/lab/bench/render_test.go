package bench

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
)

// TestRenders checks the case of a render with one second of the scene.
func TestRenders(t *testing.T) {
	defer func(whole []byte) { renderScene = whole }(renderScene)
	renderScene = bytes.Replace(renderScene, []byte("length: 60s"), []byte("length: 1s"), 1)
	rows, err := renderRuns(2, func(name string) bool { return name == loadedRender }, func(string, ...any) {})
	if err != nil || len(rows) != 1 {
		t.Fatalf("%v, %v", rows, err)
	}
	if r := rows[0]; r.Voices != 20 || len(r.Samples) != 2 || !(*r.TimesRealtime > 0.1) || *r.TimesRealtime > 1e5 || r.Unit() != unitTimes || r.value() != *r.TimesRealtime {
		t.Errorf("%+v", r)
	}
	text, err := json.Marshal(rows[0])
	if err != nil || !strings.Contains(string(text), `"times_realtime":`) || strings.Contains(string(text), `"ns":`) {
		t.Errorf("%s, %v", text, err)
	}
	var out strings.Builder
	Print(&out, rows)
	if s := out.String(); !strings.Contains(s, unitTimes) || !strings.Contains(s, loadedRender) {
		t.Errorf("it prints\n%s", s)
	}
}
