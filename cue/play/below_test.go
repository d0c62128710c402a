package play_test

import (
	"math"
	"testing"

	"voicepool/cue/play"
	"voicepool/internal/loudness"
	"voicepool/mixer"
	"voicepool/pcm"
)

// TestBelowMix checks BelowMix in the report for reads of different lengths.
func TestBelowMix(t *testing.T) {
	f := newFolder(t)
	const sheet = `voices: 1
cues:
  - {at: 0, play: half.wav, gain: -20}
  - {at: 30ms, play: half.wav, gain: -6}
  - {at: 30ms, play: half.wav, gain: -3}
  - {at: 75ms, play: half.wav}
  - {at: 160ms, play: half.wav, gain: -50}`
	for _, block := range []int{1, 7, 64, 4096} {
		p := f.player(sheet, play.Options{Events: true})
		out := readAll(f, p, block)
		sums := make([]float64, len(out)+61)
		filters := [2]loudness.Filter{loudness.NewFilter(rate), loudness.NewFilter(rate)}
		for i := range 60 + len(out) {
			sums[i+1] = sums[i]
			if i < len(out) {
				for c, x := range out[i] {
					y := filters[c].Next(float64(x))
					sums[i+1] += y * y
				}
			}
		}
		victims := 0
		for _, e := range p.Report().Events {
			if e.HasBelowMix != (e.Kind == mixer.EventStolen) {
				t.Errorf("%+v", e)
			}
			if !e.HasBelowMix {
				continue
			}
			victims++
			want := float64(pcm.FromPower((sums[e.Frame+60]-sums[e.Frame])/60)) - float64(e.Lost)
			if math.Abs(float64(e.BelowMix)-want) > 1e-6 || e.Frame == 30 && e.Cue == 0 && !(want > 10) {
				t.Errorf("blocks of %d: %d %s/%d is %v dB below the mix, want %v", block, e.Frame, e.Sound, e.Cue, e.BelowMix, want)
			}
		}
		if victims != 4 {
			t.Errorf("%d victims", victims)
		}
	}
	live := f.player(sheet, play.Options{Events: true})
	if err := live.Prime(); err != nil {
		t.Fatal(err)
	}
	live.Render(make([]pcm.Frame, 100))
	for _, e := range live.Report().Events {
		if e.HasBelowMix {
			t.Errorf("nobody has heard the mix of a device: %+v", e)
		}
	}
}
