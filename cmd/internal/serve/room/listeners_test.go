package room

import (
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"voicepool/cue/report"
	"voicepool/internal/expect"
	"voicepool/internal/listening"
	"voicepool/mixer"
	"voicepool/pcm"
)

// TestListeners checks that a listener is rejected if its output was removed since the lookup: it would read beyond
// the blocks.
func TestListeners(t *testing.T) {
	h := listeners{pairs: 2}
	h.setPairs(1)
	err := h.add(&Listener{pair: 1, limit: 1 << 10, ready: make(chan struct{}, 1)})
	h.broadcast(make([]pcm.Frame, 8), 0)
	if e, ok := errors.AsType[*Error](err); !ok || e.Kind != NotFound || e.Field != "output" {
		t.Errorf("a listener of the second output of one enters: %v", err)
	}
	if err := h.add(&Listener{pair: 0, limit: 1 << 10, ready: make(chan struct{}, 1)}); err != nil || h.empty() {
		t.Errorf("a listener of the first is kept out: %v", err)
	}
}

// TestListenerCheck checks that rules are compared with a copy of the audio, so that the mixing need not wait for them.
func TestListenerCheck(t *testing.T) {
	list, err := expect.Parse("r", []byte("expect: [{peak: -80}]"))
	if err != nil {
		t.Fatal(err)
	}
	l := &Listener{meter: listening.NewMeter(1000, 0)}
	e := &expect.Evidence{Rate: 1000, Audio: listening.NewMeter(1000, 0)}
	l.push(make([]pcm.Frame, 10), 2, 0)
	if v := l.check(e, list, 5); v.Results[0].Fault != "" || e.Audio.Range().To != 5 {
		t.Errorf("silence: %q", v.Results[0].Fault)
	}
	l.push([]pcm.Frame{{0.25}, {0.25}}, 2, 5)
	if v := e.Check(list); v.Results[0].Fault != "" {
		t.Errorf("the copy changes: %q", v.Results[0].Fault)
	}
	if v := l.check(e, list, 6); v.Results[0].Fault != "the peak is -6.0 dB; want at most -80 dB" {
		t.Errorf("a sound: %q", v.Results[0].Fault)
	}
}

// TestExpectManyStarts checks that a call of Expect ends after too many starts, so that it needs little memory and time.
func TestExpectManyStarts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, err := Open(t.Context(), Options{Name: "main", Text: []byte("sounds: {bell: {}}")})
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close(0)
		list, err := expect.Parse("r", []byte("expect: [{heard: bell}]"))
		if err != nil {
			t.Fatal(err)
		}
		done := make(chan error, 1)
		go func() {
			_, err := r.Expect(t.Context(), list, 0, time.Minute)
			done <- err
		}()
		synctest.Wait()
		for range MaxExpectStarts {
			r.eventLog.record(&report.Event{Kind: mixer.EventLimited, Sound: "bell"})
		}
		time.Sleep(time.Second)
		select {
		case err := <-done:
			t.Fatalf("the call ends after %d starts: %v", MaxExpectStarts, err)
		default:
		}
		r.eventLog.record(&report.Event{Kind: mixer.EventLimited, Sound: "bell"})
		err = <-done
		if e, ok := errors.AsType[*Error](err); !ok || e.Kind != Refused || !strings.Contains(e.Detail, "more than 20000 sounds were started") {
			t.Error(err)
		}
	})
}
