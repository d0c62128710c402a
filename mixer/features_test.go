package mixer_test

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"voicepool/mixer"
	"voicepool/pcm"
	"voicepool/sounds"
	"voicepool/space"
)

// happened polls all events and formats them: "10 started 1, 20 stolen 1 (pool)".
func happened(m *mixer.Mixer) string {
	events := make([]mixer.Event, 256)
	var out []string
	for _, e := range events[:m.Events(events)] {
		line := fmt.Sprintf("%d %v", e.Frame, e.Kind)
		if e.Voice != 0 {
			line += fmt.Sprintf(" %d", e.Voice)
		}
		if d := e.Steal; d.By != 0 {
			line += fmt.Sprintf(" by %d", d.By)
		}
		if e.Reason != mixer.ReasonNone {
			line += fmt.Sprintf(" (%v)", e.Reason)
		}
		out = append(out, line)
	}
	return strings.Join(out, ", ")
}

// wantEvents compares the events.
func wantEvents(t testing.TB, m *mixer.Mixer, want string) {
	t.Helper()
	if got := happened(m); got != want {
		t.Errorf("what happened is\n%s, want\n%s", got, want)
	}
}

// wantAbout compares a sample with a tolerance for rounding.
func wantAbout(t testing.TB, what string, got float32, want float64) {
	t.Helper()
	if math.Abs(float64(got)-want) > 1e-6 {
		t.Errorf("%s is %v, want %v", what, got, want)
	}
}

// falling returns frame i of a raised cosine of n frames, from 1 to 0.
func falling(i, n int) float64 { return 0.5 + 0.5*math.Cos(math.Pi*float64(i)/float64(n)) }

// at1k returns a mixer with frames of a millisecond: a tail has 10 frames, a fade-in 5.
func at1k(t testing.TB, buses ...mixer.BusConfig) *mixer.Mixer {
	t.Helper()
	return newMixer(t, mixer.Config{Rate: 1000, NoLimiter: true, Buses: buses})
}

const ms = time.Millisecond

// busOf returns an existing bus.
func busOf(t testing.TB, m *mixer.Mixer, name string) mixer.Bus {
	b, err := m.Bus(name)
	if err != nil {
		t.Helper() // only here: it walks the stack
		t.Fatalf("there is no bus %q", name)
	}
	return b
}

// TestZerosChangeNothing checks that explicit zeros and explicit defaults give the same bits as omitted
// fields.
func TestZerosChangeNothing(t *testing.T) {
	run := func(c mixer.Config, group *mixer.GroupOptions, o mixer.Options) []pcm.Frame {
		c.Rate, c.Voices = 1000, 4
		m := newMixer(t, c)
		if len(c.Buses) > 0 {
			o.Bus = busOf(t, m, "a")
		}
		if group != nil {
			g, err := m.NewGroup("g", *group)
			if err != nil {
				t.Fatal(err)
			}
			o.Group = g
		}
		o.Loop = true
		for i := range int64(7) {
			play(t, m.Engine().At(11*i), ramp(t, 1000, 90), o)
		}
		out := make([]pcm.Frame, 300)
		m.Render(out)
		return out
	}
	want := run(mixer.Config{}, nil, mixer.Options{})
	a := mixer.BusConfig{Name: "a"}
	for name, got := range map[string][]pcm.Frame{
		"a group":           run(mixer.Config{}, &mixer.GroupOptions{}, mixer.Options{}),
		"a coalescing by 0": run(mixer.Config{}, &mixer.GroupOptions{Most: 3}, mixer.Options{}),
		"rounds":            run(mixer.Config{}, nil, mixer.Options{EngineOptions: mixer.EngineOptions{Rounds: 0, Base: mixer.Base{Speed: 1}}, Speed: 1}),
		"an emitter":        run(mixer.Config{}, nil, mixer.Options{Emitter: &space.Emitter{}}),
		"a bus":             run(mixer.Config{Buses: []mixer.BusConfig{a}}, nil, mixer.Options{}),
		"a parent":          run(mixer.Config{Buses: []mixer.BusConfig{{Name: "a", Parent: "master"}}}, nil, mixer.Options{}),
		"two buses above": run(mixer.Config{Buses: []mixer.BusConfig{
			{Name: "a", Parent: "b"}, {Name: "b", Parent: "c"}, {Name: "c"},
		}}, nil, mixer.Options{}),
		"all soloed":               run(mixer.Config{Buses: []mixer.BusConfig{{Name: "a", Solo: true}}}, nil, mixer.Options{}),
		"a lead of 0, and a clock": run(mixer.Config{Clock: func() time.Duration { panic("it is looked at") }}, nil, mixer.Options{}),
	} {
		for i := range want {
			if got[i] != want[i] {
				t.Errorf("%s: frame %d is %v, without it %v", name, i, got[i], want[i])
				break
			}
		}
	}
}

