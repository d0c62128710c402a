package mixer_test

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"voicepool/internal/longtest"
	"voicepool/internal/loudness"
	"voicepool/mixer"
	"voicepool/pcm"
	"voicepool/sounds"
	"voicepool/sounds/library"
)

const certificateRate = 8000

// certificateSounds returns decaying noise and tones, beats, and pauses followed by sound: in mono, in
// stereo, and in one channel of two. With deep, all are below the passband of the K filter.
func certificateSounds(t testing.TB, deep bool) (out []*sounds.Sound) {
	r := rand.New(rand.NewPCG(8, 15))
	for i := range 48 {
		n, channels := 800+r.IntN(3200), 1+i%2
		samples := make([]float32, n*channels)
		decay, beat, tone := math.Exp2(-r.Float64()*12/float64(n)), 2+r.Float64()*20, 60*math.Exp2(r.Float64()*5.5)
		if deep {
			tone = 2 + r.Float64()*20
		}
		gain, phase := 0.8, r.Float64()*6
		for j := range n {
			x := math.Sin(float64(j)*tone*2*math.Pi/certificateRate + phase)
			if !deep && i%3 == 0 {
				x = r.Float64()*2 - 1
			}
			switch i % 4 {
			case 1:
				x *= 0.5 + 0.5*math.Sin(float64(j)*beat*2*math.Pi/certificateRate)
			case 2:
				if j*4/n%2 == 1 {
					x = 0
				}
			}
			gain *= decay
			for c := range channels {
				if i%8 != 3 || c == 0 {
					samples[j*channels+c] = float32(x * gain * (1 - 0.4*float64(c)))
				}
			}
		}
		s, err := library.Prepare(&library.Clip{Name: "s", Rate: certificateRate, Channels: channels, Samples: samples}, library.Options{Rate: certificateRate})
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, s)
	}
	return out
}

// excess holds maxima relative to the certificate.
type excess struct {
	whole, hops, anywhere float64
}

// taken renders a random scene in which a voice is stolen: with one slot, with two, and without the
// voice. It returns maxima of the K-weighted power in windows of 60 ms, relative to the certificate. They
// are for the voice itself on the hops of its sound, for the missing part of the mix on these hops, and
// for the missing part in any window.
func taken(t testing.TB, r *rand.Rand, all []*sounds.Sound, moves bool) (x excess, ok bool) {
	s, other := pick(r, all...), pick(r, all...)
	o := mixer.Options{Gain: pcm.Decibels(-r.Float64() * 30), Pan: pick(r, 0, -1, 1, r.Float64()*2-1), Loop: r.IntN(4) == 0, Priority: -1, EngineOptions: mixer.EngineOptions{Base: mixer.Base{Gain: -2}}}
	change, changeBus, from := mixer.Change{}, mixer.Change{}, int64(0)
	if moves {
		o.FadeIn = time.Duration(pick(r, 0, r.IntN(300))) * ms
		from = int64(pick(r, 0, r.IntN(int(s.Frames()/2))))
		o.From = pcm.Duration(from, certificateRate)
		change = mixer.Change{Fields: pick(r, 0, mixer.FieldGain, mixer.FieldPan), Gain: o.Gain - 6, Pan: r.Float64()*2 - 1}
		changeBus = mixer.Change{Fields: pick(r, 0, mixer.FieldMute, mixer.FieldPan), Mute: true, Pan: r.Float64()*2 - 1}
	}
	began := r.Int64N(300)
	cut := began + 1 + r.Int64N(s.Frames()-from-1)
	busGain, busPan := pcm.Decibels(r.Float64()*12-6), pick(r, 0, 0, 1, r.Float64()*2-1)
	over := time.Duration(r.IntN(200)) * ms
	const length = 6000
	var outs [3][]pcm.Frame // with one slot, with two, without the voice
	lost := -1.0
	for i := range outs {
		m := newMixer(t, mixer.Config{
			Rate: certificateRate, Voices: min(1+i, 2), NoLimiter: true, Commands: 8, Events: 32,
			Buses: []mixer.BusConfig{{Name: "b", Gain: busGain, Pan: busPan}, {Name: "c"}},
		})
		o.Bus = busOf(t, m, "b")
		if i < 2 {
			play(t, m.Engine().At(began), s, o)
		}
		play(t, m.Engine().At(cut), other, mixer.Options{Bus: busOf(t, m, "c")})
		if changeBus.Fields != 0 {
			must(t, m.Engine().At(max(cut-100, began)).Set(mixer.TargetBus(o.Bus), changeBus, over))
		}
		if change.Fields != 0 {
			must(t, m.Engine().At(max(cut-100, began)).Set(mixer.TargetSound(s), change, over))
		}
		outs[i] = make([]pcm.Frame, length)
		m.Render(outs[i])
		var events [32]mixer.Event
		for _, e := range events[:m.Events(events[:])] {
			if e.Kind == mixer.EventStolen {
				lost = math.Pow(10, float64(e.Steal.Lost)/10)
			}
		}
	}
	if lost < 0 {
		return x, false // it had ended before
	}
	const hop = certificateRate / 50
	var filters [4]loudness.Filter
	for i := range filters {
		filters[i] = loudness.NewFilter(certificateRate)
	}
	var voice, missing [length + 1]float64
	for i := range outs[0] {
		voice[i+1], missing[i+1] = voice[i], missing[i]
		for c := range 2 {
			full := float64(outs[1][i][c])
			y, z := filters[c].Next(full-float64(outs[2][i][c])), filters[2+c].Next(full-float64(outs[0][i][c]))
			voice[i+1] += y * y
			missing[i+1] += z * z
		}
	}
	for i := max(cut-3*hop, 0); i+3*hop <= length; i++ {
		part := func(sums *[length + 1]float64) float64 {
			return max((sums[i+3*hop]-sums[i])/(3*hop)-1e-11, 0) / (lost + 1e-30) // without rounding errors
		}
		x.anywhere = max(x.anywhere, part(&missing))
		if (i-began+from)%hop == 0 {
			x.hops = max(x.hops, part(&missing))
			if i > cut-hop && !moves {
				x.whole = max(x.whole, part(&voice))
			}
		}
	}
	return x, true
}

