package mixer_test

import (
	"fmt"
	"testing"
	"time"

	"pgregory.net/rapid"

	"voicepool/mixer"
	"voicepool/pcm"
	"voicepool/sounds"
)

// setsOf draws calls that set properties of voices and buses of a mixer.
func setsOf(t *rapid.T, buses int) func(m *mixer.Mixer, handles []mixer.Handle) error {
	within := time.Duration(rapid.SampledFrom([]int{0, 0, 1, 7, 30, 100}).Draw(t, "within")) * time.Millisecond
	shape := sounds.Shape(rapid.IntRange(0, 3).Draw(t, "shape"))
	c := mixer.Change{
		Gain: pcm.Decibels(rapid.SampledFrom([]int{-100, -80, -40, -20, -6, 0, 6}).Draw(t, "gain")),
		Pan:  rapid.Float64Range(-1, 1).Draw(t, "pan"), Shape: shape,
		Pitch: pcm.Semitones(rapid.IntRange(-12, 12).Draw(t, "pitch")), Speed: rapid.Float64Range(0.5, 2).Draw(t, "speed"),
		Filters: mixer.Filters{LowPass: rapid.SampledFrom([]float64{0, 20, 300, 3000, 20000}).Draw(t, "low"), HighPass: rapid.SampledFrom([]float64{0, 20, 300, 3000}).Draw(t, "high")},
		Mute:    rapid.Bool().Draw(t, "mute"), Solo: true, Priority: rapid.IntRange(-3, 3).Draw(t, "priority"),
	}
	which := rapid.IntRange(0, 7).Draw(t, "voice")
	bus := rapid.IntRange(1, buses).Draw(t, "bus")
	voiceOf := func(handles []mixer.Handle) mixer.Handle { return handles[which%len(handles)] }
	gone := func(err error) error {
		if err == mixer.ErrGone {
			return nil
		}
		return err
	}
	switch rapid.IntRange(0, 12).Draw(t, "call") {
	case 11:
		return func(m *mixer.Mixer, handles []mixer.Handle) error {
			return gone(voiceOf(handles).SetLowPass(c.LowPass))
		}
	case 12:
		return func(m *mixer.Mixer, handles []mixer.Handle) error {
			return gone(voiceOf(handles).SetHighPass(c.HighPass))
		}
	case 0:
		return func(m *mixer.Mixer, handles []mixer.Handle) error { return gone(voiceOf(handles).SetGain(c.Gain)) }
	case 1:
		return func(m *mixer.Mixer, handles []mixer.Handle) error { return gone(voiceOf(handles).SetPan(c.Pan)) }
	case 2:
		return func(m *mixer.Mixer, handles []mixer.Handle) error { return gone(voiceOf(handles).SetPitch(c.Pitch)) }
	case 3:
		return func(m *mixer.Mixer, handles []mixer.Handle) error { return gone(voiceOf(handles).SetSpeed(c.Speed)) }
	case 4:
		return func(m *mixer.Mixer, handles []mixer.Handle) error { return gone(voiceOf(handles).Fade(c.Gain, within)) }
	case 5:
		return func(m *mixer.Mixer, handles []mixer.Handle) error {
			return m.Engine().At(mixer.Now).Set(mixer.TargetVoice(voiceOf(handles)), mixer.Change{Fields: mixer.FieldGain, Gain: c.Gain, Shape: shape}, within)
		}
	case 6, 7:
		c.Fields = rapid.SampledFrom([]mixer.Fields{1, 2, 3, 4, 8, 15, mixer.FieldLowPass, mixer.FieldHighPass, 63, mixer.FieldPriority, 63 | mixer.FieldPriority}).Draw(t, "fields")
		return func(m *mixer.Mixer, handles []mixer.Handle) error {
			return m.Engine().At(mixer.Now).Set(mixer.TargetVoice(voiceOf(handles)), c, within)
		}
	case 8:
		c.Fields = mixer.Fields(rapid.SampledFrom([]int{1, 2, 3, 4, 15, 16, 47, 63}).Draw(t, "fields"))
		return func(m *mixer.Mixer, handles []mixer.Handle) error {
			return m.Engine().At(mixer.Now).Set(mixer.TargetTag(1), c, within)
		}
	}
	c.Fields = mixer.Fields(rapid.SampledFrom([]mixer.Fields{
		1, 2, 3, 4, 7, mixer.FieldMute, mixer.FieldGain | mixer.FieldMute, mixer.FieldSolo, 7 | mixer.FieldMute | mixer.FieldSolo,
	}).Draw(t, "fields"))
	if bus != 2 { // one solo that stays: ending a solo would fade the others twice
		c.Fields = c.Fields&^mixer.FieldSolo | mixer.FieldGain
	}
	if c.Fields&mixer.FieldSolo != 0 { // of two the fade time of the last counts
		within = 0
	}
	return func(m *mixer.Mixer, handles []mixer.Handle) error {
		b, err := m.Bus(fmt.Sprint(bus))
		if err != nil {
			return err
		}
		return m.Engine().At(mixer.Now).Set(mixer.TargetBus(b), c, within)
	}
}

