package tempo

import (
	"math/big"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// oracle returns the frames of the first n beats and the indices of the first beats of bars. It adds the exact length
// of each beat to a rational time, in seconds.
func oracle(changes []Change, rate, n int) (beats []int64, bars []int) {
	at := new(big.Rat)
	bar, beat, bpm, meter := 1, 0, new(big.Rat), Meter{}
	ramp := []*big.Rat(nil) // the tempi of the beats until the next tempo
	for len(beats) < n {
		if beat == 0 {
			for i, c := range changes {
				if c.Bar != bar {
					continue
				}
				if c.Meter != (Meter{}) {
					meter = c.Meter
				}
				if c.BPM != 0 {
					bpm, ramp = big.NewRat(c.BPM, 1e6), rampOf(changes, i, meter)
				}
			}
			bars = append(bars, len(beats))
		}
		if len(ramp) > 0 {
			bpm, ramp = ramp[0], ramp[1:]
		}
		frame := new(big.Rat).Mul(at, big.NewRat(int64(rate), 1))
		frame.Add(frame, big.NewRat(1, 2))
		beats = append(beats, new(big.Int).Div(frame.Num(), frame.Denom()).Int64())
		length := new(big.Rat).Quo(big.NewRat(60*4, int64(meter.Unit)), bpm)
		at.Add(at, length)
		if beat++; beat == meter.Beats {
			bar, beat = bar+1, 0
		}
	}
	return beats, bars
}

// rampOf returns the tempo of each beat from the change i until the next change of the tempo if that is a ramp.
func rampOf(changes []Change, i int, meter Meter) (all []*big.Rat) {
	next := slices.IndexFunc(changes[i+1:], func(c Change) bool { return c.BPM != 0 })
	if next < 0 || !changes[i+1+next].Ramp {
		return nil
	}
	to := changes[i+1+next]
	n := 0
	for bar := changes[i].Bar; bar < to.Bar; bar++ {
		for _, c := range changes {
			if c.Bar == bar && c.Meter != (Meter{}) {
				meter = c.Meter
			}
		}
		n += meter.Beats
	}
	for k := range n {
		x := big.NewRat(to.BPM-changes[i].BPM, 1e6)
		x.Mul(x, big.NewRat(int64(k), int64(n)))
		all = append(all, x.Add(x, big.NewRat(changes[i].BPM, 1e6)))
	}
	return all
}

// maps draws a tempo map.
func maps(t *rapid.T) []Change {
	bpm := rapid.OneOf(rapid.Map(rapid.Int64Range(20, 400), func(n int64) int64 { return n * 1e6 }), rapid.Int64Range(20e6, 400e6))
	meter := rapid.Custom(func(t *rapid.T) Meter {
		return Meter{rapid.IntRange(1, 13).Draw(t, "beats"), 1 << rapid.IntRange(0, 5).Draw(t, "unit")}
	})
	all := []Change{{Bar: 1, BPM: bpm.Draw(t, "bpm"), Meter: meter.Draw(t, "meter")}}
	for range rapid.IntRange(0, 5).Draw(t, "changes") {
		c := Change{Bar: all[len(all)-1].Bar + rapid.IntRange(1, 6).Draw(t, "bars")}
		if rapid.Bool().Draw(t, "tempo") {
			c.BPM, c.Ramp = bpm.Draw(t, "bpm"), rapid.Bool().Draw(t, "ramp")
		}
		if c.BPM == 0 || rapid.Bool().Draw(t, "meters") {
			c.Meter = meter.Draw(t, "meter")
		}
		all = append(all, c)
	}
	return all
}

func TestGridOfRandomMaps(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		changes, rate := maps(t), rapid.SampledFrom([]int{8000, 44100, 48000, 96000, 192000}).Draw(t, "rate")
		beats, bars := oracle(changes, rate, 60)
		last := beats[len(beats)-1]
		g := New(changes, rate, last)
		if !slices.Equal(g.beats, beats) || !slices.Equal(g.bars, bars) {
			t.Fatalf("%+v:\n%v\n%v, want\n%v\n%v", changes, g.beats, g.bars, beats, bars)
		}
		frame := rapid.Int64Range(-100, last+100).Draw(t, "frame")
		every := rapid.IntRange(1, 5).Draw(t, "every")
		wantBar, wantBeat, nextBeat, nextBar := 0, 0, int64(-1), int64(-1)
		for i, b := range beats {
			first := slices.Contains(bars, i)
			if b <= frame {
				wantBeat++
				if first {
					wantBar, wantBeat = wantBar+1, 1
				}
			}
			if b >= frame && nextBeat < 0 {
				nextBeat = b
			}
			if b >= frame && nextBar < 0 && first && slices.Index(bars, i)%every == 0 {
				nextBar = b
			}
		}
		if bar, beat := g.At(frame); bar != wantBar || beat != wantBeat {
			t.Errorf("frame %d is at %d.%d, want %d.%d", frame, bar, beat, wantBar, wantBeat)
		}
		if x, ok := g.NextBeat(frame); ok != (nextBeat >= 0) || ok && x != nextBeat {
			t.Errorf("the next beat from %d is %d, want %d", frame, x, nextBeat)
		}
		if x, ok := g.NextBar(frame, every); ok != (nextBar >= 0) || ok && x != nextBar {
			t.Errorf("the next of %d bars from %d is %d, want %d", every, frame, x, nextBar)
		}
		if bar, beat := g.At(frame); bar > 0 {
			if x, ok := g.Beat(bar, beat); !ok || x > frame {
				t.Errorf("beat %d.%d is at %d, want at most %d", bar, beat, x, frame)
			}
		}
	})
}

