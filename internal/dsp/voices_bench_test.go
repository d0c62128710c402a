package dsp

import (
	"math"
	"testing"
	"time"

	"voicepool/pcm"
)

// voices is 256 voices that read 16 sounds of two seconds at different positions, like a block of a mixer.
type voices struct {
	dst     []pcm.Frame
	sounds  [][]float32
	compact [][]int16
	at      [256]int64
	gains   [256]Ramp
}

func newVoices() *voices {
	m := &voices{dst: make([]pcm.Frame, 512)}
	x := uint32(1)
	for range 16 {
		wide, compact := make([]float32, 2*97000), make([]int16, 2*97000)
		for i := range wide {
			x = x*1664525 + 1013904223
			compact[i] = int16(x >> 16)
			wide[i] = float32(compact[i]) / 32768
		}
		m.sounds, m.compact = append(m.sounds, wide), append(m.compact, compact)
	}
	for i := range m.at {
		x = x*1664525 + 1013904223
		m.at[i] = int64(x%96000) << 32
		m.gains[i] = Ramp{Left: float32(i) / 2560, Right: float32(256-i) / 2560}
	}
	return m
}

// block calls a kernel for each voice and advances the voices.
func (m *voices) block(step int64, call func(voice int, dst []pcm.Frame, pos int64)) {
	for i := range m.at {
		call(i, m.dst, m.at[i])
		m.at[i] += 512 * step
		if m.at[i]>>32 > 95000-512*step>>32 {
			m.at[i] = m.at[i]&(One-1) + 8<<32
		}
	}
}

func BenchmarkVoices(b *testing.B) {
	m := newVoices()
	const up = One + One/10
	type benched struct {
		name string
		step int64
		call func(i int, dst []pcm.Frame, pos int64)
	}
	var all []benched
	for f, name := range []string{"MonoUnity", "StereoUnity", "MonoLinear", "StereoLinear", "MonoCubic", "StereoCubic", "MonoBest", "StereoBest"} {
		f, step := Formula(f), int64(up)
		if f <= StereoUnity {
			step = One
		}
		all = append(all, benched{name, step, func(i int, dst []pcm.Frame, pos int64) {
			Mix(f, dst, m.sounds[i%16], pos, step, &m.gains[i])
		}})
		if f < MonoBest {
			all = append(all, benched{name + "16", step, func(i int, dst []pcm.Frame, pos int64) {
				Mix(f, dst, m.compact[i%16], pos, step, &m.gains[i])
			}})
		}
	}
	for _, k := range all {
		for _, moves := range []string{"still", "ramp"} {
			for _, l := range sets() {
				b.Run(k.name+"/"+moves+"/"+l.String(), func(b *testing.B) {
					defer func(old instructions) { level = old }(level)
					level = l
					for i := range m.gains {
						m.gains[i].LeftSlope, m.gains[i].RightSlope = 0, 0
						if moves == "ramp" {
							m.gains[i].LeftSlope, m.gains[i].RightSlope = 1e-5, -1e-5
						}
					}
					least := time.Duration(math.MaxInt64)
					for b.Loop() {
						clear(m.dst)
						start := time.Now()
						m.block(k.step, k.call)
						least = min(least, time.Since(start))
					}
					b.ReportMetric(float64(least.Nanoseconds())/512/256, "ns/voice-frame")
				})
			}
		}
	}
}

func BenchmarkBlocks(b *testing.B) {
	defer func(old instructions) { level = old }(level)
	dst, src, w := make([]pcm.Frame, 512), make([]pcm.Frame, 512), make([]float32, 512)
	for _, k := range []struct {
		name string
		call func()
	}{
		{"Frames", func() { Frames(dst, src, Ramp{Left: 0.5, Right: 0.5}) }},
		{"FramesRamp", func() { Frames(dst, src, Ramp{Left: 0.5, Right: 0.5, LeftSlope: 1e-4}) }},
		{"Sum", func() { Sum(dst, src) }},
		{"Window", func() { Window(dst, w) }},
		{"Peak", func() { Peak(src) }},
	} {
		for _, l := range sets() {
			b.Run(k.name+"/"+l.String(), func(b *testing.B) {
				level = l
				least := time.Duration(math.MaxInt64)
				for b.Loop() {
					start := time.Now()
					for range 8 {
						k.call()
					}
					least = min(least, time.Since(start))
				}
				b.ReportMetric(float64(least.Nanoseconds())/512/8, "ns/frame")
			})
		}
	}
}
