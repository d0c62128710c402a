package policytest

import (
	"context"
	"errors"
	"slices"
	"testing"

	"voicepool/bank/rules"
	"voicepool/cmd/internal/lab/steal"
	"voicepool/cue"
	"voicepool/mixer"
	"voicepool/sounds"
)

// TestFigure checks that only 0 is printed as 0.
func TestFigure(t *testing.T) {
	for x, want := range map[float64]string{0: "0", 0.001: "<0.1", 0.05: "0.1", 0.25: "0.2", 9.94: "9.9", 9.96: "10", 262.4: "262"} {
		if got := figure(&x); got != want {
			t.Errorf("%v is %s, want %s", x, got, want)
		}
	}
	if got := figure(nil); got != "" {
		t.Errorf("no figure is %q", got)
	}
}

func TestStealPolicy(t *testing.T) {
	for text, want := range map[string]Policy{
		"quietest":         {Name: "quietest", Overflow: mixer.StealQuietest, Virtual: AsSheet},
		"reject":           {Name: "reject", Overflow: mixer.Reject, Virtual: AsSheet},
		"quietest+refuse":  {Name: "quietest+refuse", Overflow: mixer.StealQuietest, Refuse: true, Virtual: AsSheet},
		"gain+end":         {Name: "gain+end", Overflow: mixer.StealGain, Ends: true, Virtual: AsSheet},
		"oldest+virtual=7": {Name: "oldest+virtual=7", Overflow: mixer.StealOldest, Virtual: 7},
	} {
		var p Policy
		if err := p.UnmarshalText([]byte(text)); err != nil || p != want {
			t.Errorf("%s is %+v, %v", text, p, err)
		}
	}
}

// TestPolicyEnds checks that +end makes every sound end when stolen, and leaves the original sheet
// unchanged.
func TestPolicyEnds(t *testing.T) {
	sheet := &cue.Sheet{}
	sheet.Sounds = make([]rules.Sound, 2)
	p := Policy{Ends: true}
	for _, s := range p.Apply(sheet, 3).Sounds {
		if s.WhenFull != mixer.WhenFullEnd || sheet.Sounds[0].WhenFull != mixer.WhenFullDefault {
			t.Errorf("%v, of %v", s.WhenFull, sheet.Sounds[0].WhenFull)
		}
	}
	if err := p.UnmarshalText([]byte("gain+end+virtual=3")); err == nil {
		t.Error("nobody is virtual, and three are")
	}
}

func TestMono(t *testing.T) {
	for _, c := range []struct {
		channels   int
		data, want []float32
	}{
		{channels: 1, data: []float32{0.5, -1}, want: []float32{0.5, -1}},
		{channels: 2, data: []float32{1, 0.5, -1, 0, 0.25, 0.25}, want: []float32{0.75, -0.5, 0.25}},
		{channels: 2, want: []float32{}},
	} {
		s, err := sounds.NewSound(sounds.Samples{Rate: steal.Rate, Channels: c.channels, Data: c.data})
		if err != nil {
			t.Fatal(err)
		}
		if got := mono(s); !slices.Equal(got, c.want) {
			t.Errorf("%d channels of %v are %v in the middle, want %v", c.channels, c.data, got, c.want)
		}
	}
}

// TestMeasureInterrupted checks that an interrupted plan returns the rows of its finished pairs.
func TestMeasureInterrupted(t *testing.T) {
	stage, err := NewStage(steal.Corpus(1))
	if err != nil {
		t.Fatal(err)
	}
	defer stage.Close()
	ctx, cancel := context.WithCancelCause(context.Background())
	stop := errors.New("interrupted")
	p := Plan{Scenes: []string{"menu"}, Seeds: []uint64{1, 2, 3}, Voices: []int{4}, Policies: JudgedPolicies()[:2], Frames: steal.Rate / 10, Brief: true}
	rows, err := p.Measure(ctx, stage, func(done, _ int) {
		if done > 0 {
			cancel(stop)
		}
	})
	if !errors.Is(err, stop) || len(rows) == 0 || len(rows)%2 != 0 {
		t.Errorf("%d rows, %v; want the two rows of each finished pair", len(rows), err)
	}
}
