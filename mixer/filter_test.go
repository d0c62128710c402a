package mixer_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"voicepool/internal/passfilter"
	"voicepool/internal/property"
	"voicepool/mixer"
	"voicepool/pcm"
	"voicepool/sounds"
	"voicepool/voice"
)

// filterVoice mixes a single voice with initial cutoffs, and with other target cutoffs from a frame on. A
// negative frame means no change.
func filterVoice(s *sounds.Sound, low, high float64, at int64, toLow, toHigh float64, frames int64, n int) []pcm.Frame {
	var v voice.Voice
	var f voice.Filter
	v.Start(s, voice.Options{Loop: true}, 0)
	v.AttachFilter(0, &f, passfilter.Values{low, high})
	out := make([]pcm.Frame, n)
	if at < 0 {
		v.Mix(out, 0)
		return out
	}
	v.Mix(out[:at], 0)
	v.SetFilter(property.LowPass, at, toLow, frames)
	v.SetFilter(property.HighPass, at, toHigh, frames)
	v.Mix(out[at:], at)
	return out
}

// TestFilterWays sets a cutoff of a voice in every way and compares with filterVoice.
func TestFilterWays(t *testing.T) {
	const rate, n = 8000, 4000
	r := rand.New(rand.NewPCG(3, 4))
	samples := noise(r, rate, 2, 1500)
	samples.Loop = [2]int64{0, 1500}
	s := sound(t, samples)
	o := mixer.Options{Loop: true, EngineOptions: mixer.EngineOptions{Tag: 5}}
	begins := mixer.Options{Loop: true, EngineOptions: mixer.EngineOptions{Tag: 5}, Filters: mixer.Filters{LowPass: 700, HighPass: 90}}
	both := mixer.Change{Fields: mixer.FieldLowPass | mixer.FieldHighPass, Filters: mixer.Filters{LowPass: 700, HighPass: 90}}
	over := 100 * time.Millisecond
	first := filterVoice(s, 700, 90, -1, 0, 0, 0, n)
	plain := filterVoice(s, 0, 0, -1, 0, 0, 0, n)
	later := filterVoice(s, 0, 0, 1000, 700, 90, 800, n)
	off := filterVoice(s, 700, 90, 1000, 0, 0, 800, n)
	for _, c := range []struct {
		name string
		do   func(m *mixer.Mixer)
		want []pcm.Frame
	}{
		{"options", func(m *mixer.Mixer) { play(t, m.Engine().At(0), s, begins) }, first},
		{"none", func(m *mixer.Mixer) { play(t, m.Engine().At(0), s, o) }, plain},
		{"a handle, before it begins", func(m *mixer.Mixer) {
			h := play(t, m.Engine().At(0), s, o)
			must(t, h.SetLowPass(700))
			must(t, h.SetHighPass(90))
		}, first},
		{"a handle, after others", func(m *mixer.Mixer) {
			h := play(t, m.Engine().At(0), s, o)
			for hz := range 5 {
				must(t, h.SetLowPass(float64(1000*hz)))
				must(t, h.SetGain(0))
				must(t, h.SetHighPass(0))
			}
			must(t, h.SetLowPass(0))
		}, plain},
		{"a set of a voice", func(m *mixer.Mixer) {
			must(t, m.Engine().At(1000).Set(mixer.TargetVoice(play(t, m.Engine().At(0), s, o)), both, over))
		}, later},
		{"a set of a tag", func(m *mixer.Mixer) {
			play(t, m.Engine().At(0), s, o)
			must(t, m.Engine().At(1000).Set(mixer.TargetTag(5), both, over))
		}, later},
		{"a set of a tag, of a start that is asked for after it", func(m *mixer.Mixer) {
			must(t, m.Engine().At(1000).Set(mixer.TargetTag(5), both, over))
			play(t, m.Engine().At(0), s, o)
		}, later},
		{"a set of a sound", func(m *mixer.Mixer) {
			must(t, m.Engine().At(1000).Set(mixer.TargetSound(s), both, over))
			play(t, m.Engine().At(0), s, o)
		}, later},
		{"a batch", func(m *mixer.Mixer) {
			batch := m.Engine().NewBatch()
			must(t, batch.At(400).Set(mixer.TargetTag(5), both, over))
			play(t, m.Engine().At(0), s, o)
			must(t, m.Engine().At(600).Fire(batch))
		}, later},
		{"off", func(m *mixer.Mixer) {
			play(t, m.Engine().At(0), s, begins)
			must(t, m.Engine().At(1000).Set(mixer.TargetTag(5), mixer.Change{Fields: both.Fields}, over))
		}, off},
		{"another tag", func(m *mixer.Mixer) {
			play(t, m.Engine().At(0), s, o)
			must(t, m.Engine().At(1000).Set(mixer.TargetTag(6), both, over))
		}, plain},
	} {
		for _, block := range []int{7, 480, 4096} {
			m := newMixer(t, mixer.Config{Rate: rate, NoLimiter: true})
			c.do(m)
			if got := renderIn(m, n, block); !slices.Equal(got, c.want) {
				at := 0
				for got[at] == c.want[at] {
					at++
				}
				t.Errorf("%s, in blocks of %d: frame %d is %v, want %v", c.name, block, at, got[at], c.want[at])
			}
			m.Close()
		}
	}
}

