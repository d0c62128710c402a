package mixer_test

import (
	"math"
	"testing"
	"time"

	"voicepool/mixer"
	"voicepool/pcm"
	"voicepool/sounds"
	"voicepool/space"
)

// The click metric. A low tone plays, an event happens at a frame, and the output passes the fourth
// difference (1, -4, 6, -4, 1) / 16. This is a high-pass with a gain of 1 at half the rate, -150 dB for
// the tone, and -14.5 dB for the step of a hard cut. The click is the largest output magnitude from 3 ms
// before the event on, relative to the peak of the tone, in the worst of several phases. Raised-cosine
// fades have no corners. Linear fades have a corner at each end. The sharpest, at -47 dB, is a gain
// between full and silence in 5 ms, linear in decibels.
const (
	clickRate   = 48000
	clickLimit  = -75 // dB, the limit for events
	clickCorner = -42 // dB, the limit for linear fades
	clickHard   = -20 // dB, the minimum for a hard cut
	clickFrames = 14400
)

// clickTone is a second of 200 Hz with a loop of a whole number of periods.
func clickTone(t testing.TB) *sounds.Sound {
	data := make([]float32, clickRate)
	for i := range data {
		data[i] = float32(0.5 * math.Sin(2*math.Pi*200*float64(i)/clickRate))
	}
	return sound(t, sounds.Samples{Name: "tone", Rate: clickRate, Channels: 1, Data: data, Loop: [2]int64{2400, 7200}})
}

// click returns the metric of an output in dB, from 3 ms before a frame on.
func click(out []pcm.Frame, at int) float64 {
	largest := 0.0
	for i := max(at-144, 4); i < len(out); i++ {
		for c := range 2 {
			x := func(back int) float64 { return float64(out[i-back][c]) }
			largest = max(largest, math.Abs(x(0)-4*x(1)+6*x(2)-4*x(3)+x(4))/16)
		}
	}
	return 20 * math.Log10(largest/0.5)
}

// clickScene is a tone and an event at a frame.
type clickScene struct {
	name    string
	corner  bool
	config  mixer.Config
	options func(m *mixer.Mixer) mixer.Options
	happens func(t testing.TB, m *mixer.Mixer, h mixer.Handle, at int64)
}

