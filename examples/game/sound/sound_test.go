package sound

import (
	"fmt"
	"slices"
	"testing"

	"voicepool/mixer"
	"voicepool/pcm"

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
		w.Step(script(tick))
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
		if name := (map[int]string{80: "storm", 130: "menu", 170: "fight"})[tick]; name != "" {
			err = s.SetScene(name)
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

// TestScenes checks that a scene changes the pool size, and that a change of policy keeps the size and the
// scene.
func TestScenes(t *testing.T) {
	s, err := New(Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	want := []struct {
		scene  string
		voices int64
	}{{scene: "menu", voices: 6}, {scene: "storm", voices: 28}, {scene: "fight", voices: 16}}
	play(t, s, 40*len(want), func(tick int, w *world.World) {
		c := want[tick/40]
		switch tick % 40 {
		case 0:
			err = s.SetScene(c.scene)
		case 25:
			err = s.SetPolicy(mixer.StealOldest, 0, w)
		case 24, 26:
			if n := s.mixer.Stats().Voices; n != c.voices || s.Scene != c.scene {
				t.Errorf("tick %d: %d voices in scene %s, want %d in %s", tick, n, s.Scene, c.voices, c.scene)
			}
		case 30:
			err = s.SetVoices(9)
		case 32:
			err = s.SetPolicy(mixer.StealQuietest, 0, w)
		case 34:
			if n := s.mixer.Stats().Voices; n != 9 {
				t.Errorf("tick %d: %d voices after a change of policy, want the 9 that there were", tick, n)
			}
		}
		if err != nil {
			t.Fatal(err)
		}
	})
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