// TestSetsOfOneBlock compares sets between two blocks with the same sets executed one after the other at
// the same frame, to the bit. Solos that end before the next block are excluded, because they have no
// effect.
func TestSetsOfOneBlock(t *testing.T) {
	s := level(t, 1000, 900, 0.5)
	rapid.Check(t, func(t *rapid.T) {
		var mixers [2]*mixer.Mixer
		var handles [2][]mixer.Handle
		for i := range mixers {
			mixers[i], _ = mixer.New(mixer.Config{Rate: 1000, NoLimiter: true, Voices: 64, Buses: []mixer.BusConfig{{Name: "1"}, {Name: "2", Parent: "1"}}})
		}
		for range rapid.IntRange(1, 12).Draw(t, "blocks") {
			calls := []func(m *mixer.Mixer, handles []mixer.Handle) error{}
			if start := rapid.SampledFrom([]int64{mixer.Now, mixer.Now, 0, 3, 40}).Draw(t, "start"); len(handles[0]) == 0 || rapid.Bool().Draw(t, "starts") {
				n := len(handles[0])
				for i, m := range mixers {
					o := mixer.Options{EngineOptions: mixer.EngineOptions{Tag: mixer.Tag(n % 2), Quality: sounds.Cubic}, Loop: true}
					o.Bus, _ = m.Bus(fmt.Sprint(1 + n%2))
					at := m.Engine().At(mixer.Now)
					if start > 0 {
						at = m.Engine().At(m.Now() + start)
					}
					h, err := at.Play(s, o)
					if err != nil {
						t.Fatal(err)
					}
					handles[i] = append(handles[i], h)
				}
			}
			for range rapid.IntRange(0, 12).Draw(t, "calls") {
				calls = append(calls, setsOf(t, 2))
			}
			for _, call := range calls {
				for i, m := range mixers {
					if err := call(m, handles[i]); err != nil {
						t.Fatal(err)
					}
				}
				mixers[1].Render(nil)
			}
			n := rapid.SampledFrom([]int{1, 4, 19, 20, 77}).Draw(t, "frames")
			got, want := make([]pcm.Frame, n), make([]pcm.Frame, n)
			mixers[0].Render(got)
			mixers[1].Render(want)
			for i := range want {
				if got[i] != want[i] {
					t.Fatalf("frame %d of a block of %d is %v, one after the other %v", i, n, got[i], want[i])
				}
			}
		}
	})
}

// TestSetsAreNeverLost sets properties at any rate of calls, with room for few commands: sets must not
// fail, and the last value must be reached.
func TestSetsAreNeverLost(t *testing.T) {
	for _, commands := range []int{1, 8, 64, 1024} {
		m := newMixer(t, mixer.Config{Rate: 1000, NoLimiter: true, Voices: 8, Commands: max(commands, 8), Buses: []mixer.BusConfig{{Name: "sfx"}}})
		b := busOf(t, m, "sfx")
		s := level(t, 1000, 900, 0.5)
		var handles []mixer.Handle
		for range 8 {
			handles = append(handles, play(t, m.Engine().At(mixer.Now), s, mixer.Options{Loop: true, Pan: -1, Bus: b}))
		}
		for n := range 300 {
			for _, h := range handles {
				must(t, h.Fade(pcm.Decibels(-n%50), 30*time.Millisecond))
				must(t, h.SetPan(float64(n%3)-1))
				must(t, m.Engine().At(mixer.Now).Set(mixer.TargetVoice(h), mixer.Change{Fields: mixer.FieldPitch | mixer.FieldSpeed, Speed: 1}, time.Second))
			}
			must(t, b.Fade(pcm.Decibels(-n%9), 20*time.Millisecond))
			must(t, b.SetMute(n%2 == 0))
			if n%10 == 9 {
				left(m, 3)
			}
			if n == 250 {
				m.Engine().At(mixer.Now).Pause(mixer.TargetAll())
				m.Engine().At(mixer.Now).Resume(mixer.TargetAll())
			}
		}
		for _, h := range handles {
			must(t, h.Fade(-20, 30*time.Millisecond))
			must(t, h.SetPan(-1))
		}
		must(t, b.SetMute(true))
		must(t, b.Fade(-20, 20*time.Millisecond))
		must(t, b.SetMute(false))
		got := left(m, 100)[99]
		wantAbout(t, fmt.Sprintf("with %d commands what is heard", commands), got, 8*0.5*0.1*0.1)
		if st := m.Stats(); commands > 64 && st.Busy != 0 {
			t.Errorf("with %d commands %d calls were busy", commands, st.Busy)
		}
	}
}

