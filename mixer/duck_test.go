package mixer_test

import (
	"math"
	"testing"

	"voicepool/mixer"
	"voicepool/pcm"
	"voicepool/sounds"
	"voicepool/space"
)

// TestDuckHold checks that the release begins Hold after the last voice has ended, was stopped or paused.
// Another voice in between restarts the hold.
func TestDuckHold(t *testing.T) {
	duck := func(hold int) []mixer.BusConfig {
		return []mixer.BusConfig{
			{Name: "sfx"}, {Name: "shots", Parent: "sfx"},
			{Name: "music", Duck: mixer.Duck{When: "sfx", By: 20, Attack: 10 * ms, Hold: msOf(hold), Release: 40 * ms}},
		}
	}
	for _, hold := range []int{0, 1, 7, 20, 33} {
		for name, act := range map[string]func(m *mixer.Mixer, h mixer.Handle){
			"ended":   func(*mixer.Mixer, mixer.Handle) {},
			"stopped": func(m *mixer.Mixer, h mixer.Handle) { m.Engine().At(150).Stop(mixer.TargetVoice(h), 0) },
			"paused":  func(m *mixer.Mixer, h mixer.Handle) { m.Engine().At(150).Pause(mixer.TargetBus(busOf(t, m, "sfx"))) },
		} {
			m := at1k(t, duck(hold)...)
			play(t, m.Engine().At(0), level(t, 1000, 900, 1), mixer.Options{Pan: -1, Bus: busOf(t, m, "music")})
			h := play(t, m.Engine().At(100), level(t, 1000, 113, 0.5), mixer.Options{Pan: 1, Bus: busOf(t, m, "shots")})
			act(m, h)
			end := 150
			if name == "ended" {
				end = 213
			}
			got := left(m, 400)
			for _, w := range []struct {
				frame int
				want  pcm.Decibels
			}{{100, 0}, {110, -20}, {end + hold, -20}, {end + hold + 40, 0}} {
				wantAbout(t, name+", with a hold", got[w.frame], w.want.Linear())
			}
			if x := got[end+hold+2]; x <= 0.1 || got[end+hold+20] < 0.3 || got[end+hold+20] > 0.33 {
				t.Errorf("%s, with a hold of %d: the release is not under way: %v, %v", name, hold, x, got[end+hold+20])
			}
		}
	}
	m := at1k(t, duck(50)...)
	play(t, m.Engine().At(0), level(t, 1000, 900, 1), mixer.Options{Pan: -1, Bus: busOf(t, m, "music")})
	for _, at := range []int64{100, 150, 160} {
		play(t, m.Engine().At(at), level(t, 1000, 20, 0.5), mixer.Options{Pan: 1, Bus: busOf(t, m, "sfx")})
	}
	got := left(m, 400)
	for i := 110; i <= 230; i++ {
		wantAbout(t, "held", got[i], 0.1)
	}
	wantAbout(t, "after it", got[270], 1)
}

