package show

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"voicepool/mixer"
	"voicepool/pcm"
)

// playing is a show with a second reader of its events.
type playing struct {
	*testing.T
	*Show
	all  *mixer.EventReader
	seen View
}

func play(t *testing.T) *playing {
	t.Helper()
	s, err := New()
	if err != nil {
		t.Fatal(err)
	}
	p := &playing{T: t, Show: s, all: s.Mixer().Engine().NewEventReader()}
	t.Cleanup(func() { p.all.Close(); s.Close() })
	return p
}

// pass advances the time in pictures of 800 frames, a 60th of a second, each in two blocks.
func (p *playing) pass(seconds float64, see func(View)) {
	p.Helper()
	block := make([]pcm.Frame, 400)
	for range int(seconds * 60) {
		if err := p.Step(); err != nil {
			p.Fatal(err)
		}
		p.Mixer().Render(block)
		p.Mixer().Render(block)
		if p.seen = p.Look(); see != nil {
			see(p.seen)
		}
	}
}

// named returns how many slots play a sound.
func (p *playing) named(name string) (n int) {
	for _, s := range p.seen.Slots {
		if s.Name == name {
			n++
		}
	}
	return n
}

// TestStorm checks that the pool is full during a round, that voices are stolen, and that the slot of every
// take then shows the winner. Each stolen voice is counted once.
func TestStorm(t *testing.T) {
	p := play(t)
	full, takes, returns, missing := 0, 0, 0, 0
	p.pass(round/1000, func(v View) {
		if v.Playing == v.Voices {
			full++
		}
		last := map[int]Take{}
		for _, k := range v.Takes {
			takes++
			if k.Returns {
				returns++
			}
			if k.Slot < 0 || k.Slot >= v.Voices || k.Winner == "" || k.Victim == "" {
				t.Fatalf("a take of a slot that is not there: %+v", k)
			}
			last[k.Slot] = k
		}
		for slot, k := range last {
			if s := v.Slots[slot]; s.Voice != k.Voice || s.Name != k.Winner {
				missing++ // ended already, or restored to another slot
			}
		}
		if text, err := json.Marshal(v); err != nil {
			t.Fatalf("%v: %s", err, text)
		}
	})
	t.Logf("full in %d pictures, %d takes: after %d the victim may return, after %d the winner was not seen",
		full, takes, returns, missing)
	if full < 60 || takes < 60 || returns < 30 || missing > takes/20 {
		t.Error("those are too few, or too many were not seen")
	}
	gave := map[uint64]bool{}
	var events [256]mixer.Event
	for n := p.all.Events(events[:]); n > 0; n = p.all.Events(events[:]) {
		for _, e := range events[:n] {
			if (e.Kind == mixer.EventStolen || e.Kind == mixer.EventVirtual) && e.Steal.BySound != nil {
				gave[e.Voice] = true
			}
		}
	}
	if p.seen.Gave != len(gave) || len(p.yielded) >= len(gave) {
		t.Errorf("%d voices gave way, want %d; %d of them are kept in mind", p.seen.Gave, len(gave), len(p.yielded))
	}
	if st := p.Mixer().Stats(); p.seen.Asked != st.Asked || st.EventsLost != 0 || st.Late != 0 {
		t.Errorf("%d sounds were asked for, the mixer has %+v", p.seen.Asked, st)
	}
	if p.named("theme") != 1 {
		t.Error("the theme was stolen")
	}
}

// TestCalm checks that no voice is stolen without storms.
func TestCalm(t *testing.T) {
	p := play(t)
	p.Storms = false
	p.pass(round/1000, func(v View) {
		if len(v.Takes) > 0 || v.Gave > 0 || v.Unseen > 0 {
			t.Fatalf("there are takes: %+v", v)
		}
	})
	if p.seen.Asked < 30 || p.seen.RMS < -60 {
		t.Errorf("%d sounds were asked for, the RMS is %v dB", p.seen.Asked, p.seen.RMS)
	}
}

// TestQuietAtFirst checks for silence before the first Step.
func TestQuietAtFirst(t *testing.T) {
	p := play(t)
	block := make([]pcm.Frame, 4800)
	p.Mixer().Render(block)
	heard := slices.ContainsFunc(block, func(f pcm.Frame) bool { return f != pcm.Frame{} })
	if v := p.Look(); heard || v.Asked != 0 || v.Playing != 0 || v.RMS != floor {
		t.Errorf("before the first Step there is %+v", v)
	}
}

// TestKeys checks that each key plays its sound, and that the error for an unknown key lists the keys.
func TestKeys(t *testing.T) {
	p := play(t)
	p.Storms = false
	for _, k := range Keys {
		p.pass(0.1, nil)
		before := p.named(k.Sound)
		if err := p.Press(k.Key); err != nil {
			t.Fatal(err)
		}
		if p.pass(0.05, nil); p.named(k.Sound) != before+1 {
			t.Errorf("after %s there are %d of %s, want %d", k.Key, p.named(k.Sound), k.Sound, before+1)
		}
	}
	const want = `no sound has the key "x", only a s d f g h j k l`
	if err := p.Press("x"); err == nil || err.Error() != want {
		t.Errorf("a key without a sound: %v, want %s", err, want)
	}
}

// TestResize checks that the pool gets the requested size, clamped to the possible range.
func TestResize(t *testing.T) {
	p := play(t)
	p.pass(7, nil) // into the storm
	for _, c := range []struct{ ask, want int }{
		{ask: -5, want: 1}, {ask: 0, want: 1}, {ask: 1, want: 1}, {ask: 7, want: 7},
		{ask: MaxVoices, want: MaxVoices}, {ask: 99, want: MaxVoices}, {ask: 12, want: 12},
	} {
		if err := p.Resize(c.ask); err != nil {
			t.Fatal(err)
		}
		if p.pass(0.1, nil); p.seen.Voices != c.want || len(p.seen.Slots) != c.want {
			t.Errorf("after Resize(%d) there are %d voices in %d slots, want %d",
				c.ask, p.seen.Voices, len(p.seen.Slots), c.want)
		}
	}
}

// TestPause checks that the score continues after a pause without the missed beats.
func TestPause(t *testing.T) {
	p := play(t)
	p.pass(1, nil)
	before := p.seen.Asked
	p.Mixer().Render(make([]pcm.Frame, 60*48000))
	p.pass(0.1, nil)
	if n := p.seen.Asked - before; n > 10 {
		t.Errorf("after a minute %d sounds are asked for at once", n)
	}
}

// TestScore compares the beats of a note with those found by trying every frame.
func TestScore(t *testing.T) {
	const rate = 100 // a frame is 10 ms
	edges := []note{{from: 0, until: 10, step: 10}, {from: 11990, until: 12000, step: 500}}
	for _, n := range append(edges, score...) {
		t.Run(fmt.Sprint(n.sound, n.step), func(t *testing.T) {
			n.from, n.until, n.step = n.from/10*10, n.until/10*10, max(n.step/10*10, 10)
			var all []int64
			for f := range int64(3 * round * rate / 1000) {
				if ms := f * 1000 / rate % round; ms >= n.from && ms < n.until && (ms-n.from)%n.step == 0 {
					all = append(all, f)
				}
			}
			for f := range int64(2 * round * rate / 1000) {
				i, _ := slices.BinarySearch(all, f)
				if got := n.after(f, rate); got != (beat{frame: all[i], count: i}) {
					t.Fatalf("after frame %d comes %+v, want frame %d, count %d", f, got, all[i], i)
				}
			}
		})
	}
}