// clickScenes returns the scenes of the click test: each is an event while a tone plays, such as a fade or a steal.
func clickScenes(t testing.TB) []clickScene {
	silent := level(t, clickRate, 9600, 0)
	set := func(c mixer.Change, over time.Duration) func(testing.TB, *mixer.Mixer, mixer.Handle, int64) {
		return func(t testing.TB, m *mixer.Mixer, h mixer.Handle, at int64) {
			must(t, m.Engine().At(at).Set(mixer.TargetVoice(h), c, over))
		}
	}
	setBus := func(name string, c mixer.Change, over time.Duration) func(testing.TB, *mixer.Mixer, mixer.Handle, int64) {
		return func(t testing.TB, m *mixer.Mixer, h mixer.Handle, at int64) {
			b, _ := m.Bus(name)
			must(t, m.Engine().At(at).Set(mixer.TargetBus(b), c, over))
		}
	}
	onBus := func(name string) func(*mixer.Mixer) mixer.Options {
		return func(m *mixer.Mixer) mixer.Options {
			b, _ := m.Bus(name)
			return mixer.Options{Pan: -1, Bus: b}
		}
	}
	buses := mixer.Config{Buses: []mixer.BusConfig{{Name: "above"}, {Name: "bus", Parent: "above"}, {Name: "other"}}}
	gain := func(g pcm.Decibels) mixer.Change { return mixer.Change{Fields: mixer.FieldGain, Gain: g} }
	scenes := []clickScene{
		{name: "stop", happens: func(t testing.TB, m *mixer.Mixer, h mixer.Handle, at int64) {
			must(t, m.Engine().At(at).Stop(mixer.TargetVoice(h), 0))
		}},
		{name: "stop over 10 ms", happens: func(t testing.TB, m *mixer.Mixer, h mixer.Handle, at int64) {
			must(t, m.Engine().At(at).Stop(mixer.TargetVoice(h), 10*time.Millisecond))
		}},
		{name: "stop all", happens: func(t testing.TB, m *mixer.Mixer, h mixer.Handle, at int64) {
			must(t, m.Engine().At(at).Stop(mixer.TargetAll(), 0))
		}},
		{name: "steal", config: mixer.Config{Voices: 1}, happens: func(t testing.TB, m *mixer.Mixer, h mixer.Handle, at int64) {
			play(t, m.Engine().At(at), silent, mixer.Options{})
		}},
		{name: "steal by a bus's limit", config: mixer.Config{Buses: []mixer.BusConfig{{Name: "bus", Voices: 1}}}, options: onBus("bus"), happens: func(t testing.TB, m *mixer.Mixer, h mixer.Handle, at int64) {
			play(t, m.Engine().At(at), silent, onBus("bus")(m))
		}},
		{name: "resize", config: mixer.Config{Voices: 2}, happens: func(t testing.TB, m *mixer.Mixer, h mixer.Handle, at int64) {
			play(t, m.Engine().At(0), silent, mixer.Options{EngineOptions: mixer.EngineOptions{Protect: true}, Loop: true})
			must(t, m.Engine().At(at).Resize(1))
		}},
		{name: "pause", happens: func(t testing.TB, m *mixer.Mixer, h mixer.Handle, at int64) {
			must(t, m.Engine().At(at).Pause(mixer.TargetVoice(h)))
		}},
		{name: "pause and resume", happens: func(t testing.TB, m *mixer.Mixer, h mixer.Handle, at int64) {
			must(t, m.Engine().At(at).Pause(mixer.TargetVoice(h)))
			must(t, m.Engine().At(at+777).Resume(mixer.TargetVoice(h)))
		}},
		{name: "pause of a bus above", config: buses, options: onBus("bus"), happens: func(t testing.TB, m *mixer.Mixer, h mixer.Handle, at int64) {
			b, _ := m.Bus("above")
			must(t, m.Engine().At(at).Pause(mixer.TargetBus(b)))
			must(t, m.Engine().At(at+333).Resume(mixer.TargetBus(b)))
		}},
		{name: "seek", happens: func(t testing.TB, m *mixer.Mixer, h mixer.Handle, at int64) {
			must(t, m.Engine().At(at).Seek(mixer.TargetVoice(h), 33123*time.Microsecond))
		}},
		{name: "gain to -20", corner: true, happens: set(gain(-20), 0)},
		{name: "gain to silence", corner: true, happens: set(gain(-80), 0)},
		{name: "gain from silence", corner: true, options: func(*mixer.Mixer) mixer.Options { return mixer.Options{Pan: -1, Gain: -80} }, happens: set(gain(0), 0)},
		{name: "pan", corner: true, happens: set(mixer.Change{Fields: mixer.FieldPan, Pan: 1}, 0)},
		{name: "pitch", happens: set(mixer.Change{Fields: mixer.FieldPitch, Pitch: 7}, 0)},
		{name: "speed", happens: set(mixer.Change{Fields: mixer.FieldSpeed, Speed: 0.6}, 0)},
		{name: "low-pass", happens: set(mixer.Change{Fields: mixer.FieldLowPass, Filters: mixer.Filters{LowPass: 800}}, 0)},
		{name: "high-pass", happens: set(mixer.Change{Fields: mixer.FieldHighPass, Filters: mixer.Filters{HighPass: 80}}, 0)},
		{name: "both off", options: func(*mixer.Mixer) mixer.Options {
			return mixer.Options{Pan: -1, Filters: mixer.Filters{LowPass: 800, HighPass: 80}}
		}, happens: set(mixer.Change{Fields: mixer.FieldLowPass | mixer.FieldHighPass}, 0)},
		{name: "stop of a low-pass", options: func(*mixer.Mixer) mixer.Options { return mixer.Options{Pan: -1, Filters: mixer.Filters{LowPass: 300}} }, happens: func(t testing.TB, m *mixer.Mixer, h mixer.Handle, at int64) {
			must(t, m.Engine().At(at).Stop(mixer.TargetVoice(h), 0))
		}},
		{name: "pause and resume of a low-pass", options: func(*mixer.Mixer) mixer.Options { return mixer.Options{Pan: -1, Filters: mixer.Filters{LowPass: 300}} }, happens: func(t testing.TB, m *mixer.Mixer, h mixer.Handle, at int64) {
			must(t, m.Engine().At(at).Pause(mixer.TargetVoice(h)))
			must(t, m.Engine().At(at+777).Resume(mixer.TargetVoice(h)))
		}},
		{name: "seek of a low-pass", options: func(*mixer.Mixer) mixer.Options { return mixer.Options{Pan: -1, Filters: mixer.Filters{LowPass: 300}} }, happens: func(t testing.TB, m *mixer.Mixer, h mixer.Handle, at int64) {
			must(t, m.Engine().At(at).Seek(mixer.TargetVoice(h), 33123*time.Microsecond))
		}},
		{name: "mute", corner: true, config: buses, options: onBus("bus"), happens: setBus("bus", mixer.Change{Fields: mixer.FieldMute, Mute: true}, 0)},
		{name: "volume", corner: true, config: buses, options: onBus("bus"), happens: setBus("bus", mixer.Change{Fields: mixer.FieldVolume, Volume: -120}, 0)},
		{name: "mute above", corner: true, config: buses, options: onBus("bus"), happens: setBus("above", mixer.Change{Fields: mixer.FieldMute, Mute: true}, 0)},
		{name: "solo of another", corner: true, config: buses, options: onBus("bus"), happens: setBus("other", mixer.Change{Fields: mixer.FieldSolo, Solo: true}, 0)},
		{name: "bus gain", corner: true, config: buses, options: onBus("bus"), happens: setBus("above", gain(-30), 0)},
		{name: "bus pan", corner: true, config: buses, options: onBus("bus"), happens: setBus("bus", mixer.Change{Fields: mixer.FieldPan, Pan: 1}, 0)},
		{name: "bus pitch", config: buses, options: onBus("bus"), happens: setBus("bus", mixer.Change{Fields: mixer.FieldPitch, Pitch: -5}, 0)},
		{name: "master gain", corner: true, happens: setBus("master", gain(-80), 0)},
		{name: "duck", corner: true, config: mixer.Config{Buses: []mixer.BusConfig{{Name: "other"}, {Name: "bus", Duck: mixer.Duck{When: "other", By: 30}}}}, options: onBus("bus"),
			happens: func(t testing.TB, m *mixer.Mixer, h mixer.Handle, at int64) {
				o := onBus("other")(m)
				o.For = 13 * time.Millisecond
				play(t, m.Engine().At(at), silent, o)
			}},
		{name: "group limit", config: mixer.Config{}, options: grouped(mixer.GroupOptions{Voices: 1}), happens: func(t testing.TB, m *mixer.Mixer, h mixer.Handle, at int64) {
			play(t, m.Engine().At(at), silent, mixer.Options{Group: clickGroup})
		}},
		{name: "coalesce", corner: true, options: grouped(mixer.GroupOptions{Coalesce: time.Second, Most: 24}), happens: func(t testing.TB, m *mixer.Mixer, h mixer.Handle, at int64) {
			for range 8 {
				play(t, m.Engine().At(at), silent, mixer.Options{Group: clickGroup})
			}
		}},
		{name: "for", options: func(*mixer.Mixer) mixer.Options { return mixer.Options{Pan: -1, For: 101234 * time.Microsecond} }},
		{name: "loop and release", options: func(*mixer.Mixer) mixer.Options { return mixer.Options{Pan: -1, Loop: true} }, happens: func(t testing.TB, m *mixer.Mixer, h mixer.Handle, at int64) {
			must(t, m.Engine().At(at).Set(mixer.TargetVoice(h), mixer.Change{Fields: mixer.FieldRounds, Rounds: 1}, 0))
		}},
		{name: "rounds", options: func(*mixer.Mixer) mixer.Options {
			return mixer.Options{Pan: -1, Loop: true, EngineOptions: mixer.EngineOptions{Rounds: 2}}
		}},
		{name: "priority and protection", happens: set(mixer.Change{Fields: mixer.FieldPriority | mixer.FieldProtect, Priority: 3, Protect: true}, 0)},
	}
	for shape := sounds.InDecibels; shape <= sounds.ConstantPower; shape++ {
		corner := shape != sounds.RaisedCosine
		scenes = append(scenes,
			clickScene{name: "fade out, " + shape.String(), corner: corner, happens: set(mixer.Change{Fields: mixer.FieldGain, Gain: -80, Shape: shape}, 20*time.Millisecond)},
			clickScene{
				name: "fade in, " + shape.String(), corner: corner, options: func(*mixer.Mixer) mixer.Options { return mixer.Options{Pan: -1, Gain: -80} },
				happens: set(mixer.Change{Fields: mixer.FieldGain, Gain: 0, Shape: shape}, 20*time.Millisecond),
			},
			clickScene{name: "bus fade, " + shape.String(), corner: corner, config: buses, options: onBus("bus"), happens: setBus("bus", mixer.Change{Fields: mixer.FieldGain, Gain: -80, Shape: shape}, 20*time.Millisecond)},
		)
	}
	return scenes
}

