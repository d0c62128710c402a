package mixer_test

import (
	"math"
	"testing"
	"time"

	"voicepool/effect"
	"voicepool/mixer"
	"voicepool/pcm"
	"voicepool/sounds"
	"voicepool/space"
)

// rainy returns prepared noise that a low-pass attenuates strongly.
func rainy(t *testing.T) *sounds.Sound {
	t.Helper()
	for _, s := range corpus(t) {
		if s.Name() == "rain" {
			s.Refine(sounds.SpectrumLevel, false)
			s.Refine(sounds.SpectrumLevel, true)
			return s
		}
	}
	t.Fatal("there is no rain")
	return nil
}

// TestWallsHide checks that the voice behind a wall is stolen though its gain is the highest, but not
// with Config.IgnoreFilters. The event must contain how much it was muffled, and its cutoff.
func TestWallsHide(t *testing.T) {
	for _, blind := range []bool{false, true} {
		m := newMixer(t, mixer.Config{Voices: 2, IgnoreFilters: blind})
		s := rainy(t)
		near, err := m.Play(s, mixer.Options{Gain: -6})
		must(t, err)
		far, err := m.Play(s, mixer.Options{Filters: mixer.Filters{LowPass: 400}})
		must(t, err)
		m.Render(make([]pcm.Frame, 100))
		if (far.Audibility() < near.Audibility()) == blind {
			t.Errorf("blind %v: %v dB behind the wall, %v dB beside it", blind, far.Audibility(), near.Audibility())
		}
		_, err = m.Play(s, mixer.Options{Gain: -12})
		must(t, err)
		m.Render(make([]pcm.Frame, 100))
		victim := far
		if blind {
			victim = near
		}
		if victim.State() != mixer.StateStolen {
			t.Errorf("blind %v: the other one was stolen", blind)
		}
		for _, e := range events(m) {
			if e.Kind != mixer.EventStolen {
				continue
			}
			if muffled := e.Steal.Muffled > 10 && e.Steal.Muffled < 40 && e.Steal.LowPass == 400 && e.Steal.HighPass == 0; muffled == blind || blind && e.Steal.Muffled != 0 {
				t.Errorf("blind %v: muffled by %v dB, low-pass %v Hz, high-pass %v Hz", blind, e.Steal.Muffled, e.Steal.LowPass, e.Steal.HighPass)
			}
		}
	}
}

// TestWallsOfPlaces checks that the low-pass of an occlusion or obstruction counts in addition to its
// gain, with sends and without. An obstruction leaves the sends bright.
func TestWallsOfPlaces(t *testing.T) {
	s := rainy(t)
	for _, c := range []struct {
		spot  space.Spot
		sends []mixer.Send
		least float64 // dB of the low-pass
		most  float64
	}{
		{space.Spot{Occlusion: 1}, nil, 5, 30}, {space.Spot{Obstruction: 1}, nil, 1, 30},
		{space.Spot{Occlusion: 1}, []mixer.Send{{To: "hall", Gain: -20}}, 5, 30},
		{space.Spot{Obstruction: 1}, []mixer.Send{{To: "hall", Gain: 0}}, -0.1, 0.7},
		{space.Spot{Obstruction: 1}, []mixer.Send{{To: "hall", Gain: -60}}, 1, 30},
	} {
		audibility := func(blind bool) float64 {
			m := newMixer(t, mixer.Config{Voices: 2, IgnoreFilters: blind, Buses: []mixer.BusConfig{{Name: "hall"}}})
			h, err := m.Play(s, mixer.Options{Emitter: &space.Emitter{Spot: c.spot}, EngineOptions: mixer.EngineOptions{Sends: c.sends}})
			must(t, err)
			m.Render(make([]pcm.Frame, 100))
			return float64(h.Audibility())
		}
		taken := audibility(true) - audibility(false)
		if c.sends != nil { // sends only count together with filters
			open := c.spot
			open.Occlusion, open.Obstruction = 0, 0
			m := newMixer(t, mixer.Config{Voices: 2, Buses: []mixer.BusConfig{{Name: "hall"}}})
			h, err := m.Play(s, mixer.Options{Emitter: &space.Emitter{Spot: open}, EngineOptions: mixer.EngineOptions{Sends: c.sends}})
			must(t, err)
			m.Render(make([]pcm.Frame, 100))
			taken = float64(h.Audibility()) - audibility(false)
			if c.spot.Occlusion > 0 {
				taken -= 24 // by its gain
			} else {
				sent := math.Pow(10, float64(c.sends[0].Gain)/10)
				taken -= 10 * math.Log10((1+sent)/(math.Pow(10, -1.2)+sent)) // the direct path alone is 12 dB down
			}
		}
		if taken < c.least || taken > c.most {
			t.Errorf("%+v, sends %v: its low-pass takes %.2f dB", c.spot, c.sends, taken)
		}
	}
}

