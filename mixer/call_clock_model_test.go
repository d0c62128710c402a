package mixer_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"voicepool/internal/longtest"
	"voicepool/mixer"
	"voicepool/pcm"
	"voicepool/sounds"
)

// leadPair are a mixer with a lead that is called at times, and a mixer without a lead that gets the
// same calls with explicit frames: the time in frames plus the lead.
type leadPair struct {
	t        *testing.T
	c        *clock
	led, set *mixer.Mixer
	lead     int64
	handles  [2][]mixer.Handle
	log      []string
}

// say appends a formatted call to the log, which fatal prints.
func (l *leadPair) say(format string, a ...any) {
	l.log = append(l.log, fmt.Sprintf("%v: ", l.c.now)+fmt.Sprintf(format, a...))
}

// fatal fails the test with a message and the last 30 calls.
func (l *leadPair) fatal(format string, a ...any) {
	l.t.Helper()
	l.t.Fatalf("%s\n"+format, append([]any{strings.Join(l.log[max(0, len(l.log)-30):], "\n")}, a...)...)
}

// frame returns the frame of a call at the present time.
func (l *leadPair) frame() int64 { return l.c.now.Milliseconds() + l.lead }

// call makes the same random call to both.
func (l *leadPair) call(r *rand.Rand, all []*sounds.Sound) {
	at := l.set.Engine().At(l.frame())
	both := func(a, b error) {
		l.t.Helper()
		if b != nil || a != nil && !errors.Is(a, mixer.ErrGone) {
			l.fatal("the led one says %v, the other %v", a, b)
		}
	}
	over := time.Duration(pick(r, 0, 3, 40)) * ms
	if len(l.handles[0]) == 0 || r.IntN(3) == 0 {
		s := all[2+r.IntN(len(all)-2)]
		o := mixer.Options{
			Gain: pcm.Decibels(-r.IntN(40)), Pan: r.Float64()*2 - 1, Priority: r.IntN(2), EngineOptions: mixer.EngineOptions{Protect: r.IntN(9) == 0, Tag: mixer.Tag(1 + r.IntN(3)), Quality: sounds.Linear}, Loop: r.IntN(4) == 0, FadeIn: over,
		}
		l.say("Play %s %+v", s.Name(), o)
		a, err := l.led.Play(s, o)
		b, err2 := at.Play(s, o)
		both(err, err2)
		l.handles[0], l.handles[1] = append(l.handles[0], a), append(l.handles[1], b)
		return
	}
	i := len(l.handles[0]) - 1 - r.IntN(min(len(l.handles[0]), 9))
	h, one := l.handles[0][i], mixer.TargetVoice(l.handles[1][i])
	tag := mixer.TargetTag(mixer.Tag(1 + r.IntN(3)))
	g, n := pcm.Decibels(-r.IntN(60)), r.IntN(3)
	kind := r.IntN(16)
	l.say("%d of #%d: %v %v %d", kind, i, over, g, n)
	set := func(c mixer.Change) error { return at.Set(one, c, 0) }
	switch kind {
	case 0:
		both(h.Stop(0), at.Stop(one, 0))
	case 1:
		both(h.Stop(over), at.Stop(one, over))
	case 2:
		both(h.Pause(), at.Pause(one))
	case 3, 4:
		both(h.Resume(), at.Resume(one))
	case 5:
		both(h.SetGain(g), set(mixer.Change{Fields: mixer.FieldGain, Gain: g}))
	case 6:
		both(h.SetPan(float64(n)-1), set(mixer.Change{Fields: mixer.FieldPan, Pan: float64(n) - 1}))
	case 7:
		both(h.SetPriority(n), set(mixer.Change{Fields: mixer.FieldPriority, Priority: n}))
	case 8:
		both(h.Protect(n == 0), set(mixer.Change{Fields: mixer.FieldProtect, Protect: n == 0}))
	case 9:
		both(h.Seek(over), at.Seek(one, over))
	case 10:
		both(h.Fade(g, over), at.Set(one, mixer.Change{Fields: mixer.FieldGain, Gain: g, Shape: sounds.InDecibels}, over))
	case 11:
		both(l.led.Engine().At(mixer.Now).Set(tag, mixer.Change{Fields: mixer.FieldGain, Gain: g}, over), at.Set(tag, mixer.Change{Fields: mixer.FieldGain, Gain: g}, over))
	case 12:
		both(l.led.Engine().At(mixer.Now).Stop(tag, over), at.Stop(tag, over))
	case 13:
		both(l.led.Engine().At(mixer.Now).Resize(1+n), at.Resize(1+n))
	case 14:
		both(h.SetSpeed(1+float64(n)/4), set(mixer.Change{Fields: mixer.FieldSpeed, Speed: 1 + float64(n)/4}))
	case 15:
		if n == 0 {
			l.led.StopAll(over)
			both(nil, at.Stop(mixer.TargetAll(), over))
		}
	}
}

