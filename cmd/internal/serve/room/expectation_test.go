package room_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"voicepool/cmd/internal/serve/room"
	"voicepool/internal/expect"
)

const narrow = "voices: 1\nvirtual: 0\nsounds: {bell: {}, rain: {loop: false}}\n"

// rulesOf parses one rule.
func rulesOf(t *testing.T, rule string) *expect.Rules {
	t.Helper()
	list, err := expect.Parse("r", []byte("expect: [{"+rule+"}]"))
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// TestExpect checks each kind of rule while rain begins on the right 100 ms after the call, and a bell steals its voice
// 200 ms later. Each rule holds once and fails once. The call returns as soon as the result is settled.
func TestExpect(t *testing.T) {
	for _, c := range []struct {
		rule, fault string
		took        time.Duration // to 40 ms
	}{
		{`heard: rain, at: 0.1s ± 20ms`, ``, 100 * time.Millisecond},
		{`heard: bell, at: 0.1s`, `it is heard at 0.`, 360 * time.Millisecond},
		{`heard: bell, times: 2`, `it is heard 1 time, at 0.`, time.Second},
		{`heard: bell, times: 1`, ``, time.Second},
		{`heard: rain, side: right, level: [-60, 0]`, ``, 300 * time.Millisecond},
		{`heard: rain, side: left`, `; want left`, 300 * time.Millisecond},
		{`heard: rain, level: [-120, -100]`, `its level is -`, 300 * time.Millisecond},
		{`heard: rain, voice: 1`, ``, 100 * time.Millisecond},
		{`heard: rain, voice: 2`, `it was not heard`, time.Second},
		{`never: bell, between: [0s, 0.2s]`, ``, 450 * time.Millisecond},
		{`never: rain`, `it is heard at 0.`, 100 * time.Millisecond},
		{`stolen: rain, by: bell`, ``, 300 * time.Millisecond},
		{`stolen: bell`, `it was not stolen: #2 plays`, time.Second},
		{`silence: [0s, 0.08s]`, ``, 330 * time.Millisecond},
		{`silence: [0.05s, 0.2s]`, `a sound is audible at 0.`, 100 * time.Millisecond},
		{`peak: 0`, ``, time.Second},
		{`peak: -80`, `the peak is -`, 100 * time.Millisecond},
	} {
		synctest.Test(t, func(t *testing.T) {
			r := open(t, narrow)
			time.Sleep(time.Minute) // the room sleeps
			go func() {
				time.Sleep(100 * time.Millisecond)
				if _, err := r.Play(room.PlayRequest{Sound: "rain", Pan: 0.9}); err != nil {
					t.Error(err)
				}
				time.Sleep(200 * time.Millisecond)
				if _, err := r.Play(room.PlayRequest{Sound: "bell"}); err != nil {
					t.Error(err)
				}
			}()
			begun := time.Now()
			v, err := r.Expect(t.Context(), rulesOf(t, c.rule), 0, time.Second)
			took := time.Since(begun)
			time.Sleep(time.Second)
			if err != nil {
				t.Fatalf("%s: %v", c.rule, err)
			}
			if got := v.Results[0].Fault; (got == "") != (c.fault == "") || !strings.Contains(got, c.fault) {
				t.Errorf("%s: %q, want %q\n%s", c.rule, got, c.fault, v.Timeline())
			}
			if took < c.took || took > c.took+40*time.Millisecond {
				t.Errorf("%s took %v, want %v", c.rule, took, c.took)
			}
			if n, _ := r.Listeners(); n != 0 {
				t.Errorf("%s: %d listeners remain", c.rule, n)
			}
		})
	}
}

// TestExpectFrom checks that events from a number on count, with times from the first one, and that a device gives the
// same results.
func TestExpectFrom(t *testing.T) {
	for _, device := range []string{"", "null"} {
		synctest.Test(t, func(t *testing.T) {
			r := open(t, narrow, func(o *room.Options) { o.Device = device })
			for _, sound := range []string{"rain", "bell"} {
				if _, err := r.Play(room.PlayRequest{Sound: sound}); err != nil {
					t.Fatal(err)
				}
				time.Sleep(300 * time.Millisecond)
			}
			for _, c := range []struct {
				rule  string
				from  int64
				holds bool
			}{
				{`heard: rain, at: 0s`, 1, true}, {`heard: bell, at: 0.3s ± 30ms`, 1, true}, {`stolen: rain, by: bell`, 1, true},
				{`heard: rain`, 0, false}, {`heard: rain, at: 0.5s`, 1, false}, {`never: rain`, 1, false}, {`silence: [0.7s, 0.8s]`, 1, false},
			} {
				v, err := r.Expect(t.Context(), rulesOf(t, c.rule), c.from, 300*time.Millisecond)
				if err != nil {
					t.Fatalf("%q: %s: %v", device, c.rule, err)
				}
				if (v.Results[0].Fault == "") != c.holds {
					t.Errorf("%q: %s: %q", device, c.rule, v.Results[0].Fault)
				}
			}
		})
	}
}

// TestExpectErrors checks the errors of a wrong call, and of a room that ends or changes during a call.
func TestExpectErrors(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := open(t, narrow)
		if _, err := r.Expect(t.Context(), rulesOf(t, `heard: bel`), 0, time.Second); err == nil || err.Error() != `r:1:10: no sound is called "bel"; the nearest is "bell"` {
			t.Error(err)
		}
		if _, err := r.Expect(t.Context(), rulesOf(t, `heard: bell`), 7, time.Second); kindOf(err) != room.NotFound {
			t.Error(err)
		}
		for _, c := range []struct {
			rule  string
			limit time.Duration
			kind  room.Kind
		}{
			{`heard: bell, at: 1s ± 50ms`, 1299 * time.Millisecond, room.Range}, {`never: bell, between: [0s, 50ms]`, 300 * time.Millisecond, 0},
			{`silence: [0s, 50ms]`, 299 * time.Millisecond, room.Range}, {`silence: [0s, 999999999s]`, time.Minute, room.Range}, {`peak: 0`, 20 * time.Millisecond, 0},
		} {
			if _, err := r.Expect(t.Context(), rulesOf(t, c.rule), 0, c.limit); kindOf(err) != c.kind {
				t.Errorf("%s within %v: %v", c.rule, c.limit, err)
			}
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := r.Expect(ctx, rulesOf(t, `heard: bell`), 0, time.Minute); !errors.Is(err, context.DeadlineExceeded) {
			t.Error(err)
		}
		go func() {
			time.Sleep(time.Second)
			r.Close(0)
		}()
		if _, err := r.Expect(t.Context(), rulesOf(t, `heard: bell`), 0, time.Minute); kindOf(err) != room.Refused {
			t.Error(err)
		}
		if _, err := r.Expect(t.Context(), rulesOf(t, `heard: bell`), 0, time.Second); kindOf(err) != room.Closed {
			t.Error(err)
		}
	})
}

// TestExpectManyEvents checks that only the last events count, so that a call needs little memory.
func TestExpectManyEvents(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := open(t, narrow+"overflow: reject\n")
		for r.LastEvent() < room.MaxExpectEvents+1 { // the first play starts, the others are rejected
			_, _ = r.Play(room.PlayRequest{Sound: "rain"})
		}
		if _, err := r.Expect(t.Context(), rulesOf(t, `heard: rain`), 1, time.Second); kindOf(err) != room.NotFound || !strings.Contains(err.Error(), "only the last 10000 events count") {
			t.Error(err)
		}
		v, err := r.Expect(t.Context(), rulesOf(t, `heard: rain`), 2, time.Second)
		if err != nil || !strings.HasPrefix(v.Results[0].Fault, "it was not heard: the start at 0.000 s is rejected (") {
			t.Error(v, err)
		}
	})
}
