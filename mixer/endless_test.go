package mixer_test

import (
	"errors"
	"fmt"
	"testing"

	"voicepool/mixer"
	"voicepool/pcm"
	"voicepool/sounds"
)

// TestLoopsAreNotLost plays twelve loops, then a menu with 8 voices of its own, then continues. Under
// every policy all twelve loops must be restored.
func TestLoopsAreNotLost(t *testing.T) {
	for _, policy := range []mixer.Overflow{mixer.StealQuietest, mixer.StealOldest, mixer.StealGain, mixer.Reject, mixer.GrowPool, mixer.StealMasked} {
		c := mixer.Config{Rate: 1000, Voices: 32, Overflow: policy, NoLimiter: true, Events: 4096}
		if policy == mixer.StealMasked {
			c.Virtual = 1
		}
		m := newMixer(t, c)
		s := level(t, 1000, 300, 0.1)
		var loops []mixer.Handle
		for i := range 12 {
			loops = append(loops, play(t, m.Engine().At(0), s, mixer.Options{Loop: true, Gain: pcm.Decibels(-i)}))
		}
		must(t, m.Engine().At(100).Resize(8))
		for i := range 40 {
			play(t, m.Engine().At(int64(110+20*i)), s, mixer.Options{Gain: 3})
		}
		left(m, 500)
		unheard := 0
		for _, h := range loops {
			if h.State() == mixer.StateVirtual {
				unheard++
			}
		}
		if unheard < 4 && policy != mixer.GrowPool || unheard == 12 && policy == mixer.Reject {
			t.Errorf("%v: %d of 12 loops are unheard in the menu", policy, unheard)
		}
		must(t, m.Engine().At(1300).Resize(32))
		left(m, 1000)
		for i, h := range loops {
			if h.State() != mixer.StatePlaying {
				t.Errorf("%v: loop %d is %v", policy, i, h.State())
			}
		}
		if st := m.Stats(); st.Playing != 12 || st.Virtual != 0 {
			t.Errorf("%v: in the end %+v", policy, st)
		}
	}
}

