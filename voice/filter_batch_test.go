package voice_test

import (
	"math"
	"runtime"
	"testing"
	"time"

	"pgregory.net/rapid"
	"voicepool/internal/move"
	"voicepool/internal/property"
	"voicepool/pcm"
	"voicepool/sounds"
	"voicepool/voice"
)

// mixTogether mixes voices with a batch as a mixer does, each into its own buffer. It returns the number of
// voices that the batch had filtered before their turn.
func mixTogether(b *voice.FilterBatch, all []*voice.Voice, dst [][]pcm.Frame, frame int64) (ready int) {
	for i, v := range all {
		n := int64(len(dst[i]))
		if b.Accepts(v, n, frame) {
			for _, next := range all[i:] {
				if !b.Add(next, n, frame) {
					break
				}
			}
			b.Run(n, frame)
		}
		if v.Ready() {
			ready++
		}
		var next *voice.Voice
		if i+1 < len(all) {
			next = all[i+1]
		}
		v.MixBefore(next, dst[i], frame)
	}
	return ready
}

// sameBits reports whether x and y have equal bits in both channels.
func sameBits(x, y pcm.Frame) bool {
	return math.Float32bits(x[0]) == math.Float32bits(y[0]) && math.Float32bits(x[1]) == math.Float32bits(y[1])
}

// TestFilterBatch checks that voices filtered side by side in a batch have the bits of each filtered alone.
// Blocks have any length and the voices are changed at random.
func TestFilterBatch(t *testing.T) {
	all := steadySounds(t)
	ready := map[int]int{}
	rapid.Check(t, func(t *rapid.T) {
		count := rapid.IntRange(1, 33).Draw(t, "voices")
		cutoff := rapid.SampledFrom(filterCutoffs)
		alone, together := make([]voice.Voice, count), make([]voice.Voice, count)
		var voices []*voice.Voice
		placed := make([]bool, count)
		places := [2][]move.Spatial{make([]move.Spatial, count), make([]move.Spatial, count)}
		frame := rapid.Int64Range(0, 300).Draw(t, "begin")
		for i := range alone {
			s := all[rapid.IntRange(0, len(all)-1).Draw(t, "sound")]
			o := voice.Options{
				Loop: rapid.Bool().Draw(t, "loop"), Pan: float64(i%5)/4 - 0.5, Speed: rapid.SampledFrom([]float64{1, 1, 1, 0.7, 1.9}).Draw(t, "speed"),
				FadeIn: rapid.SampledFrom([]int64{0, 0, 900}).Draw(t, "fade"), From: rapid.Int64Range(0, 1000).Draw(t, "from"), Quality: rapid.SampledFrom([]sounds.Quality{sounds.Best, sounds.Linear}).Draw(t, "quality"),
			}
			cutoffs, spread := [2]float64{cutoff.Draw(t, "low"), cutoff.Draw(t, "high")}, rapid.SampledFrom([]float64{-1, -1, 0.5, 1}).Draw(t, "spread")
			for j, v := range []*voice.Voice{&alone[i], &together[i]} {
				if o.Space = nil; spread >= 0 {
					o.Space, placed[i] = &places[j][i], true
					o.Space.Set(move.SpatialValues{Gain: 0.5, Pan: 0.2}, spread)
				}
				*v = filtered(s, o, cutoffs, frame)
			}
			voices = append(voices, &together[i])
		}
		const most = 1000
		b := voice.NewFilterBatch(most)
		want, got := make([]pcm.Frame, most), make([][]pcm.Frame, count)
		for range rapid.IntRange(1, 12).Draw(t, "steps") {
			n := rapid.SampledFrom([]int{1, 2, 7, 15, 16, 17, 64, 255, 256, 257, 480, 511, most}).Draw(t, "n")
			for range rapid.IntRange(0, 3).Draw(t, "moves") {
				i, frames := rapid.IntRange(0, count-1).Draw(t, "which"), rapid.SampledFrom([]int64{0, 1, 240, 777, 5000}).Draw(t, "frames")
				hz, what, placed := cutoff.Draw(t, "to"), rapid.IntRange(0, 8).Draw(t, "what"), placed[i]
				for j, v := range []*voice.Voice{&alone[i], &together[i]} {
					switch what {
					case 0, 1:
						v.SetFilter(property.LowPass, frame, hz, frames)
					case 2:
						v.SetFilter(property.HighPass, frame, hz, frames)
					case 3:
						v.SetGain(frame, pcm.Decibels(-hz/999), frames, sounds.InDecibels)
					case 4:
						v.SetPan(frame, hz/20000, frames)
					case 5:
						v.FadeOut(frame, frames, sounds.Natural)
					case 6, 7, 8:
						if placed {
							places[j][i].Ramp(frame, move.SpatialValues{Gain: hz / 20000, Pan: hz/15000 - 1}, 960)
							v.Replan(frame)
						}
					}
				}
			}
			if rapid.IntRange(0, 9).Draw(t, "skip") == 0 {
				for i := range alone {
					alone[i].Skip(int64(n), frame)
					together[i].Skip(int64(n), frame)
				}
				frame += int64(n)
			}
			for i := range got {
				got[i] = make([]pcm.Frame, n)
			}
			ready[mixTogether(b, voices, got, frame)]++
			for i := range alone {
				clear(want[:n])
				for from := 0; from < n; { // in blocks of other lengths
					k := min(n-from, 1+(int(frame)+from+i)%300)
					alone[i].Mix(want[from:from+k], frame+int64(from))
					from += k
				}
				for j, x := range want[:n] {
					if !sameBits(got[i][j], x) {
						t.Fatalf("frame %d of voice %d: %v, by itself %v", frame+int64(j), i, got[i][j], x)
					}
				}
				if p, q := alone[i].Position(), together[i].Position(); p != q {
					t.Fatalf("frame %d: voice %d is at %d, by itself at %d", frame+int64(n), i, q, p)
				}
			}
			frame += int64(n)
		}
	})
	t.Log(ready)
	if most := 0; !t.Failed() {
		for n := range ready {
			most = max(most, n)
		}
		if most < 17 {
			t.Errorf("at most %d voices were filtered side by side: it proves too little", most)
		}
	}
}