// render renders n frames of both, with different blocks in the second.
func (l *leadPair) render(r *rand.Rand, n int) {
	got, want := make([]pcm.Frame, n), make([]pcm.Frame, 0, n)
	l.say("render %d", n)
	l.led.Render(got)
	for len(want) < n {
		block := make([]pcm.Frame, min(1+r.IntN(30), n-len(want)))
		l.set.Render(block)
		want = append(want, block...)
	}
	for i := range got {
		for ch := range got[i] {
			if math.Float32bits(got[i][ch]) != math.Float32bits(want[i][ch]) {
				l.fatal("frame %d of the block is %v, with explicit frames %v", i, got[i], want[i])
			}
		}
	}
	var events [2][256]mixer.Event
	a, b := l.led.Events(events[0][:]), l.set.Events(events[1][:])
	if x, y := describe(flatEvents(events[0][:a])), describe(flatEvents(events[1][:b])); x != y {
		l.fatal("what happened is\n%s\nwith explicit frames\n%s", x, y)
	}
	x, y := l.led.Stats(), l.set.Stats()
	x.Pending, y.Pending = 0, 0 // the other also gets commands for ended voices
	if x.Late != 0 || x != y {
		l.fatal("the led one counts\n%+v, the other\n%+v", x, y)
	}
	for i, h := range l.handles[0] {
		if other := l.handles[1][i]; h.State() != other.State() || h.Number() != other.Number() {
			l.fatal("#%d is %v, voice %d; with an explicit frame %v, %d", i, h.State(), h.Number(), other.State(), other.Number())
		}
	}
}

// TestLeadAgainstFrames simulates a device with regular blocks. All kinds of calls between two blocks
// must have the same bits, events and counters as calls for the frame of their time plus the lead.
func TestLeadAgainstFrames(t *testing.T) {
	sessions, calls := uint64(40), 0
	switch {
	case long:
		sessions = 3000
	case !longtest.Enabled() || raceDetector:
		sessions = 15
	}
	sounds := modelSounds(t, 1000, false)
	for seed := range sessions {
		r := rand.New(rand.NewPCG(seed, 5))
		block := int64(1 + r.IntN(60))
		l := &leadPair{t: t, c: &clock{}, lead: block + r.Int64N(40)}
		c := mixer.Config{Rate: 1000, Voices: 1 + r.IntN(4), MaxVoices: 6, Virtual: r.IntN(4), NoLimiter: true, Commands: 512, Overflow: pick(r, mixer.StealQuietest, mixer.StealOldest, mixer.Reject)}
		l.set = newMixer(t, c)
		c.Lead, c.Clock = time.Duration(l.lead)*ms, l.c.read
		l.led = newMixer(t, c)
		for n := int64(0); n < 1500; {
			size := 1 + r.Int64N(block)
			// A call at the start of the block, which anchors the line through the blocks.
			l.call(r, sounds)
			for at := r.Int64N(8); at < size; at += r.Int64N(8) {
				l.c.now = time.Duration(n+at) * ms
				l.call(r, sounds)
				calls++
			}
			n += size
			l.c.now = time.Duration(n) * ms
			l.render(r, int(size))
		}
		l.led.Close()
		l.set.Close()
	}
	t.Logf("%d calls between two blocks", calls)
}