func TestKnownGrids(t *testing.T) {
	for _, c := range []struct {
		name    string
		changes []Change
		want    []int64
	}{
		{"quarters", []Change{{Bar: 1, BPM: 120e6, Meter: Meter{4, 4}}}, []int64{0, 500, 1000, 1500, 2000}},
		{"eighths: the tempo counts quarters", []Change{{Bar: 1, BPM: 120e6, Meter: Meter{7, 8}}}, []int64{0, 250, 500, 750, 1000}},
		{"half up", []Change{{Bar: 1, BPM: 133_333_333, Meter: Meter{4, 16}}}, []int64{0, 113, 225, 338, 450}}, // 112.5000003 each
		{
			"a ramp of a bar: 60, 75, 90, 105, then 120",
			[]Change{{Bar: 1, BPM: 60e6, Meter: Meter{4, 4}}, {Bar: 2, BPM: 120e6, Ramp: true}},
			[]int64{0, 1000, 1800, 2467, 3038, 3538},
		},
	} {
		if g := New(c.changes, 1000, c.want[len(c.want)-1]); !slices.Equal(g.beats, c.want) {
			t.Errorf("%s: %v, want %v", c.name, g.beats, c.want)
		}
	}
	if n := Beats(3, 120e6, Meter{4, 4}, 1000); n != 1500 {
		t.Errorf("3 beats last %d frames, want 1500", n)
	}
}

// TestALongRampIsQuick also compares the last beats with the oracle.
func TestALongRampIsQuick(t *testing.T) {
	changes := []Change{{Bar: 1, BPM: 60_000_001, Meter: Meter{4, 4}}, {Bar: 251, BPM: 179_999_999, Ramp: true}}
	beats, _ := oracle(changes, 48000, 300)
	g := New(changes, 48000, 48000*3600)
	if !slices.Equal(g.beats[:300], beats) {
		t.Errorf("the ramp differs")
	}
	if len(g.beats) < 1000 {
		t.Errorf("%d beats", len(g.beats))
	}
}

func TestBeatOutside(t *testing.T) {
	g := New([]Change{{Bar: 1, BPM: 120e6, Meter: Meter{3, 4}}}, 1000, 3500)
	for _, c := range [][2]int{{0, 1}, {1, 0}, {1, 4}, {3, 3}, {4, 1}} {
		if x, ok := g.Beat(c[0], c[1]); ok {
			t.Errorf("beat %d.%d is at %d", c[0], c[1], x)
		}
	}
	if x, ok := g.Beat(3, 2); !ok || x != 3500 {
		t.Errorf("beat 3.2 is at %d", x)
	}
}

// TestBeatsOfManyBeats compares the length of beats with their grid, and checks the limit of a grid.
func TestBeatsOfManyBeats(t *testing.T) {
	m := Meter{64, 64}
	g := New([]Change{{Bar: 1, BPM: 133_333_333, Meter: m}}, 44100, 1<<62)
	if g.Len() != MaxBeats+1 {
		t.Errorf("%d beats, want %d", g.Len(), MaxBeats+1)
	}
	for _, n := range []int{0, 1, 2, 1000, 64000, MaxBeats} {
		if got := Beats(n, 133_333_333, m, 44100); got != g.beats[n] {
			t.Errorf("%d beats last %d frames, want %d", n, got, g.beats[n])
		}
	}
}