// TestFilterBatchEnds checks that a batch does not read beyond the end of a sound, and that its filter states
// decay to silence.
func TestFilterBatchEnds(t *testing.T) {
	data := make([]float32, 60000)
	for i := range 900 {
		data[i] = float32(math.Sin(float64(i)))
	}
	s := newSound(t, sounds.Samples{Rate: 8000, Channels: 1, Data: data})
	const count, n = 5, 500
	var alone, together [count]voice.Voice
	var voices []*voice.Voice
	got := make([][]pcm.Frame, count)
	for i := range alone {
		o := voice.Options{From: int64(60 * i)}
		alone[i], together[i] = filtered(s, o, [2]float64{400, 20 * float64(i%2)}, 0), filtered(s, o, [2]float64{400, 20 * float64(i%2)}, 0)
		voices = append(voices, &together[i])
		got[i] = make([]pcm.Frame, n)
	}
	b := voice.NewFilterBatch(n)
	for frame := int64(0); frame < 60500; frame += n {
		ready := mixTogether(b, voices, got, frame)
		if ready != count && frame > 0 && frame < 58000 {
			t.Fatalf("frame %d: %d voices of %d are filtered side by side", frame, ready, count)
		}
		for i := range alone {
			want := make([]pcm.Frame, n)
			alone[i].Mix(want, frame)
			for j := range want {
				if !sameBits(got[i][j], want[j]) || frame > 40000 && want[j] != (pcm.Frame{}) {
					t.Fatalf("frame %d of voice %d: %v, by itself %v", frame+int64(j), i, got[i][j], want[j])
				}
			}
			clear(got[i])
		}
	}
}

// TestFilterBatchAllocates checks that a batch does not allocate.
func TestFilterBatchAllocates(t *testing.T) {
	var voices []*voice.Voice
	for i, s := range steadySounds(t) {
		v := filtered(s, voice.Options{Loop: true, Speed: 1 + 0.3*float64(i%2)}, [2]float64{900, 0}, 0)
		voices = append(voices, &v)
	}
	b, got, frame := voice.NewFilterBatch(480), make([][]pcm.Frame, len(voices)), int64(0)
	for i := range got {
		got[i] = make([]pcm.Frame, 480)
	}
	if n := testing.AllocsPerRun(50, func() {
		voices[frame%5].SetFilter(property.LowPass, frame, 500+float64(frame%900), 2000)
		mixTogether(b, voices, got, frame)
		frame += 480
	}); n > 0 {
		t.Errorf("%v allocations", n)
	}
}

// TestFilterBatchClear checks that frames that were filtered but not mixed are dropped by Clear.
func TestFilterBatchClear(t *testing.T) {
	s := newSound(t, sounds.Samples{Rate: 48000, Channels: 1, Data: chords(9000, 1)})
	var alone, together [3]voice.Voice
	for i := range alone {
		o := voice.Options{Loop: true, From: int64(100 * i)}
		alone[i], together[i] = filtered(s, o, [2]float64{900, 0}, 0), filtered(s, o, [2]float64{900, 0}, 0)
	}
	b, want, got := voice.NewFilterBatch(64), make([]pcm.Frame, 64), make([]pcm.Frame, 64)
	for frame := int64(0); frame < 640; frame += 64 {
		b.Clear()
		for i := range together {
			if b.Accepts(&together[i], 64, frame) {
				for j := range together {
					b.Add(&together[j], 64, frame)
				}
				b.Run(64, frame)
			}
			clear(got)
			clear(want)
			alone[i].Mix(want, frame)
			if i == 1 && frame == 320 && together[i].Ready() {
				continue // the seek fails
			}
			together[i].Mix(got, frame)
			for j := range want {
				if !sameBits(got[j], want[j]) {
					t.Fatalf("frame %d of voice %d: %v, by itself %v", frame+int64(j), i, got[j], want[j])
				}
			}
		}
	}
}

// TestFilterBatchForgets checks that a cleared batch holds no reference to a sound.
func TestFilterBatchForgets(t *testing.T) {
	b := voice.NewFilterBatch(64)
	gone := make(chan bool, 1)
	func() {
		s := newSound(t, sounds.Samples{Rate: 48000, Channels: 1, Data: chords(9000, 1)})
		runtime.AddCleanup(s, func(int) { gone <- true }, 0)
		var voices []*voice.Voice
		got := make([][]pcm.Frame, 3)
		for i := range got {
			v := filtered(s, voice.Options{Loop: true}, [2]float64{900, 0}, 0)
			voices, got[i] = append(voices, &v), make([]pcm.Frame, 64)
		}
		mixTogether(b, voices, got, 0)
		if ready := mixTogether(b, voices, got, 64); ready != 3 {
			t.Fatalf("%d voices were filtered side by side, want 3", ready)
		}
	}()
	b.Clear()
	// Cleanups run on a goroutine, which may wait for a processor.
	for limit := time.Now().Add(2 * time.Minute); ; runtime.GC() {
		select {
		case <-gone:
			runtime.KeepAlive(b)
			return
		case <-time.After(10 * time.Millisecond):
		}
		if time.Now().After(limit) {
			t.Fatal("the sound is still held")
		}
	}
}
