package bank_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"voicepool/bank"
	"voicepool/mixer"
	"voicepool/pcm"
	"voicepool/sounds/embedded"
	"voicepool/sounds/library"
	"voicepool/space"
)

// TestSetPositions checks that all layers have the same positions as if each were moved individually.
func TestSetPositions(t *testing.T) {
	var outs [2][]pcm.Frame
	for i, names := range [][]string{{"boom"}, {"low", "tail"}} {
		b, m := ready(t, "master: {limiter: false}\nsounds: {low: sfx/d.wav, tail: {file: sfx/b.wav, loop: true}, boom: {layers: [low, tail]}}")
		var plays []bank.Handle
		for _, name := range names {
			plays = append(plays, start(t, b, name, bank.Options{Emitter: there(1)}))
		}
		for n := range 9 {
			outs[i] = append(outs[i], render(m, 70)...)
			spots := slices.Repeat([]space.Spot{{Position: space.Vector{float64(n), 0, -2}}}, len(plays))
			if err := b.SetPositions(plays, spots); err != nil {
				t.Fatal(err)
			}
		}
	}
	if !slices.Equal(outs[0], outs[1]) {
		t.Error("layers are moved otherwise than sounds by themselves")
	}
}

// TestSetPositionsOfWhatIsOver checks that an old handle has no effect, and that the call does not allocate.
func TestSetPositionsOfWhatIsOver(t *testing.T) {
	b, m := ready(t, manyWays)
	old := start(t, b, "pair", bank.Options{})
	render(m, 5000)
	plays := []bank.Handle{old, {}, start(t, b, "pair", bank.Options{Emitter: there(1)})}
	spots := make([]space.Spot, 3)
	if n := testing.AllocsPerRun(20, func() {
		spots[2].Position[0]++
		if err := b.SetPositions(plays, spots); err != nil {
			t.Fatal(err)
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
	if err := b.SetPositions(plays, spots[:1]); !errors.Is(err, mixer.ErrOption) {
		t.Errorf("too few spots say %v", err)
	}
	other, _ := ready(t, manyWays)
	if err := other.SetPositions(plays, spots); !errors.Is(err, mixer.ErrOption) {
		t.Errorf("another bank's play says %v", err)
	}
}

// TestSilenceStaysSilence checks that a parameter does not make a silent play audible, as in sheets.
func TestSilenceStaysSilence(t *testing.T) {
	for _, gain := range []pcm.Decibels{-80, -90, -120} {
		b, m := ready(t, "sounds: {s: {file: sfx/d.wav, parameters: {x: {from: 0, to: 1, gain: [[0, 24]]}}}}")
		start(t, b, "s", bank.Options{Gain: gain})
		if got := render(m, 400)[300]; got != (pcm.Frame{}) {
			t.Errorf("at %v dB %v is heard", gain, got)
		}
	}
}

// A game moves all its plays once per frame. A play with several layers counts as one.
func ExampleBank_SetPositions() {
	b, _ := bank.Open(assets, "sounds.yaml", library.NewLibrary(library.Options{}), embedded.Sources()...)
	m, _ := b.NewMixer()
	defer m.Close()
	coin, _ := b.Play("coin", bank.Options{Emitter: &space.Emitter{}})
	plays, spots := []bank.Handle{coin}, []space.Spot{{Position: space.Vector{9, 0, -4}}}
	fmt.Println(b.SetPositions(plays, spots))
	fmt.Println(b.SetPositions(plays, nil))
	// Output:
	// <nil>
	// mixer: bad argument: 1 plays and 0 places
}
