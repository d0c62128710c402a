package voice

import (
	"math"
	"math/rand/v2"
	"testing"

	"voicepool/internal/move"
	"voicepool/pcm"
	"voicepool/sounds"
)

// TestGainPoints checks that gains computed in batches have the bits of gains computed one by one, for any
// moves, up to the end of the first move.
func TestGainPoints(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	var played [2]*sounds.Sound
	for i := range played {
		var err error
		if played[i], err = sounds.NewSound(sounds.Samples{Rate: 48000, Channels: i + 1, Data: make([]float32, 96000)}); err != nil {
			t.Fatal(err)
		}
	}
	change := func(v *Voice, now int64) {
		frames := r.Int64N(20000)
		switch r.IntN(9) {
		case 0:
			v.SetGain(now, pcm.Decibels(r.IntN(120)-96), frames, sounds.Shape(r.IntN(5)))
		case 1:
			v.SetPan(now, float64(r.IntN(5)-2)/2, frames)
		case 2:
			v.SetPan(now, r.Float64()*2-1, frames)
		case 3:
			v.SetCrowd(now, pcm.Decibels(r.IntN(7)), frames)
		case 4:
			v.FadeBackIn(now, frames)
		case 5:
			v.FadeOut(now, 4000+frames, sounds.Shape(r.IntN(5)))
		case 6:
			if v.space != nil {
				v.space.Ramp(now, move.SpatialValues{Gain: r.Float64(), Pan: r.Float64()*2 - 1}, frames)
				v.Replan(now)
			}
		}
	}
	checked := 0
	for range 3000 {
		var v Voice
		var space *move.Spatial
		if r.IntN(2) == 0 {
			space = &move.Spatial{}
			space.Set(move.SpatialValues{Gain: r.Float64(), Pan: r.Float64() - 0.5}, 1)
		}
		v.Start(played[r.IntN(2)], Options{
			Space: space, Loop: true, Gain: pcm.Decibels(r.IntN(20) - 15), BaseGain: pcm.Decibels(r.IntN(3)), Pan: float64(r.IntN(3)-1) / 2,
			FadeIn: r.Int64N(3) * 3000, FadeShape: sounds.Shape(r.IntN(5)),
		}, 0)
		now := int64(0)
		for range 6 {
			now += r.Int64N(300)
			change(&v, now)
			v.plan(now)
			grid := v.rampSpan.grid
			first := (now/grid + 1) * grid
			most := (min(v.rampSpan.until, now+1<<20) - first) / grid
			if v.rampSpan.until == never || most < 0 {
				continue
			}
			if r.IntN(2) == 0 {
				first += max(most-2, 0) * grid // the end of the move is included
				most = min(most, 2)
			}
			p := gainPoints{first: first, grid: grid, count: int(min(most, maxRamps-1)) + 1}
			v.gainsAt(&p)
			for i := range p.count {
				frame := first + int64(i)*grid
				if left, right := v.Gains(frame); math.Float64bits(left) != math.Float64bits(p.left[i]) || math.Float64bits(right) != math.Float64bits(p.right[i]) {
					t.Fatalf("point %d of %d, frame %d of %d: gains %v, %v, one by one %v, %v: %+v", i, p.count, frame, v.rampSpan.until, p.left[i], p.right[i], left, right, v)
				}
				checked++
			}
		}
	}
	if checked < 30000 {
		t.Errorf("%d points were compared, want many", checked)
	}
}