// TestFilterErrors checks the errors for cutoffs out of range.
func TestFilterErrors(t *testing.T) {
	m := newMixer(t, mixer.Config{Rate: 1000})
	s := level(t, 1000, 500, 0.1)
	h := play(t, m.Engine().At(mixer.Now), s, mixer.Options{})
	playing := func(o mixer.Options) error {
		_, err := m.Play(s, o)
		return err
	}
	for name, err := range map[string]error{
		"low-pass: 19.9 Hz is not in 20..20000; 0 is off":   h.SetLowPass(19.9),
		"high-pass: 20001 Hz is not in 20..20000; 0 is off": m.Engine().At(9).SetHighPass(mixer.TargetTag(1), 20001),
		"low-pass: NaN Hz is not in 20..20000; 0 is off":    playing(mixer.Options{Filters: mixer.Filters{LowPass: math.NaN()}}),
		"high-pass: -1 Hz is not in 20..20000; 0 is off":    playing(mixer.Options{Filters: mixer.Filters{HighPass: -1}}),
	} {
		if want := mixer.ErrOption.Error() + ": " + name; !errors.Is(err, mixer.ErrOption) || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
	for _, hz := range []float64{0, 20, 20000} {
		must(t, h.SetLowPass(hz))
		must(t, m.Engine().At(9).SetHighPass(mixer.TargetTag(1), hz))
		must(t, playing(mixer.Options{Filters: mixer.Filters{LowPass: hz, HighPass: hz}}))
	}
}

// TestFilterThen checks that two halves of a sound with the same filter, constant or fading over the
// join, have the same bits as the whole sound.
func TestFilterThen(t *testing.T) {
	const rate, n, half = 8000, 3000, 1024 // the end of a segment
	r := rand.New(rand.NewPCG(5, 6))
	data := noise(r, rate, 1, n).Data
	part := func(from, to int) *sounds.Sound {
		return sound(t, sounds.Samples{Rate: rate, Channels: 1, Data: data[from:to]})
	}
	for _, c := range []struct{ first, next, to float64 }{{400, 400, 400}, {300, 300, 2000}, {0, 0, 500}, {500, 500, 0}} {
		render := func(block int, joined bool) []pcm.Frame {
			m := newMixer(t, mixer.Config{Rate: rate, NoLimiter: true})
			defer m.Close()
			var h mixer.Handle
			if joined {
				h = play(t, m.Engine().At(0), part(0, half), mixer.Options{Filters: mixer.Filters{LowPass: c.first}})
				_, err := h.Then(part(half, n), mixer.Options{Filters: mixer.Filters{LowPass: c.next}}, mixer.AtEnd)
				must(t, err)
			} else {
				h = play(t, m.Engine().At(0), part(0, n), mixer.Options{Filters: mixer.Filters{LowPass: c.first}})
			}
			if c.to != c.first {
				must(t, m.Engine().At(800).Set(mixer.TargetVoice(h), mixer.Change{Fields: mixer.FieldLowPass, Filters: mixer.Filters{LowPass: c.to}}, 100*time.Millisecond))
			}
			return renderIn(m, n, block)
		}
		want := render(n, false)
		for _, block := range []int{1, 64, n} {
			got := render(block, true)
			for i := range got {
				if got[i] != want[i] {
					t.Fatalf("%+v, in blocks of %d: frame %d is %v, want %v", c, block, i, got[i], want[i])
				}
			}
		}
	}
}

// TestFilterJournal checks that starts and sets are recorded with their cutoffs.
func TestFilterJournal(t *testing.T) {
	m := newMixer(t, mixer.Config{Rate: 1000, NoLimiter: true, Journal: 64})
	s := level(t, 1000, 400, 0.1)
	h := play(t, m.Engine().At(3), s, mixer.Options{Filters: mixer.Filters{LowPass: 440.1, HighPass: 33}})
	m.Render(make([]pcm.Frame, 100))
	must(t, h.SetLowPass(0))
	must(t, m.Engine().At(120).Set(mixer.TargetVoice(h), mixer.Change{Fields: mixer.FieldHighPass, Filters: mixer.Filters{HighPass: 55}}, time.Second))
	play(t, m.Engine().At(130), s, mixer.Options{})
	m.Render(make([]pcm.Frame, 100))
	entries := make([]mixer.Entry, 64)
	var got []string
	for _, e := range entries[:m.Engine().Journal(entries)] {
		got = append(got, fmt.Sprint(e.Frame, e.Kind, e.Change.Fields, e.Change.LowPass, e.Change.HighPass, e.Frames, e.How.LowPass, e.How.HighPass))
	}
	want := []string{
		fmt.Sprint(3, mixer.EntryPlay, 0, 0, 0, 0, 440.1, 33),
		fmt.Sprint(100, mixer.EntrySet, mixer.FieldLowPass, 0, 0, 0, 0, 0),
		fmt.Sprint(120, mixer.EntrySet, mixer.FieldHighPass, 0, 55, 1000, 0, 0),
		fmt.Sprint(130, mixer.EntryPlay, 0, 0, 0, 0, 0, 0),
	}
	if !slices.Equal(got, want) {
		t.Errorf("the journal has\n%v, want\n%v", got, want)
	}
}