// TestLeadUneven simulates irregular blocks and pauses of the device while the clock runs. Calls are
// executed in order, and never late while no block exceeds the lead. They are never further ahead than
// twice the lead. Calls between two blocks keep their distances, except just after a pause.
func TestLeadUneven(t *testing.T) {
	sessions := uint64(100)
	if long {
		sessions = 4000
	}
	const rate = 8000
	s, events := level(t, rate, 1, 0.1), make([]mixer.Event, 4096)
	for seed := range sessions {
		r := rand.New(rand.NewPCG(seed, 6))
		c := &clock{now: time.Duration(r.Int64N(1 << 40))}
		lead := int64(400 + r.IntN(400))
		m := newMixer(t, mixer.Config{Rate: rate, Voices: 64, NoLimiter: true, Lead: pcm.Duration(lead, rate), Clock: c.read, Commands: 256})
		type called struct {
			at       time.Duration
			rendered int64
			apart    bool // the distance to the previous call must be kept
		}
		var calls []called
		var began []int64
		begin, uneven := c.now, 0
		for range 60 {
			for n := r.IntN(5); n > 0; n-- {
				step := time.Duration(r.Int64N(int64(3 * ms)))
				c.now += step
				if _, err := m.Play(s, mixer.Options{}); err != nil {
					t.Fatal(err)
				}
				calls = append(calls, called{c.now, m.Now(), len(calls) > 0 && calls[len(calls)-1].rendered == m.Now() && uneven == 0})
			}
			switch r.IntN(12) {
			case 0: // a pause of the device
				d := time.Duration(r.Int64N(int64(time.Hour)))
				c.now, begin, uneven = c.now+d, begin+d, 3
			case 1:
				m.Render(nil)
			default:
				n := pcm.Frames(c.now-begin, rate) - m.Now() + 1 + r.Int64N(lead/4) // the device requests a block when the last one has been played
				c.now = max(c.now, begin+pcm.Duration(m.Now()+n, rate)+time.Duration(r.Int64N(int64(ms))))
				m.Render(make([]pcm.Frame, n))
				uneven = max(uneven-1, 0)
			}
			for _, e := range events[:m.Events(events)] {
				if e.Kind == mixer.EventStarted || e.Kind == mixer.EventRejected {
					began = append(began, e.Frame)
				}
			}
		}
		m.Render(make([]pcm.Frame, 4*lead))
		for _, e := range events[:m.Events(events)] {
			if e.Kind == mixer.EventStarted || e.Kind == mixer.EventRejected {
				began = append(began, e.Frame)
			}
		}
		if st := m.Stats(); st.Late != 0 || len(began) != len(calls) {
			t.Fatalf("seed %d: %d of %d calls began, %d were late", seed, len(began), len(calls), st.Late)
		}
		for i, f := range began {
			k := calls[i]
			if f < k.rendered || f > k.rendered+2*lead+1 || i > 0 && f < began[i-1] {
				t.Fatalf("seed %d: call %d at %v, when %d frames were rendered, began at %d; the lead is %d, the call before began at %d", seed, i, k.at, k.rendered, f, lead, began[max(i-1, 0)])
			}
			if i > 0 && k.apart {
				want := pcm.Frames(k.at-calls[i-1].at, rate)
				if d := f - began[i-1] - want; d < -1 || d > 1 {
					t.Fatalf("seed %d: calls %d and %d are %d frames apart, began %d apart", seed, i-1, i, want, f-began[i-1])
				}
			}
		}
	}
}
