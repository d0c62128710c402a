package mixer_test

import (
	"fmt"
	"math"
	"testing"

	"voicepool/effect"
	"voicepool/mixer"
	"voicepool/pcm"
)

// keyed returns a compressor with a key bus.
func keyed(t *testing.T, bus string) effect.Effect {
	e := newEffect(t, "compressor", nil)
	e.Key = bus
	return e
}

// TestOutputEffects checks that effects and cutoffs of an output are on its master bus, or on the master
// for the first output, and fade like those on other buses.
func TestOutputEffects(t *testing.T) {
	echo := func(time float64) []effect.Effect {
		return []effect.Effect{newEffect(t, "delay", effect.Values{"time": time, "feedback": 0})}
	}
	for _, block := range blockLengths {
		m := newMixer(t, mixer.Config{
			Rate: 1000, NoLimiter: true, Journal: 10,
			Outputs: []mixer.Output{{Name: "main", Effects: echo(0.1)}, {Name: "far", Effects: echo(0.2), Gain: -6}},
			Buses:   []mixer.BusConfig{{Name: "a"}, {Name: "b", Output: "far"}},
		})
		for _, name := range []string{"a", "b"} {
			play(t, m.Engine().At(10), level(t, 1000, 1, 1), mixer.Options{Pan: -1, Bus: busOf(t, m, name)})
		}
		far := busOf(t, m, "far")
		must(t, m.Engine().At(300).SetEffect(far, "delay", effect.Values{"bypass": 1}, 0))
		play(t, m.Engine().At(400), level(t, 1000, 1, 1), mixer.Options{Pan: -1, Bus: far})
		out := inBlocks(m, 1000, 2*block)
		for i := range 500 {
			want := map[int][2]float64{110: {1, 0}, 210: {0, math.Pow(10, -6./20)}, 400: {0, math.Pow(10, -6./20)}}[i]
			if got := [2]float64{float64(out[2*i][0]), float64(out[2*i+1][0])}; math.Abs(got[0]-want[0]) > 1e-6 || math.Abs(got[1]-want[1]) > 1e-6 {
				t.Errorf("in blocks of %d: frame %d is %v, want %v", block, i, got, want)
			}
		}
		if e := far.Effects(); len(e) != 1 || e[0].Name() != "delay" {
			t.Errorf("the effects are %+v", e)
		}
		m.Close()
	}
	m := newMixer(t, mixer.Config{Rate: 1000, NoLimiter: true, Outputs: []mixer.Output{{Name: "main", HighPass: 400}, {Name: "far", LowPass: 20}}})
	for _, name := range []string{"main", "far"} {
		play(t, m.Engine().At(0), level(t, 1000, 500, 1), mixer.Options{Bus: busOf(t, m, name), Pan: -1})
	}
	out := make([]pcm.Frame, 600)
	m.Render(out)
	if got := fmt.Sprintf("%.3f %.3f %.3f", out[0][0], out[1][0], out[2*290+1][0]); math.Abs(float64(out[2*290][0])) > 1e-6 || out[1][0] > 0.1 || math.Abs(float64(out[2*290+1][0])-1) > 1e-3 {
		t.Errorf("the filters give %s", got)
	}
}
