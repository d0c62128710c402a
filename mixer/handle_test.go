package mixer_test

import (
	"errors"
	"math"
	"runtime"
	"sync"
	"testing"
	"time"

	"voicepool/mixer"
	"voicepool/pcm"
	"voicepool/voice"
)

func TestZeroHandle(t *testing.T) {
	var h mixer.Handle
	if h.State() != mixer.NoState || h.Voice() != 0 || h.Position() != 0 {
		t.Error("the zero handle names something")
	}
	for name, err := range map[string]error{
		"Stop": h.Stop(), "Pause": h.Pause(), "Resume": h.Resume(), "SetGain": h.SetGain(0), "SetPan": h.SetPan(0),
		"SetPitch": h.SetPitch(0), "SetSpeed": h.SetSpeed(1), "Fade": h.Fade(0, 0),
	} {
		if err != mixer.ErrGone {
			t.Errorf("%s of the zero handle says %v", name, err)
		}
	}
}

func TestBadArguments(t *testing.T) {
	m := newMixer(t, mixer.Config{Rate: 1000, Buses: []mixer.Bus{{Name: "sfx"}}})
	other := newMixer(t, mixer.Config{Rate: 1000, Buses: []mixer.Bus{{Name: "sfx"}}})
	s := level(t, 1000, 10, 1)
	h := play(t, m.At(0), s, mixer.Options{})
	foreignBus, _ := other.Bus("sfx")
	foreignGroup, _ := other.NewGroup("g", 1, 0)
	bus, _ := m.Bus("sfx")
	nan := math.NaN()
	start := func(o mixer.Options) error { _, err := m.Play(s, o); return err }
	set := func(c mixer.Change) error { return m.At(0).Set(mixer.One(h), c, 0) }
	for name, err := range map[string]error{
		"gain":             start(mixer.Options{Gain: 25}),
		"NaN gain":         start(mixer.Options{Gain: pcm.Decibels(nan)}),
		"base gain":        start(mixer.Options{Base: mixer.Base{Gain: -121}}),
		"pan":              start(mixer.Options{Pan: 1.1}),
		"pitch":            start(mixer.Options{Pitch: 49}),
		"speed":            start(mixer.Options{Speed: -1}),
		"base speed":       start(mixer.Options{Base: mixer.Base{Speed: 17}}),
		"priority":         start(mixer.Options{Priority: 1000001}),
		"negative from":    start(mixer.Options{From: -1}),
		"quality":          start(mixer.Options{Quality: 9}),
		"foreign bus":      start(mixer.Options{Bus: foreignBus}),
		"foreign group":    start(mixer.Options{Group: foreignGroup}),
		"no sound":         func() error { _, err := m.Play(nil, mixer.Options{}); return err }(),
		"rate":             func() error { _, err := m.Play(level(t, 999, 1, 1), mixer.Options{}); return err }(),
		"frame":            m.At(-2).Stop(mixer.Everything(), 0),
		"no target":        m.At(0).Stop(mixer.Target{}, 0),
		"tag 0":            m.At(0).Stop(mixer.Tagged(0), 0),
		"zero handle":      m.At(0).Stop(mixer.One(mixer.Handle{}), 0),
		"foreign handle":   other.At(0).Stop(mixer.One(h), 0),
		"set nothing":      set(mixer.Change{}),
		"set gain":         set(mixer.Change{Fields: mixer.Gain, Gain: 100}),
		"set pan":          set(mixer.Change{Fields: mixer.Pan, Pan: nan}),
		"set pitch":        set(mixer.Change{Fields: mixer.Pitch, Pitch: -49}),
		"set speed":        set(mixer.Change{Fields: mixer.Speed}),
		"mute a voice":     set(mixer.Change{Fields: mixer.Mute}),
		"speed of a bus":   m.At(0).Set(mixer.On(bus), mixer.Change{Fields: mixer.Speed, Speed: 1}, 0),
		"set everything":   m.At(0).Set(mixer.Everything(), mixer.Change{Fields: mixer.Gain}, 0),
		"pitch of master":  m.At(0).Set(mixer.On(mixer.BusRef{}), mixer.Change{Fields: mixer.Pitch}, 0),
		"foreign bus set":  m.At(0).Pause(mixer.On(foreignBus)),
		"play before":      func() error { _, err := m.At(-5).Play(s, mixer.Options{}); return err }(),
		"resize to 0":      m.At(0).Resize(0),
		"resize too large": m.At(0).Resize(33),
		"group":            func() error { _, err := m.NewGroup("g", -1, 0); return err }(),
		"handle gain":      h.SetGain(25),
		"handle pan":       h.SetPan(nan),
		"handle pitch":     h.SetPitch(50),
		"handle speed":     h.SetSpeed(0),
	} {
		if !errors.Is(err, mixer.ErrOption) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for name, c := range map[string]mixer.Config{
		"rate": {Rate: -1}, "voices": {Voices: 65537}, "negative": {Voices: -1}, "max": {Voices: 8, MaxVoices: 4}, "commands": {Commands: -1},
		"events": {Events: -1}, "gain": {MasterGain: 30}, "policy": {Overflow: 99}, "grow": {Overflow: mixer.GrowPool, Voices: 8, Grow: mixer.Grow{Max: 4}},
		"bus name": {Buses: []mixer.Bus{{}}}, "reserved": {Buses: []mixer.Bus{{Name: "master"}}}, "twice": {Buses: []mixer.Bus{{Name: "a"}, {Name: "a"}}},
		"bus gain": {Buses: []mixer.Bus{{Name: "a", Gain: 99}}}, "bus voices": {Buses: []mixer.Bus{{Name: "a", Voices: -1}}},
		"duck": {Buses: []mixer.Bus{{Name: "a", Duck: mixer.Duck{When: "b", By: 3}}}}, "duck when master": {Buses: []mixer.Bus{{Name: "a", Duck: mixer.Duck{When: "master", By: 3}}}}, "refuse": {Refuse: true, Overflow: mixer.StealOldest},
		"duck itself": {Buses: []mixer.Bus{{Name: "a", Duck: mixer.Duck{When: "a", By: 3}}}},
	} {
		if _, err := mixer.New(c); !errors.Is(err, mixer.ErrConfig) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestBusyChangesNothing fills the ring while nothing renders.
func TestBusyChangesNothing(t *testing.T) {
	m := newMixer(t, mixer.Config{Rate: 1000, Voices: 4, Commands: 3})
	s := level(t, 1000, 500, 0.5)
	var handles []mixer.Handle
	for range 3 {
		handles = append(handles, play(t, m.At(mixer.Now), s, mixer.Options{}))
	}
	if _, err := m.Play(s, mixer.Options{}); err != mixer.ErrBusy {
		t.Fatalf("the fourth Play says %v", err)
	}
	if err := m.At(0).Pause(mixer.Everything()); err != mixer.ErrBusy {
		t.Fatalf("a command says %v", err)
	}
	// Neither a stop nor a want is lost.
	if err := handles[1].Stop(); err != nil {
		t.Fatal(err)
	}
	if err := handles[2].SetGain(-80); err != nil {
		t.Fatal(err)
	}
	if st := m.Stats(); st.Busy != 4 || st.Frame != 0 || st.Asked != 0 {
		t.Errorf("stats %+v", st)
	}
	left(m, 20)
	if a, b, c := handles[0].State(), handles[1].State(), handles[2].State(); a != mixer.Playing || b != mixer.StoppedState || c != mixer.Playing {
		t.Errorf("states %v, %v, %v", a, b, c)
	}
	if got := left(m, 1)[0]; got != float32(0.5)*float32(math.Sqrt2/2) {
		t.Errorf("the silent one is heard: %v", got)
	}
	// StopAll is not lost either, and does not touch what comes after it.
	for range 3 {
		play(t, m.At(mixer.Now), s, mixer.Options{})
	}
	m.StopAll(0)
	left(m, 1)
	h := play(t, m.At(mixer.Now), s, mixer.Options{})
	left(m, 1)
	if st := m.Stats(); st.Playing != 1 || h.State() != mixer.Playing {
		t.Errorf("after StopAll %+v, the next is %v", st, h.State())
	}
}

// TestSetsCoalesce sets one voice a million times while nothing renders.
func TestSetsCoalesce(t *testing.T) {
	m := newMixer(t, mixer.Config{Rate: 1000, Commands: 8, NoLimiter: true})
	h := play(t, m.At(mixer.Now), level(t, 1000, 900, 0.5), hardLeft)
	for i := range 1000 {
		if h.SetGain(pcm.Decibels(-i%60)) != nil || h.SetPitch(0) != nil || h.SetSpeed(1) != nil {
			t.Fatal("a set fails")
		}
	}
	h.SetGain(-20)
	if st := m.Stats(); st.Pending != 4 || st.Busy != 0 {
		t.Errorf("%d commands wait, %d were busy", st.Pending, st.Busy)
	}
	if got := left(m, 1)[0]; math.Abs(float64(got)-0.05) > 1e-6 {
		t.Errorf("a gain set before the start is %v, want 0.05", got)
	}
	// The order with other commands is kept.
	h.SetGain(-40)
	h.Fade(0, 2*time.Millisecond)
	h.SetGain(-80)
	if got := left(m, 50)[49]; got != 0 {
		t.Errorf("the last set is not what holds: %v", got)
	}
}

func TestStopBeforeTheStart(t *testing.T) {
	m := newMixer(t, mixer.Config{Rate: 1000})
	h := play(t, m.At(50), level(t, 1000, 100, 0.5), mixer.Options{})
	if err := h.Stop(); err != nil {
		t.Fatal(err)
	}
	for i, x := range left(m, 100) {
		if x != 0 {
			t.Fatalf("frame %d sounds: %v", i, x)
		}
	}
	if st := m.Stats(); st.Started != 1 || st.Stopped != 1 || h.State() != mixer.StoppedState {
		t.Errorf("%+v, %v", st, h.State())
	}
}

// TestStaleHandle lets a record serve another start: the old handle must not
// touch it.
func TestStaleHandle(t *testing.T) {
	m := newMixer(t, mixer.Config{Rate: 1000, Voices: 1, Commands: 1})
	s := level(t, 1000, 1, 0.5)
	long := level(t, 1000, 1000, 0.5)
	old := play(t, m.At(mixer.Now), s, mixer.Options{})
	left(m, 5)
	for range 2 { // three records: the next start is in the old one's
		play(t, m.At(mixer.Now), s, mixer.Options{})
		left(m, 5)
	}
	h := play(t, m.At(mixer.Now), long, mixer.Options{})
	if err := old.Stop(); err != mixer.ErrGone {
		t.Errorf("Stop of a stale handle says %v", err)
	}
	if err := m.At(mixer.Now).Stop(mixer.One(old), 0); err != nil && err != mixer.ErrBusy {
		t.Errorf("%v", err)
	}
	left(m, 5)
	m.At(mixer.Now).Stop(mixer.One(old), 0)
	left(m, 5)
	if h.State() != mixer.Playing || old.State() != mixer.EndedState || old == h {
		t.Errorf("new is %v, old %v", h.State(), old.State())
	}
}

func TestStopFadesAndTails(t *testing.T) {
	m := newMixer(t, mixer.Config{Rate: 1000, NoLimiter: true})
	s := level(t, 1000, 1000, 1)
	a := play(t, m.At(0), s, hardLeft)
	m.At(20).Stop(mixer.One(a), 0) // 10 frames of tail
	got := left(m, 40)
	for i, x := range got {
		want := 1.0
		if i >= 20 {
			want = 0.5 + 0.5*math.Cos(math.Pi*min(float64(i-20)/10, 1))
		}
		if math.Abs(float64(x)-want) > 1e-6 {
			t.Errorf("frame %d is %v, want %v", i, x, want)
		}
	}
	if st := m.Stats(); st.Stopped != 1 || st.SilentFrom != 30 {
		t.Errorf("%+v", st)
	}
	b := play(t, m.At(40), s, hardLeft)
	m.At(60).Stop(mixer.One(b), 100*time.Millisecond)
	left(m, 119)
	if got := b.State(); got != mixer.Playing {
		t.Errorf("a frame before the end of its fade it is %v", got)
	}
	left(m, 1)
	if st := m.Stats(); b.State() != mixer.StoppedState || st.SilentFrom != 160 {
		t.Errorf("at the end of its fade it is %v, %+v", b.State(), st)
	}
}

func TestPauseResume(t *testing.T) {
	m := newMixer(t, mixer.Config{Rate: 1000, NoLimiter: true})
	s := ramp(t, 1000, 500)
	h := play(t, m.At(0), s, mixer.Options{Pan: -1, For: 100 * time.Millisecond})
	m.At(50).Pause(mixer.One(h))
	m.At(200).Resume(mixer.One(h))
	got := left(m, 100)
	if got[49] != 50./1024 || got[50] != 51./1024 || got[70] != 0 {
		t.Errorf("around the pause: %v, %v, %v", got[49], got[50], got[70])
	}
	if h.State() != mixer.Paused || h.Position() != 50*time.Millisecond {
		t.Errorf("it is %v at %v", h.State(), h.Position())
	}
	got = left(m, 200)
	if got[100] != 0 || got[105] != 56./1024 || got[149] != 100./1024 || h.State() != mixer.EndedState {
		t.Errorf("after the pause: %v, %v, %v, %v", got[100], got[105], got[149], h.State())
	}
}

func TestPausedBusHoldsWhatStarts(t *testing.T) {
	m := newMixer(t, mixer.Config{Rate: 1000, NoLimiter: true, Buses: []mixer.Bus{{Name: "sfx"}}})
	bus, _ := m.Bus("sfx")
	m.At(0).Pause(mixer.On(bus))
	h := play(t, m.At(5), ramp(t, 1000, 50), mixer.Options{Pan: -1, Bus: bus})
	m.At(20).Resume(mixer.On(bus))
	got := left(m, 40)
	if got[19] != 0 || got[20] != 1./1024 || got[39] != 20./1024 {
		t.Errorf("%v", got)
	}
	if h.State() != mixer.Playing {
		t.Errorf("%v", h.State())
	}
}

// TestMasterIsEverything: to pause or stop the master is to pause or stop all.
func TestMasterIsEverything(t *testing.T) {
	m := newMixer(t, mixer.Config{Rate: 1000, NoLimiter: true, Buses: []mixer.Bus{{Name: "sfx"}}})
	bus, _ := m.Bus("sfx")
	h := play(t, m.At(0), level(t, 1000, 500, 1), mixer.Options{Bus: bus})
	m.At(10).Pause(mixer.On(mixer.BusRef{}))
	left(m, 20)
	if h.State() != mixer.Paused {
		t.Errorf("with the master paused it is %v", h.State())
	}
	m.At(20).Resume(mixer.Everything())
	m.At(30).Stop(mixer.On(mixer.BusRef{}), 0)
	left(m, 20)
	if h.State() != mixer.StoppedState {
		t.Errorf("with the master stopped it is %v", h.State())
	}
}

func TestDuck(t *testing.T) {
	m := newMixer(t, mixer.Config{Rate: 1000, NoLimiter: true, Buses: []mixer.Bus{
		{Name: "sfx"}, {Name: "music", Duck: mixer.Duck{When: "sfx", By: 20, Attack: 10 * time.Millisecond, Release: 40 * time.Millisecond}},
	}})
	sfx, _ := m.Bus("sfx")
	music, _ := m.Bus("music")
	play(t, m.At(0), level(t, 1000, 500, 1), mixer.Options{Pan: -1, Bus: music})
	play(t, m.At(100), level(t, 1000, 100, 0.5), mixer.Options{Pan: 1, Bus: sfx})
	got := left(m, 300)
	for i, x := range got {
		want := 1.0
		switch {
		case i >= 240:
		case i >= 200:
			want = math.Pow(10, (-20+20*float64(i-200)/40)/20)
		case i >= 110:
			want = 0.1
		case i >= 100:
			want = math.Pow(10, -2*float64(i-100)/20)
		}
		if math.Abs(float64(x)-want) > 0.1*want {
			t.Errorf("frame %d is %v, want %v", i, x, want)
		}
	}
}

func TestMuteAndBusGain(t *testing.T) {
	m := newMixer(t, mixer.Config{Rate: 1000, NoLimiter: true, MasterGain: -20, Buses: []mixer.Bus{{Name: "a", Mute: true}, {Name: "b", Gain: -20}}})
	a, _ := m.Bus("a")
	b, _ := m.Bus("b")
	play(t, m.At(0), level(t, 1000, 500, 1), mixer.Options{Pan: -1, Bus: a})
	play(t, m.At(0), level(t, 1000, 500, 1), mixer.Options{Pan: -1, Bus: b})
	if got := left(m, 10)[9]; math.Abs(float64(got)-0.01) > 1e-6 {
		t.Errorf("b alone is %v, want 0.01", got)
	}
	m.At(10).Set(mixer.On(a), mixer.Change{Fields: mixer.Mute}, 0)
	if got := left(m, 10)[9]; math.Abs(float64(got)-0.11) > 1e-6 {
		t.Errorf("a and b are %v, want 0.11", got)
	}
	m.At(20).Set(mixer.On(b), mixer.Change{Fields: mixer.Gain, Gain: 0}, 10*time.Millisecond)
	if got := left(m, 20)[19]; math.Abs(float64(got)-0.2) > 1e-6 {
		t.Errorf("both at full are %v, want 0.2", got)
	}
}

func TestCooldownAndLimits(t *testing.T) {
	m := newMixer(t, mixer.Config{Rate: 1000, Voices: 8, Buses: []mixer.Bus{{Name: "sfx", Voices: 2}}})
	s := level(t, 1000, 500, 0.5)
	g, _ := m.NewGroup("g", 2, 10*time.Millisecond)
	bus, _ := m.Bus("sfx")
	for _, frame := range []int64{0, 9, 10, 20} { // 9 is too soon, 10 is not; 20 steals in the group
		play(t, m.At(frame), s, mixer.Options{Group: g, Gain: pcm.Decibels(-frame)})
	}
	for _, frame := range []int64{30, 31, 32} {
		play(t, m.At(frame), s, mixer.Options{Bus: bus, Gain: pcm.Decibels(frame - 40)})
	}
	play(t, m.At(40), s, mixer.Options{Group: g, Priority: -1}) // all of the group are above it
	left(m, 50)
	ev := make([]mixer.Event, 50)
	ev = ev[:m.Events(ev)]
	type line struct {
		frame  int64
		kind   mixer.Kind
		reason mixer.Reason
		voice  uint64
		by     uint64
	}
	want := []line{
		{0, mixer.Started, 0, 1, 0}, {9, mixer.Limited, mixer.Cooldown, 0, 0}, {10, mixer.Started, 0, 2, 0},
		{20, mixer.Stolen, mixer.GroupLimit, 2, 3}, {20, mixer.Started, 0, 3, 0},
		{30, mixer.Started, 0, 4, 0}, {31, mixer.Started, 0, 5, 0}, {32, mixer.Stolen, mixer.BusLimit, 4, 6}, {32, mixer.Started, 0, 6, 0},
		{40, mixer.Limited, mixer.GroupLimit, 0, 0},
	}
	if len(ev) != len(want) {
		t.Fatalf("%d events: %+v", len(ev), ev)
	}
	for i, w := range want {
		if got := (line{ev[i].Frame, ev[i].Kind, ev[i].Reason, ev[i].Voice, ev[i].By}); got != w {
			t.Errorf("event %d is %+v, want %+v", i, got, w)
		}
	}
}

// TestFuture is the heart: a voice in a pause with a loud future stays, and one
// that is louder now but fading goes.
func TestFuture(t *testing.T) {
	m := newMixer(t, mixer.Config{Rate: 1000, Voices: 2})
	data := make([]float32, 400)
	knock := sound(t, voice.Samples{Name: "knock", Rate: 1000, Channels: 1, Data: data, Envelope: voice.Envelope{Hop: 20, Once: []float32{.1, .1, .1, .1, .1, .1, .1, .1, .1, .1}}})
	fading := sound(t, voice.Samples{Name: "fading", Rate: 1000, Channels: 1, Data: data, Envelope: voice.Envelope{Hop: 20, Once: []float32{.5, .4, .3, .2, .1, .05, .02, .01}}})
	a := play(t, m.At(0), knock, mixer.Options{})
	b := play(t, m.At(0), fading, mixer.Options{})
	play(t, m.At(100), knock, mixer.Options{})
	left(m, 200)
	if a.State() != mixer.Playing || b.State() != mixer.StolenState {
		t.Errorf("the knock is %v, the fading one %v", a.State(), b.State())
	}
	ev := make([]mixer.Event, 9)
	for _, e := range ev[:m.Events(ev)] {
		if e.Kind == mixer.Stolen && (e.Audibility != float64(float32(0.05)) || e.RunnerUp != float64(float32(0.1)) || e.Candidates != 2) {
			t.Errorf("decided by %+v", e)
		}
	}
}

func TestPriorityProtectRefuse(t *testing.T) {
	s := level(t, 1000, 500, 0.5)
	run := func(c mixer.Config, first, second, newcomer mixer.Options) (a, b, n mixer.State) {
		c.Rate, c.Voices = 1000, 2
		m := newMixer(t, c)
		x, y := play(t, m.At(0), s, first), play(t, m.At(0), s, second)
		z := play(t, m.At(10), s, newcomer)
		left(m, 20)
		return x.State(), y.State(), z.State()
	}
	loud, soft := mixer.Options{}, mixer.Options{Gain: -30}
	high := func(o mixer.Options, p int) mixer.Options { o.Priority = p; return o }
	protect := func(o mixer.Options) mixer.Options { o.Protect = true; return o }
	const p, st, rej = mixer.Playing, mixer.StolenState, mixer.RejectedState
	for _, c := range []struct {
		name     string
		config   mixer.Config
		a, b, n  mixer.Options
		wa, wb   mixer.State
		newcomer mixer.State
	}{
		{"the quietest goes", mixer.Config{}, loud, soft, loud, p, st, p},
		{"ties take the older", mixer.Config{}, loud, loud, loud, st, p, p},
		{"the lowest priority goes first", mixer.Config{}, loud, high(soft, 1), high(loud, 2), st, p, p},
		{"a higher one does not give way", mixer.Config{}, high(loud, 5), high(soft, 5), loud, p, p, rej},
		{"an equal one does", mixer.Config{}, high(loud, 5), high(soft, 5), high(soft, 5), p, st, p},
		{"a protected one stays", mixer.Config{}, loud, protect(soft), loud, st, p, p},
		{"all protected", mixer.Config{}, protect(loud), protect(soft), high(loud, 1000000), p, p, rej},
		{"oldest", mixer.Config{Overflow: mixer.StealOldest}, loud, soft, loud, st, p, p},
		{"gain", mixer.Config{Overflow: mixer.StealGain}, loud, soft, loud, p, st, p},
		{"reject", mixer.Config{Overflow: mixer.Reject}, loud, soft, loud, p, p, rej},
		{"refuse the faintest", mixer.Config{Refuse: true}, loud, loud, mixer.Options{Gain: -20}, p, p, rej},
		{"refuse needs 6 dB", mixer.Config{Refuse: true}, loud, loud, mixer.Options{Gain: -5.9}, st, p, p},
		{"refuse looks at equals", mixer.Config{Refuse: true}, loud, loud, high(soft, 1), st, p, p},
		{"grow", mixer.Config{Overflow: mixer.GrowPool, Grow: mixer.Grow{Max: 3}}, loud, soft, loud, p, p, p},
	} {
		if a, b, n := run(c.config, c.a, c.b, c.n); a != c.wa || b != c.wb || n != c.newcomer {
			t.Errorf("%s: %v, %v, newcomer %v; want %v, %v, %v", c.name, a, b, n, c.wa, c.wb, c.newcomer)
		}
	}
}

func TestGrowAndContract(t *testing.T) {
	m := newMixer(t, mixer.Config{Rate: 1000, Voices: 2, Overflow: mixer.GrowPool, Grow: mixer.Grow{Step: 2, Max: 5, Idle: 100 * time.Millisecond}})
	s := level(t, 1000, 50, 0.1)
	for range 6 {
		play(t, m.At(0), s, mixer.Options{})
	}
	left(m, 10)
	if st := m.Stats(); st.Voices != 5 || st.Playing != 5 || st.Stolen != 1 {
		t.Errorf("%+v", st)
	}
	left(m, 290)
	if st := m.Stats(); st.Voices != 2 || st.Ended != 5 {
		t.Errorf("after idleness %+v", st)
	}
}

func TestResize(t *testing.T) {
	m := newMixer(t, mixer.Config{Rate: 1000, Voices: 4, MaxVoices: 8})
	s := level(t, 1000, 400, 0.1)
	var hs []mixer.Handle
	for i := range 4 {
		hs = append(hs, play(t, m.At(0), s, mixer.Options{Gain: pcm.Decibels(-i), Protect: i == 3}))
	}
	m.At(10).Resize(2)
	left(m, 20)
	if a, b, c, d := hs[0].State(), hs[1].State(), hs[2].State(), hs[3].State(); a != mixer.Playing || b != mixer.StolenState || c != mixer.StolenState || d != mixer.Playing {
		t.Errorf("%v %v %v %v", a, b, c, d)
	}
	m.At(20).Resize(8)
	for range 6 {
		play(t, m.At(20), s, mixer.Options{Protect: true})
	}
	m.At(30).Resize(1)
	h := play(t, m.At(40), s, mixer.Options{Priority: 5})
	left(m, 40)
	if st := m.Stats(); st.Playing != 7 || st.Voices != 1 || h.State() != mixer.RejectedState {
		t.Errorf("with protected voices beyond the limit: %+v, %v", st, h.State())
	}
}

func TestAttackOfTheNewcomerIsExact(t *testing.T) {
	m := newMixer(t, mixer.Config{Rate: 1000, Voices: 1, NoLimiter: true})
	play(t, m.At(0), level(t, 1000, 500, 1), mixer.Options{Pan: 1})
	play(t, m.At(50), ramp(t, 1000, 100), hardLeft)
	block := make([]pcm.Frame, 100)
	m.Render(block)
	for i := range 50 {
		if block[50+i][0] != float32(i+1)/1024 {
			t.Fatalf("frame %d of the newcomer is %v", i, block[50+i][0])
		}
		want := 0.0
		if i < 10 {
			want = 0.5 + 0.5*math.Cos(math.Pi*float64(i)/10)
		}
		if math.Abs(float64(block[50+i][1])-want) > 1e-6 {
			t.Errorf("frame %d of the tail is %v, want %v", i, block[50+i][1], want)
		}
	}
}

// TestNoAllocation runs every call and every policy with a full pool.
func TestNoAllocation(t *testing.T) {
	for _, policy := range []mixer.Overflow{mixer.StealQuietest, mixer.StealOldest, mixer.StealGain, mixer.Reject, mixer.GrowPool} {
		m := newMixer(t, mixer.Config{Voices: 16, Overflow: policy, Buses: []mixer.Bus{{Name: "sfx", Voices: 12}}})
		bus, _ := m.Bus("sfx")
		g, _ := m.NewGroup("g", 5, 0)
		s := level(t, 48000, 20000, 0.5)
		block := make([]pcm.Frame, 512)
		events := make([]mixer.Event, 256)
		n := 0
		if got := testing.AllocsPerRun(200, func() {
			for i := range 6 {
				h, _ := m.Play(s, mixer.Options{Bus: bus, Group: []*mixer.Group{nil, g}[i%2], Pitch: pcm.Semitones(n % 5), Loop: i == 3, Tag: 1, FadeIn: time.Millisecond})
				h.SetGain(-3)
				h.SetPan(0.5)
				h.Fade(-10, time.Millisecond)
				h.State()
				h.Position()
				if i == 5 {
					h.Pause()
					h.Resume()
				}
				if i == 4 {
					h.Stop()
				}
			}
			n++
			m.At(mixer.Now).Set(mixer.On(bus), mixer.Change{Fields: mixer.Gain | mixer.Pan, Gain: pcm.Decibels(-n % 7)}, time.Millisecond)
			m.At(mixer.Now).Stop(mixer.Tagged(9), 0)
			m.At(m.Now() + 100).Resize(8 + n%8)
			if n%10 == 0 {
				m.StopAll(time.Millisecond)
			}
			m.Render(block)
			m.Events(events)
			m.Stats()
		}); got != 0 {
			t.Errorf("%v: %v allocations", policy, got)
		}
	}
}

// TestManyGoroutines calls everything from everywhere while blocks are made;
// the race detector and the identities say whether it is sound.
func TestManyGoroutines(t *testing.T) {
	m := newMixer(t, mixer.Config{Rate: 8000, Voices: 8, Commands: 64, MaxVoices: 16})
	s := level(t, 8000, 400, 0.2)
	var wg sync.WaitGroup
	stop := make(chan bool)
	for g := range 6 {
		wg.Go(func() {
			var h mixer.Handle
			for i := 0; ; i++ {
				select {
				case <-stop:
					return
				default:
				}
				switch (i + g) % 9 {
				case 0, 1:
					if n, err := m.Play(s, mixer.Options{Tag: uint64(g), Loop: i%7 == 0}); err == nil {
						h = n
					}
				case 2:
					h.SetGain(pcm.Decibels(-i % 30))
				case 3:
					h.Stop()
				case 4:
					h.Pause()
				case 5:
					h.State()
					h.Position()
				case 6:
					m.At(m.Now()+int64(i%100)).Set(mixer.Tagged(uint64(1+g)), mixer.Change{Fields: mixer.Pan, Pan: 0.3}, 0)
				case 7:
					st := m.Stats()
					if st.Asked != st.Started+st.Rejected+st.Limited || st.Started != st.Ended+st.Stopped+st.Stolen+st.Playing {
						t.Errorf("the identities do not hold: %+v", st)
						return
					}
				case 8:
					m.StopAll(time.Duration(i%3) * time.Millisecond)
				}
			}
		})
	}
	block := make([]pcm.Frame, 64)
	events := make([]mixer.Event, 64)
	for range 3000 {
		m.Render(block)
		m.Events(events)
	}
	close(stop)
	wg.Wait()
	m.StopAll(0)
	for range 100 {
		m.Render(block)
	}
	m.StopAll(0)
	m.Render(block)
	if st := m.Stats(); st.Playing != 0 || st.Pending != 0 {
		t.Errorf("left over: %+v", st)
	}
}

// TestStopOfAPendingStart: a stale stop for the same record must not undo it.
func TestStopOfAPendingStart(t *testing.T) {
	for shorts := range 16 {
		m := newMixer(t, mixer.Config{Rate: 1000, Voices: 1, Commands: 4})
		s := level(t, 1000, 10, 0.5)
		old := play(t, m.At(mixer.Now), s, mixer.Options{})
		if err := m.At(500).Stop(mixer.One(old), 0); err != nil {
			t.Fatal(err)
		}
		for range shorts { // until the record comes round
			left(m, 20)
			play(t, m.At(mixer.Now), s, mixer.Options{})
		}
		h := play(t, m.At(600), s, mixer.Options{})
		h.Stop()
		left(m, 700)
		if got := h.State(); got != mixer.StoppedState {
			t.Fatalf("after %d other starts the stopped one is %v", shorts, got)
		}
	}
}

// TestWantsOfAPendingStart: what a start that has not come is set to, it starts
// with; by a full ring, and by a command, too.
func TestWantsOfAPendingStart(t *testing.T) {
	m := newMixer(t, mixer.Config{Rate: 1000, Commands: 1, NoLimiter: true})
	s := level(t, 1000, 500, 1)
	h := play(t, m.At(100), s, hardLeft)
	if h.SetGain(-20) != nil || h.Pause() != nil || h.Resume() != nil {
		t.Fatal("a set fails")
	}
	if got := left(m, 150)[100]; math.Abs(float64(got)-0.1) > 1e-6 {
		t.Errorf("it starts at %v, want 0.1", got)
	}
	m = newMixer(t, mixer.Config{Rate: 1000, NoLimiter: true})
	h = play(t, m.At(100), s, hardLeft)
	h.Fade(-20, time.Millisecond)
	paused := play(t, m.At(100), s, hardLeft)
	m.At(50).Pause(mixer.One(paused))
	if got := left(m, 150)[100]; math.Abs(float64(got)-0.1) > 1e-6 || paused.State() != mixer.Paused {
		t.Errorf("it starts at %v, want 0.1; the other is %v", got, paused.State())
	}
}

// TestWantsKeepTheOrder: a set of one field does not carry that of another past
// a command between them.
func TestWantsKeepTheOrder(t *testing.T) {
	m := newMixer(t, mixer.Config{Rate: 1000, NoLimiter: true})
	h := play(t, m.At(mixer.Now), level(t, 1000, 500, 1), hardLeft)
	left(m, 20)
	h.SetGain(-3)
	m.At(mixer.Now).Set(mixer.One(h), mixer.Change{Fields: mixer.Gain}, 0)
	h.SetPan(-1)
	h.SetGain(-20)
	if got := left(m, 20)[19]; math.Abs(float64(got)-0.1) > 1e-6 {
		t.Errorf("the last gain is not what holds: %v", got)
	}
}

// TestEndedSoundsAreCollected: nothing in the mixer keeps a sound once its
// voices are gone and its events are polled.
func TestEndedSoundsAreCollected(t *testing.T) {
	m := newMixer(t, mixer.Config{Rate: 1000})
	freed := make(chan bool, 1)
	func() {
		s := level(t, 1000, 10, 0.5)
		runtime.AddCleanup(s, func(int) { freed <- true }, 0)
		play(t, m.At(mixer.Now), s, mixer.Options{})
	}()
	left(m, 50)
	m.Events(make([]mixer.Event, 9))
	for range 100 {
		runtime.GC()
		select {
		case <-freed:
			runtime.KeepAlive(m)
			return
		default:
			runtime.Gosched()
		}
	}
	t.Error("the mixer still refers to the sound")
}

// TestPauseKeepsTheFadeIn: a fade in goes on while its voice is paused.
func TestPauseKeepsTheFadeIn(t *testing.T) {
	m := newMixer(t, mixer.Config{Rate: 1000, NoLimiter: true})
	h := play(t, m.At(0), level(t, 1000, 5000, 1), mixer.Options{Pan: -1, FadeIn: 2 * time.Second})
	m.At(100).Pause(mixer.One(h))
	m.At(200).Resume(mixer.One(h))
	got := left(m, 1200)
	for _, i := range []int{99, 205, 300, 1000} {
		if want := 0.5 - 0.5*math.Cos(math.Pi*float64(i)/2000); math.Abs(float64(got[i])-want) > 1e-3 {
			t.Errorf("frame %d is %v, want %v", i, got[i], want)
		}
	}
}

// TestSilentBusJumps: a bus that nothing is heard through moves at once, so that
// the attack of what starts is exact.
func TestSilentBusJumps(t *testing.T) {
	m := newMixer(t, mixer.Config{Rate: 1000, NoLimiter: true, Buses: []mixer.Bus{{Name: "sfx"}}})
	bus, _ := m.Bus("sfx")
	m.At(10).Set(mixer.On(bus), mixer.Change{Fields: mixer.Gain, Gain: -20}, 0)
	play(t, m.At(10), level(t, 1000, 500, 1), mixer.Options{Pan: -1, Bus: bus})
	if got := left(m, 20)[10]; math.Abs(float64(got)-0.1) > 1e-6 {
		t.Errorf("the first sample is %v, want 0.1", got)
	}
	m.At(50).Set(mixer.On(bus), mixer.Change{Fields: mixer.Gain}, 0)
	if got := left(m, 40)[31]; math.Abs(float64(got)-0.1) > 0.2 {
		t.Errorf("under a sounding voice it jumps: %v", got)
	}
}

// TestGrowsLast: a limit that is reached is looked at before the pool grows, and
// what is needed between two looks counts as need.
func TestGrowsLast(t *testing.T) {
	m := newMixer(t, mixer.Config{Rate: 1000, Voices: 2, Overflow: mixer.GrowPool, Grow: mixer.Grow{Step: 1, Max: 6, Idle: 100 * time.Millisecond}})
	s := level(t, 1000, 400, 0.5)
	g, _ := m.NewGroup("g", 1, 0)
	play(t, m.At(0), s, mixer.Options{Group: g})
	play(t, m.At(0), s, mixer.Options{})
	play(t, m.At(10), s, mixer.Options{Group: g})
	left(m, 15)
	if st := m.Stats(); st.Voices != 2 || st.Stolen != 1 {
		t.Errorf("%+v", st)
	}
	left(m, 485)
	blip := level(t, 1000, 5, 0.5)
	for i := range int64(50) {
		for range 3 {
			play(t, m.At(500+20*i+7), blip, mixer.Options{})
		}
	}
	for range 50 {
		left(m, 20)
		if st := m.Stats(); st.Voices != 3 {
			t.Fatalf("at %d the pool has %d voices, of which 3 are needed every 20 ms", st.Frame, st.Voices)
		}
	}
}

// TestNothingToPlay: an empty sound takes no voice from anybody.
func TestNothingToPlay(t *testing.T) {
	m := newMixer(t, mixer.Config{Rate: 1000, Voices: 1})
	long := play(t, m.At(0), level(t, 1000, 100, 0.5), mixer.Options{})
	h := play(t, m.At(10), level(t, 1000, 0, 0), mixer.Options{})
	late := play(t, m.At(10), level(t, 1000, 100, 0.5), mixer.Options{From: time.Second})
	short := play(t, m.At(50), level(t, 1000, 100, 0.5), mixer.Options{For: time.Microsecond, Priority: -1})
	left(m, 20)
	if long.State() != mixer.Playing || h.State() != mixer.EndedState || late.State() != mixer.EndedState {
		t.Errorf("%v, %v, %v", long.State(), h.State(), late.State())
	}
	long.Stop()
	left(m, 40)
	if got := short.State(); got != mixer.EndedState {
		t.Errorf("a voice for less than a frame is %v", got)
	}
}

// TestWhyNobody: a rejected start says whether protection or priority kept it out.
func TestWhyNobody(t *testing.T) {
	s := level(t, 1000, 100, 0.5)
	for _, c := range []struct {
		first mixer.Options
		want  mixer.Reason
	}{{mixer.Options{Protect: true}, mixer.AllProtected}, {mixer.Options{Priority: 9}, mixer.Outranked}} {
		m := newMixer(t, mixer.Config{Rate: 1000, Voices: 1})
		play(t, m.At(0), s, c.first)
		play(t, m.At(1), s, mixer.Options{})
		left(m, 10)
		ev := make([]mixer.Event, 9)
		ev = ev[:m.Events(ev)]
		if len(ev) != 2 || ev[1].Kind != mixer.Rejected || ev[1].Reason != c.want {
			t.Errorf("%+v, want %v", ev, c.want)
		}
	}
}
