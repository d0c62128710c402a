package voice_test

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"
	"voicepool/internal/longtest"
	"voicepool/internal/move"
	"voicepool/pcm"
	"voicepool/sounds"
	"voicepool/voice"
)

// steady caches the result of steadySounds.
var steady []*sounds.Sound

// steadySounds returns sounds with all mip levels for speeds up to 2. All tests share them.
func steadySounds(t *testing.T) []*sounds.Sound {
	if steady == nil {
		steady = newSteadySounds(t)
	}
	return steady
}

// newSteadySounds returns new sounds, mono and stereo, in both storage formats: without a loop, with a long loop, with
// a short loop, and without mip levels.
func newSteadySounds(t *testing.T) (out []*sounds.Sound) {
	for _, channels := range []int{1, 2} {
		for _, compact := range []bool{false, true} {
			for _, s := range []sounds.Samples{
				{Data: chords(9000, channels)},
				{Data: chords(5000, channels), Loop: [2]int64{1000, 4100}},
				{Data: chords(1200, channels), Loop: [2]int64{300, 330}},
			} {
				s.Channels, s.Compact = channels, compact
				out = append(out, refined(t, s, 3))
			}
			plain, err := sounds.NewSound(sounds.Samples{Rate: 48000, Channels: channels, Data: chords(3000, channels), Compact: compact})
			if err != nil {
				t.Fatal(err)
			}
			out = append(out, plain)
		}
	}
	return out
}

// slowly is a voice that checks its state before each frame.
type slowly struct{ voice.Voice }

// mix mixes dst frame by frame, from frame on, and discards the cached state before each. It returns the number of
// frames before the voice's end.
func (v *slowly) mix(dst []pcm.Frame, frame int64) (n int) {
	for n < len(dst) {
		v.Unsettle()
		if v.Mix(dst[n:n+1], frame+int64(n)) == 0 {
			break
		}
		n++
	}
	return n
}