// TestCertificate checks that a stolen voice, and the missing part of the mix, never exceed Decision.Lost in
// windows of 60 ms on the hops. Other windows overlap four hops and may have twice as much. The 10 ms
// fade itself adds low frequencies, so the bound does not hold for sounds below 25 Hz.
func TestCertificate(t *testing.T) {
	r := rand.New(rand.NewPCG(23, 42))
	for _, c := range []struct {
		name        string
		deep, moves bool
		scenes      int
	}{{name: "still", scenes: 4500}, {name: "moving", moves: true, scenes: 4500}, {name: "deep", deep: true, scenes: 1000}} {
		t.Run(c.name, func(t *testing.T) {
			if !longtest.Enabled() || raceDetector {
				c.scenes /= 20
			}
			all := certificateSounds(t, c.deep)
			var most excess
			stolen := 0
			for range c.scenes {
				x, ok := taken(t, r, all, c.moves)
				if ok {
					stolen++
				}
				most.whole, most.hops, most.anywhere = max(most.whole, x.whole), max(most.hops, x.hops), max(most.anywhere, x.anywhere)
			}
			db := func(x float64) float64 { return 10 * math.Log10(x) }
			t.Logf("at most %.4f dB over it; missing %.2f dB on hops, %.2f dB anywhere", db(most.whole), db(most.hops), db(most.anywhere))
			if most.whole > 1.0001 || !c.deep && most.hops > 1.01 || !c.deep && most.anywhere > 2.01 {
				t.Error("the certificate does not hold")
			}
			if !c.moves && most.whole < 0.99 || stolen < c.scenes*2/3 {
				t.Errorf("%d are stolen, of which the loudest has %.2f dB: it proves too little", stolen, db(most.whole))
			}
		})
	}
}

// TestNothingIsLostOfSilence checks that Lost is -Inf for an inaudible victim of unknown loudness.
func TestNothingIsLostOfSilence(t *testing.T) {
	m := newMixer(t, mixer.Config{Rate: 1000, Voices: 1})
	s := level(t, 1000, 100, 0.5)
	play(t, m.Engine().At(0), s, mixer.Options{Gain: pcm.Silence})
	play(t, m.Engine().At(1), s, mixer.Options{})
	m.Render(make([]pcm.Frame, 10))
	var events [8]mixer.Event
	for _, e := range events[:m.Events(events[:])] {
		if e.Kind == mixer.EventStolen && !math.IsInf(float64(e.Steal.Lost), -1) {
			t.Errorf("%v dB are lost of silence", e.Steal.Lost)
		}
	}
}
