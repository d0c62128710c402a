package voice_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"voicepool/internal/longtest"
	"voicepool/pcm"
	"voicepool/sounds"
	"voicepool/sounds/library"
	"voicepool/voice"
)

// refined returns a sound with all mip levels up to the given one.
func refined(t *testing.T, s sounds.Samples, levels int) *sounds.Sound {
	t.Helper()
	if s.Rate == 0 {
		s.Rate = 48000
	}
	s.Refine = library.Refine
	sound, err := sounds.NewSound(s)
	if err != nil {
		t.Fatal(err)
	}
	for level := range levels {
		sound.Refine(level, false)
		sound.Refine(level, true)
	}
	return sound
}

// chord is a sum of sines at a place in frames, and at most 1.
func chord(at float64) float64 {
	y := 0.0
	for _, hz := range []float64{233, 807, 1511} {
		y += math.Sin(2*math.Pi*hz*at/48000) / 3
	}
	return y
}

// chords returns interleaved frames of chord, from frame 0 on. The second channel has half the amplitude of the first.
func chords(frames, channels int) []float32 {
	data := make([]float32, frames*channels)
	for i := range frames {
		for c := range channels {
			data[i*channels+c] = float32(chord(float64(i)) / float64(1+c))
		}
	}
	return data
}

// TestMipMoving moves the pitch across all limits between mip levels, fast and slowly, up and down. It
// compares every frame with the exact signal at the position of the voice.
func TestMipMoving(t *testing.T) {
	slow := int64(longtest.Amount(4800, 9600))
	for _, channels := range []int{1, 2} {
		data := chords(10000+16*int(slow), channels)
		for _, compact := range []bool{false, true} {
			s := refined(t, sounds.Samples{Channels: channels, Data: data, Compact: compact}, 0)
			for level := range 5 {
				s.Refine(level, false)
			}
			for _, over := range []int64{240, 2400, slow} {
				worst, levels := 0.0, map[int]bool{-1: false}
				var v voice.Voice
				v.Start(s, voice.Options{From: 1000}, 0)
				frame, where := v.Skip(100, 0), ""
				l, _ := v.Level()
				levels[l] = true
				for _, to := range []float64{1.2, 4.9, 0.6, 1.52, 1.48, 2.3, 1} {
					v.SetSpeed(frame, to, over)
					for end := frame + over + 700; frame < end; frame++ {
						at := float64(v.Place()) / (1 << 32)
						var dst [1]pcm.Frame
						if v.Mix(dst[:], frame) != 1 {
							t.Fatalf("over %d: ended at %v", over, at)
						}
						l, _ := v.Level()
						levels[l] = true
						want := chord(at)
						if channels == 1 {
							want *= math.Sqrt(0.5)
						}
						for c, x := range dst[0] {
							if channels == 2 {
								x *= float32(1 + c)
							}
							if d := math.Abs(float64(x) - want); d > worst {
								l, crossing := v.Level()
								worst, where = d, fmt.Sprintf("frame %d on the way to %v, level %d, crossing %v", frame, to, l, crossing)
							}
						}
					}
				}
				db := 20 * math.Log10(worst)
				t.Logf("%d channels, compact %v, over %d frames: worst %.1f dB at %s; levels %v", channels, compact, over, db, where, levels)
				if db > -80 {
					t.Errorf("%d channels, compact %v, over %d frames: off by %.1f dB, want at most -80", channels, compact, over, db)
				}
				for _, l := range []int{-1, 0, 1, 2, 3} {
					if !levels[l] && (over > 240 || l < 1) {
						t.Errorf("over %d frames: level %d was never read", over, l)
					}
				}
			}
		}
	}
}

