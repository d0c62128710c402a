package mixer_test

import (
	"testing"

	"voicepool/mixer"
	"voicepool/pcm"
)

// family is a tree: a over b over c, and d beside them.
func family() []mixer.BusConfig {
	return []mixer.BusConfig{{Name: "c", Parent: "b"}, {Name: "a"}, {Name: "b", Parent: "a"}, {Name: "d"}}
}

// TestTreeMultiplies checks that the gains of a bus and of all buses above it are multiplied, in any
// order of the configuration.
func TestTreeMultiplies(t *testing.T) {
	m := newMixer(t, mixer.Config{Rate: 1000, NoLimiter: true, MasterGain: -6, Buses: []mixer.BusConfig{
		{Name: "c", Parent: "b", Gain: -3}, {Name: "a", Gain: -5, Pan: 1}, {Name: "b", Parent: "a", Gain: -1}, {Name: "d", Parent: "master", Gain: -7},
	}})
	s := level(t, 1000, 40, 1)
	for i, c := range []struct {
		bus         string
		left, right pcm.Decibels // of a sound in the middle
	}{
		{bus: "c", left: -300, right: -15},
		{bus: "b", left: -300, right: -12},
		{bus: "a", left: -300, right: -11},
		{bus: "d", left: -13, right: -13},
		{bus: "master", left: -6, right: -6},
	} {
		at := int64(i * 50)
		play(t, m.Engine().At(at), s, mixer.Options{Pan: 0, EngineOptions: mixer.EngineOptions{Base: mixer.Base{Gain: pcm.FromLinear(1.4142135623730951)}}, Bus: busOf(t, m, c.bus)})
		block := make([]pcm.Frame, 50)
		m.Render(block)
		wantAbout(t, c.bus+", left", block[20][0], c.left.Linear())
		wantAbout(t, c.bus+", right", block[20][1], c.right.Linear())
	}
}

// TestTreePitch checks that the pitches of all buses above a voice add up, also during fades.
func TestTreePitch(t *testing.T) {
	m := at1k(t, mixer.BusConfig{Name: "c", Parent: "b", Pitch: 5}, mixer.BusConfig{Name: "b", Parent: "a"}, mixer.BusConfig{Name: "a", Pitch: 7})
	h := play(t, m.Engine().At(0), ramp(t, 1000, 2000), mixer.Options{Bus: busOf(t, m, "c")})
	m.Engine().At(100).Set(mixer.TargetBus(busOf(t, m, "a")), mixer.Change{Fields: mixer.FieldPitch, Pitch: -5}, 0) // 5 ms of it: 12 semitones linearly
	left(m, 100)
	if h.Position() != 200*ms {
		t.Errorf("an octave up it is at %v after 100 ms", h.Position())
	}
	left(m, 5)
	begin := h.Position()
	left(m, 100)
	if got := h.Position() - begin; got != 100*ms {
		t.Errorf("with 5 and -5 semitones it goes %v in 100 ms", got)
	}
	late := play(t, m.Engine().At(mixer.Now), ramp(t, 1000, 2000), mixer.Options{Bus: busOf(t, m, "b")})
	m.Engine().At(mixer.Now).Set(mixer.TargetBus(busOf(t, m, "b")), mixer.Change{Fields: mixer.FieldPitch, Pitch: 17}, 0)
	left(m, 5)
	begin = late.Position()
	left(m, 100)
	if got := late.Position() - begin; got != 200*ms {
		t.Errorf("with 17 and -5 semitones it goes %v in 100 ms", got)
	}
}

