package model

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"voicepool/internal/longtest"
	"voicepool/mixer"
	"voicepool/pcm"
	"voicepool/sounds"
)

// gains are the gains for the model's values.
var gains = [...]pcm.Decibels{0, -6, -12, -18}

// levels is the number of sound levels. They are chosen so that no two voices are equally loud at any gain.
const levels = 4

// loudness returns the level of the sound of the nth start.
func loudness(n int) float64 { return math.Ldexp(1, -(n % levels)) }

// TestReplay runs a mixer along every walk of a number of deeds through the model, and along longer random
// ones. A deed is a whole call or a whole block. After each deed it compares the API with the model: errors,
// states and numbers of all handles, events, counters, and the level of the mix.
func TestReplay(t *testing.T) {
	sounds := steadySounds(t)
	for _, c := range []struct {
		voices, commands int
		short, usual     int // steps of a walk
		calls            []kind
	}{
		{voices: 1, commands: 1, short: 4, usual: 7, calls: []kind{play, stop, set, stopAll}},
		{voices: 1, commands: 1, short: 4, usual: 6, calls: []kind{play, playLater, stop, stopAll}},
		{voices: 1, commands: 2, short: 3, usual: 5, calls: []kind{play, playLater, stop, stopLater, set, fade, stopAll}},
		{voices: 1, commands: 6, short: 4, usual: 6, calls: []kind{play, playLater, set, fade}},
		{voices: 2, commands: 1, short: 4, usual: 6, calls: []kind{play, stop, set, stopAll}},
	} {
		r := replayer{sounds: sounds}
		start := newWalk(config{voices: c.voices, pool: 2*c.voices + c.commands, commands: c.commands, calls: c.calls})
		deeds := c.usual
		if !longtest.Enabled() {
			deeds = c.short
		}
		r.all(start.fork(), deeds)
		short := r.walks
		for seed := range uint64(200) {
			r.long(start.fork(), 60, rand.New(rand.NewPCG(seed, 1)))
		}
		t.Logf("voices %d, a ring of %d: %d walks of %d deeds, %d of 60, %d deeds in all", c.voices, c.commands, short, deeds, r.walks-short, r.deeds)
		if r.bad != "" {
			t.Error(r.bad)
		}
	}
}

// steadySounds returns sounds with the levels, longer than any walk.
func steadySounds(t *testing.T) (all []*sounds.Sound) {
	for i := range levels {
		s := sounds.Samples{Rate: rate, Channels: 1, Data: make([]float32, 200*stretch)}
		for j := range s.Data {
			s.Data[j] = float32(loudness(i))
		}
		sound, err := sounds.NewSound(s)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, sound)
	}
	return all
}

// replayer runs mixers along walks until a mixer differs from the model.
type replayer struct {
	sounds []*sounds.Sound
	walks  int
	deeds  int
	bad    string
	block  [2 * stretch]pcm.Frame
	events [64]mixer.Event
}

// all replays all walks with the given number of further deeds.
func (r *replayer) all(w *walk, deeds int) {
	switch {
	case r.bad != "":
	case deeds == 0:
		r.replay(w)
	default:
		w.next(func(v *walk) { r.all(v, deeds-1) })
	}
}

// long replays one random walk.
func (r *replayer) long(w *walk, deeds int, random *rand.Rand) {
	for range deeds {
		w = w.some(random)
	}
	if r.bad == "" {
		r.replay(w)
	}
}

// replay runs a new mixer along a walk.
func (r *replayer) replay(w *walk) {
	m, err := mixer.New(mixer.Config{
		Rate: rate, Voices: w.config.voices, Commands: w.config.commands, Overflow: mixer.StealOldest, NoLimiter: true, Events: len(r.events),
	})
	if err != nil {
		r.bad = err.Error()
		return
	}
	handles := make([]mixer.Handle, 0, len(w.starts))
	busy := int64(0) // additional calls that must be rejected
	r.walks++
	for i, d := range w.deeds() {
		r.deeds++
		what := r.deed(m, w, d, &handles)
		if what == "" {
			what = r.compare(m, d, handles, &busy)
		}
		if what != "" {
			r.bad = fmt.Sprintf("%s, by\n%s", what, w.story(i+1))
			return
		}
	}
}

