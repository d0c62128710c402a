package sound

import (
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	"voicepool/bank"
	"voicepool/mixer"
	"voicepool/pcm"
	"voicepool/sounds/embedded"
	"voicepool/sounds/library"

	"voicepool/examples/game/take"
	"voicepool/examples/game/world"
)

const frame = 800 // frames of sound in a frame of the game

// script returns the keys of a step.
func script(tick int) world.Keys {
	return world.Keys{Fire: true, Left: tick/40%2 == 0, Right: tick/40%2 == 1}
}

// play advances the world and the sound by some steps and renders the sound. It calls each after every step.
func play(t *testing.T, s *Sound, ticks int, each func(tick int, w *world.World)) []pcm.Frame {
	t.Helper()
	w := world.New(7)
	heard := make([]pcm.Frame, ticks*frame)
	for tick := range ticks {
		if w.Events = w.Events[:0]; !s.Paused() {
			w.Step(script(tick))
		}
		if err := s.Frame(w); err != nil {
			t.Fatal(err)
		}
		each(tick, w)
		s.mixer.Prepare()
		s.out.Render(heard[tick*frame:][:frame])
	}
	return heard
}

// TestJournal compares the output with a render of the journal, to the bit.
func TestJournal(t *testing.T) {
	for policy := mixer.StealQuietest; policy <= mixer.StealMasked; policy++ {
		for _, virtual := range []int{0, 32} {
			if policy == mixer.StealMasked && virtual == 0 {
				continue // the only invalid combination
			}
			t.Run(fmt.Sprint(policy, virtual), func(t *testing.T) { journal(t, policy, virtual) })
		}
	}
}

func journal(t *testing.T, policy mixer.Overflow, virtual int) {
	s, err := New(Options{Policy: policy, Virtual: virtual, Journal: take.Journal})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	played, err := take.New(s.mixer, s.Config())
	if err != nil {
		t.Fatal(err)
	}
	heard := play(t, s, 240, func(tick int, _ *world.World) {
		switch tick { // the cave, and in it the menu and the water
		case 80, 200:
			err = s.Toggle(1)
		case 110, 130:
			err = s.Toggle(0)
		case 120, 170:
			err = s.Toggle(2)
		}
		if err != nil {
			t.Fatal(err)
		}
	})
	stats := s.mixer.Stats()
	if gave := stats.Stolen + stats.Virtual + stats.Rejected; stats.Asked < 150 || gave < 20 && policy != mixer.GrowPool {
		t.Errorf("%d starts, %d stolen: too few to tell", stats.Asked, gave)
	}
	rendered, err := played.Render(len(heard))
	if err != nil {
		t.Fatal(err)
	}
	for i := range heard {
		if heard[i] != rendered[i] {
			t.Fatalf("frame %d: heard %v, the journal renders %v", i, heard[i], rendered[i])
		}
	}
}