// TestWhenFull lists the outcome for stolen voices of each kind.
func TestWhenFull(t *testing.T) {
	type m = *mixer.Mixer
	loop := mixer.Options{Loop: true, Gain: -20}
	for _, c := range []struct {
		name   string
		config mixer.Config
		first  mixer.Options
		then   func(m m, h mixer.Handle)
		want   string
	}{
		{name: "a loop waits", first: loop, want: "0 started 1, 50 virtual 1 by 2 (pool), 50 started 2, 80 ended 2, 80 real 1"},
		{name: "what ends is lost", first: mixer.Options{Gain: -20}, want: "0 started 1, 50 stolen 1 by 2 (pool), 50 started 2, 80 ended 2"},
		{name: "rounds end", first: mixer.Options{Loop: true, EngineOptions: mixer.EngineOptions{Rounds: 99}, Gain: -20}, want: "0 started 1, 50 stolen 1 by 2 (pool), 50 started 2, 80 ended 2"},
		{name: "a For ends", first: mixer.Options{Loop: true, For: 900 * ms, Gain: -20}, want: "0 started 1, 50 stolen 1 by 2 (pool), 50 started 2, 80 ended 2"},
		{name: "a loop that is to end", first: mixer.Options{Loop: true, Gain: -20, EngineOptions: mixer.EngineOptions{WhenFull: mixer.WhenFullEnd}}, want: "0 started 1, 50 stolen 1 by 2 (pool), 50 started 2, 80 ended 2"},
		{name: "virtual ones of a number", config: mixer.Config{Virtual: 1}, first: mixer.Options{Gain: -20}, want: "0 started 1, 50 virtual 1 by 2 (pool), 50 started 2, 80 ended 2, 80 real 1, 100 ended 1"},
		{name: "but not that one", config: mixer.Config{Virtual: 1}, first: mixer.Options{Gain: -20, EngineOptions: mixer.EngineOptions{WhenFull: mixer.WhenFullEnd}}, want: "0 started 1, 50 stolen 1 by 2 (pool), 50 started 2, 80 ended 2"},
		{name: "released before", first: loop, then: func(m m, h mixer.Handle) {
			must(t, m.Engine().At(30).Set(mixer.TargetVoice(h), mixer.Change{Fields: mixer.FieldRounds, Rounds: 6}, 0))
		}, want: "0 started 1, 50 stolen 1 by 2 (pool), 50 started 2, 80 ended 2"},
		{name: "endless by a set", first: mixer.Options{Loop: true, EngineOptions: mixer.EngineOptions{Rounds: 9}, Gain: -20}, then: func(m m, h mixer.Handle) {
			must(t, m.Engine().At(30).Set(mixer.TargetVoice(h), mixer.Change{Fields: mixer.FieldRounds, Rounds: mixer.Forever}, 0))
		}, want: "0 started 1, 50 virtual 1 by 2 (pool), 50 started 2, 80 ended 2, 80 real 1"},
		{name: "released while it waits", first: loop, then: func(m m, h mixer.Handle) {
			must(t, m.Engine().At(60).Set(mixer.TargetVoice(h), mixer.Change{Fields: mixer.FieldRounds, Rounds: 1}, 0))
		}, want: "0 started 1, 50 virtual 1 by 2 (pool), 50 started 2, 80 ended 2, 80 real 1, 100 ended 1"},
		{name: "fading out", first: loop, then: func(m m, h mixer.Handle) {
			must(t, m.Engine().At(45).Stop(mixer.TargetVoice(h), 20*ms))
		}, want: "0 started 1, 50 stolen 1 by 2 (pool), 50 started 2, 80 ended 2"},
		{name: "stopped while it waits", first: loop, then: func(m m, h mixer.Handle) {
			must(t, m.Engine().At(60).Stop(mixer.TargetVoice(h), 0))
		}, want: "0 started 1, 50 virtual 1 by 2 (pool), 50 started 2, 60 stopped 1, 80 ended 2"},
		{name: "much louder", first: loop, then: func(m m, h mixer.Handle) {
			must(t, m.Engine().At(55).Set(mixer.TargetVoice(h), mixer.Change{Fields: mixer.FieldGain, Gain: 7}, 0))
		}, want: "0 started 1, 50 virtual 1 by 2 (pool), 50 started 2, 60 stolen 2 by 1 (exchange), 60 real 1"},
		{name: "nobody is lost under reject", config: mixer.Config{Overflow: mixer.Reject}, first: mixer.Options{For: 60 * ms}, then: func(m m, h mixer.Handle) {
			play(t, m.Engine().At(10), level(t, 1000, 100, 0.1), mixer.Options{Loop: true, Gain: 12})
		}, want: "0 started 1, 10 started 2, 10 virtual 2 (pool), 50 rejected (pool), 60 ended 1, 60 real 2"},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.config.Rate, c.config.NoLimiter, c.config.Voices = 1000, true, 1
			m := newMixer(t, c.config)
			h := play(t, m.Engine().At(0), level(t, 1000, 100, 0.1), c.first)
			if c.then != nil {
				c.then(m, h)
			}
			play(t, m.Engine().At(50), level(t, 1000, 100, 0.1), mixer.Options{For: 30 * ms})
			left(m, 150)
			wantEvents(t, m, c.want)
		})
	}
}

// TestEndlessPlaces checks that endless voices have their own places. If these are in use, the least
// audible loop is lost, not a voice with an end.
func TestEndlessPlaces(t *testing.T) {
	c := mixer.Config{Rate: 1000, Voices: 1, Virtual: 1, NoLimiter: true}
	mixer.LimitEndless(&c, 2)
	m := newMixer(t, c)
	s := level(t, 1000, 100, 0.1)
	play(t, m.Engine().At(0), s, mixer.Options{For: 90 * ms, Gain: -40})
	for i, gain := range []pcm.Decibels{-30, -20, -25, 0} {
		play(t, m.Engine().At(int64(1+i)), s, mixer.Options{Loop: true, Gain: gain})
	}
	left(m, 19)
	wantEvents(t, m, "0 started 1, 1 virtual 1 by 2 (pool), 1 started 2, 2 virtual 2 by 3 (pool), 2 started 3, "+
		"3 started 4, 3 virtual 4 (quieter), 4 stolen 2 by 5 (virtual), 4 virtual 3 by 5 (pool), 4 started 5")
}

