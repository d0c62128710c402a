package qlab

import (
	"testing"
	"time"

	"voicepool/cmd/internal/serve/room"
	"voicepool/internal/leak"
)

var _ Room = (*room.Room)(nil)

// newReal returns a playing room without a sound card.
func newReal(t *testing.T, text string) *room.Room {
	t.Helper()
	r, err := room.Open(t.Context(), room.Options{Name: "main", Title: "show.yaml", Text: []byte(text)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := r.Close(0); err != nil {
			t.Error(err)
		}
	})
	return r
}

// TestReal replays Companion's dialogue with playing rooms.
func TestReal(t *testing.T) {
	t.Run("tcp", func(t *testing.T) {
		defer leak.Check(t)
		t.Run("", func(t *testing.T) {
			replay(t, "testdata/companion.txt", "", overTCP(t, serve(t, one(newReal(t, sheet)))))
		})
	})
	t.Run("udp", func(t *testing.T) {
		r, _ := overUDP(t, one(newReal(t, sheet)))
		replay(t, "testdata/companion.txt", "", r)
	})
	t.Run("passcode", func(t *testing.T) {
		replay(t, "testdata/companion-passcode.txt", "", overTCP(t, serve(t, guarded(newReal(t, sheet)))))
	})
}

// TestRealOrders sends the server's own orders to a playing room and checks rejections.
func TestRealOrders(t *testing.T) {
	real := newReal(t, sheet+"sounds: {bell: {loop: true, bus: sfx, limit: {voices: 2, full: reject}}}\n")
	r := overTCP(t, serve(t, one(real)))
	for _, c := range []struct {
		address string
		args    []any
		status  string
		data    any // a part of the data
	}{
		{"play", []any{"bell", "id", "b", "gain", float32(-6)}, "ok", map[string]any{"sound": "bell", "id": "b", "state": "playing", "voice": "*"}},
		{"play", []any{"bell"}, "ok", map[string]any{"state": "playing"}},
		{"play", []any{"bell"}, "error", "*"},
		{"play", []any{"bel"}, "error", "*"},
		{"play", []any{"bell", "gain", float32(400)}, "error", "*"},
		{"set", []any{"b", "gain", float32(-12), "over", float32(0.1)}, "ok", map[string]any{"voices": []any{"*"}}},
		{"set", []any{"c", "gain", float32(-12)}, "error", "*"},
		{"bus/sfx/gain", []any{float32(-3)}, "ok", map[string]any{"bus": "sfx", "gain": -3.0}},
		{"bus/sfx/mute", []any{int32(1)}, "ok", map[string]any{"bus": "sfx", "mute": true}},
		{"bus/sxf/mute", []any{int32(1)}, "error", "*"},
		{"state", nil, "ok", map[string]any{"room": "main", "standby": "1", "playing": 2.0}},
		{"stop", []any{"b", float32(0)}, "ok", map[string]any{"voices": []any{"*"}}},
	} {
		a := r.ask("/voicepool/main/"+c.address, c.args...)
		if err := within(c.data, a.Data); a.Status != c.status || err != nil {
			t.Errorf("%s %v: %v; %v", c.address, c.args, a, err)
		}
	}
}

// TestRealLife checks the updates about a cue in a room: its start, its known duration, and its end.
func TestRealLife(t *testing.T) {
	real := newReal(t, "list: [{cue: 1, play: coin}, {cue: 2, play: coin}]")
	r := overTCP(t, serve(t, one(real)))
	r.ask("/updates", int32(1))
	if a := r.ask("/go"); a.Status != "ok" {
		t.Fatal(a)
	}
	changed := "/update/workspace/" + workspaceID("main") + "/cue_id/" + cueID("main", "1")
	r.told(changed)
	running := func() any {
		return r.ask("/cue/1/valuesForKeys", `["isRunning"]`).Data.(map[string]any)["isRunning"]
	}
	for end := time.Now().Add(bound); running() == true; {
		if time.Now().After(end) {
			t.Fatal("it never ends")
		}
		r.told(changed)
	}
	if a := r.ask("/cue/1/duration"); a.Status != "ok" || a.Data.(float64) <= 0 || a.Data.(float64) > 10 {
		t.Errorf("it lasts %v", a)
	}
}