// deed does a deed and returns an error text.
func (r *replayer) deed(m *mixer.Mixer, w *walk, d *deed, handles *[]mixer.Handle) string {
	later := m.Now() + stretch
	var err error
	switch d.kind {
	case none:
		block := r.block[:d.stretches*stretch]
		m.Render(block)
		if got := float64(block[len(block)-1][0]); !d.loose && math.Abs(got-d.loud) > 1e-6 {
			return fmt.Sprintf("the last frame is %v, the model says %v", got, d.loud)
		}
	case play, playLater:
		o := mixer.Options{Pan: -1, EngineOptions: mixer.EngineOptions{Ref: mixer.Ref(d.start + 1), Quality: sounds.Linear}}
		if s := &w.starts[d.start]; s.ends >= 0 {
			o.For = time.Duration((s.ends-s.began)*stretch+stretch/2) * time.Second / rate
		}
		at := m.Engine().At(mixer.Now)
		if d.kind == playLater {
			at = m.Engine().At(later)
		}
		var h mixer.Handle
		h, err = at.Play(r.sounds[d.start%levels], o)
		*handles = append(*handles, h)
	case stop:
		err = (*handles)[d.start].Stop(0)
	case stopLater:
		err = m.Engine().At(later).Stop(mixer.TargetVoice((*handles)[d.start]), 0)
	case set:
		err = (*handles)[d.start].SetGain(gains[d.value])
	case fade:
		c := mixer.Change{Fields: mixer.FieldGain | mixer.FieldPriority, Gain: gains[d.value]}
		err = m.Engine().At(mixer.Now).Set(mixer.TargetVoice((*handles)[d.start]), c, 0)
	case stopAll:
		m.StopAll(0)
	}
	if err != nil {
		return fmt.Sprintf("the call fails: %v", err)
	}
	return ""
}

// compare returns a difference between a mixer and the model after a deed, or "". It also makes calls that
// must be rejected: they change only the counter of rejected calls.
func (r *replayer) compare(m *mixer.Mixer, d *deed, handles []mixer.Handle, busy *int64) string {
	if d.full {
		*busy += 2
		if _, err := m.Play(r.sounds[0], mixer.Options{}); !errors.Is(err, mixer.ErrBusy) {
			return fmt.Sprintf("one more Play than there is place for says: %v", err)
		}
		if err := m.Engine().At(mixer.Now).Resize(1); !errors.Is(err, mixer.ErrBusy) {
			return fmt.Sprintf("one more command than there is place for says: %v", err)
		}
	}
	for i, h := range handles {
		if d.states[i].Over() {
			if a, b := h.Stop(0), h.SetGain(-3); a != mixer.ErrGone || b != mixer.ErrGone {
				return fmt.Sprintf("calls for start %d, which is over, say: %v; %v", i+1, a, b)
			}
		}
		state, number := h.State(), h.Number()
		if state != d.states[i] || number != d.numbers[i] {
			return fmt.Sprintf("start %d is %v, voice %d; the model says %v, voice %d", i+1, state, number, d.states[i], d.numbers[i])
		}
	}
	want := d.stats
	want.Busy += *busy
	got := m.Stats()
	got.SilentFrom = 0 // the model does not include tails
	if got != want {
		return fmt.Sprintf("the mixer counts %+v, the model %+v", got, want)
	}
	return r.compareEvents(m, d)
}

func (r *replayer) compareEvents(m *mixer.Mixer, d *deed) string {
	var got []outcome
	for _, e := range r.events[:m.Events(r.events[:])] {
		one := outcome{Frame: e.Frame, Kind: e.Kind, Voice: e.Voice, Ref: e.Ref}
		if e.Kind.HasDecision() {
			one.By = e.Steal.By
		}
		got = append(got, one)
	}
	// Within a frame, the order depends on slots and records, which the model ignores.
	order := func(a, b outcome) int {
		return cmp.Or(cmp.Compare(a.Frame, b.Frame), cmp.Compare(a.Voice, b.Voice), cmp.Compare(a.Kind, b.Kind))
	}
	slices.SortFunc(got, order)
	slices.SortFunc(d.events, order)
	if !slices.Equal(got, d.events) {
		return fmt.Sprintf("the mixer says %v, the model %v", got, d.events)
	}
	return ""
}

// story describes the first deeds of a walk.
func (w *walk) story(deeds int) string {
	var lines strings.Builder
	for _, d := range w.deeds()[:deeds] {
		switch d.kind {
		case none:
			fmt.Fprintf(&lines, "Render of %d stretches\n", d.stretches)
		case stopAll:
			fmt.Fprintln(&lines, "StopAll")
		case set, fade:
			fmt.Fprintf(&lines, "%s of start %d to %v dB\n", kindNames[d.kind], d.start+1, gains[d.value])
		default:
			fmt.Fprintf(&lines, "%s of start %d\n", kindNames[d.kind], d.start+1)
		}
	}
	return lines.String()
}
