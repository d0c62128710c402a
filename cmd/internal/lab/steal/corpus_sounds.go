package steal

import (
	"math"

	"voicepool/pcm"
)

// makeLaser synthesizes the sound of a laser: a random downward chirp of 0.18 to 0.5 s at 48 kHz.
func makeLaser(r *random) []float64 {
	s := silence(r.between(0.18, 0.5))
	seconds := float64(len(s)) / Rate
	from := r.between(2000, 5000)
	fall := r.between(2.5, 4.5) // octaves
	level := newDecay(1, seconds/3)
	var t, over tone
	for i := range s {
		hz := float64(from * pcm.Exp2(-float64(fall*(float64(i)/float64(len(s))))))
		s[i] = float64((t.next(hz) + float64(0.3*over.next(float64(2.02*hz)))) * level.next())
		s[i] = float64(s[i] * rise(i, 0.002))
	}
	return release(s)
}

// partial is a decaying sine.
type partial struct {
	hz    float64
	tone  tone
	level decay
}

// strike adds decaying sines to s, from index from to its end, like a struck bell or piece of metal. Each sine begins
// with a short attack. strike advances the phases and levels of partials.
func strike(s []float64, from int, partials []partial) {
	for p := range partials {
		q := &partials[p]
		for i := from; i < len(s); i++ {
			s[i] += float64(float64(q.tone.next(q.hz)*q.level.next()) * rise(i-from, 0.001))
		}
	}
}

// makeClang synthesizes struck metal: up to 0.3 s of faint noise, then 0.7 to 1.3 s of seven decaying partials, at 48
// kHz.
func makeClang(r *random) []float64 {
	before := r.between(0, 0.3)
	s := silence(before + r.between(0.7, 1.3))
	for i := range s {
		s[i] = float64(0.002 * r.noise())
	}
	root := r.between(300, 900)
	var all []partial
	ratio := 1.0
	for range 7 {
		all = append(all, partial{hz: float64(root * ratio), level: newDecay(r.between(0.3, 1), r.between(0.06, 0.3))})
		ratio = float64(ratio * r.between(1.2, 1.6))
	}
	strike(s, int(before*Rate), all)
	return release(s)
}

// makeBell synthesizes a bell of 0.9 to 2 s with five decaying partials, at 48 kHz.
func makeBell(r *random) []float64 {
	s := silence(r.between(0.9, 2))
	seconds := float64(len(s)) / Rate
	root := r.between(400, 1200)
	var all []partial
	for i, ratio := range [...]float64{1, 2.01, 2.76, 4.07, 5.4} {
		all = append(all, partial{hz: float64(root * ratio), level: newDecay(1/float64(i+1), seconds/float64(4+2*i))})
	}
	strike(s, 0, all)
	return release(s)
}

// makePickup synthesizes the sound of a collected item: three rising notes, together about half a second, at 48 kHz.
func makePickup(r *random) []float64 {
	gap := r.between(0.06, 0.11)
	s := silence(float64(3*gap) + 0.25)
	hz := r.between(500, 1000)
	for n := range 3 {
		strike(s, int(float64(float64(n)*gap)*Rate), []partial{
			{hz: hz, level: newDecay(1, 0.08)}, {hz: float64(3 * hz), level: newDecay(0.2, 0.05)},
		})
		hz = float64(hz * r.between(1.18, 1.35))
	}
	return release(s)
}

// makeEngine synthesizes an engine as a seamless loop of 3 s at 48 kHz: twelve harmonics with whole cycles and a slow
// tremolo.
func makeEngine(r *random) []float64 {
	s := silence(3)
	cycles := 90 + r.n(120) // in 3 s
	swells := 1 + r.n(6)
	var swell tone
	var harmonics [12]tone
	var levels [12]float64
	for h := range levels {
		levels[h] = r.between(0.2, 1) / float64(h+1)
		harmonics[h].phase = r.unit()
	}
	for i := range s {
		x := 0.0
		for h := range harmonics {
			x += float64(levels[h] * harmonics[h].next(float64(cycles*(h+1))/3))
		}
		s[i] = float64(x * (1 + float64(0.3*swell.next(float64(swells)/3))))
	}
	return s
}

// vowels are the first three formants in Hz.
var vowels = [...][3]float64{{730, 1090, 2440}, {270, 2290, 3010}, {300, 870, 2240}, {530, 1840, 2480}, {570, 840, 2410}, {440, 1020, 2240}}

