package voice_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"voicepool/internal/move"
	"voicepool/pcm"
	"voicepool/sounds"
	"voicepool/voice"
)

// stereo returns a sound of two channels and its samples.
func stereo(t testing.TB, seed uint64, frames int, compact bool) (*sounds.Sound, []float32) {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 2))
	data := make([]float32, 2*frames)
	for i := range data {
		data[i] = float32(r.IntN(1<<16)-1<<15) * 0x1p-15
	}
	s, err := sounds.NewSound(sounds.Samples{Rate: 48000, Channels: 2, Data: data, Compact: compact})
	if err != nil {
		t.Fatal(err)
	}
	return s, data
}

// TestNarrowed compares a placed stereo sound with its definition at every spread and pan: at rest, during a
// move and after it.
func TestNarrowed(t *testing.T) {
	const frames = 3000
	for _, compact := range []bool{false, true} {
		s, data := stereo(t, 1, frames, compact)
		for _, spread := range []float64{0, 0.25, 0.5, 0.9, 1} {
			for _, pan := range []float64{0, -1, -0.3, 0.5, 1} {
				var space move.Spatial
				var v voice.Voice
				space.Set(move.SpatialValues{Gain: 0.7, Pan: pan}, spread)
				v.Start(s, voice.Options{Space: &space}, 0)
				out := make([]pcm.Frame, frames)
				v.Mix(out[:1000], 0)
				space.Ramp(1000, move.SpatialValues{Gain: 0.2, Pan: -pan}, 960)
				v.Replan(1000)
				gains := v
				v.Mix(out[1000:], 1000)
				for i := 1000; i < 1960; i++ { // during a move the gains are those reported by the voice
					left, right := gains.Gains(int64(i))
					l, r := float64(data[2*i]), float64(data[2*i+1])
					middle := (l + r) / 2
					wantLeft, wantRight := left*(middle+(l-middle)*spread), right*(middle+(r-middle)*spread)
					if math.Abs(float64(out[i][0])-wantLeft) > 0x1p-13 || math.Abs(float64(out[i][1])-wantRight) > 0x1p-13 {
						t.Fatalf("spread %v, pan %v: frame %d on its way is %v, want %v %v", spread, pan, i, out[i], wantLeft, wantRight)
					}
				}
				check := func(from, to int, gain, pan float64) {
					// By definition the channels converge and are panned together.
					foldLeft, foldRight := math.Sqrt2*math.Cos((pan+1)*math.Pi/4), math.Sqrt2*math.Sin((pan+1)*math.Pi/4)
					left, right := math.Cos(max(pan, 0)*math.Pi/2), math.Cos(max(-pan, 0)*math.Pi/2)
					left, right = gain*(spread*left+(1-spread)*foldLeft), gain*(spread*right+(1-spread)*foldRight)
					for i := from; i < to; i++ {
						l, r := float64(data[2*i]), float64(data[2*i+1])
						middle := (l + r) / 2
						wantLeft, wantRight := left*(middle+(l-middle)*spread), right*(middle+(r-middle)*spread)
						if math.Abs(float64(out[i][0])-wantLeft) > 1e-6 || math.Abs(float64(out[i][1])-wantRight) > 1e-6 {
							t.Fatalf("compact %v, spread %v, pan %v: frame %d is %v, want %v %v", compact, spread, pan, i, out[i], wantLeft, wantRight)
						}
					}
				}
				check(0, 1000, 0.7, pan)
				check(1960, frames, 0.2, -pan)
			}
		}
	}
}