// TestPolicyChanges checks that a change of policy restarts the engines.
func TestPolicyChanges(t *testing.T) {
	s, err := New(Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	play(t, s, 200, func(tick int, w *world.World) {
		if tick == 100 {
			if err := s.SetPolicy(mixer.StealOldest, 16, w); err != nil {
				t.Fatal(err)
			}
		}
	})
	if !slices.ContainsFunc(s.motors[:], func(h mixer.Handle) bool {
		return h.State() == mixer.StatePlaying || h.State() == mixer.StateVirtual
	}) {
		t.Error("after a change of policy no engine goes on")
	}
	if s.Steals[0].Steal.Policy != mixer.StealOldest {
		t.Errorf("the last steal was by %v, want oldest", s.Steals[0].Steal.Policy)
	}
}

// TestScenes checks the pool size in stacked scenes, and that a change of policy keeps size, scenes, pause and volumes.
func TestScenes(t *testing.T) {
	s, err := New(Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if err := s.SetFader(2, 0.5); err != nil {
		t.Fatal(err)
	}
	check := func(tick int, voices int64, on ...bool) {
		t.Helper()
		engines, err := s.mixer.Bus("engines")
		if err != nil {
			t.Fatal(err)
		}
		if n, v := s.mixer.Stats().Voices, engines.Volume(); n != voices || !slices.Equal(s.on[:], on) || v != pcm.FromFader(0.5) {
			t.Errorf("tick %d: %d voices, scenes %v, volume %v; want %d in %v at %v", tick, n, s.on, v, voices, on, pcm.FromFader(0.5))
		}
	}
	held := time.Duration(-1)
	play(t, s, 130, func(tick int, w *world.World) {
		var err error
		switch tick {
		case 10:
			err = s.Toggle(2)
		case 20:
			err = s.Toggle(1)
		case 40:
			check(tick, 10, false, true, true)
			err = s.SetPolicy(mixer.StealOldest, 0, w)
		case 42:
			check(tick, 10, false, true, true)
			err = s.Toggle(0)
		case 60: // paused: the engines hold their place, also on another mixer
			held = s.motors[0].Position()
		case 70:
			if now := s.motors[0].Position(); now != held {
				t.Errorf("an engine plays on in the menu, from %v to %v", held, now)
			}
			err = s.SetPolicy(mixer.StealQuietest, 0, w)
		case 71, 90:
			check(tick, 10, true, true, true)
			if now := s.motors[0].Position(); tick == 90 && now != 0 {
				t.Errorf("an engine of the new mixer has begun in the menu, at %v", now)
			}
		case 91:
			err = s.Toggle(0)
		case 92:
			err = s.Toggle(2)
		case 120:
			check(tick, 16, false, true, false)
			if s.motors[0].Position() == 0 {
				t.Error("after the menu the engine does not play")
			}
			err = s.SetVoices(9)
		case 122:
			err = s.SetPolicy(mixer.StealOldest, 0, w)
		case 124:
			check(tick, 9, false, true, false)
		}
		if err != nil {
			t.Fatal(err)
		}
	})
}

// TestVolumes checks that sliders at 0 silence their buses and sends in every scene, and that sliders end at 0 and 1.
func TestVolumes(t *testing.T) {
	s, err := New(Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	heard := play(t, s, 120, func(tick int, _ *world.World) {
		var err error
		switch tick {
		case 20, 21, 22:
			err = s.SetFader(tick-19, -0.2) // sfx, engines, music
		case 60:
			err = s.setScene(1, true, 300*time.Millisecond)
		}
		if err != nil {
			t.Fatal(err)
		}
	})
	if heard[20*frame] == (pcm.Frame{}) {
		t.Error("before the sliders move the game is silent")
	}
	for i, f := range heard[30*frame:] {
		if f != (pcm.Frame{}) {
			t.Fatalf("frame %d: %v, although all sliders are at 0", 30*frame+i, f)
		}
	}
	if err := s.SetFader(0, 7); err != nil || s.Fader(0) != 1 || s.Fader(1) != 0 {
		t.Errorf("sliders moved to 7 and -0.2 are at %v and %v: %v", s.Fader(0), s.Fader(1), err)
	}
}

// TestVoices checks that the keys change the pool size and its picture.
func TestVoices(t *testing.T) {
	s, err := New(Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	sizes := []int{16, 5, 1, MaxVoices}
	play(t, s, 100*len(sizes), func(tick int, _ *world.World) {
		size := sizes[tick/100]
		if tick%100 == 0 {
			if err := s.SetVoices(size); err != nil {
				t.Fatal(err)
			}
		}
		taken := 0
		for _, v := range s.Slots {
			if v.Name != "" {
				taken++
			}
		}
		if tick%100 == 99 && (taken > size || taken < min(size, 16)) {
			t.Errorf("tick %d: %d slots are taken of a pool of %d", tick, taken, size)
		}
	})
}

func TestFrameAllocatesNothing(t *testing.T) {
	s, err := New(Options{Virtual: 32})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	play(t, s, 400, func(int, *world.World) {}) // every sound has been played in every range
	w := world.New(8)
	block := make([]pcm.Frame, frame)
	if n := testing.AllocsPerRun(300, func() {
		w.Step(script(w.Tick))
		if err := s.Frame(w); err != nil {
			t.Fatal(err)
		}
		s.out.Render(block)
	}); n != 0 {
		t.Errorf("a frame of the game allocates %v times", n)
	}
}

// TestMusicToTheFrame compares the recorded music with the decoded files: each segment and the stinger begin at the
// frame that the transitions demand. A bar has 96,000 frames.
func TestMusicToTheFrame(t *testing.T) {
	s, err := New(Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	reader := s.mixer.Engine().NewEventReader()
	var w world.World
	heard := make([]pcm.Frame, 650*frame)
	places := map[int]bank.Position{}
	for tick := range len(heard) / frame {
		switch tick {
		case 70: // frame 56,000, in bar 1: battle begins at bar 2
			for i := range 20 {
				w.Enemies[i].Alive = true
			}
		case 250: // frame 200,000, in bar 2 of battle: calm begins at bar 3
			w.Enemies = [world.Enemies]world.Body{}
		case 500: // frame 400,000: the next beat of calm is its sixth
			w.Score = Goal
		}
		if err := s.Frame(&w); err != nil {
			t.Fatal(err)
		}
		places[tick] = s.Place
		s.out.Render(heard[tick*frame:][:frame])
	}
	var begun []string
	events := make([]mixer.Event, 64)
	for n := reader.Events(events); n > 0; n = reader.Events(events) {
		for _, e := range events[:n] {
			if e.Kind == mixer.EventStarted {
				begun = append(begun, fmt.Sprint(e.Sound.Name(), " ", e.Frame))
			}
		}
	}
	if want := []string{"theme 0", "theme 96000", "gong 96000", "theme 288000", "chime 408000", "theme 504000"}; !slices.Equal(begun, want) {
		t.Errorf("started: %q, want %q", begun, want)
	}
	for tick, want := range map[int]bank.Position{
		119: {Segment: "calm", Bar: 1, Beat: 4, Frame: 119 * frame},
		120: {Segment: "battle", Bar: 1, Beat: 1, Frame: 120 * frame},
		359: {Segment: "battle", Bar: 2, Beat: 4, Frame: 359 * frame},
		511: {Segment: "victory", Bar: 1, Beat: 1, Frame: 511 * frame},
		645: {Segment: "calm", Bar: 1, Beat: 1, Frame: 645 * frame},
	} {
		if places[tick] != want {
			t.Errorf("tick %d: the music is at %+v, want %+v", tick, places[tick], want)
		}
	}
	latency := int(s.mixer.LatencyFrames())
	bus := pcm.Decibels(-9).Linear()
	lib, samples := library.NewLibrary(library.Options{}), map[string][]float32{}
	for _, name := range []string{"theme", "gong", "chime"} {
		v, err := embedded.Load(lib, name)
		if err != nil {
			t.Fatal(err)
		}
		samples[name] = v.Samples()
	}
	sample := func(name string, i, c int) float64 { return float64(samples[name][2*i+c]) }
	for _, part := range []struct {
		name     string
		from, to int // after the fade of the segment before
		want     func(i, c int) float64
	}{
		{"battle and the gong", 96000 + 480, 288000, func(i, c int) float64 {
			return bus * (sample("theme", i-96000, c) + bus*sample("gong", i-96000, c))
		}},
		{"victory", 408000 + 9600, 504000, func(i, c int) float64 { return bus * sample("chime", i-408000, c) }},
		{"calm after victory", 504000, 519000, func(i, c int) float64 { return float64(heard[i-504000+latency][c]) }},
	} {
		for i := part.from; i < part.to; i++ {
			for c := range 2 {
				if got, want := float64(heard[i+latency][c]), part.want(i, c); math.Abs(got-want) > 1e-5 {
					t.Fatalf("%s, frame %d, channel %d: heard %v, want %v", part.name, i, c, got, want)
				}
			}
		}
	}
}

// TestPolicyInTransition checks that the keys P and V, which make a new mixer, cause no error up to two bars after a
// change of the music, and that the music on the new mixer changes again. A bar has 120 steps.
func TestPolicyInTransition(t *testing.T) {
	s, err := New(Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	var w world.World
	block := make([]pcm.Frame, frame)
	for _, to := range []string{"battle", "calm", "victory"} {
		for _, after := range []int{1, 60, 119, 121, 240} {
			step := func() {
				t.Helper()
				if err := s.Frame(&w); err != nil {
					t.Fatalf("%d steps after the change to %s: %v", after, to, err)
				}
				s.out.Render(block)
			}
			until := func(enemies bool, segment string) {
				t.Helper()
				for i := range 20 {
					w.Enemies[i].Alive = enemies
				}
				for range 250 {
					if step(); s.Place.Segment == segment {
						return
					}
				}
				t.Fatalf("%d steps after the change to %s and 250 more, the music is at %+v, want %s", after, to, s.Place, segment)
			}
			setPolicy := func(p mixer.Overflow, virtual int) {
				t.Helper()
				if err := s.SetPolicy(p, virtual, &w); err != nil {
					t.Fatalf("%d steps after the change to %s: %v", after, to, err)
				}
			}
			until(to == "calm", map[bool]string{true: "battle", false: "calm"}[to == "calm"])
			if w.Score = 0; to == "victory" {
				w.Score, s.goal = Goal, Goal
			}
			for i := range 20 {
				w.Enemies[i].Alive = to == "battle"
			}
			if step(); s.wanted != to {
				t.Fatalf("the music changes to %s, want %s", s.wanted, to)
			}
			for range after {
				step()
			}
			w.Score = 0
			setPolicy(mixer.StealOldest, 0)
			step()
			setPolicy(mixer.StealQuietest, 32)
			until(true, "battle")
			setPolicy(mixer.StealQuietest, 0)
		}
	}
}