// clickGroup is the group of the present scene.
var clickGroup *mixer.Group

// grouped returns options that start a voice in a new group with the options o. It keeps the group in clickGroup.
func grouped(o mixer.GroupOptions) func(m *mixer.Mixer) mixer.Options {
	return func(m *mixer.Mixer) mixer.Options {
		clickGroup, _ = m.NewGroup("group", o)
		return mixer.Options{Pan: -1, Group: clickGroup}
	}
}

// must fails the test if err is not nil.
func must(t testing.TB, err error) {
	if err != nil {
		t.Helper() // only here: it walks the stack
		t.Fatal(err)
	}
}

// clickPhases are frames at several phases of the tone, which has a period of 240 frames.
var clickPhases = []int64{4800, 4860, 4913, 4981, 5003, 5020}

// output plays the tone and triggers the event at a frame.
func (s *clickScene) output(t testing.TB, tone *sounds.Sound, at int64) []pcm.Frame {
	c := s.config
	c.Rate, c.NoLimiter = clickRate, true
	m := newMixer(t, c)
	o := mixer.Options{Pan: -1}
	if s.options != nil {
		o = s.options(m)
	}
	h := play(t, m.Engine().At(0), tone, o)
	if s.happens != nil {
		s.happens(t, m, h, at)
	}
	out := make([]pcm.Frame, clickFrames)
	m.Render(out)
	return out
}

