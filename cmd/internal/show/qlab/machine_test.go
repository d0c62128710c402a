package qlab

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"voicepool/cmd/internal/show/showrun"
)

// TestMachine compares random orders over OSC with the same orders by direct calls.
func TestMachine(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		asked, byHand := newFake(t, sheet), newFake(t, sheet)
		s := New(one(asked))
		c := &client{server: s}
		hand := byHand.show
		numbers := rapid.SampledFrom([]string{"1", "2", "2.5", "3", "Q4", "9"})
		do := func(address string, err error, args ...any) {
			one := call{client: c, args: args}
			_, failed := one.route(split(address))
			if (failed == nil) != (err == nil) {
				rt.Fatalf("%s %v: %v; by hand: %v", address, args, failed, err)
			}
		}
		number := func() string { return numbers.Draw(rt, "number") }
		prefix := func() string {
			return rapid.SampledFrom([]string{"", "/workspace/" + workspaceID("main"), "/cue_id/" + listID("main"), "/workspace/main/cue_id/" + listID("main")}).Draw(rt, "prefix")
		}
		rt.Repeat(map[string]func(*rapid.T){
			"go":      func(*rapid.T) { do(prefix()+"/go", hand.Go("")) },
			"go cue":  func(*rapid.T) { n := number(); do("/voicepool/main/go", hand.Go(n), n) },
			"start":   func(*rapid.T) { n := number(); do(prefix()+"/cue/"+n+"/start", hand.Start(n)) },
			"by id":   func(*rapid.T) { n := number(); do("/cue_id/"+cueID("main", n)+"/start", hand.Start(n)) },
			"stop":    func(*rapid.T) { n := number(); do("/cue/"+n+"/stop", hand.StopCue(n, stopFade)) },
			"standby": func(*rapid.T) { n := number(); do("/voicepool/main/standby", hand.Standby(n), n) },
			"goto":    func(*rapid.T) { n := number(); do(prefix()+"/playhead/"+n, hand.Standby(n)) },
			"next":    func(*rapid.T) { do(prefix()+"/playhead/next", hand.Step(1)) },
			"back":    func(*rapid.T) { do("/voicepool/main/back", hand.Step(-1)) },
			"panic":   func(*rapid.T) { hand.Panic(); do(prefix()+"/panic", nil) },
			"stops":   func(*rapid.T) { hand.Stop(stopFade); do(prefix()+"/stop", nil) },
			"pause":   func(*rapid.T) { hand.Pause(true); do(prefix()+"/pause", nil) },
			"resume":  func(*rapid.T) { hand.Pause(false); do(prefix()+"/resume", nil) },
			"toggle":  func(*rapid.T) { hand.Pause(!hand.Paused()); do("/togglePause", nil) },
			"in time": func(*rapid.T) { hand.PanicIn(1500 * time.Millisecond); do("/panicInTime", nil, float32(1.5)) },
			"": func(rt *rapid.T) {
				if a, b := asked.take(), byHand.take(); a != b {
					rt.Fatalf("asked for %q, by hand %q", a, b)
				}
				if a, b := position(asked.show), position(byHand.show); a != b {
					rt.Fatalf("it stands %s, by hand %s", a, b)
				}
				one := call{client: c}
				id, err := one.route(split("/playheadID"))
				if want := (&list{room: "main", state: asked.State(), sheet: asked.sheet}).idOf(byHand.show.State().Standby); err != nil || id != want {
					rt.Fatalf("the playhead is at %v, want %s", id, want)
				}
			},
		})
	})
}

// split returns the parts of an address.
func split(address string) []string { return strings.Split(address[1:], "/") }

// position describes the cues that stand by, ran last and run.
func position(s *showrun.Show) string {
	st := s.State()
	return fmt.Sprintf("at %q behind %q, paused %v, with %v", st.Standby, st.Last, st.Paused, st.Running)
}
