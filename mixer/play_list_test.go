package mixer_test

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"voicepool/internal/longtest"
	"voicepool/mixer"
	"voicepool/pcm"
	"voicepool/sounds"
)

// TestPlayOrder sends commands to plays of three to six layers by one handle. It checks that the output
// does not depend on the time of the calls. All calls for the next frames are made at the beginning of
// each block, so different block lengths assign records to layers in different orders.
func TestPlayOrder(t *testing.T) {
	type action struct {
		frame int64
		do    func(at mixer.Moment)
	}
	const frames = 12000
	for seed := range uint64(longtest.Amount(7, 20)) {
		r := rand.New(rand.NewPCG(seed, 6))
		var all []*sounds.Sound
		for i := range 6 {
			data := make([]float32, 300+200*i)
			for j := range data {
				data[j] = float32(r.Float64() - 0.5)
			}
			all = append(all, sound(t, sounds.Samples{Name: fmt.Sprint(i), Rate: 8000, Channels: 1, Data: data, Loop: pcm.Loop{0, int64(len(data))}}))
		}
		var want []pcm.Frame
		for _, longest := range []int{1, 4000, 700, 90} {
			r := rand.New(rand.NewPCG(seed, 5))
			m := newMixer(t, mixer.Config{Rate: 8000, Voices: 64, NoLimiter: true})
			var actions []action
			var tags [60]mixer.Handle
			for number := range tags {
				begin := r.Int64N(frames - 1000)
				for layer := range 3 + r.IntN(4) {
					o := mixer.Options{Loop: r.IntN(3) > 0, Gain: pcm.Decibels(-20 * r.Float64()), EngineOptions: mixer.EngineOptions{Play: uint64(number + 1)}, Pan: r.Float64()}
					s := all[r.IntN(len(all))]
					actions = append(actions, action{begin, func(at mixer.Moment) {
						if h := play(t, at, s, o); layer == 0 {
							tags[number] = h
						}
					}})
				}
				for range r.IntN(3) {
					kind := r.IntN(4)
					actions = append(actions, action{begin + 1 + r.Int64N(400), func(at mixer.Moment) {
						target := mixer.TargetVoice(tags[number])
						switch kind {
						case 0:
							must(t, at.Pause(target))
						case 1:
							must(t, at.Resume(target))
						case 2:
							must(t, at.Set(target, mixer.Change{Fields: mixer.FieldSpeed, Speed: 0.7}, 20*time.Millisecond))
						case 3:
							must(t, at.Stop(target, 0))
						}
					}})
				}
				actions = append(actions, action{begin + 500 + r.Int64N(400), func(at mixer.Moment) { must(t, at.Stop(mixer.TargetVoice(tags[number]), 0)) }})
			}
			slices.SortStableFunc(actions, func(x, y action) int { return cmp.Compare(x.frame, y.frame) })
			lengths := rand.New(rand.NewPCG(seed, 6))
			got := make([]pcm.Frame, frames)
			for at := 0; at < frames; {
				n := min(1+lengths.IntN(longest), frames-at)
				for len(actions) > 0 && actions[0].frame < int64(at+n) {
					actions[0].do(m.Engine().At(actions[0].frame))
					actions = actions[1:]
				}
				m.Prepare()
				m.Render(got[at : at+n])
				at += n
			}
			if want == nil {
				want = got
			}
			if !slices.Equal(got, want) {
				t.Errorf("seed %d: blocks of up to %d give other frames than blocks of 1", seed, longest)
			}
		}
	}
}
