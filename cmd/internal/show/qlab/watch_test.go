package qlab

import (
	"testing"
	"time"

	"voicepool/cmd/internal/serve/pipenet"
	"voicepool/cue"
)

// TestUpdates checks that changes are sent only to clients that subscribed.
func TestUpdates(t *testing.T) {
	f := newFake(t, sheet)
	s := serve(t, one(f))
	r, other := overTCP(t, s), overTCP(t, s)
	under := "/update/workspace/" + workspaceID("main")
	r.ask("/updates", int32(1))
	if a := other.ask("/updates"); a.Data != false {
		t.Errorf("somebody who did not ask is told: %v", a)
	}
	if err := f.show.Standby("Q4"); err != nil {
		t.Fatal(err)
	}
	r.told(under+"/cueList/"+listID("main")+"/playbackPosition", cueID("main", "Q4"))
	if err := f.show.Go(""); err != nil {
		t.Fatal(err)
	}
	r.told(under + "/cue_id/" + cueID("main", "Q4"))
	r.told(under + "/cue_id/" + listID("main"))
	r.told(under+"/cueList/"+listID("main")+"/playbackPosition", "none")
	if a := r.ask("/playheadID"); a.Data != "none" {
		t.Errorf("at the end of the list %v stands by", a)
	}
	if a := r.ask("/selectedCues"); len(a.Data.([]any)) != 0 {
		t.Errorf("at the end of the list %v is selected", a)
	}
	f.show.Pause(true)
	r.told(under + "/cue_id/" + cueID("main", "Q4"))

	// A new sheet adds one cue and removes another.
	next, err := cue.Parse("show.yaml", []byte("list: [{cue: 1, name: House music, play: theme}, {cue: 7, play: coin}]"))
	if err != nil {
		t.Fatal(err)
	}
	f.show.Change(next, func() {
		f.mutex.Lock()
		defer f.mutex.Unlock()
		f.playing = nil
	})
	r.told(under + "/cue_id/" + cueID("main", "7"))
	r.told(under + "/cue_id/" + cueID("main", "2"))
	r.told(under + "/cue_id/" + listID("main"))

	close(f.done)
	r.told(under + "/disconnect")
	if a := r.ask("/go"); a.Status != "error" || a.Data != `unknown room "main"` {
		t.Errorf("a room that has ended: %v", a)
	}
	if a := r.ask("/workspaces"); len(a.Data.([]any)) != 0 {
		t.Errorf("a room that has ended is a workspace: %v", a)
	}
	select {
	case m := <-other.updates:
		t.Errorf("%s is told to who did not ask", m.Address)
	default:
	}
}

// TestClose checks that closing a server notifies its clients and closes connections immediately.
func TestClose(t *testing.T) { inBubble(t, one(newFake(t, sheet)), testClose) }

func testClose(t *testing.T, s *Server) {
	r, silent := overTCP(t, s), overTCP(t, s)
	r.ask("/updates", int32(1))
	silent.ask("/version")
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	r.told("/update/workspace/" + workspaceID("main") + "/disconnect")
	for _, one := range []*remote{r, silent} {
		select {
		case <-one.closed:
		case <-time.After(bound):
			t.Error("a connection is still open")
		}
	}
	if n := s.counters.Clients.Load(); n != 0 {
		t.Errorf("%d clients are left", n)
	}
	if err := s.Serve(pipenet.New(), &network{in: make(chan datagram)}); err == nil {
		t.Error("a server that has ended listens")
	}
}

// TestWorkspaces checks that a room is found by its id and by its name.
func TestWorkspaces(t *testing.T) {
	rooms := map[string]*fake{"main": newFake(t, sheet), "bar": newFake(t, sheet)}
	o := Options{Names: func() []string { return []string{"bar", "main"} }, Rooms: func(name string) Room {
		if f := rooms[name]; f != nil {
			return f
		}
		return nil
	}}
	r := overTCP(t, serve(t, o))
	if a := r.ask("/workspaces"); within([]any{map[string]any{"displayName": "bar", "uniqueID": workspaceID("bar")}, map[string]any{"displayName": "main"}}, a.Data) != nil {
		t.Errorf("%v", a)
	}
	for _, address := range []string{"/workspace/" + workspaceID("bar") + "/go", "/workspace/bar/go", "/voicepool/bar/go"} {
		if a := r.ask(address); a.Status != "ok" || a.Workspace != workspaceID("bar") {
			t.Errorf("%s: %v", address, a)
		}
	}
	if asked := rooms["bar"].take(); asked != "fire 1, fire 2, fire Q4" || rooms["main"].take() != "" {
		t.Errorf("asked for %s", asked)
	}
}

// TestIDs checks that ids are UUIDs and always the same, because buttons of remotes store them.
func TestIDs(t *testing.T) {
	got := []string{workspaceID("main"), listID("main"), cueID("main", "1"), cueID("main", "2.5"), id("cue", "main1", "")}
	for i, want := range []string{
		"17359BCC-AD4C-8CD8-9F2F-BA2A35C43713", "9AED105B-19AB-82B4-896B-1F2C1B94BACF", "79283254-09E5-8A7D-83A7-0108D8C69F5B",
		"D67C647A-C0AE-842E-A4D3-0AB4331DED75", "D9AE1917-4329-8EF0-9ADC-2E2A39012416",
	} {
		if got[i] != want {
			t.Errorf("%d: %s, want %s", i, got[i], want)
		}
	}
}