// TestFeatureErrors checks that errors for values out of range name the value and the range, wrap
// ErrOption or ErrConfig, and have no effect.
func TestFeatureErrors(t *testing.T) {
	m := at1k(t, mixer.BusConfig{Name: "sfx"})
	s := level(t, 1000, 100, 1)
	h := play(t, m.Engine().At(mixer.Now), s, hardLeft)
	sfx := busOf(t, m, "sfx")
	start := func(o mixer.Options) error { _, err := m.Play(s, o); return err }
	set := func(to mixer.Target, c mixer.Change) error { return m.Engine().At(mixer.Now).Set(to, c, 0) }
	group := func(o mixer.GroupOptions) error { _, err := m.NewGroup("g", o); return err }
	nan := math.NaN()
	const leaves = "; 1 leaves the loop at its end, Forever (-1) stays in it, 0 is invalid"
	for _, c := range []struct {
		err  error
		want string
	}{
		{h.SetPriority(1000001), "priority: 1000001 is not in -1000000..1000000"},
		{h.SetPriority(-1000001), "priority: -1000001 is not in -1000000..1000000"},
		{h.SetLoop(0), "rounds: 0 is not in -1..1000000000" + leaves},
		{h.SetLoop(-2), "rounds: -2 is not in -1..1000000000" + leaves},
		{h.SetLoop(1000000001), "rounds: 1000000001 is not in -1..1000000000" + leaves},
		{h.Seek(-time.Second), "a position of -1s is before the beginning"},
		{h.Fade(25, 0), "gain: 25 dB is not in -120..24"},
		{m.Engine().At(mixer.Now).Set(mixer.TargetVoice(h), mixer.Change{Fields: mixer.FieldGain, Gain: 0, Shape: sounds.ConstantPower + 1}, 0), "there is no shape 5"},
		{start(mixer.Options{Loop: true, EngineOptions: mixer.EngineOptions{Rounds: -2}}), "rounds: -2 is not in -1..1000000000" + leaves},
		{start(mixer.Options{Loop: true, EngineOptions: mixer.EngineOptions{Rounds: 1000000001}}), "rounds: 1000000001 is not in -1..1000000000" + leaves},
		{m.Engine().At(0).Seek(mixer.TargetVoice(h), -1), "a position of -1ns is before the beginning"},
		{m.Engine().At(0).Seek(mixer.Target{}, 0), "the target names nothing"},
		{set(mixer.TargetVoice(h), mixer.Change{Fields: mixer.FieldGain, Shape: 9}), "there is no shape 9"},
		{set(mixer.TargetVoice(h), mixer.Change{Fields: mixer.FieldRounds}), "rounds: 0 is not in -1..1000000000" + leaves},
		{set(mixer.TargetVoice(h), mixer.Change{Fields: mixer.FieldRounds, Rounds: -2}), "rounds: -2 is not in -1..1000000000" + leaves},
		{set(mixer.TargetVoice(h), mixer.Change{Fields: mixer.FieldPriority, Priority: -2000000}), "priority: -2000000 is not in -1000000..1000000"},
		{set(mixer.TargetVoice(h), mixer.Change{Fields: mixer.FieldSolo}), "only a bus can be muted or soloed"},
		{set(mixer.TargetTag(3), mixer.Change{Fields: mixer.FieldSolo | mixer.FieldGain}), "only a bus can be muted or soloed"},
		{set(mixer.TargetBus(sfx), mixer.Change{Fields: mixer.FieldPriority}), "a bus has no priority, protection or rounds"},
		{set(mixer.TargetBus(sfx), mixer.Change{Fields: mixer.FieldProtect | mixer.FieldGain}), "a bus has no priority, protection or rounds"},
		{set(mixer.TargetBus(mixer.Bus{}), mixer.Change{Fields: mixer.FieldRounds, Rounds: 1}), "a bus has no priority, protection or rounds"},
		{set(mixer.TargetVoice(h), mixer.Change{Fields: mixer.FieldRounds << 1}), "nothing to set"},
		{group(mixer.GroupOptions{Coalesce: -1}), `group "g": coalescing within -1ns is negative`},
		{group(mixer.GroupOptions{Coalesce: ms, Most: 25}), `group "g": Most: 25 dB is not in 0..24`},
		{group(mixer.GroupOptions{Coalesce: ms, Most: pcm.Decibels(nan)}), `group "g": Most: NaN dB is not in 0..24`},
		{group(mixer.GroupOptions{Voices: -1}), `group "g": at most -1 voices; 0 is any number`},
		{group(mixer.GroupOptions{Cooldown: -ms}), `group "g": a cooldown of -1ms is negative`},
		{m.Engine().At(0).Stop(mixer.TargetSound(nil), 0), "the target names nothing"},
	} {
		wantError(t, c.err, mixer.ErrOption, c.want)
	}
	if st := m.Stats(); st.Pending != 1 {
		t.Errorf("%d commands are under way, want that of the Play alone", st.Pending)
	}
	for _, c := range []struct {
		config mixer.Config
		want   string
	}{
		{mixer.Config{Lead: -ms}, "a lead of -1ms is negative"},
		{mixer.Config{Buses: []mixer.BusConfig{{Name: "a", Parent: "b"}}}, `the parent of bus "a", "b", is no bus`},
		{mixer.Config{Buses: []mixer.BusConfig{{Name: "speech"}, {Name: "a", Parent: "speach"}}}, `the parent of bus "a", "speach", is no bus; the nearest is "speech"`},
		{mixer.Config{Buses: []mixer.BusConfig{{Name: "speech"}, {Name: "a", Duck: mixer.Duck{When: "speach", By: 6}}}}, `bus "a" is ducked when "speach" sounds, and there is no such bus; the nearest is "speech"`},
		{mixer.Config{Buses: []mixer.BusConfig{{Name: "speech"}, {Name: "a", Sends: []mixer.Send{{To: "speach"}}}}}, `bus "a" sends to "speach", which is no bus; the nearest is "speech"`},
		{mixer.Config{Buses: []mixer.BusConfig{{Name: "speech"}, {Name: "a", Duck: mixer.Duck{When: "speech"}}}}, `bus "a" is ducked by 0 dB; say by how many`},
		{mixer.Config{Buses: []mixer.BusConfig{{Name: "a", Gain: 100, Pan: 9}}}, `bus "a": gain: 100 dB is not in -120..24`},
		{mixer.Config{Buses: []mixer.BusConfig{{Name: "a", Pan: 9}}}, `bus "a": pan: 9 is not in -1..1`},
		{mixer.Config{Buses: []mixer.BusConfig{{Name: "a", Pitch: -49}}}, `bus "a": pitch: -49 semitones is not in -48..48`},
		{mixer.Config{Buses: []mixer.BusConfig{{Name: "a", Voices: -1}}}, `bus "a": at most -1 voices; 0 is any number`},
		{mixer.Config{Buses: []mixer.BusConfig{{Name: "a"}, {}}}, `bus 2 of Buses has no name`},
		{mixer.Config{Buses: []mixer.BusConfig{{Name: "a"}, {Name: "a"}}}, `two buses are called "a"`},
		{mixer.Config{Buses: []mixer.BusConfig{{Name: "a", Parent: "a"}}}, `bus "a" is below itself`},
		{mixer.Config{Buses: []mixer.BusConfig{{Name: "a", Parent: "b"}, {Name: "b", Parent: "c"}, {Name: "c", Parent: "b"}}}, `bus "a" is below itself`},
		{mixer.Config{Buses: []mixer.BusConfig{{Name: "a"}, {Name: "b", Duck: mixer.Duck{When: "a", By: 6, Above: 3}}}}, `bus "b": Duck.Above: 3 dB is not in -120..-1`},
		{mixer.Config{Buses: []mixer.BusConfig{{Name: "a"}, {Name: "b", Duck: mixer.Duck{When: "a", By: 6, Hold: -ms}}}}, `bus "b" has a duck with a negative time: 0s, -1ms, 0s`},
	} {
		_, err := mixer.New(c.config)
		wantError(t, err, mixer.ErrConfig, c.want)
	}
	// Handles of ended voices return ErrGone.
	h.Stop(0)
	left(m, 1)
	for name, err := range map[string]error{
		"Seek": h.Seek(0), "SetLoop": h.SetLoop(3), "SetPriority": h.SetPriority(1), "Protect": h.Protect(true), "Fade": h.Fade(0, 0),
	} {
		if err != mixer.ErrGone {
			t.Errorf("%s of a voice that is gone says %v", name, err)
		}
	}
	for name, err := range map[string]error{
		"Seek": mixer.Handle{}.Seek(0), "SetLoop": mixer.Handle{}.SetLoop(1), "SetPriority": mixer.Handle{}.SetPriority(0), "Protect": mixer.Handle{}.Protect(false),
	} {
		if err != mixer.ErrGone {
			t.Errorf("%s of the zero handle says %v", name, err)
		}
	}
}