// TestWallsGoAway checks that a loop behind a wall is virtual and is restored when the wall is removed.
func TestWallsGoAway(t *testing.T) {
	m := newMixer(t, mixer.Config{Voices: 1})
	s := rainy(t)
	loop, err := m.Play(s, mixer.Options{Loop: true, Filters: mixer.Filters{LowPass: 300}})
	must(t, err)
	_, err = m.Play(s, mixer.Options{Loop: true, Gain: -10})
	must(t, err)
	m.Render(make([]pcm.Frame, 4800))
	if loop.State() != mixer.StateVirtual {
		t.Fatalf("behind the wall it is %v", loop.State())
	}
	must(t, loop.SetLowPass(0))
	m.Render(make([]pcm.Frame, 4800))
	if loop.State() != mixer.StatePlaying {
		t.Errorf("without the wall it is %v", loop.State())
	}
}

// TestWallsMove checks that during a fade of a cutoff the larger of the current and target audibility
// counts.
func TestWallsMove(t *testing.T) {
	m := newMixer(t, mixer.Config{Voices: 1})
	s := rainy(t)
	h, err := m.Play(s, mixer.Options{Loop: true, Filters: mixer.Filters{LowPass: 8000}})
	must(t, err)
	level := func(frames int) float64 {
		m.Render(make([]pcm.Frame, frames))
		return float64(h.Audibility())
	}
	open := level(1000)
	must(t, m.Engine().At(m.Now()).Set(mixer.TargetVoice(h), mixer.Change{Fields: mixer.FieldLowPass, Filters: mixer.Filters{LowPass: 200}}, time.Second))
	early, middle, late := level(100), level(24000), level(48000)
	if math.Abs(early-open) > 1 || middle > open-1 || middle < late+5 || late > open-15 {
		t.Errorf("closing: %.1f dB, then %.1f, %.1f and %.1f", open, early, middle, late)
	}
	must(t, m.Engine().At(m.Now()).Set(mixer.TargetVoice(h), mixer.Change{Fields: mixer.FieldLowPass, Filters: mixer.Filters{LowPass: 8000}}, time.Second))
	if opening := level(100); math.Abs(opening-open) > 1 {
		t.Errorf("opening it counts %.1f dB, want %.1f", opening, open)
	}
}

// TestFirstFilter checks the score of the first voice with a filter in a mixer, even if scores were
// refreshed in this frame before.
func TestFirstFilter(t *testing.T) {
	m := newMixer(t, mixer.Config{Voices: 1})
	s := rainy(t)
	_, err := m.Play(s, mixer.Options{})
	must(t, err)
	m.Render(make([]pcm.Frame, 960))
	m.Render(nil) // the frame of the grid is done
	_, err = m.Play(s, mixer.Options{Filters: mixer.Filters{LowPass: 400}})
	must(t, err)
	m.Render(make([]pcm.Frame, 100))
	for _, e := range events(m) {
		if e.Kind != mixer.EventStolen {
			continue
		}
		if taken := e.Steal.Audibility - e.Steal.Newcomer; taken < 10 || taken > 40 {
			t.Errorf("behind the wall it counts %v dB, in front of it %v", e.Steal.Newcomer, e.Steal.Audibility)
		}
		return
	}
	t.Error("nobody was stolen")
}