// TestTreeLimits checks that a limit includes the buses below, and that the lowest of several reached
// limits chooses the victim.
func TestTreeLimits(t *testing.T) {
	s := level(t, 1000, 900, 0.5)
	type start struct {
		bus  string
		gain pcm.Decibels
	}
	for name, c := range map[string]struct {
		limits map[string]int // of a, b, c and d
		policy mixer.Overflow
		starts []start // ten frames apart
		want   string
	}{
		"what is below counts": {
			limits: map[string]int{"a": 2}, policy: mixer.StealQuietest,
			starts: []start{{"c", -9}, {"b", -3}, {"a", 0}},
			want:   "0 started 1, 10 started 2, 20 stolen 1 by 3 (bus), 20 started 3",
		},
		"what is beside does not": {
			limits: map[string]int{"a": 2, "b": 1}, policy: mixer.StealQuietest,
			starts: []start{{"d", -9}, {"b", -3}, {"a", 0}, {"d", 0}},
			want:   "0 started 1, 10 started 2, 20 started 3, 30 started 4",
		},
		"what is above does not": {
			limits: map[string]int{"b": 1}, policy: mixer.StealQuietest,
			starts: []start{{"a", -9}, {"a", -9}, {"c", -3}, {"b", 0}},
			want:   "0 started 1, 10 started 2, 20 started 3, 30 stolen 3 by 4 (bus), 30 started 4",
		},
		"the lowest finds the victim": { // though the one on a is quieter
			limits: map[string]int{"a": 2, "c": 1}, policy: mixer.StealQuietest,
			starts: []start{{"a", -30}, {"c", 0}, {"c", 0}},
			want:   "0 started 1, 10 started 2, 20 stolen 2 by 3 (bus), 20 started 3",
		},
		"the highest, if it alone is reached": {
			limits: map[string]int{"a": 2, "c": 2}, policy: mixer.StealQuietest,
			starts: []start{{"a", -30}, {"c", 0}, {"c", 0}},
			want:   "0 started 1, 10 started 2, 20 stolen 1 by 3 (bus), 20 started 3",
		},
		"reject": {
			limits: map[string]int{"a": 1}, policy: mixer.Reject,
			starts: []start{{"c", -30}, {"b", 0}, {"d", 0}},
			want:   "0 started 1, 10 limited (bus), 20 started 2",
		},
		"oldest": {
			limits: map[string]int{"a": 2}, policy: mixer.StealOldest,
			starts: []start{{"c", 0}, {"b", -30}, {"a", 0}},
			want:   "0 started 1, 10 started 2, 20 stolen 1 by 3 (bus), 20 started 3",
		},
	} {
		buses := family()
		for i := range buses {
			buses[i].Voices = c.limits[buses[i].Name]
		}
		m := newMixer(t, mixer.Config{Rate: 1000, Voices: 8, Overflow: c.policy, Buses: buses})
		for i, st := range c.starts {
			play(t, m.Engine().At(int64(10*i)), s, mixer.Options{Bus: busOf(t, m, st.bus), Gain: st.gain})
		}
		left(m, 50)
		if got := happened(m); got != c.want {
			t.Errorf("%s:\n%s, want\n%s", name, got, c.want)
		}
	}
}

// TestLimitIsFreed checks that the end of a voice makes room in all buses above it.
func TestLimitIsFreed(t *testing.T) {
	buses := family()
	buses[1].Voices = 1
	m := newMixer(t, mixer.Config{Rate: 1000, Buses: buses})
	s := level(t, 1000, 10, 0.5)
	play(t, m.Engine().At(0), s, mixer.Options{Bus: busOf(t, m, "c")})
	play(t, m.Engine().At(10), s, mixer.Options{Bus: busOf(t, m, "b")})
	h := play(t, m.Engine().At(20), s, mixer.Options{Bus: busOf(t, m, "a")})
	m.Engine().At(25).Stop(mixer.TargetVoice(h), 0)
	play(t, m.Engine().At(25), s, mixer.Options{Bus: busOf(t, m, "c")})
	left(m, 50)
	wantEvents(t, m, "0 started 1, 10 ended 1, 10 started 2, 20 ended 2, 20 started 3, 25 stopped 3, 25 started 4, 35 ended 4")
}

