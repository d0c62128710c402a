package mixer_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"voicepool/mixer"
	"voicepool/pcm"
)

// clock is a time that a test sets.
type clock struct{ now time.Duration }

func (c *clock) read() time.Duration { return c.now }

// TestLeadKeepsDistances checks that calls between two blocks keep their distances, and that each is
// executed a lead after its call.
func TestLeadKeepsDistances(t *testing.T) {
	c := &clock{now: time.Hour} // any origin
	m := newMixer(t, mixer.Config{Rate: 1000, NoLimiter: true, Lead: 20 * ms, Clock: c.read})
	begin := c.now
	s := level(t, 1000, 5, 0.1)
	want := ""
	n := 0
	for block := range 30 {
		for _, at := range []int{0, 1, 4, 9} {
			c.now = begin + msOf(10*block+at)
			play(t, m.Engine().At(mixer.Now), s, mixer.Options{})
			n++
			if want != "" {
				want += ", "
			}
			want += fmt.Sprintf("%d started %d", 10*block+at+20, n)
		}
		c.now = begin + msOf(10*block+10)
		left(m, 10)
	}
	left(m, 40)
	events := make([]mixer.Event, 1000)
	got := ""
	for _, e := range events[:m.Events(events)] {
		if e.Kind == mixer.EventStarted {
			if got != "" {
				got += ", "
			}
			got += fmt.Sprintf("%d started %d", e.Frame, e.Voice)
		}
	}
	if got != want {
		t.Errorf("what began is\n%s, want\n%s", got, want)
	}
	if st := m.Stats(); st.Late != 0 {
		t.Errorf("%d were late", st.Late)
	}
}

// TestLeadFollows simulates irregular blocks and a device clock that is slightly fast or slow. Almost all
// distances must be kept to a frame, all of them to half a millisecond, and no command may be late.
func TestLeadFollows(t *testing.T) {
	const rate, block = 48000, 480
	for _, drift := range []float64{0, 0.0002, -0.0002} {
		r := rand.New(rand.NewPCG(7, 8))
		c := &clock{}
		m := newMixer(t, mixer.Config{Rate: rate, NoLimiter: true, Lead: 25 * ms, Clock: c.read})
		s := level(t, rate, 1, 0.1)
		events := make([]mixer.Event, 64)
		var made []time.Duration
		var began []int64
		dst := make([]pcm.Frame, block)
		for b := range 600 {
			begin := time.Duration(float64(b) * 10e6 * (1 + drift))
			for at := r.IntN(2000); at < 10000; at += 1 + r.IntN(4000) { // microseconds
				c.now = begin + time.Duration(at)*time.Microsecond
				made = append(made, c.now)
				play(t, m.Engine().At(mixer.Now), s, mixer.Options{})
			}
			c.now = begin + 10*ms + time.Duration(r.IntN(100))*time.Microsecond
			m.Render(dst)
			for _, e := range events[:m.Events(events)] {
				if e.Kind == mixer.EventStarted {
					began = append(began, e.Frame)
				}
			}
		}
		if st := m.Stats(); st.Late != 0 || len(began) < 1000 {
			t.Errorf("drift %v: %d began, %d were late", drift, len(began), st.Late)
		}
		off := 0
		for i := 200; i < len(began); i++ {
			wants := pcm.Frames(made[i]-made[i-1], rate)
			d := began[i] - began[i-1] - wants
			if d < -24 || d > 24 {
				t.Fatalf("drift %v: calls %v apart began %d frames apart, want %d", drift, made[i]-made[i-1], began[i]-began[i-1], wants)
			}
			if d < -1 || d > 1 {
				off++
			}
		}
		if off > len(began)/20 {
			t.Errorf("drift %v: of %d distances %d are off by more than a frame", drift, len(began), off)
		}
	}
}

// TestLeadOfHandles checks that calls of handles keep their distances and their order.
func TestLeadOfHandles(t *testing.T) {
	c := &clock{}
	m := newMixer(t, mixer.Config{Rate: 1000, NoLimiter: true, Lead: 20 * ms, Clock: c.read})
	h := play(t, m.Engine().At(mixer.Now), level(t, 1000, 900, 1), hardLeft)
	c.now = 40 * ms
	left(m, 40)
	h.SetGain(-20) // at 60
	c.now = 50 * ms
	h.SetGain(-40) // at 70
	c.now = 55 * ms
	h.Stop(0) // at 75
	if st := m.Stats(); st.Pending != 3 {
		t.Errorf("%d commands are under way, want 3", st.Pending)
	}
	got := left(m, 60) // from 40 on
	for frame, want := range map[int]float64{60: 1, 65: 0.1, 70: 0.1, 75: 0.01, 90: 0} {
		wantAbout(t, fmt.Sprint("frame ", frame), got[frame-40], want)
	}
	wantEvents(t, m, "20 started 1, 75 stopped 1")
}

// TestLeadLeavesFrames checks that the lead does not apply to a call for an explicit frame.
func TestLeadLeavesFrames(t *testing.T) {
	m := newMixer(t, mixer.Config{Rate: 1000, Lead: 20 * ms, Clock: new(clock).read})
	play(t, m.Engine().At(3), level(t, 1000, 5, 0.1), mixer.Options{})
	left(m, 10)
	wantEvents(t, m, "3 started 1, 8 ended 1")
}

// TestLeadAfterAPause checks that frames do not run away while the mixer does not render, and that the
// lead is the same afterwards.
func TestLeadAfterAPause(t *testing.T) {
	c := &clock{}
	m := newMixer(t, mixer.Config{Rate: 1000, Lead: 20 * ms, Clock: c.read})
	play(t, m.Engine().At(mixer.Now), level(t, 1000, 1, 0.1), mixer.Options{})
	left(m, 100)
	c.now = time.Hour
	play(t, m.Engine().At(mixer.Now), level(t, 1000, 1, 0.1), mixer.Options{})
	left(m, 100)
	c.now += 100 * ms
	play(t, m.Engine().At(mixer.Now), level(t, 1000, 1, 0.1), mixer.Options{})
	left(m, 100)
	wantEvents(t, m, "20 started 1, 21 ended 1, 120 started 2, 121 ended 2, 220 started 3, 221 ended 3")
}

// TestLeadOfTheSystem uses the system clock.
func TestLeadOfTheSystem(t *testing.T) {
	m := newMixer(t, mixer.Config{Rate: 1000, Lead: 20 * ms})
	play(t, m.Engine().At(mixer.Now), level(t, 1000, 1, 0.1), mixer.Options{})
	left(m, 30)
	wantEvents(t, m, "20 started 1, 21 ended 1")
}