// TestNarrowedBlocks checks equal bits for all block lengths, pitches and rounds, also after skipped blocks.
// The duration equals that without a downmix.
func TestNarrowedBlocks(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for n := range 60 {
		s, _ := stereo(t, uint64(n), 200+r.IntN(3000), n%2 == 0)
		o := voice.Options{
			Pitch: pcm.Semitones([]float64{0, 0, 7, -5, 30}[r.IntN(5)]), Loop: n%3 == 0, FadeIn: int64(r.IntN(300)),
			Quality: sounds.Quality(r.IntN(4)), Rounds: int32(r.IntN(4)),
		}
		place := func() move.SpatialValues {
			return move.SpatialValues{Gain: r.Float64(), Pan: 2*r.Float64() - 1, Pitch: pcm.Semitones(r.IntN(3))}
		}
		first, second, spread := place(), place(), r.Float64()
		mix := func(spread float64, block func() int, skip bool) (out [4000]pcm.Frame, got int) {
			var space move.Spatial
			var v voice.Voice
			o := o
			o.Space = &space
			space.Set(first, spread)
			v.Start(s, o, 0)
			for at := 0; at < len(out); {
				if at == 1200 {
					space.Ramp(1200, second, 960)
					v.Replan(1200)
				}
				k := min(block(), len(out)-at)
				if at < 1200 {
					k = min(k, 1200-at)
				}
				if skip && at < 600 {
					k = min(k, 600-at)
					got += int(v.Skip(int64(k), int64(at)))
				} else {
					got += v.Mix(out[at:at+k], int64(at))
				}
				at += k
			}
			return out, got
		}
		want, length := mix(spread, func() int { return 4000 }, false)
		got, same := mix(spread, func() int { return 1 + r.IntN(150) }, false)
		if got != want || same != length {
			t.Fatalf("run %d: other blocks, other bits, or %d frames instead of %d", n, same, length)
		}
		late, _ := mix(spread, func() int { return 1 + r.IntN(150) }, true)
		for i := range late {
			if i >= 600 && late[i] != want[i] {
				t.Fatalf("run %d: after a skip frame %d is %v, want %v", n, i, late[i], want[i])
			}
		}
		if _, wide := mix(1, func() int { return 512 }, false); wide != length {
			t.Fatalf("run %d: folded it has %d frames, wide %d", n, length, wide)
		}
	}
}

// TestNarrowedStream checks that a downmixed stream equals the loaded sound, and that a mono stream has no
// width.
func TestNarrowedStream(t *testing.T) {
	const frames = 2500
	s, data := stereo(t, 5, frames, false)
	for _, mono := range []bool{false, true} {
		stream, err := sounds.NewStream(sounds.Stream{Rate: 48000, Frames: frames, Mono: mono, Open: func(sounds.PlayRange) (*sounds.StreamBuffer, error) {
			f := sounds.NewStreamBuffer(8192, sounds.PlayRange{})
			for i := range frames {
				f.Write([]pcm.Frame{{data[2*i], data[2*i+1]}})
			}
			f.End()
			return f, nil
		}})
		if err != nil {
			t.Fatal(err)
		}
		buffer, err := stream.Open(sounds.PlayRange{})
		if err != nil {
			t.Fatal(err)
		}
		run := func(s *sounds.Sound, f *sounds.StreamBuffer) (out [frames]pcm.Frame) {
			var space move.Spatial
			var v voice.Voice
			space.Set(move.SpatialValues{Gain: 1, Pan: 0.4}, 0.3)
			v.Start(s, voice.Options{Space: &space, Buffer: f, Pitch: 2}, 0)
			for at := 0; at < frames; at += 100 {
				v.Mix(out[at:at+100], int64(at))
			}
			return out
		}
		got, want := run(stream, buffer), run(s, nil)
		if !mono && got != want {
			t.Error("the stream is not what the sound is")
		}
		if mono && got == want {
			t.Error("a mono stream is folded")
		}
	}
}

// BenchmarkNarrowed compares the cost of placed stereo sounds with and without downmix.
func BenchmarkNarrowed(b *testing.B) {
	s, _ := stereo(b, 1, 48000, false)
	for name, spread := range map[string]float64{"folded": 0, "wide": 1} {
		b.Run(name, func(b *testing.B) {
			var space move.Spatial
			var v voice.Voice
			space.Set(move.SpatialValues{Gain: 1, Pan: 0.3}, spread)
			v.Start(s, voice.Options{Space: &space, Loop: true}, 0)
			block := make([]pcm.Frame, 512)
			frame := int64(0)
			for b.Loop() {
				v.Mix(block, frame)
				frame += int64(len(block))
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(frame), "ns/frame")
		})
	}
}