// TestSetsFollowWishes checks that a set that fits into the ring buffer does not overtake an earlier one
// that has to wait for the next block.
func TestSetsFollowWishes(t *testing.T) {
	var h mixer.Handle
	var m *mixer.Mixer
	sets := []pcm.Decibels{-6, -20} // called while a block is mixed
	m = newMixer(t, mixer.Config{Rate: 1000, NoLimiter: true, Commands: 2, Insert: written(func([]pcm.Frame) {
		if st := m.Stats(); h != (mixer.Handle{}) && len(sets) > 0 && st.Pending == int64(len(sets)-1) {
			must(t, h.SetGain(sets[0]))
			sets = sets[1:]
		}
	})})
	s := level(t, 1000, 900, 0.5)
	started := play(t, m.Engine().At(mixer.Now), s, mixer.Options{Pan: -1})
	left(m, 10)
	h = started
	play(t, m.Engine().At(30), s, mixer.Options{Pan: 1}) // takes half of the ring buffer until the middle of the block
	left(m, 50)
	if len(sets) > 0 {
		t.Fatalf("%d sets were not called", len(sets))
	}
	wantAbout(t, "after the block what is heard", left(m, 50)[49], 0.5*0.1)
}

// TestFullRingCountsOnce checks that a set without room in the ring buffer counts once, and that a set
// that replaces it does not count.
func TestFullRingCountsOnce(t *testing.T) {
	m := newMixer(t, mixer.Config{Rate: 1000, NoLimiter: true, Commands: 2})
	s := level(t, 1000, 900, 0.5)
	h := play(t, m.Engine().At(mixer.Now), s, mixer.Options{Pan: -1})
	play(t, m.Engine().At(mixer.Now), s, mixer.Options{Pan: 1})
	must(t, h.SetGain(-18))
	must(t, h.SetGain(-20))
	if st := m.Stats(); st.Busy != 1 {
		t.Errorf("%d calls found the ring full", st.Busy)
	}
	wantAbout(t, "what is heard", left(m, 50)[49], 0.5*0.1)
}

// TestCutoffsOfOneBlock turns a cutoff off and on, or on and off, between two blocks, while the filter or
// the other cutoff fades. The result must be the same as with the last call alone.
func TestCutoffsOfOneBlock(t *testing.T) {
	s := level(t, 1000, 900, 0.5)
	for gap := range 14 {
		for name, sets := range map[string][]func(h mixer.Handle) error{
			"off and on": {func(h mixer.Handle) error { return h.SetHighPass(0) }, func(h mixer.Handle) error { return h.SetHighPass(300) }},
			"on and off": {func(h mixer.Handle) error { return h.SetLowPass(100) }, func(h mixer.Handle) error { return h.SetLowPass(0) }},
		} {
			var out [2][]pcm.Frame
			for i := range out {
				m := newMixer(t, mixer.Config{Rate: 1000, NoLimiter: true})
				h := play(t, m.Engine().At(mixer.Now), s, mixer.Options{Loop: true, Pan: -1})
				out[i] = append(out[i], inBlocks(m, 10, 100)...)
				must(t, h.SetHighPass(200))
				out[i] = append(out[i], inBlocks(m, 20, 100)...)
				must(t, h.SetHighPass(0))
				out[i] = append(out[i], inBlocks(m, gap, 100)...)
				for _, set := range sets {
					must(t, set(h))
					if i == 1 {
						m.Render(nil)
					}
				}
				out[i] = append(out[i], inBlocks(m, 60, 100)...)
			}
			if i := differ(out[0], out[1]); i >= 0 {
				t.Errorf("%s after %d frames: frame %d is %v, one after the other %v", name, gap, i, out[0][i], out[1][i])
			}
		}
	}
}
