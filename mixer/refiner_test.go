package mixer_test

import (
	"math"
	"slices"
	"testing"
	"time"

	"voicepool/mixer"
	"voicepool/pcm"
	"voicepool/sounds"
	"voicepool/sounds/library"
	"voicepool/space"
)

// pitchable returns a second of sines with a Refiner.
func pitchable(t *testing.T, refine sounds.Refiner) *sounds.Sound {
	t.Helper()
	data := make([]float32, 48000)
	for i := range data {
		data[i] = float32(0.4*math.Sin(float64(i)/11) + 0.1*math.Sin(float64(i)/2))
	}
	s, err := sounds.NewSound(sounds.Samples{Name: "sines", Rate: 48000, Channels: 1, Data: data, Refine: refine})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestRefineNothing plays at unity speed: no versions are computed.
func TestRefineNothing(t *testing.T) {
	s := pitchable(t, library.Refine)
	before := s.Bytes()
	m := newMixer(t, mixer.Config{Buses: []mixer.BusConfig{{Name: "sfx"}}})
	h, err := m.Play(s, mixer.Options{Loop: true, Speed: 2, Pitch: -12})
	if err != nil {
		t.Fatal(err)
	}
	h.SetGain(-3)
	h.SetLoop(3)
	m.Prepare()
	m.Render(make([]pcm.Frame, 2000))
	if got := s.Bytes(); got != before {
		t.Errorf("%d bytes, unpitched %d", got, before)
	}
}

// TestRefineAsked checks which versions are computed for different calls.
func TestRefineAsked(t *testing.T) {
	for name, c := range map[string]struct {
		play         func(*mixer.Mixer, *sounds.Sound)
		once, looped []int
	}{
		"a pitch": {play: func(m *mixer.Mixer, s *sounds.Sound) { m.Play(s, mixer.Options{Pitch: 3}) }, once: []int{0}},
		"a pitch of its own and of the sound": {play: func(m *mixer.Mixer, s *sounds.Sound) {
			m.Play(s, mixer.Options{Speed: 2, EngineOptions: mixer.EngineOptions{Base: mixer.Base{Pitch: 3}}})
		}, once: []int{2}},
		"a loop": {
			play:   func(m *mixer.Mixer, s *sounds.Sound) { m.Play(s, mixer.Options{Speed: 2, Loop: true}) },
			looped: []int{1},
		},
		"rounds": {
			play: func(m *mixer.Mixer, s *sounds.Sound) {
				m.Play(s, mixer.Options{Speed: 2, Loop: true, EngineOptions: mixer.EngineOptions{Rounds: 2}})
			},
			once: []int{1}, looped: []int{1},
		},
		"linear": {play: func(m *mixer.Mixer, s *sounds.Sound) {
			m.Play(s, mixer.Options{Speed: 2, EngineOptions: mixer.EngineOptions{Quality: sounds.Linear}})
		}},
		"a handle": {
			play: func(m *mixer.Mixer, s *sounds.Sound) { h, _ := m.Play(s, mixer.Options{}); h.SetPitch(10) },
			once: []int{0, 1},
		},
		"a tag": {play: func(m *mixer.Mixer, s *sounds.Sound) {
			m.Play(s, mixer.Options{Speed: 4, EngineOptions: mixer.EngineOptions{Tag: 7}})
			m.Engine().At(100).Set(mixer.TargetTag(7), mixer.Change{Fields: mixer.FieldSpeed, Speed: 2}, time.Second)
		}, once: []int{1, 2, 3}},
		"another tag": {play: func(m *mixer.Mixer, s *sounds.Sound) {
			m.Play(s, mixer.Options{EngineOptions: mixer.EngineOptions{Tag: 7}})
			m.Engine().At(100).Set(mixer.TargetTag(8), mixer.Change{Fields: mixer.FieldSpeed, Speed: 2}, time.Second)
		}},
		"a bus": {play: func(m *mixer.Mixer, s *sounds.Sound) {
			b, _ := m.Bus("low")
			m.Play(s, mixer.Options{Bus: b})
		}, once: []int{0}},
		"a bus that is set": {play: func(m *mixer.Mixer, s *sounds.Sound) {
			b, _ := m.Bus("low")
			up, _ := m.Bus("up")
			m.Play(s, mixer.Options{Bus: b, Pitch: 12})
			m.Engine().At(100).Set(mixer.TargetBus(up), mixer.Change{Fields: mixer.FieldPitch, Pitch: 12}, time.Second)
		}, once: []int{0, 1, 2}},
		"a bus on its way": {play: func(m *mixer.Mixer, s *sounds.Sound) {
			b, _ := m.Bus("low")
			up, _ := m.Bus("up")
			m.Engine().At(mixer.Now).Set(mixer.TargetBus(up), mixer.Change{Fields: mixer.FieldPitch, Pitch: 24}, time.Second)
			m.Render(make([]pcm.Frame, 100))
			m.Engine().At(300).Play(s, mixer.Options{Bus: b, Pitch: 5})
		}, once: []int{0, 1, 2, 3}},
		"a bus that turns back on its way": {play: func(m *mixer.Mixer, s *sounds.Sound) {
			b, _ := m.Bus("low")
			up, _ := m.Bus("up")
			m.Engine().At(mixer.Now).Set(mixer.TargetBus(up), mixer.Change{Fields: mixer.FieldPitch, Pitch: 24}, time.Second)
			m.Render(make([]pcm.Frame, 24000))
			m.Engine().At(mixer.Now).Set(mixer.TargetBus(up), mixer.Change{Fields: mixer.FieldPitch}, time.Second)
			m.Engine().At(24100).Play(s, mixer.Options{Bus: b, Pitch: 5})
		}, once: []int{0, 1, 2, 3}},
		"before a bus moves": {play: func(m *mixer.Mixer, s *sounds.Sound) {
			b, _ := m.Bus("low")
			up, _ := m.Bus("up")
			m.Engine().At(48000).Set(mixer.TargetBus(up), mixer.Change{Fields: mixer.FieldPitch, Pitch: 24}, 0)
			m.Play(s, mixer.Options{Bus: b, Pitch: 8})
		}, once: []int{0, 1, 2, 3}},
		"a bus that is set before what was asked of it for later": {play: func(m *mixer.Mixer, s *sounds.Sound) {
			b, _ := m.Bus("low")
			up, _ := m.Bus("up")
			m.Engine().At(1000).Set(mixer.TargetBus(up), mixer.Change{Fields: mixer.FieldPitch, Pitch: 24}, 0)
			m.Engine().At(500).Set(mixer.TargetBus(up), mixer.Change{Fields: mixer.FieldPitch, Pitch: 1}, 0)
			m.Render(make([]pcm.Frame, 4000))
			m.Play(s, mixer.Options{Bus: b, Pitch: 5})
		}, once: []int{3}},
		"a bus that has arrived": {play: func(m *mixer.Mixer, s *sounds.Sound) {
			b, _ := m.Bus("low")
			up, _ := m.Bus("up")
			m.Engine().At(mixer.Now).Set(mixer.TargetBus(up), mixer.Change{Fields: mixer.FieldPitch, Pitch: 24}, 10*time.Millisecond)
			m.Render(make([]pcm.Frame, 2000))
			m.Play(s, mixer.Options{Bus: b, Pitch: 5})
		}, once: []int{3}},
		"Doppler": {play: func(m *mixer.Mixer, s *sounds.Sound) {
			m.SetListener(space.Listener{Doppler: 1})
			m.Play(s, mixer.Options{Emitter: &space.Emitter{}})
		}, once: []int{0}},
		"a mixer of another quality": {play: func(_ *mixer.Mixer, s *sounds.Sound) {
			m := newMixer(t, mixer.Config{Quality: sounds.Cubic})
			m.Play(s, mixer.Options{Speed: 2})
			m.Prepare()
		}},
	} {
		s := pitchable(t, library.Refine)
		m := newMixer(t, mixer.Config{Buses: []mixer.BusConfig{{Name: "up"}, {Name: "low", Parent: "up", Pitch: -5}}})
		c.play(m, s)
		m.Prepare()
		for i, want := range [2][]int{c.once, c.looped} {
			var got []int
			for level := range sounds.Levels {
				if s.Refined(level, i == 1) {
					got = append(got, level)
				}
			}
			if !slices.Equal(got, want) {
				t.Errorf("%s: looped %v: levels %v, want %v", name, i == 1, got, want)
			}
		}
		for range 80 {
			m.Prepare()
			m.Render(make([]pcm.Frame, 1000))
		}
		if st := m.Stats(); st.MissingMipLevels != 0 {
			t.Errorf("%s: %d voices read something worse", name, st.MissingMipLevels)
		}
	}
}

// TestMissingMipLevels delays a mip level: the voice plays on, is counted once, and changes to the version
// without a click.
func TestMissingMipLevels(t *testing.T) {
	ready := make(chan struct{})
	s := pitchable(t, func(s *sounds.Sound, level int, looped bool, first, frames int64) []float32 {
		<-ready
		return library.Refine(s, level, looped, first, frames)
	})
	m := newMixer(t, mixer.Config{NoLimiter: true})
	h, err := m.Play(s, mixer.Options{Speed: 1.1, Loop: true})
	if err != nil {
		t.Fatal(err)
	}
	out := make([]pcm.Frame, 30000)
	m.Render(out[:10000])
	if st := m.Stats(); st.MissingMipLevels != 1 || h.State() != mixer.StatePlaying {
		t.Fatalf("%d mip levels are missing, the voice is %v", st.MissingMipLevels, h.State())
	}
	close(ready)
	m.Prepare()
	m.Render(out[10000:])
	if st := m.Stats(); st.MissingMipLevels != 1 {
		t.Errorf("%d mip levels were missing, want 1", st.MissingMipLevels)
	}
	m = newMixer(t, mixer.Config{NoLimiter: true})
	if _, err := m.Play(s, mixer.Options{Speed: 1.1, Loop: true}); err != nil {
		t.Fatal(err)
	}
	want := make([]pcm.Frame, 30000)
	m.Prepare()
	m.Render(want)
	late := 0
	for i := range out {
		d := math.Abs(float64(out[i][0] - want[i][0]))
		if i > 12000 && d > 0 { // it checks every 1,024 frames and crossfades in 240
			t.Fatalf("frame %d is off by %v", i, d)
		}
		if d > 0 {
			late++
		}
		if d > 1e-2 {
			t.Fatalf("frame %d is off by %v", i, d)
		}
	}
	if late == 0 {
		t.Error("nothing was worse meanwhile")
	}
}

// TestRefineNeeds checks that the next Prepare computes a version that a voice lacked unexpectedly.
func TestRefineNeeds(t *testing.T) {
	s := pitchable(t, library.Refine)
	m := newMixer(t, mixer.Config{})
	h := play(t, m.Engine().At(mixer.Now), s, mixer.Options{Loop: true, Pitch: 1})
	m.Prepare()
	block := make([]pcm.Frame, 4096)
	m.Render(block)
	mixer.PitchVoice(m, h, 12)
	m.Render(block)
	if st := m.Stats(); st.MissingMipLevels != 1 || !s.Refined(0, true) || s.Refined(1, true) {
		t.Errorf("%d mip levels are missing; there are %v and %v", st.MissingMipLevels, s.Refined(0, true), s.Refined(1, true))
	}
	m.Prepare()
	if !s.Refined(1, true) {
		t.Error("what was missed is not made")
	}
}

// TestRefinedPlayAllocatesNothing plays and changes a sound with all its versions.
func TestRefinedPlayAllocatesNothing(t *testing.T) {
	s := pitchable(t, library.Refine)
	for level := range 4 {
		s.Refine(level, false)
		s.Refine(level, true)
	}
	m := newMixer(t, mixer.Config{Voices: 8, Buses: []mixer.BusConfig{{Name: "sfx"}}})
	bus, _ := m.Bus("sfx")
	block := make([]pcm.Frame, 512)
	events := make([]mixer.Event, 64)
	n := 0
	if got := testing.AllocsPerRun(200, func() {
		for i := range 6 {
			h, _ := m.Play(s, mixer.Options{Bus: bus, Speed: 1 + float64((n+i)%5)/2, Loop: i%2 == 0, EngineOptions: mixer.EngineOptions{Rounds: i % 3 * (1 - i%2), Tag: 1}})
			h.SetPitch(pcm.Semitones(n%9 - 4))
			h.SetSpeed(1 + float64(n%3))
		}
		n++
		m.Engine().At(mixer.Now).Set(mixer.TargetTag(1), mixer.Change{Fields: mixer.FieldPitch, Pitch: 2}, time.Millisecond)
		m.Engine().At(mixer.Now).Set(mixer.TargetBus(bus), mixer.Change{Fields: mixer.FieldPitch, Pitch: pcm.Semitones(n % 3)}, time.Millisecond)
		m.Render(block)
		m.Events(events)
	}); got != 0 {
		t.Errorf("%v allocations", got)
	}
}