// makeSpeech synthesizes something like speech, 0.8 to 2 s long, at 48 kHz. It is a buzz through three formants, with
// 3 to 6 syllables a second and silence between them.
func makeSpeech(r *random) []float64 {
	s := silence(r.between(0.8, 2))
	rate := r.between(3, 6)
	pitch := r.between(90, 220)
	var formants [3]resonance
	phase, syllable := 0.0, -1
	var vowel [3]float64
	glide, level := 1.0, 1.0
	for i := range s {
		at := float64(float64(i)/Rate) * rate
		if n := int(math.Floor(at)); n != syllable {
			syllable = n
			vowel = vowels[r.n(len(vowels))]
			glide, level = r.between(0.9, 1.15), r.between(0.5, 1)
		}
		part := at - math.Floor(at)
		phase += float64(pitch*glide) / Rate
		phase -= math.Floor(phase)
		source := float64(2*phase) - 1 + float64(0.05*r.noise())
		x := 0.0
		for f := range formants {
			x += float64(formants[f].next(source, vowel[f], float64(60*float64(f+1))) / float64(f+1))
		}
		shape := 0.0
		if part < 0.75 {
			shape = pcm.SinPi(part / 0.75)
		}
		s[i] = float64(float64(x*shape) * level)
	}
	return release(s)
}

// makeGun synthesizes a shot: a burst of noise of 0.3 to 1 s with a sharp attack and a duller tail, at 48 kHz.
func makeGun(r *random) []float64 {
	s := silence(r.between(0.3, 1))
	seconds := float64(len(s)) / Rate
	crack, tail := newDecay(1, r.between(0.008, 0.025)), newDecay(r.between(0.15, 0.4), seconds/5)
	bright, dull := r.between(3000, 9000), r.between(600, 2000)
	var high, low lowpass
	for i := range s {
		x := r.noise()
		s[i] = float64(high.next(x, bright)*crack.next()) + float64(low.next(x, dull)*tail.next())
	}
	return release(s)
}

// makeExplosion synthesizes an explosion of 1.5 to 4 s at 48 kHz: a short blast, and low-frequency noise that rolls
// on.
func makeExplosion(r *random) []float64 {
	s := silence(r.between(1.5, 4))
	seconds := float64(len(s)) / Rate
	blast, roll := newDecay(1, 0.06), newDecay(0.8, seconds/5)
	cutoff, rate := r.between(250, 900), r.between(3, 8)
	var high, low, lower lowpass
	var wobble tone
	for i := range s {
		x := r.noise()
		swell := 1 + float64(0.5*wobble.next(rate))
		rumble := lower.next(low.next(x, cutoff), cutoff)
		s[i] = float64(float64(high.next(x, 4000)*blast.next())*0.6) + float64(float64(6*rumble*swell)*roll.next())
		s[i] = float64(s[i] * rise(i, 0.004))
	}
	return release(s)
}

// makeStep synthesizes a footstep of 0.3 to 0.45 s at 48 kHz: two thumps of noise, heel and toe.
func makeStep(r *random) []float64 {
	s := silence(r.between(0.3, 0.45))
	thump := func(from int, level float64) {
		body, click := newDecay(level, r.between(0.012, 0.03)), newDecay(float64(0.3*level), 0.004)
		cutoff := r.between(300, 1500)
		var low lowpass
		for i := from; i < len(s); i++ {
			x := r.noise()
			s[i] += float64(4*low.next(x, cutoff)*body.next()) + float64(x*click.next())
		}
	}
	thump(0, 1)
	thump(int(r.between(0.07, 0.16)*Rate), r.between(0.4, 1.1))
	return release(s)
}

// makeWind synthesizes wind as a seamless loop of 4 s at 48 kHz: filtered noise with gusts.
func makeWind(r *random) []float64 {
	s := silence(4)
	source := make([]float64, len(s))
	for i := range source {
		source[i] = r.noise()
	}
	centre, width := r.between(300, 1200), r.between(150, 500)
	gusts := 1 + r.n(3)
	var band resonance
	var low lowpass
	for lap := range 2 { // the second lap starts with the filter states at the end of the first
		var gust tone
		for i, x := range source {
			g := gust.next(float64(gusts) / 4)
			y := band.next(x, centre+float64(float64(centre*0.3)*g), width) + float64(0.15*low.next(x, 400))
			if lap == 1 {
				s[i] = float64(y * (1 + float64(0.6*g)))
			}
		}
	}
	return s
}