// TestDuckHears checks that a bus is lowered by a voice that is loud enough, not by an inaudible one, and
// released on the grid after the voice has become quiet.
func TestDuckHears(t *testing.T) {
	flat := level(t, 1000, 999, 1) // without an index it counts as -20 dB
	decays := sound(t, sounds.Samples{
		Name: "decays", Rate: 1000, Channels: 1, Data: make([]float32, 999),
		Envelope: sounds.Envelope{Hop: 100, Once: []float32{0.25, 0.25, 0.25, 1e-6, 1e-6, 1e-6, 1e-6, 1e-6, 1e-6, 1e-6}},
	})
	for _, c := range []struct {
		name    string
		above   pcm.Decibels
		sound   *sounds.Sound
		options mixer.Options
		bus     mixer.BusConfig
		others  mixer.BusConfig
		act     func(m *mixer.Mixer, h mixer.Handle)
		ducked  bool // at frame 100
		later   bool // at frame 700
	}{
		{name: "loud", ducked: true, later: true},
		{name: "at -44 dB", options: mixer.Options{Gain: -24}, ducked: true, later: true},
		{name: "at -56 dB", options: mixer.Options{Gain: -36}},
		{name: "at -56 dB, above -70", above: -70, options: mixer.Options{Gain: -36}, ducked: true, later: true},
		{name: "at -29 dB, above -23", above: -23, options: mixer.Options{Gain: -9}},
		{name: "at -29 dB, above -32", above: -32, options: mixer.Options{Gain: -9}, ducked: true, later: true},
		{name: "on a muted bus", bus: mixer.BusConfig{Mute: true}},
		{name: "on a quiet bus", bus: mixer.BusConfig{Gain: -60}},
		{name: "while another bus is soloed", others: mixer.BusConfig{Solo: true}},
		{name: "far away", options: mixer.Options{Emitter: &space.Emitter{Spot: space.Spot{Position: space.Vector{100000, 0, 0}}, Attenuation: space.Attenuation{Min: 1, Max: 200000}}}},
		{name: "faded in", options: mixer.Options{FadeIn: 600 * ms}, ducked: true, later: true},
		{name: "paused", act: func(m *mixer.Mixer, h mixer.Handle) { m.Engine().At(50).Pause(mixer.TargetVoice(h)) }},
		{name: "back from a pause", act: func(m *mixer.Mixer, h mixer.Handle) {
			m.Engine().At(50).Pause(mixer.TargetVoice(h))
			m.Engine().At(650).Resume(mixer.TargetVoice(h))
		}, later: true},
		{name: "turned down", act: func(m *mixer.Mixer, h mixer.Handle) { m.Engine().At(400).SetGain(mixer.TargetVoice(h), -60) }, ducked: true},
		{name: "turned up", options: mixer.Options{Gain: -60}, act: func(m *mixer.Mixer, h mixer.Handle) { m.Engine().At(400).SetGain(mixer.TargetVoice(h), 0) }, later: true},
		{name: "muted later", act: func(m *mixer.Mixer, h mixer.Handle) {
			m.Engine().At(400).Set(mixer.TargetBus(busOf(t, m, "sfx")), mixer.Change{Fields: mixer.FieldMute, Mute: true}, 0)
		}, ducked: true},
		{name: "decays", sound: decays, ducked: true},
	} {
		for _, block := range []int{1, 7, 999} {
			sfx, others := c.bus, c.others
			sfx.Name, others.Name = "sfx", "others"
			m := at1k(t, sfx, others, mixer.BusConfig{Name: "music", Parent: "others", Duck: mixer.Duck{When: "sfx", By: 20, Above: c.above}})
			play(t, m.Engine().At(0), level(t, 1000, 999, 1), mixer.Options{Pan: -1, Bus: busOf(t, m, "music")})
			o, s := c.options, c.sound
			if o.Bus, o.Pan = busOf(t, m, "sfx"), 1; s == nil {
				s = flat
			}
			h := play(t, m.Engine().At(40), s, o)
			if c.act != nil {
				c.act(m, h)
			}
			var got []float32
			for len(got) < 999 {
				got = append(got, left(m, block)...)
			}
			for frame, ducked := range map[int]bool{30: false, 100: c.ducked, 700: c.later} {
				want := pcm.Decibels(0)
				if ducked {
					want = -20
				}
				if x := float64(got[frame]); math.Abs(x-want.Linear()) > 1e-4 {
					t.Errorf("%s, in blocks of %d: the music is at %v at frame %d, want %v", c.name, block, x, frame, want.Linear())
				}
			}
		}
	}
	m := newMixer(t, mixer.Config{Rate: 1000, Voices: 2, Virtual: 4, NoLimiter: true, Buses: []mixer.BusConfig{{Name: "sfx"}, {Name: "music", Duck: mixer.Duck{When: "sfx", By: 20}}}})
	for range 2 {
		play(t, m.Engine().At(0), level(t, 1000, 400, 0.5), mixer.Options{Pan: -1, Loop: true, Bus: busOf(t, m, "music")})
	}
	h := play(t, m.Engine().At(10), level(t, 1000, 400, 0.5), mixer.Options{Gain: -20, Pan: 1, Loop: true, Bus: busOf(t, m, "sfx")})
	got := left(m, 400)
	if h.State() != mixer.StateVirtual {
		t.Fatalf("the voice is %v, not virtual", h.State())
	}
	wantAbout(t, "a virtual voice", got[300], 1)
}