// TestNothingClicks checks that no event exceeds the limit of the metric, and that a hard cut clearly
// does.
func TestNothingClicks(t *testing.T) {
	tone := clickTone(t)
	for _, s := range clickScenes(t) {
		worst := math.Inf(-1)
		for _, at := range clickPhases {
			out := s.output(t, tone, at)
			if out[at-100] == (pcm.Frame{}) && out[at+2000] == (pcm.Frame{}) {
				t.Fatalf("%s: nothing is heard", s.name)
			}
			worst = max(worst, click(out, int(at)))
		}
		t.Logf("%-24s %6.1f dB", s.name, worst)
		limit := clickLimit
		if s.corner {
			limit = clickCorner
		}
		if worst > float64(limit) {
			t.Errorf("%s clicks: %.1f dB, the limit is %d dB", s.name, worst, limit)
		}
	}
	undisturbed, hard := math.Inf(-1), math.Inf(-1)
	for _, at := range clickPhases {
		out := (&clickScene{}).output(t, tone, at)
		undisturbed = max(undisturbed, click(out, int(at)))
		clear(out[at:])
		hard = max(hard, click(out, int(at)))
	}
	t.Logf("undisturbed %.1f dB, cut hard %.1f dB", undisturbed, hard)
	if hard < clickHard || undisturbed > -100 {
		t.Errorf("the metric cannot tell a hard cut, %.1f dB, from an undisturbed tone, %.1f dB", hard, undisturbed)
	}
}

