package mixer_test

import (
	"errors"
	"math"
	"strings"
	"testing"

	"voicepool/mixer"
	"voicepool/pcm"
	"voicepool/sounds"
	"voicepool/space"
)

// steady returns silence with a declared constant power.
func steady(t testing.TB, power float32) *sounds.Sound {
	t.Helper()
	env := sounds.Envelope{Hop: 20}
	for range 100 {
		env.Once, env.Loop = append(env.Once, power), append(env.Loop, power)
	}
	return sound(t, sounds.Samples{Name: "steady", Rate: 1000, Channels: 1, Data: make([]float32, 2000), Envelope: env})
}

// at returns an emitter at a position.
func at(x, y, z float64) *space.Emitter {
	return &space.Emitter{Spot: space.Spot{Position: space.Vector{x, y, z}}}
}

// hard returns a mixer with a listener of full pan strength.
func hard(t testing.TB) *mixer.Mixer {
	t.Helper()
	m := at1k(t)
	must(t, m.SetListener(space.Listener{Strength: 1}))
	return m
}

// TestEmitterIsHeard checks the gain by distance and the pan by direction, exact from the first frame on.
// The emitter must be copied at the start.
func TestEmitterIsHeard(t *testing.T) {
	for name, c := range map[string]struct {
		emitter     *space.Emitter
		pan         float64
		left, right float64
	}{
		"nowhere":                 {emitter: nil, pan: 0, left: math.Sqrt2 / 2, right: math.Sqrt2 / 2},
		"at the listener":         {emitter: at(0, 0, 0), pan: 0, left: math.Sqrt2 / 2, right: math.Sqrt2 / 2},
		"in front, twice as far":  {emitter: at(0, 0, -2), pan: 0, left: math.Sqrt2 / 4, right: math.Sqrt2 / 4},
		"at the right":            {emitter: at(4, 0, 0), pan: 0, left: 0, right: 0.25},
		"at the left":             {emitter: at(-4, 0, 0), pan: 0, left: 0.25, right: 0},
		"at the left, panned":     {emitter: at(-4, 0, 0), pan: 0.5, left: 0.25 * math.Cos(math.Pi/8), right: 0.25 * math.Sin(math.Pi/8)},
		"at the right, and right": {emitter: at(4, 0, 0), pan: 0.5, left: 0, right: 0.25},
	} {
		m := hard(t)
		o := mixer.Options{Pan: c.pan, Emitter: c.emitter}
		play(t, m.Engine().At(5), level(t, 1000, 50, 1), o)
		if c.emitter != nil {
			c.emitter.Spot.Position = space.Vector{1000, 0, 0} // the game's own copy
		}
		block := make([]pcm.Frame, 20)
		m.Render(block)
		for _, i := range []int{5, 19} {
			wantAbout(t, name+", left", block[i][0], c.left)
			wantAbout(t, name+", right", block[i][1], c.right)
		}
	}
}

// TestSetPositions moves voices within 20 ms, linearly, from the next frame on.
func TestSetPositions(t *testing.T) {
	m := hard(t)
	h := play(t, m.Engine().At(mixer.Now), level(t, 1000, 900, 1), mixer.Options{Emitter: at(4, 0, 0)})
	left(m, 20)
	if err := m.SetPositions([]mixer.Handle{h}, []space.Spot{{Position: space.Vector{8, 0, 0}}}); err != nil {
		t.Fatal(err)
	}
	block := make([]pcm.Frame, 60)
	m.Render(block)
	for i, want := range map[int]float64{0: 0.25, 10: 0.1875, 20: 0.125, 59: 0.125} {
		wantAbout(t, "on its way", block[i][1], want)
	}
	// The same by a move of the listener.
	if err := m.SetListener(space.Listener{Strength: 1, Position: space.Vector{4, 0, 0}}); err != nil {
		t.Fatal(err)
	}
	m.Render(block)
	for i, want := range map[int]float64{0: 0.125, 10: 0.1875, 20: 0.25} {
		wantAbout(t, "the listener on its way", block[i][1], want)
	}
	// It turns round: a voice at the right is now at the left.
	if err := m.SetListener(space.Listener{Strength: 1, Position: space.Vector{4, 0, 0}, Forward: space.Vector{0, 0, 1}}); err != nil {
		t.Fatal(err)
	}
	m.Render(block)
	wantAbout(t, "behind its back, left", block[30][0], 0.25)
	wantAbout(t, "behind its back, right", block[30][1], 0)
}

