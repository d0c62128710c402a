package mixer_test

import (
	"math"
	"testing"

	"voicepool/mixer"
	"voicepool/pcm"
)

// written is an insert given as a function.
type written func(block []pcm.Frame)

func (e written) Process(block []pcm.Frame) { e(block) }

// TestInsert checks that an insert processes the whole output of its bus, including the buses below it,
// before the gains of the bus, and no other bus.
func TestInsert(t *testing.T) {
	doubled := written(func(block []pcm.Frame) {
		for i := range block {
			block[i][0] *= 2
			block[i][1] = -block[i][1]
		}
	})
	buses := family()
	buses[1].Insert, buses[1].Gain = doubled, -20
	m := at1k(t, buses...)
	for i, name := range []string{"a", "c", "d"} {
		play(t, m.Engine().At(0), level(t, 1000, 900, float32(int(1)<<i)/8), mixer.Options{Bus: busOf(t, m, name)})
	}
	block := make([]pcm.Frame, 30)
	m.Render(block)
	wantAbout(t, "left", block[29][0], math.Sqrt2/2*(0.1*2*3./8+4./8))
	wantAbout(t, "right", block[29][1], math.Sqrt2/2*(-0.1*3./8+4./8))
}

// TestInsertSeesEveryFrame checks that blocks have no gaps and 1 frame to 20 ms, also while the bus is
// silent, and that output made from silence is heard.
func TestInsertSeesEveryFrame(t *testing.T) {
	seen, longest := 0, 0
	m := at1k(t, mixer.BusConfig{Name: "a", Insert: written(func(block []pcm.Frame) {
		if len(block) == 0 {
			t.Error("a block without a frame")
		}
		longest = max(longest, len(block))
		for i := range block {
			block[i][0] += float32(seen+i) / 1024
		}
		seen += len(block)
	})})
	play(t, m.Engine().At(13), level(t, 1000, 2, 0), mixer.Options{})
	var got []float32
	for _, n := range []int{1, 2, 50, 100, 7} {
		got = append(got, left(m, n)...)
	}
	for i, x := range got {
		if x != float32(i)/1024 {
			t.Fatalf("frame %d is %v", i, x)
		}
	}
	if seen != 160 || longest != 20 {
		t.Errorf("it has seen %d frames, 20 ms are %d", seen, longest)
	}
}

// TestInsertTakenOut checks that an insert that panics or leaves invalid samples is removed within its
// block, which continues without it.
func TestInsertTakenOut(t *testing.T) {
	for name, wrong := range map[string]func(block []pcm.Frame){
		"panic":    func(block []pcm.Frame) { block[0][0] = 9; panic("wrong") },
		"NaN":      func(block []pcm.Frame) { block[len(block)-1][1] = float32(math.NaN()) },
		"infinite": func(block []pcm.Frame) { block[0][0] = float32(math.Inf(-1)) },
		"huge":     func(block []pcm.Frame) { block[0][0] = 3e38 },
	} {
		calls := 0
		m := at1k(t, mixer.BusConfig{Name: "a"}, mixer.BusConfig{Name: "b", Insert: written(func(block []pcm.Frame) {
			if calls++; calls == 3 {
				wrong(block)
				return
			}
			for i := range block {
				block[i][0] *= 2
			}
		})})
		play(t, m.Engine().At(0), level(t, 1000, 900, 0.25), mixer.Options{Pan: -1, Bus: busOf(t, m, "b")})
		got := left(m, 100) // blocks of 20
		for i, x := range got {
			if want := map[bool]float32{true: 0.5, false: 0.25}[i < 40]; x != want {
				t.Fatalf("%s: frame %d is %v, want %v", name, i, x, want)
			}
		}
		events := make([]mixer.Event, 9)
		events = events[:m.Events(events)]
		if len(events) != 2 || events[1] != (mixer.Event{Frame: 40, Kind: mixer.EventFault, Slot: -1, Bus: busOf(t, m, "b")}) {
			t.Errorf("%s: %+v", name, events)
		}
		if st := m.Stats(); calls != 3 || st.Faults != 1 || st.Playing != 1 {
			t.Errorf("%s: %d calls, %+v", name, calls, st)
		}
	}
}