// TestChoiceHearsThisFrame checks that a change in the frame of a choice counts, even if scores were
// refreshed in that frame before. It changes an equalizer, a send of a bus, and the mute of its
// destination.
func TestChoiceHearsThisFrame(t *testing.T) {
	s := rainy(t)
	low, err := effect.New("eq", effect.Values{"bands.1.type": effect.LowPass, "bands.1.freq": 100})
	must(t, err)
	for name, c := range map[string]struct {
		bus  mixer.BusConfig
		mine mixer.Options // of the voice on the bus, which is kept at first
		do   func(m *mixer.Mixer)
	}{
		"an equaliser": {mixer.BusConfig{Effects: []effect.Effect{low}}, mixer.Options{Gain: 6}, func(m *mixer.Mixer) {
			must(t, busOf(t, m, "bus").SetEffect("eq", effect.Values{"bypass": 1}, 0))
		}},
		"a send of its bus": {mixer.BusConfig{Gain: -40, Sends: []mixer.Send{{To: "hall", Gain: -80, Pre: true}}}, mixer.Options{}, func(m *mixer.Mixer) {
			must(t, busOf(t, m, "bus").SetSend("hall", 0, 0))
		}},
		"a mute of the hall": {mixer.BusConfig{}, mixer.Options{Gain: -40, EngineOptions: mixer.EngineOptions{Sends: []mixer.Send{{To: "hall", Gain: 0, Pre: true}}}}, func(m *mixer.Mixer) {
			must(t, busOf(t, m, "hall").SetMute(false))
		}},
	} {
		for _, grid := range []bool{true, false} {
			c.bus.Name = "bus"
			m := newMixer(t, mixer.Config{Voices: 2, Buses: []mixer.BusConfig{{Name: "hall", Mute: name == "a mute of the hall"}, c.bus}})
			c.mine.Bus = busOf(t, m, "bus")
			mine := play(t, m.Engine().At(0), s, c.mine)
			other := play(t, m.Engine().At(0), s, mixer.Options{Gain: -20})
			m.Render(make([]pcm.Frame, 960+int(one(!grid))))
			m.Render(nil)
			if mine.Audibility() > other.Audibility() {
				t.Fatalf("%s: at first it counts %v, the other one %v", name, mine.Audibility(), other.Audibility())
			}
			c.do(m)
			play(t, m.Engine().At(mixer.Now), s, mixer.Options{})
			m.Render(make([]pcm.Frame, 100))
			if mine.State() != mixer.StatePlaying || other.State() != mixer.StateStolen {
				t.Errorf("%s, on the grid %v: it is %v, the other one %v", name, grid, mine.State(), other.State())
			}
		}
	}
}

func one(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

// TestWallsInEvents checks that the event of a victim has the cutoff of its direct path, and an unknown
// Lost if it has sends.
func TestWallsInEvents(t *testing.T) {
	s := rainy(t)
	m := newMixer(t, mixer.Config{Voices: 1, Buses: []mixer.BusConfig{{Name: "hall"}}})
	play(t, m.Engine().At(0), s, mixer.Options{Emitter: &space.Emitter{Spot: space.Spot{Obstruction: 1}}, EngineOptions: mixer.EngineOptions{Sends: []mixer.Send{{To: "hall", Gain: -60}}}})
	m.Render(make([]pcm.Frame, 100))
	play(t, m.Engine().At(mixer.Now), s, mixer.Options{Filters: mixer.Filters{LowPass: 300}})
	m.Render(make([]pcm.Frame, 100))
	play(t, m.Engine().At(mixer.Now), s, mixer.Options{})
	m.Render(make([]pcm.Frame, 100))
	var stolen []mixer.Event
	for _, e := range events(m) {
		if e.Kind == mixer.EventStolen {
			stolen = append(stolen, e)
		}
	}
	if len(stolen) != 2 {
		t.Fatalf("%d were stolen", len(stolen))
	}
	if e := stolen[0]; math.Abs(e.Steal.LowPass-2000) > 1 || !math.IsInf(float64(e.Steal.Lost), 1) {
		t.Errorf("behind a pillar: low-pass %v Hz, at most %v dB", e.Steal.LowPass, e.Steal.Lost)
	}
	if e := stolen[1]; e.Steal.LowPass != 300 || math.IsInf(float64(e.Steal.Lost), 1) {
		t.Errorf("with a filter: low-pass %v Hz, at most %v dB", e.Steal.LowPass, e.Steal.Lost)
	}
}

// TestWallsMoveAlong checks that the score of a voice behind a wall does not depend on its history: from
// the beginning, in another voice's slot, and restored.
func TestWallsMoveAlong(t *testing.T) {
	s := rainy(t)
	wall := mixer.Options{Loop: true, Filters: mixer.Filters{LowPass: 300}}
	for _, louder := range []bool{false, true} {
		m := newMixer(t, mixer.Config{Voices: 1})
		alone := play(t, m.Engine().At(0), s, wall)
		m.Render(make([]pcm.Frame, 4800*(1+one(louder))))
		want := float64(alone.Audibility())
		m = newMixer(t, mixer.Config{Voices: 1})
		first := play(t, m.Engine().At(0), s, mixer.Options{Loop: true, Gain: -80})
		if louder {
			must(t, first.SetGain(0))
		}
		m.Render(make([]pcm.Frame, 960)) // scores are computed on a grid
		walled := play(t, m.Engine().At(mixer.Now), s, wall)
		m.Render(make([]pcm.Frame, 4800))
		if louder {
			if walled.State() != mixer.StateVirtual {
				t.Fatalf("it is %v", walled.State())
			}
			must(t, first.Stop(0))
			m.Render(make([]pcm.Frame, 4800))
		}
		// The noise differs between frames of the grid, which is finer with virtual voices.
		if got := float64(walled.Audibility()); walled.State() != mixer.StatePlaying || math.Abs(got-want) > 3 {
			t.Errorf("behind a louder one %v: it is %v and counts %.1f dB, alone %.1f", louder, walled.State(), got, want)
		}
	}
}