// TestSetPositionsBeforeTheStart checks that a pending start begins at the new position.
func TestSetPositionsBeforeTheStart(t *testing.T) {
	m := hard(t)
	h := play(t, m.Engine().At(50), level(t, 1000, 100, 1), mixer.Options{Emitter: at(4, 0, 0)})
	if err := m.SetPositions([]mixer.Handle{h}, []space.Spot{{Position: space.Vector{-2, 0, 0}}}); err != nil {
		t.Fatal(err)
	}
	left(m, 10)
	if err := m.SetListener(space.Listener{Strength: 1, Position: space.Vector{-1, 0, 0}}); err != nil {
		t.Fatal(err)
	}
	got := left(m, 60)
	wantAbout(t, "its first frame", got[40], 1)
	wantAbout(t, "later", got[59], 1)
}

// TestPositionsAreReplaced makes a thousand calls without rendering: they take one command, the last one
// counts, and it is not lost without room.
func TestPositionsAreReplaced(t *testing.T) {
	m := newMixer(t, mixer.Config{Rate: 1000, NoLimiter: true, Commands: 1})
	must(t, m.SetListener(space.Listener{Strength: 1}))
	left(m, 1)
	h := play(t, m.Engine().At(mixer.Now), level(t, 1000, 900, 1), mixer.Options{Emitter: at(4, 0, 0)})
	for i := range 1000 { // the Play is the one command
		if m.SetPositions([]mixer.Handle{h}, []space.Spot{{Position: space.Vector{float64(i), 0, 0}}}) != nil {
			t.Fatal("it fails")
		}
	}
	if m.SetListener(space.Listener{Strength: 1, Position: space.Vector{991, 0, 0}}) != nil {
		t.Fatal("it fails")
	}
	left(m, 20)
	block := make([]pcm.Frame, 30)
	m.Render(block)
	wantAbout(t, "the last place", block[25][1], 1./8)
	for i := range 1000 {
		m.SetPositions([]mixer.Handle{h}, []space.Spot{{Position: space.Vector{991 + float64(i%2)*2, 0, 0}}})
	}
	if st := m.Stats(); st.Pending != 1 {
		t.Errorf("%d commands wait, want 1", st.Pending)
	}
	m.Render(block)
	wantAbout(t, "the last place of all", block[25][1], 1./2)
}

// TestFarIsStolenFirst checks that the place counts in the audibility, also of the incoming start.
func TestFarIsStolenFirst(t *testing.T) {
	m := newMixer(t, mixer.Config{Rate: 1000, Voices: 2, RejectQuietest: true})
	s := steady(t, 0.25)
	far := play(t, m.Engine().At(0), s, mixer.Options{Emitter: at(0, 0, -100)})
	near := play(t, m.Engine().At(0), s, mixer.Options{Emitter: at(0, 0, -10), Gain: -3})
	play(t, m.Engine().At(10), s, mixer.Options{Emitter: at(0, 0, -1000)}) // the faintest: rejected
	left(m, 20)
	if a := float64(far.Audibility()); math.Abs(a-(-46.02)) > 0.01 {
		t.Errorf("at 100 the audibility is %v dB, want -46.02", a)
	}
	if m.SetPositions([]mixer.Handle{far, near}, []space.Spot{{Position: space.Vector{0, 0, -10}}, {Position: space.Vector{0, 0, -100}}}) != nil {
		t.Fatal("it fails")
	}
	left(m, 30) // they have changed places
	play(t, m.Engine().At(60), s, mixer.Options{})
	left(m, 20)
	if far.State() != mixer.StatePlaying || near.State() != mixer.StateStolen {
		t.Errorf("the one that came is %v, the one that left %v", far.State(), near.State())
	}
	wantEvents(t, m, "0 started 1, 0 started 2, 10 rejected (quieter), 60 stolen 2 by 3 (pool), 60 started 3")
}