// TestPlacesDoNotClick does the same for a voice that jumps between places, or is passed by the listener.
func TestPlacesDoNotClick(t *testing.T) {
	tone := clickTone(t)
	for name, move := range map[string]func(m *mixer.Mixer, h mixer.Handle) error{
		"nearer": func(m *mixer.Mixer, h mixer.Handle) error {
			return m.SetPositions([]mixer.Handle{h}, []space.Spot{{Position: space.Vector{1, 0, 0}}})
		},
		"out of hearing": func(m *mixer.Mixer, h mixer.Handle) error {
			return m.SetPositions([]mixer.Handle{h}, []space.Spot{{Position: space.Vector{0, 1e6, 0}}})
		},
		"to the other side, at a speed": func(m *mixer.Mixer, h mixer.Handle) error {
			return m.SetPositions([]mixer.Handle{h}, []space.Spot{{Position: space.Vector{-2, 0, 0}, Velocity: space.Vector{100, 0, 0}}})
		},
		"behind a wall": func(m *mixer.Mixer, h mixer.Handle) error {
			return m.SetPositions([]mixer.Handle{h}, []space.Spot{{Position: space.Vector{2, 0, 0}, Occlusion: 1}})
		},
		"behind a pillar": func(m *mixer.Mixer, h mixer.Handle) error {
			return m.SetPositions([]mixer.Handle{h}, []space.Spot{{Position: space.Vector{2, 0, 0}, Obstruction: 1}})
		},
		"listener": func(m *mixer.Mixer, h mixer.Handle) error {
			return m.SetListener(space.Listener{Position: space.Vector{10, 0, 0}, Velocity: space.Vector{50, 0, 0}, Doppler: 1})
		},
	} {
		worst := math.Inf(-1)
		for _, at := range clickPhases {
			m := newMixer(t, mixer.Config{Rate: clickRate, NoLimiter: true})
			must(t, m.SetListener(space.Listener{Doppler: 1}))
			h := play(t, m.Engine().At(0), tone, mixer.Options{Emitter: &space.Emitter{Spot: space.Spot{Position: space.Vector{2, 0, 0}}}})
			out := make([]pcm.Frame, clickFrames)
			m.Render(out[:at])
			must(t, move(m, h))
			m.Render(out[at:])
			worst = max(worst, click(out, int(at)))
		}
		t.Logf("%-30s %6.1f dB", name, worst)
		if worst > clickLimit {
			t.Errorf("%s clicks: %.1f dB, the limit is %d dB", name, worst, clickLimit)
		}
	}
}

// through is an insert that passes its input and fails at a frame.
type through struct{ left int }

func (e *through) Process(block []pcm.Frame) {
	if e.left -= len(block); e.left < 0 {
		panic("through")
	}
}

// TestInsertLeavesQuietly checks that a failing insert causes no click.
func TestInsertLeavesQuietly(t *testing.T) {
	tone := clickTone(t)
	e := &through{left: 5000}
	s := clickScene{config: mixer.Config{Buses: []mixer.BusConfig{{Name: "bus", Insert: e}}}, options: func(m *mixer.Mixer) mixer.Options {
		b, _ := m.Bus("bus")
		return mixer.Options{Pan: -1, Bus: b}
	}}
	out := s.output(t, tone, 0)
	if e.left >= 0 {
		t.Fatal("it did not fail")
	}
	if got := click(out, 4000); got > -100 {
		t.Errorf("it clicks: %.1f dB", got)
	}
}

// TestUnderrunDoesNotClick checks that a stream that runs dry fades out and back in.
func TestUnderrunDoesNotClick(t *testing.T) {
	worst := math.Inf(-1)
	for _, first := range []int{6000, 6060, 6113, 6201} {
		frames := make([]pcm.Frame, clickFrames)
		for i := range frames {
			frames[i][0] = float32(0.5 * math.Sin(2*math.Pi*200*float64(i)/clickRate))
		}
		var feed *sounds.StreamBuffer
		s, err := sounds.NewStream(sounds.Stream{Rate: clickRate, Open: func(c sounds.PlayRange) (*sounds.StreamBuffer, error) {
			feed = sounds.NewStreamBuffer(clickFrames*2, c)
			return feed, nil
		}})
		must(t, err)
		m := newMixer(t, mixer.Config{Rate: clickRate, NoLimiter: true})
		play(t, m.Engine().At(0), s, mixer.Options{})
		feed.Write(frames[:first])
		out := make([]pcm.Frame, 2*clickFrames)
		for at := 0; at < len(out); at += 480 {
			if at == 9600 {
				feed.Write(frames[first:])
				feed.Write(frames[:960])
			}
			m.Render(out[at : at+480])
		}
		if m.Stats().Underruns == 0 || out[8000] != (pcm.Frame{}) || out[10500] == (pcm.Frame{}) {
			t.Fatalf("it does not run dry and come back: %+v", m.Stats())
		}
		worst = max(worst, click(out[:18000], 4800))
	}
	t.Logf("underrun %.1f dB", worst)
	if worst > clickLimit {
		t.Errorf("an underrun clicks: %.1f dB, the limit is %d dB", worst, clickLimit)
	}
}
