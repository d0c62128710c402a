package steal

import (
	"math"

	"voicepool/internal/loudness"
	"voicepool/pcm"
)

// Pair is a voice that is cut and the start that replaces it, both mono at Rate and with their loudest 48 ms at -20 dB,
// K-weighted.
type Pair struct {
	Voice    []float32
	Newcomer []float32
	Cut      int // frame of Voice, at a level less than 30 dB below its loudest
}

// Pairs draws n random pairs from corpus, each with a voice and the sound that replaces it. Each pair also has a random
// frame for the cut of the voice. The level of the voice there is less than 30 dB below its loudest 48 ms. Pairs panics
// if corpus is empty, and does not return if it draws a silent recording as the voice. Pairs share the memory of
// samples, which the caller must not change. Equal arguments give equal pairs.
func Pairs(corpus []Recording, seed uint64, n int) []Pair {
	r := newRandom(seed, "pairs")
	pairs := make([]Pair, n)
	type leveled struct {
		samples []float32
		powers  []float64
	}
	all := make([]leveled, len(corpus))
	draw := func() *leveled {
		i := r.n(len(corpus))
		if all[i].samples == nil {
			all[i].samples, all[i].powers, _ = levels(&corpus[i])
		}
		return &all[i]
	}
	for i := range pairs {
		p := &pairs[i]
		voice := draw()
		p.Voice, p.Newcomer = voice.samples, draw().samples
		for {
			p.Cut = r.n(len(p.Voice))
			if at := p.Cut / clickHop; voice.powers[min(at, len(voice.powers)-1)] > 1e-3 {
				break
			}
		}
	}
	return pairs
}

const (
	clickBlock  = 256
	clickHop    = clickBlock / 2
	clickWidth  = 2.0
	clickBlocks = 30 // 80 ms after the cut
)

// levels scales a recording so that its loudest 48 ms have the level -20 dB, K-weighted. The result samples is the
// scaled copy. The result powers has one value for every 128 frames: the power of the 48 ms around them, relative to
// the loudest. The result most is the power of the loudest 48 ms before scaling. If most is 0, samples and powers are
// not valid.
func levels(r *Recording) (samples []float32, powers []float64, most float64) {
	filter := loudness.NewFilter(Rate)
	sums := []float64{0}
	for i, x := range r.Samples {
		y := filter.Next(float64(x) / 32768)
		if i%clickHop == 0 {
			sums = append(sums, sums[len(sums)-1])
		}
		sums[len(sums)-1] += y * y
	}
	const around = Rate / 20 / 2 / clickHop
	for i := range len(sums) - 1 {
		from, to := max(i-around, 0), min(i+around, len(sums)-1)
		powers = append(powers, (sums[to]-sums[from])/(2*around*clickHop))
		most = max(most, powers[i])
	}
	gain := math.Sqrt(level / most)
	for i := range powers {
		powers[i] /= most
	}
	samples = make([]float32, len(r.Samples))
	for i, x := range r.Samples {
		samples[i] = float32(float64(x) / 32768 * gain)
	}
	return samples, powers, most
}

// Faded returns a copy of the voice of p that is cut at the frame p.Cut. From there it fades out with fade, one factor
// per frame. After the fade it is silent.
func (p *Pair) Faded(fade Fade) []float32 {
	out := make([]float32, len(p.Voice))
	copy(out, p.Voice[:p.Cut])
	for i := p.Cut; i < min(len(out), p.Cut+len(fade)); i++ {
		out[i] = p.Voice[i] * fade[i-p.Cut]
	}
	return out
}

// Clicks returns the share of pairs, from 0 to 1, whose cut is audible. A cut is audible if the cut voice contains
// energy that the uncut voice does not have. Neither the uncut voice nor the sound that replaces it must mask that
// energy. Clicks calls the function signal once for each pair, which returns the cut voice from its beginning on. If
// pairs is empty, the result is NaN.
func Clicks(pairs []Pair, signal func(*Pair) []float32) float64 {
	e := newEar(Rate, clickBlock, clickHop, clickWidth)
	count := 0
	for i := range pairs {
		if e.click(&pairs[i], signal(&pairs[i])) {
			count++
		}
	}
	return float64(count) / float64(len(pairs))
}

// click reports whether the cut of the voice of p is audible within 80 ms. The parameter signal is the cut voice from
// its beginning on. The cut is audible if signal has energy that the uncut voice lacks. Neither this voice nor the
// sound that replaces it must mask that energy. e must have been made for clickBlock and clickHop.
func (e *ear) click(p *Pair, signal []float32) bool {
	const around = 2
	var blocks [clickBlocks + 2*around][2][]float64
	first := p.Cut - clickBlock + 1 - around*clickHop // first block that includes the cut, and its neighbours
	both := make([]pcm.Frame, (len(blocks)-1)*clickHop+clickBlock)
	from := max(first, 0)
	for i, x := range part(signal, from, first+len(both)) {
		both[from-first+i][0] = x
	}
	for i, x := range part(p.Voice, from, first+len(both)) {
		both[from-first+i][1] = x
	}
	newcomer := make([]pcm.Frame, len(both))
	for i, x := range part(p.Newcomer, 0, len(newcomer)) {
		newcomer[i][0] = x
	}
	for k := range blocks {
		blocks[k] = e.pair()
		e.analyze(&blocks[k], both, k*clickHop, 1)
	}
	fresh := e.pair()
	power, mask := make([]float64, len(e.bands)), make([]float64, len(e.bands))
	for k := around; k < len(blocks)-around; k++ {
		e.analyze(&fresh, newcomer, first+k*clickHop-p.Cut, 1)
		most := make([]float64, len(e.bands))
		for b := range most {
			for _, near := range blocks[k-around : k+around+1] {
				most[b] = max(most[b], near[1][b])
			}
			power[b] = most[b] + fresh[0][b]
		}
		e.smear(mask, power)
		e.mask(mask)
		for b := range most {
			if blocks[k][0][b]-most[b] > mask[b] {
				return true
			}
		}
	}
	return false
}

// part returns samples[from:to], shortened if the slice ends earlier. If from is beyond the end, the result is empty.
// from must not be negative or greater than to.
func part(samples []float32, from, to int) []float32 {
	return samples[min(from, len(samples)):min(to, len(samples))]
}