// TestFastPath compares a voice that caches its steady state with a voice that checks its state before each
// frame. Bits, positions and end must be equal after any operations.
func TestFastPath(t *testing.T) {
	all := steadySounds(t)
	steadily, runs := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		runs++
		s := rapid.SampledFrom(all).Draw(t, "sound")
		o := voice.Options{
			Loop: rapid.Bool().Draw(t, "loop"), Rounds: int32(rapid.IntRange(0, 4).Draw(t, "rounds")), Pan: -0.3, Gain: -3,
			Speed: rapid.SampledFrom([]float64{1, 1, 0.5, 1.1, 1.9}).Draw(t, "speed"), From: rapid.Int64Range(0, s.Frames()).Draw(t, "from"),
			FadeIn: rapid.SampledFrom([]int64{0, 100}).Draw(t, "fade"), Quality: rapid.SampledFrom([]sounds.Quality{sounds.Best, sounds.Linear, sounds.Cubic}).Draw(t, "quality"),
		}
		var v, next voice.Voice
		var slow slowly
		var places [2]move.Spatial // one per voice
		placed := rapid.Bool().Draw(t, "placed")
		for i, v := range []*voice.Voice{&v, &slow.Voice} {
			if placed {
				places[i].Set(move.SpatialValues{Gain: 0.5, Pan: 0.2}, 1)
				o.Space = &places[i]
			}
			v.Start(s, o, 0)
		}
		o.Space = nil
		next.Start(all[0], voice.Options{}, 0)
		frame := int64(0)
		both := func(do func(v *voice.Voice)) { do(&v); do(&slow.Voice) }
		for step := range rapid.IntRange(1, 30).Draw(t, "steps") {
			n := rapid.SampledFrom([]int{1, 7, 16, 64, 500, 960, int(max(v.Steady(), 1))}).Draw(t, "n")
			switch rapid.IntRange(0, 16).Draw(t, "what") {
			case 0:
				both(func(v *voice.Voice) { v.SetGain(frame, -9, 240, sounds.InDecibels) })
			case 1:
				speed := rapid.SampledFrom([]float64{1, 0.8, 1.6}).Draw(t, "to")
				frames := rapid.SampledFrom([]int64{0, 0, 1000, 5000}).Draw(t, "frames")
				both(func(v *voice.Voice) { v.SetSpeed(frame, speed, frames) })
			case 2:
				both(func(v *voice.Voice) { v.SetRounds(1) })
			case 3:
				rounds := int32(rapid.IntRange(0, 4).Draw(t, "rounds"))
				both(func(v *voice.Voice) { v.SetRounds(rounds) })
			case 4:
				to := rapid.Int64Range(0, s.Frames()).Draw(t, "seek")
				both(func(v *voice.Voice) { v.SeekTo(frame, to, 240, nil) })
			case 5:
				if step > 10 {
					both(func(v *voice.Voice) { v.FadeOut(frame, 3000, sounds.Natural) })
				}
			case 6:
				frames, shape := rapid.SampledFrom([]int64{500, 3000, 9000}).Draw(t, "long"), sounds.Shape(rapid.IntRange(0, 3).Draw(t, "shape"))
				both(func(v *voice.Voice) { v.SetGain(frame, pcm.Decibels(-step), frames, shape) })
			case 7:
				both(func(v *voice.Voice) { v.SetPan(frame, 0.1*float64(step%9), 2000) })
			case 8, 9:
				if to := (move.SpatialValues{Gain: 0.1 * float64(step%9), Pan: 0.1 * float64(-step%9), Pitch: pcm.Semitones(step / 9)}); placed {
					places[0].Ramp(frame, to, 960)
					places[1].Ramp(frame, to, 960)
					both(func(v *voice.Voice) { v.Replan(frame) })
				}
			}
			index, _ := energies(&v)
			slowIndex, _ := energies(&slow.Voice)
			if v.Position() != slow.Position() || index != slowIndex {
				t.Fatalf("step %d, frame %d: at %d, want %d", step, frame, v.Position(), slow.Position())
			}
			if rapid.IntRange(0, 5).Draw(t, "skip") == 0 {
				steady := v.Steady() >= int64(n)
				if steady {
					steadily++
				}
				got, want := v.Skip(int64(n), frame), slow.mix(make([]pcm.Frame, n), frame)
				if got != int64(want) {
					t.Fatalf("step %d, frame %d: skips %d, want %d", step, frame, got, want)
				}
			} else {
				got, want := make([]pcm.Frame, n), make([]pcm.Frame, n)
				given := n
				if v.Steady() >= int64(n) {
					steadily++
					if !v.MixFast(&next, got, frame) || v.Ended(frame+int64(n)) {
						t.Fatalf("step %d, frame %d: it does not go on steadily where it said so", step, frame)
					}
				} else {
					given = v.Mix(got, frame)
				}
				if m := slow.mix(want, frame); m != given {
					t.Fatalf("step %d, frame %d: gives %d, want %d", step, frame, given, m)
				}
				for i := range got {
					if got[i] != want[i] {
						t.Fatalf("step %d, frame %d: %v, want %v", step, frame+int64(i), got[i], want[i])
					}
				}
			}
			next.Mix(make([]pcm.Frame, 64), frame)
			frame += int64(n)
			if a, b := v.Ended(frame), slow.Ended(frame); a != b {
				t.Fatalf("step %d, frame %d: over %v, want %v", step, frame, a, b)
			}
		}
	})
	if longtest.Enabled() && steadily < runs/5 { // a few sessions may have no steady frames by chance
		t.Errorf("only %d steady stretches in %d sessions: nothing was tried", steadily, runs)
	}
}

// TestFastPathMoved checks that any change of a voice ends its cached steady state, and that an empty run
// leaves it empty.
func TestFastPathMoved(t *testing.T) {
	s := refined(t, sounds.Samples{Channels: 1, Data: chords(9000, 1), Loop: [2]int64{100, 8000}}, 2)
	for name, move := range map[string]func(v *voice.Voice){
		"gain":   func(v *voice.Voice) { v.SetGain(64, 0, 0, sounds.InDecibels) },
		"pan":    func(v *voice.Voice) { v.SetPan(64, 1, 0) },
		"speed":  func(v *voice.Voice) { v.SetSpeed(64, 2, 0) },
		"rounds": func(v *voice.Voice) { v.SetRounds(1) },
		"seek":   func(v *voice.Voice) { v.SeekTo(64, 0, 0, nil) },
		"fade":   func(v *voice.Voice) { v.FadeOut(64, 10, sounds.Natural) },
		"return": func(v *voice.Voice) { v.FadeBackIn(64, 10) },
		"delay":  func(v *voice.Voice) { v.DelayStart(64) },
	} {
		var v voice.Voice
		v.Start(s, voice.Options{Loop: true}, 0)
		if v.MixFast(nil, nil, 0) || v.SkipFast(0) {
			t.Fatal("an empty run is steady")
		}
		v.Mix(make([]pcm.Frame, 64), 0)
		if v.Steady() == 0 || v.MixFast(nil, nil, 0) {
			t.Fatal(fmt.Sprint("steady for ", v.Steady()))
		}
		if move(&v); v.Steady() != 0 {
			t.Errorf("%s: it still goes on for %d frames", name, v.Steady())
		}
	}
}