// TestEndlessBound checks that a mixer keeps the documented number of loops and has records for them.
func TestEndlessBound(t *testing.T) {
	for _, c := range []mixer.Config{{Voices: 2}, {Voices: 40, Commands: 8}, {Voices: 3, MaxVoices: 9, Virtual: 5, Commands: 64}} {
		c.Rate, c.NoLimiter = 1000, true
		m := newMixer(t, c)
		commands := c.Commands
		if commands == 0 {
			commands = 1024
		}
		most := max(c.Voices, c.MaxVoices, commands/4)
		s := level(t, 1000, 100, 0.1)
		for range most + c.Voices + 3 {
			play(t, m.Engine().At(mixer.Now), s, mixer.Options{Loop: true})
			m.Render(make([]pcm.Frame, 1))
		}
		for range commands { // still the full number of starts under way
			if _, err := m.Engine().At(5000).Play(s, mixer.Options{}); err != nil && commands == 8 {
				t.Errorf("%+v: %v", c, err)
			}
		}
		if st := m.Stats(); st.Virtual != int64(most) || st.Stolen != 3 || st.EventsLost != 0 {
			t.Errorf("%d voices, %d commands: %+v", c.Voices, c.Commands, st)
		}
	}
}

// TestEndlessStreams checks that a stream that repeats, or has an unknown length, becomes virtual as a
// loop does and is restored at its exact position.
func TestEndlessStreams(t *testing.T) {
	for _, c := range []struct {
		name    string
		frames  int64
		loop    bool
		endless bool
	}{
		{name: "it ends", frames: 4000}, {name: "it repeats", frames: 4000, loop: true, endless: true}, {name: "nobody knows", endless: true},
	} {
		m := newMixer(t, mixer.Config{Rate: 1000, Voices: 1, NoLimiter: true})
		s, err := sounds.NewStream(sounds.Stream{Rate: 1000, Frames: c.frames, Level: -60, Open: func(course sounds.PlayRange) (*sounds.StreamBuffer, error) {
			f := sounds.NewStreamBuffer(8192, course)
			ramp := make([]pcm.Frame, 4000)
			for i := range ramp {
				ramp[i] = pcm.Frame{float32(i) / 4000, float32(i) / 4000}
			}
			f.Write(ramp)
			return f, nil
		}})
		must(t, err)
		h := play(t, m.Engine().At(0), s, mixer.Options{Loop: c.loop})
		play(t, m.Engine().At(100), level(t, 1000, 200, 0.1), mixer.Options{})
		got := left(m, 400)
		want := mixer.StateStolen
		if c.endless {
			want = mixer.StatePlaying
			if x := got[390]; x < 0.09 || x > 0.1 { // frame 390 of 4,000
				t.Errorf("%s: it comes back with %v", c.name, x)
			}
		}
		if h.State() != want {
			t.Errorf("%s: it is %v", c.name, h.State())
		}
		m.Close()
	}
}

// TestParseWhenFull parses the results of String.
func TestParseWhenFull(t *testing.T) {
	for _, w := range []mixer.WhenFull{mixer.WhenFullDefault, mixer.WhenFullVirtual, mixer.WhenFullEnd} {
		if got, err := mixer.ParseWhenFull(w.String()); err != nil || got != w {
			t.Errorf("%v is read as %v, %v", w, got, err)
		}
	}
	for _, name := range []string{"", "Virtual", "stop"} {
		if got, err := mixer.ParseWhenFull(name); !errors.Is(err, mixer.ErrOption) {
			t.Errorf("%q is read as %v, %v", name, got, err)
		}
	}
	_, err := newMixer(t, mixer.Config{}).Play(level(t, 48000, 10, 0.1), mixer.Options{EngineOptions: mixer.EngineOptions{WhenFull: 3}})
	if got := fmt.Sprint(err); got != "mixer: bad argument: there is no WhenFull 3: WhenFullVirtual and WhenFullEnd are" {
		t.Error(got)
	}
}