// TestDopplerPlays checks that an approaching voice plays faster.
func TestDopplerPlays(t *testing.T) {
	m := at1k(t)
	if err := m.SetListener(space.Listener{Doppler: 1, SpeedOfSound: 300}); err != nil {
		t.Fatal(err)
	}
	e := at(0, 0, -100)
	e.Spot.Velocity = space.Vector{0, 0, 150} // half the speed of sound: an octave up
	h := play(t, m.Engine().At(20), ramp(t, 1000, 900), mixer.Options{Emitter: e})
	left(m, 120)
	if h.Position() != 200*ms {
		t.Errorf("after 100 ms it is at %v, want 200ms", h.Position())
	}
}

// TestPositionErrors checks that no voice moves if one place is invalid.
func TestPositionErrors(t *testing.T) {
	m := hard(t)
	other := at1k(t)
	s := level(t, 1000, 900, 1)
	h := play(t, m.Engine().At(mixer.Now), s, mixer.Options{Emitter: at(4, 0, 0)})
	plain := play(t, m.Engine().At(mixer.Now), s, mixer.Options{Gain: pcm.Silence})
	foreign := play(t, other.Engine().At(mixer.Now), s, mixer.Options{Emitter: at(4, 0, 0)})
	here := space.Spot{Position: space.Vector{1, 0, 0}}
	bad := space.Spot{Position: space.Vector{math.NaN()}}
	list := func(h ...mixer.Handle) []mixer.Handle { return h }
	for _, c := range []struct {
		err  error
		want string
	}{
		{m.SetPositions(list(h), nil), "1 voices and 0 places"},
		{m.SetPositions(list(h, h), []space.Spot{here, bad}), "a place at [NaN 0 0] with a velocity of [0 0 0]: coordinates are finite and in -1e9..1e9"},
		{m.SetPositions(list(h, foreign), []space.Spot{here, here}), "voice 1 is another mixer's"},
	} {
		wantError(t, c.err, mixer.ErrOption, c.want)
	}
	_, cone := m.Play(s, mixer.Options{Emitter: &space.Emitter{Cone: space.Cone{Inner: 400}}})
	for _, c := range []struct {
		err  error
		want string
	}{
		{m.SetListener(space.Listener{Doppler: -1}), "mixer: bad argument: Doppler factor: -1 is not in 0..100"},
		{cone, "mixer: bad argument: inner angle of the cone: 400 degrees is not in 0..360"},
	} {
		if !errors.Is(c.err, mixer.ErrOption) || !errors.Is(c.err, space.ErrRange) || !strings.HasPrefix(c.err.Error(), c.want) {
			t.Errorf("%v, want %q", c.err, c.want)
		}
	}
	// Voices without a place and zero handles are skipped.
	if err := m.SetPositions(list(plain, mixer.Handle{}), []space.Spot{here, here}); err != nil {
		t.Errorf("%v", err)
	}
	block := make([]pcm.Frame, 50)
	m.Render(block)
	wantAbout(t, "what was to stay", block[40][1], 0.25)
}

// TestPlacedStereo checks that a stereo sound at the side keeps both channels, and that equal channels
// are as loud in the middle as without a place.
func TestPlacedStereo(t *testing.T) {
	for name, c := range map[string]struct {
		emitter     *space.Emitter
		left, right float64
	}{
		"nowhere":              {emitter: nil, left: 0.5, right: 0.25},
		"in the middle":        {emitter: at(0, 0, 0), left: 0.375, right: 0.375},
		"at the right":         {emitter: at(1, 0, 0), left: 0, right: 0.375 * math.Sqrt2},
		"at the left":          {emitter: at(-1, 0, 0), left: 0.375 * math.Sqrt2, right: 0},
		"at the left and wide": {emitter: &space.Emitter{Spot: at(-1, 0, 0).Spot, Spread: 1}, left: 0.5, right: 0},
		"half as wide":         {emitter: &space.Emitter{Spread: 0.5}, left: 0.4375, right: 0.3125},
	} {
		m := hard(t)
		data := make([]float32, 0, 100)
		for range 50 {
			data = append(data, 0.5, 0.25)
		}
		play(t, m.Engine().At(5), sound(t, sounds.Samples{Rate: 1000, Channels: 2, Data: data}), mixer.Options{Emitter: c.emitter})
		block := make([]pcm.Frame, 50)
		m.Render(block)
		for _, i := range []int{5, 49} {
			wantAbout(t, name+", left", block[i][0], c.left)
			wantAbout(t, name+", right", block[i][1], c.right)
		}
	}
}
