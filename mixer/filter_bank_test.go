package mixer_test

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"voicepool/internal/longtest"
	"voicepool/mixer"
	"voicepool/pcm"
	"voicepool/sounds"
)

const filteredRate = 24000

// filteredSounds returns six sounds drawn from a seed; two of them are compact.
func filteredSounds(t *testing.T, seed uint64) (sounds []*sounds.Sound) {
	r := rand.New(rand.NewPCG(seed, 8))
	for i := range 6 {
		samples := noise(r, filteredRate, 1+i%2, 3000+1000*i)
		samples.Compact = i >= 4
		samples.Loop = [2]int64{500, 2900}
		sounds = append(sounds, sound(t, samples))
	}
	return sounds
}

// filteredCrowd renders voices, most of them with filters, on buses and with sends, that are moved,
// paused, stolen and stopped. With stems, the mixer mixes each voice separately.
func filteredCrowd(t *testing.T, seed uint64, sounds []*sounds.Sound, block int, stems bool) []pcm.Frame {
	const rate = filteredRate
	n := longtest.Amount(8000, 24000)
	r := rand.New(rand.NewPCG(seed, 7))
	m := newMixer(t, mixer.Config{
		Rate: rate, Voices: 48, Virtual: 16, NoLimiter: true, Stems: stems, Buses: []mixer.BusConfig{{Name: "sfx"}, {Name: "hall"}},
	})
	defer m.Close()
	cutoff := func() float64 { return []float64{0, 0, 90, 700, 5000}[r.IntN(5)] }
	buses := []mixer.Bus{busOf(t, m, "sfx"), busOf(t, m, "hall")}
	var handles []mixer.Handle
	frame := func() mixer.Moment { return m.Engine().At(int64(r.IntN(n))) }
	for i := range 70 {
		o := mixer.Options{
			Filters: mixer.Filters{LowPass: cutoff(), HighPass: cutoff()}, Loop: r.IntN(4) > 0, EngineOptions: mixer.EngineOptions{Tag: mixer.Tag(1 + i%3)}, Gain: pcm.Decibels(-20 - r.IntN(20)),
			Pan: r.Float64()*2 - 1, Speed: []float64{1, 1, 0.8}[r.IntN(3)], Bus: buses[r.IntN(2)],
		}
		if o.Bus == buses[0] && r.IntN(3) == 0 {
			o.Sends = []mixer.Send{{To: "hall", Gain: pcm.Decibels(-r.IntN(20))}}
		}
		if r.IntN(4) == 0 {
			o.FadeIn = time.Duration(r.IntN(300)) * time.Millisecond
		}
		if r.IntN(5) == 0 {
			o.For = time.Duration(1+r.IntN(800)) * time.Millisecond
		}
		handles = append(handles, play(t, m.Engine().At(int64(i/2*r.IntN(300))), sounds[r.IntN(len(sounds))], o))
	}
	for range 80 {
		h, over := handles[r.IntN(len(handles))], time.Duration(r.IntN(200))*time.Millisecond
		switch r.IntN(7) {
		case 0, 1:
			must(t, frame().Set(mixer.TargetVoice(h), mixer.Change{Fields: mixer.FieldLowPass | mixer.FieldHighPass, Filters: mixer.Filters{LowPass: cutoff(), HighPass: cutoff()}}, over))
		case 2:
			must(t, frame().Set(mixer.TargetTag(mixer.Tag(1+r.IntN(3))), mixer.Change{Fields: mixer.FieldGain, Gain: -30}, over))
		case 3:
			at := int64(r.IntN(n))
			must(t, m.Engine().At(at).Pause(mixer.TargetVoice(h)))
			must(t, m.Engine().At(at+int64(r.IntN(3000))).Resume(mixer.TargetVoice(h)))
		case 4:
			must(t, frame().Stop(mixer.TargetVoice(h), over))
		case 5:
			must(t, frame().Set(mixer.TargetVoice(h), mixer.Change{Fields: mixer.FieldPan, Pan: r.Float64()}, over))
		case 6:
			must(t, frame().SetSend(mixer.TargetVoice(h), "hall", pcm.Decibels(-r.IntN(30)), over))
		}
	}
	return renderIn(m, n, block)
}

// TestFilterBlocks checks that voices filtered in a batch have the same bits as voices mixed one by one,
// in blocks of any length.
func TestFilterBlocks(t *testing.T) {
	for seed := range uint64(longtest.Amount(2, 4)) {
		sounds := filteredSounds(t, seed)
		want := filteredCrowd(t, seed, sounds, 4096, true)
		loudest := float32(0)
		for _, block := range []int{1, 7, 64, 480, 4096} {
			for i, x := range filteredCrowd(t, seed, sounds, block, false) {
				for side := range x {
					if math.Float32bits(x[side]) != math.Float32bits(want[i][side]) {
						t.Fatalf("seed %d, in blocks of %d: frame %d is %v, one by one %v", seed, block, i, x, want[i])
					}
					loudest = max(loudest, x[side])
				}
			}
		}
		if loudest < 0.01 {
			t.Errorf("seed %d: nothing is louder than %v", seed, loudest)
		}
	}
}