// TestMipBlocks mixes voices with a moving pitch in blocks of different sizes.
func TestMipBlocks(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 9))
	data := make([]float32, 2*9000)
	for i := range data {
		data[i] = float32(r.Float64() - 0.5)
	}
	for n := range longtest.Amount(15, 24) {
		channels := 1 + n%2
		s := refined(t, sounds.Samples{Channels: channels, Data: data, Loop: [2]int64{1000, 1000 + []int64{17, 63, 64, 900, 4000}[n%5]}}, 6)
		o := voice.Options{Loop: n%3 > 0, Rounds: int32(n % 4 * 2), Speed: []float64{1, 1.3, 2.2}[n%3], From: int64(n % 7)}
		seed := r.Uint64()
		run := func(block int) []pcm.Frame {
			r := rand.New(rand.NewPCG(seed, 1))
			var v voice.Voice
			v.Start(s, o, 0)
			var out []pcm.Frame
			for range 12 {
				frame := int64(len(out))
				switch r.IntN(5) {
				case 0:
					v.SetSpeed(frame, 0.3+4*r.Float64(), int64(r.IntN(600)))
				case 1:
					v.SetPitch(frame, pcm.Semitones(r.IntN(30)-10), int64(r.IntN(3000)))
				case 2:
					v.SetGain(frame, pcm.Decibels(-r.IntN(10)), int64(r.IntN(600)), 0)
				case 3:
					v.SetRounds(int32(r.IntN(4)))
				case 4:
					v.SeekTo(frame, int64(r.IntN(3000)), 240, nil)
				}
				end := frame + 1 + int64(r.IntN(1500))
				for frame < end {
					dst := make([]pcm.Frame, min(int64(block), end-frame))
					v.Mix(dst, frame)
					out = append(out, dst...)
					frame += int64(len(dst))
				}
			}
			return out
		}
		want := run(4096)
		for _, block := range []int{1, 7, 64, 512} {
			if got := run(block); !slices.Equal(got, want) {
				at := 0
				for got[at] == want[at] {
					at++
				}
				t.Fatalf("voice %d: blocks of %d frames give other bits from %d on", n, block, at)
			}
		}
	}
}

// TestMipSkip mixes a voice after skipping frames.
func TestMipSkip(t *testing.T) {
	s := refined(t, sounds.Samples{Channels: 1, Data: chords(9000, 1), Loop: [2]int64{500, 4321}}, 4)
	for n := range 20 {
		var v voice.Voice
		v.Start(s, voice.Options{Loop: true, Rounds: int32(n % 5), Speed: 0.7 + float64(n)/5}, 0)
		v.SetSpeed(0, 2.9-float64(n)/9, int64(n*100))
		all, part := make([]pcm.Frame, 3000), make([]pcm.Frame, 3000)
		w := v
		v.Mix(all, 0)
		got := w.Skip(777, 0)
		got += w.Skip(int64(n*31), got)
		w.Mix(part[got:], got)
		if !slices.Equal(all[got:], part[got:]) {
			t.Errorf("voice %d: after skipping %d frames it is elsewhere", n, got)
		}
	}
}

// TestMipLoops compares loops with the same sound unrolled.
func TestMipLoops(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 4))
	noise := func(n int) []float32 {
		out := make([]float32, n)
		for i := range out {
			out[i] = float32(r.Float64() - 0.5)
		}
		return out
	}
	next := longtest.Every(3)
	for _, length := range []int{1, 7, 63, 64, 200, 1001, 6000} {
		for _, speed := range []float64{0.25, 0.7071, 1.0001, 1.3, 1.7, 2.9, 4.9} {
			for _, rounds := range []int{0, 5} {
				if !next() {
					continue
				}
				intro, loop, outro := noise(700), noise(length), noise(3000)
				data := slices.Concat(intro, loop, outro)
				level := sounds.LevelOf(pcm.FromRatio(speed))
				s := refined(t, sounds.Samples{Channels: 1, Data: data, Loop: [2]int64{700, 700 + int64(length)}}, 0)
				s.Refine(level, true)
				s.Refine(level, false)
				out := slices.Clone(intro)
				n := 4000
				for k := 0; rounds == 0 && len(out) < int(float64(n)*speed)+4000 || k < rounds; k++ {
					out = append(out, loop...)
				}
				if rounds > 0 {
					out = append(out, outro...)
				}
				written := refined(t, sounds.Samples{Channels: 1, Data: out}, 0)
				written.Refine(level, false)
				var v, w voice.Voice
				v.Start(s, voice.Options{Loop: true, Rounds: int32(rounds), Speed: speed}, 0)
				w.Start(written, voice.Options{Speed: speed}, 0)
				got, want := make([]pcm.Frame, n), make([]pcm.Frame, n)
				a, b := v.Mix(got, 0), w.Mix(want, 0)
				if a != b {
					t.Errorf("loop of %d, speed %v, %d rounds: %d frames, written out %d", length, speed, rounds, a, b)
				}
				// Leaving a loop shorter than the reach of the filter is inexact. A counted loop under 64
				// frames is read with another quality.
				reach := 136 * math.Pow(1.5, float64(level))
				short := rounds > 0 && float64(length) < 2*reach+65
				from, to := 700+min(float64((rounds-1)*length), float64(rounds*length)-reach)-10, 700+float64(rounds*length)+reach+240*speed+10
				if length < 64 {
					from = -1
				}
				worst, where := 0.0, 0
				for i := range got {
					if at := float64(i) * speed; short && at > from && at < to {
						continue
					}
					d := math.Abs(float64(got[i][0] - want[i][0]))
					if d > worst {
						worst, where = d, i
					}
				}
				line := fmt.Sprintf("loop of %d, speed %v, %d rounds: %.1f dB at frame %d (of the sound %.0f)", length, speed, rounds, 20*math.Log10(worst/0.35), where, float64(where)*speed)
				if worst > 0.35*math.Pow(10, -85./20) {
					t.Error(line)
				} else {
					t.Log(line)
				}
			}
		}
	}
}

