package mixer_test

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"voicepool/effect"
	"voicepool/internal/longtest"
	"voicepool/internal/subnormal"
	"voicepool/mixer"
	"voicepool/pcm"
	"voicepool/sounds"
)

// tinyInsert is an Insert that returns subnormal samples.
type tinyInsert struct{ r *rand.Rand }

func (i tinyInsert) Process(block []pcm.Frame) {
	for k := range block {
		block[k] = pcm.Frame{float32(math.Ldexp(i.r.Float64(), -130)), float32(math.Ldexp(i.r.Float64(), -140))}
	}
}

// TestNoSubnormals checks that no filter, effect, resampler or buffer of the mixer holds a subnormal
// number after a block, for any sounds, gains and inserts.
func TestNoSubnormals(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 8))
	var chain []effect.Effect
	for _, kind := range []string{"eq", "compressor", "delay", "reverb", "drive", "width"} {
		e, err := effect.New(kind, nil)
		if err != nil {
			t.Fatal(err)
		}
		chain = append(chain, e)
	}
	data := map[string]func(i int) float64{
		"of any magnitude": func(int) float64 { return math.Ldexp(r.Float64()*2-1, -r.IntN(150)) },
		"falling":          func(i int) float64 { return math.Ldexp(r.Float64()*2-1, -i/6) },
		"impulses":         func(i int) float64 { return float64(1 - min(i%400, 1)) },
		"tiny":             func(int) float64 { return math.Ldexp(r.Float64()*2-1, -75) },
	}
	for name, at := range data {
		m := newMixer(t, mixer.Config{
			Rate: 8000, Voices: 16, LowPass: 300, HighPass: 60, DCGuard: true, Effects: chain,
			Buses: []mixer.BusConfig{
				{Name: "quiet", Gain: -120, LowPass: 50, Effects: chain},
				{Name: "insert", Insert: tinyInsert{r}},
			},
		})
		samples := make([]float32, 2000)
		for i := range samples {
			samples[i] = float32(at(i))
		}
		for k := range 12 {
			s := sound(t, sounds.Samples{Rate: 8000, Channels: 1 + k%2, Data: samples})
			bus, err := m.Bus([]string{"master", "quiet", "insert"}[k%3])
			if err != nil {
				t.Fatal(err)
			}
			o := mixer.Options{
				Bus: bus, Gain: pcm.Decibels(-60 * (k % 3)), Loop: k%2 == 0, FadeIn: 10 * time.Millisecond, Pitch: pcm.Semitones(k%5 - 2),
				EngineOptions: mixer.EngineOptions{Quality: []sounds.Quality{sounds.Best, sounds.Linear, sounds.Cubic}[k%3]},
			}
			if k%4 > 1 {
				o.LowPass, o.HighPass = 4000, 20
			}
			play(t, m.Engine().At(int64(100*k)), s, o)
		}
		for block := range 20 {
			m.Render(make([]pcm.Frame, 64+block))
			if block%2 == 0 && !longtest.Enabled() {
				continue
			}
			if found := subnormal.Find(m); found != "" {
				t.Errorf("samples %s, block %d: %s", name, block, found)
				break
			}
		}
	}
}