// TestPausesInATree checks that a voice sounds if no bus above it is paused.
func TestPausesInATree(t *testing.T) {
	m := at1k(t, family()...)
	bus := func(name string) mixer.Target { return mixer.TargetBus(busOf(t, m, name)) }
	h := play(t, m.Engine().At(0), ramp(t, 1000, 900), mixer.Options{Pan: -1, Bus: busOf(t, m, "c")})
	other := play(t, m.Engine().At(0), ramp(t, 1000, 900), mixer.Options{Pan: 1, Bus: busOf(t, m, "d")})
	m.Engine().At(20).Pause(bus("b"))
	m.Engine().At(40).Pause(bus("a"))
	late := play(t, m.Engine().At(50), ramp(t, 1000, 900), mixer.Options{Pan: -1, Bus: busOf(t, m, "c"), Gain: pcm.Silence})
	m.Engine().At(60).Resume(bus("a")) // b is still paused
	m.Engine().At(80).Resume(bus("c")) // which was not paused
	m.Engine().At(100).Resume(bus("b"))
	m.Engine().At(120).Pause(bus("a"))
	m.Engine().At(140).Resume(bus("b")) // a is still paused
	m.Engine().At(160).Resume(bus("a"))
	m.Engine().At(180).Pause(mixer.TargetVoice(h))
	m.Engine().At(180).Pause(bus("a"))
	m.Engine().At(200).Resume(bus("a")) // the voice itself is still paused
	m.Engine().At(210).Resume(mixer.TargetVoice(h))
	playing := func(from, to int) bool {
		return from >= 0 && to <= 20 || from >= 100 && to <= 120 || from >= 160 && to <= 180 || from >= 210
	}
	position := 0
	for at := 0; at < 240; at += 10 {
		got := left(m, 10)
		state, want := h.State(), mixer.StatePaused
		if playing(at, at+10) {
			want = mixer.StatePlaying
			position += 10
			wantFrames(t, "the end of a piece", got[5:], count(position-5, position))
		}
		if state != want || h.Position() != msOf(position) {
			t.Errorf("from %d to %d it is %v at %v, want %v at %d ms", at, at+10, state, h.Position(), want, position)
		}
	}
	if other.Position() != 240*ms {
		t.Errorf("the bus beside them is at %v", other.Position())
	}
	if late.Position() != 80*ms { // from 100 to 120, from 160 to 180, from 200 on
		t.Errorf("what started in the pause is at %v, want 80ms", late.Position())
	}
}

// TestStopOfAParent checks that all voices below the bus end, and no others.
func TestStopOfAParent(t *testing.T) {
	m := at1k(t, family()...)
	for _, name := range []string{"a", "b", "c", "d", "master"} {
		play(t, m.Engine().At(0), level(t, 1000, 90, 0.1), mixer.Options{Bus: busOf(t, m, name)})
	}
	m.Engine().At(20).Stop(mixer.TargetBus(busOf(t, m, "b")), 0)
	m.Engine().At(30).Stop(mixer.TargetBus(busOf(t, m, "a")), 10*ms)
	left(m, 100)
	wantEvents(t, m, "0 started 1, 0 started 2, 0 started 3, 0 started 4, 0 started 5, 20 stopped 2, 20 stopped 3, 40 stopped 1, 90 ended 4, 90 ended 5")
}

// TestMuteOfAParent checks that all buses below are silent and their voices count as silent.
func TestMuteOfAParent(t *testing.T) {
	m := at1k(t, family()...)
	h := play(t, m.Engine().At(0), level(t, 1000, 900, 1), mixer.Options{Pan: -1, Bus: busOf(t, m, "c")})
	m.Engine().At(20).Set(mixer.TargetBus(busOf(t, m, "a")), mixer.Change{Fields: mixer.FieldMute, Mute: true}, 0)
	m.Engine().At(60).Set(mixer.TargetBus(busOf(t, m, "a")), mixer.Change{Fields: mixer.FieldMute}, 0)
	got := left(m, 50)
	wantAbout(t, "before", got[20], 1)
	wantAbout(t, "muted", got[25], 0)
	if a := h.Audibility(); a > -200 {
		t.Errorf("its audibility is %v", a)
	}
	got = left(m, 50)
	wantAbout(t, "after it", got[16], 1)
	if h.Audibility() < -100 {
		t.Errorf("after it its audibility is %v", h.Audibility())
	}
}

// TestLimitNamesItsBus checks that the event has the bus with the reached limit, of all buses above a
// start.
func TestLimitNamesItsBus(t *testing.T) {
	s := level(t, 1000, 900, 0.5)
	for _, policy := range []mixer.Overflow{mixer.StealQuietest, mixer.Reject} {
		m := newMixer(t, mixer.Config{Rate: 1000, Overflow: policy, Buses: []mixer.BusConfig{
			{Name: "top", Voices: 2}, {Name: "sub", Parent: "top", Voices: 5}, {Name: "leaf", Parent: "sub"},
		}})
		for range 3 {
			play(t, m.Engine().At(10), s, mixer.Options{Bus: busOf(t, m, "leaf")})
		}
		left(m, 20)
		events := make([]mixer.Event, 8)
		n := 0
		for _, e := range events[:m.Events(events)] {
			want := mixer.Bus{}
			if e.Reason == mixer.ReasonBusLimit {
				want = busOf(t, m, "top")
				n++
			}
			if e.Bus != want {
				t.Errorf("%v: %v names the bus %v, want %v", policy, e.Kind, e.Bus, want)
			}
		}
		if n != 1 {
			t.Errorf("%v: %d events of a limit", policy, n)
		}
	}
}