// wantError fails the test unless the message of err is the message of kind, a colon and want.
func wantError(t testing.TB, err, kind error, want string) {
	t.Helper()
	if err == nil || err.Error() != kind.Error()+": "+want {
		t.Errorf("the error is %v, want %v: %s", err, kind, want)
	}
}

// TestShapes checks the middle of each fade shape, of a voice and of a bus, up and down.
func TestShapes(t *testing.T) {
	for _, c := range []struct {
		shape    sounds.Shape
		down, up float64 // half way between 0 dB and -20 dB
	}{
		{shape: sounds.InDecibels, down: math.Pow(10, -0.5), up: math.Pow(10, -0.5)},
		{shape: sounds.InAmplitude, down: 0.55, up: 0.55},
		{shape: sounds.RaisedCosine, down: 0.55, up: 0.55},
		{shape: sounds.ConstantPower, down: 0.1 + 0.9*math.Sqrt2/2, up: 0.1 + 0.9*math.Sqrt2/2},
	} {
		for _, onBus := range []bool{false, true} {
			m := at1k(t, mixer.BusConfig{Name: "b"})
			bus := busOf(t, m, "b")
			h := play(t, m.Engine().At(0), level(t, 1000, 900, 1), mixer.Options{Pan: -1, Bus: bus})
			to := mixer.TargetVoice(h)
			if onBus {
				to = mixer.TargetBus(bus)
			}
			m.Engine().At(20).Set(to, mixer.Change{Fields: mixer.FieldGain, Gain: -20, Shape: c.shape}, 100*ms)
			m.Engine().At(200).Set(to, mixer.Change{Fields: mixer.FieldGain, Shape: c.shape}, 100*ms)
			got := left(m, 400)
			for _, w := range []struct {
				frame int
				want  float64
			}{{20, 1}, {70, c.down}, {120, 0.1}, {200, 0.1}, {250, c.up}, {300, 1}} {
				wantAbout(t, fmt.Sprintf("%v, of a bus %v: frame %d", c.shape, onBus, w.frame), got[w.frame], w.want)
			}
			if c.shape == sounds.RaisedCosine {
				wantAbout(t, "a quarter of the cosine", got[46], 1-0.9*(1-falling(26, 100)))
			}
		}
	}
}

