package voice_test

import (
	"math/rand/v2"
	"testing"

	"voicepool/internal/longtest"
	"voicepool/sounds"
	"voicepool/voice"
)

// energies returns the loudness index and the upcoming loudness of v at its position.
func energies(v *voice.Voice) (index, near float64) {
	e, at, looped := v.Envelope()
	return e.BothAt(at, looped)
}

// TestStableFrames checks the frame counts of StableFrames at any speed, in counted and endless loops. During the
// first count the index and LoopsAgain are constant, during the second the upcoming loudness. Mostly the counts are
// the largest possible.
func TestStableFrames(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	e := sounds.Envelope{Hop: 37, Step: 9}
	for i := range 200 { // distinct values
		e.Once, e.Loop = append(e.Once, float32(i)), append(e.Loop, float32(2000+i))
	}
	for i := range 700 {
		e.Near, e.NearLoop = append(e.Near, float32(10000+i)), append(e.NearLoop, float32(20000+i))
	}
	all, most := 0, 0
	for i, loop := range [][2]int64{{}, {300, 3000}, {300, 330}, {1000, 1100}, {}, {300, 3000}, {300, 330}, {1000, 1100}} {
		if e.Hop = 37; i >= 4 {
			e.Hop = 36 // of four steps
		}
		s, err := sounds.NewSound(sounds.Samples{Rate: 48000, Channels: 1, Data: make([]float32, 5000), Loop: loop, Envelope: e})
		if err != nil {
			t.Fatal(err)
		}
		for range longtest.Amount(50, 300) {
			var v voice.Voice
			v.Start(s, voice.Options{
				Loop: r.IntN(2) == 0, Rounds: int32(r.IntN(4)), Speed: []float64{1, 1, 0.1, 0.7, 3, 60}[r.IntN(6)], From: r.Int64N(5000),
			}, 0)
			frame := int64(0)
			for range 20 {
				n := 1 + r.Int64N(300)
				if frame += n; v.Skip(n, frame-n) < n {
					break
				}
				index, soon := energies(&v)
				if looped := v.Looping(); index != e.At(v.Position(), looped) || soon != e.NearAt(v.Position(), looped) {
					t.Fatalf("loop %v, at %d: its indices are %v and %v", loop, v.Position(), index, soon)
				}
				returns := v.LoopsAgain()
				same, sameSoon := int64(0), int64(-1)
				for goesOn := v; same < 5000; same++ { // by single frames, while they are equal
					now, next := energies(&goesOn)
					if next != soon && sameSoon < 0 {
						sameSoon = same
					}
					if now != index || goesOn.LoopsAgain() != returns || goesOn.Skip(1, frame+same) < 1 {
						break
					}
				}
				if sameSoon < 0 {
					sameSoon = same
				}
				if stays, still := v.StableFrames(false), v.StableFrames(true); stays > same || still > sameSoon {
					t.Fatalf("loop %v, at %d: it stays for %d and %d frames, and says %d and %d", loop, v.Position(), same, sameSoon, stays, still)
				} else if all++; stays == same && still == sameSoon {
					most++
				}
			}
		}
	}
	if most < all/2 {
		t.Errorf("of %d times it says all the frames %d times", all, most)
	}
}