// TestMipHour plays an hour at a speed of 1.0001 of a loop of a second.
func TestMipHour(t *testing.T) {
	s := refined(t, sounds.Samples{Rate: 1000, Channels: 1, Data: chords(1000, 1)}, 1)
	var v voice.Voice
	v.Start(s, voice.Options{Loop: true, Speed: 1.0001}, 0)
	const hour = 3600 * 48000
	if got := v.Skip(hour, 0); got != hour {
		t.Fatal(got)
	}
	want := math.Mod(hour*1.0001, 1000)
	if got := float64(v.Place()) / (1 << 32); math.Abs(got-want) > 1 {
		t.Errorf("after an hour it is at %v, want %v", got, want)
	}
	var dst [1]pcm.Frame
	at := float64(v.Place()) / (1 << 32)
	v.Mix(dst[:], hour)
	if off := math.Abs(float64(dst[0][0])*math.Sqrt2 - chord(at)); off > 1e-2 {
		t.Errorf("after an hour what is heard is off by %v", off)
	}
}

// TestMipLoopsMoving moves the pitch of a loop across mip levels and compares it with the same sound unrolled.
// At any position the frames before the loop start are the end of the loop.
func TestMipLoopsMoving(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 1))
	for _, length := range []int{40, 150, 300, 1700} {
		data := make([]float32, 500+length)
		for i := range data {
			data[i] = float32(r.Float64() - 0.5)
		}
		s := refined(t, sounds.Samples{Channels: 1, Data: data, Loop: [2]int64{500, 500 + int64(length)}}, 0)
		out := slices.Clone(data)
		for len(out) < 60000 {
			out = append(out, data[500:]...)
		}
		written := refined(t, sounds.Samples{Channels: 1, Data: out}, 0)
		for level := range 4 {
			s.Refine(level, true)
			written.Refine(level, false)
		}
		var v, w voice.Voice
		v.Start(s, voice.Options{Loop: true, Speed: 0.8}, 0)
		w.Start(written, voice.Options{Speed: 0.8}, 0)
		frame := int64(0)
		for n := range 30 {
			speed, over := []float64{1.2, 1.8, 2.8, 4, 2, 1.3}[n%6], int64(r.IntN(400))
			v.SetSpeed(frame, speed, over)
			w.SetSpeed(frame, speed, over)
			got, want := make([]pcm.Frame, 400+r.IntN(300)), make([]pcm.Frame, 700)
			v.Mix(got, frame)
			if w.Mix(want[:len(got)], frame) != len(got) {
				t.Fatal("the sound is written out too short")
			}
			for i := range got {
				if d := math.Abs(float64(got[i][0] - want[i][0])); d > 0.35*math.Pow(10, -80./20) {
					t.Fatalf("loop of %d: frame %d, on the way to %v, is off by %.1f dB", length, frame+int64(i), speed, 20*math.Log10(d/0.35))
				}
			}
			frame += int64(len(got))
		}
	}
}