// TestConstantPowerKeepsPower checks that the powers of a crossfade with this shape add up to a constant.
func TestConstantPowerKeepsPower(t *testing.T) {
	m := at1k(t)
	out := play(t, m.Engine().At(0), level(t, 1000, 900, 1), mixer.Options{Pan: -1})
	in := play(t, m.Engine().At(0), level(t, 1000, 900, 1), mixer.Options{Pan: 1, Gain: pcm.Silence})
	m.Engine().At(20).Set(mixer.TargetVoice(out), mixer.Change{Fields: mixer.FieldGain, Gain: pcm.Silence, Shape: sounds.ConstantPower}, 100*ms)
	m.Engine().At(20).Set(mixer.TargetVoice(in), mixer.Change{Fields: mixer.FieldGain, Shape: sounds.ConstantPower}, 100*ms)
	block := make([]pcm.Frame, 140)
	m.Render(block)
	for i := 20; i <= 120; i += 2 {
		l, r := float64(block[i][0]), float64(block[i][1])
		if power := l*l + r*r; math.Abs(power-1) > 1e-6 {
			t.Errorf("at frame %d the power is %v, %v + %v", i, power, l, r)
		}
	}
	if block[121] != (pcm.Frame{0, 1}) {
		t.Errorf("after it there is %v", block[121])
	}
}

// TestFadeTurnsMidway checks that a new fade begins at the current value of the fade under way, for all
// shapes.
func TestFadeTurnsMidway(t *testing.T) {
	m := at1k(t)
	h := play(t, m.Engine().At(0), level(t, 1000, 900, 1), hardLeft)
	m.Engine().At(20).Set(mixer.TargetVoice(h), mixer.Change{Fields: mixer.FieldGain, Gain: pcm.Silence, Shape: sounds.InAmplitude}, 100*ms)
	m.Engine().At(70).Set(mixer.TargetVoice(h), mixer.Change{Fields: mixer.FieldGain, Shape: sounds.RaisedCosine}, 50*ms)
	got := left(m, 200)
	wantAbout(t, "where it turns", got[70], 0.5)
	wantAbout(t, "half way back", got[96], 1-0.5*falling(26, 50))
	wantAbout(t, "the end", got[120], 1)
}

// TestFadeOfAHandle is TestShapes with Handle.Fade.
func TestFadeOfAHandle(t *testing.T) {
	m := at1k(t)
	h := play(t, m.Engine().At(mixer.Now), level(t, 1000, 900, 1), hardLeft)
	left(m, 20)
	if err := h.Fade(-20, 100*ms); err != nil {
		t.Fatal(err)
	}
	got := left(m, 200)
	wantAbout(t, "the middle", got[50], 0.316228)
	wantAbout(t, "the end", got[100], 0.1)
	if h.State() != mixer.StatePlaying {
		t.Errorf("a fade has left it %v", h.State())
	}
}

// msOf returns the length of frames at 1,000 Hz.
func msOf(frames int) time.Duration { return time.Duration(frames) * ms }
