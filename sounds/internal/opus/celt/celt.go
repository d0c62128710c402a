// Package celt decodes the CELT frames of Opus, which are coded by an MDCT (RFC 6716, section 4.3). Sums are in
// float64 with every product converted, and the state is in float32, so the samples have the same bits on every
// machine.
package celt

import (
	"math"

	"voicepool/pcm"
	"voicepool/sounds/internal/opus/entropy"
)

const (
	history = 2048 // samples kept for the pitch filter
	silence = -28  // the energy of silence, as a logarithm
	// minPeriod is the shortest period of the pitch filter.
	minPeriod = 15
)

// Decoder decodes consecutive frames. Create it with New.
type Decoder struct {
	channels int // number of output channels
	bands    bands
	shape    [2][960]float64
	spectrum [960]float64
	second   [960]float64
	sizes    [4]*inverse // for 120, 240, 480 and 960 coefficients
	window   *[overlap]float64
	frame    frame

	State
}

// State is the decoder state between frames.
type State struct {
	rng  uint32
	lost int // consecutive lost frames
	past [2][history + overlap]float32

	energy, before, earlier, floor [2][bandCount]float32

	pitch, pitchBefore filter
	deemphasis         [2]float32
}

// filter is a comb filter that emphasizes a pitch.
type filter struct {
	period, taps int
	gain         float64
}

// header has the parameters of a frame.
type header struct {
	e          *entropy.Decoder
	channels   int // of the frame
	lm         int // log2 of its length in blocks of 120 samples
	start, end int // bands
	transient  bool
	spread     int
}

// New returns a decoder with one or two output channels, before its first frame.
func New(channels int) *Decoder {
	d := &Decoder{channels: channels, window: window()}
	for i := range d.sizes {
		d.sizes[i] = newInverse(overlap << i)
	}
	d.Reset()
	return d
}

// Reset clears the state of all previous frames, so that the decoder is as new.
func (d *Decoder) Reset() {
	d.State = State{}
	for c := range d.before {
		for i := range d.before[c] {
			d.before[c][i], d.earlier[c][i] = silence, silence
		}
	}
}

// Decode decodes a frame from e into dst, interleaved for the decoder's output channels. The frame has 120<<lm
// samples per channel; lm is 0..3, and dst must have space for them. It has the bands from start to end-1. channels
// is the number of coded channels, which may differ from the output channels. e may already be partly read. If e is
// nil or has at most one byte, the frame is lost, and Decode conceals it.
func (d *Decoder) Decode(dst []float32, e *entropy.Decoder, lm, start, end, channels int) {
	n := overlap << lm
	if e == nil || e.Len() <= 1 {
		d.conceal(lm, start, end)
		d.finish(dst, n)
		return
	}
	f := &d.frame
	*f = frame{header: header{e: e, channels: channels, lm: lm, start: start, end: end}}
	if channels == 1 {
		for i, x := range d.energy[1] {
			d.energy[0][i] = max(d.energy[0][i], x)
		}
	}
	quiet := e.BitsUsed() >= 8*e.Len() || e.BitsUsed() == 1 && e.Bit(15)
	if quiet {
		e.Exhaust()
	}
	pitch := d.readHeader(f)
	trim := f.trim()
	bits := 8*e.Len()<<3 - e.BitsUsedFrac() - 1
	reserved := 0
	if f.transient && lm >= 2 && bits >= (lm+2)<<3 {
		reserved = 8
	}
	f.allocate(bits-reserved, trim)
	d.readFineEnergy(f)
	for c := range d.channels {
		copy(d.past[c][:], d.past[c][n:history+overlap/2])
	}
	d.readBands(f, 8*e.Len()<<3-reserved)
	fill := reserved > 0 && e.Raw(1) == 1
	d.readFinalEnergy(f)
	if fill {
		d.fillCollapsed(f)
	}
	if quiet {
		for c := range channels {
			for i := range d.energy[c] {
				d.energy[c][i] = silence
			}
		}
	}
	d.synthesize(f, quiet)
	d.applyPitchFilter(pitch, n)
	d.storeEnergy(f)
	d.rng = e.Range()
	d.lost = 0
	d.finish(dst, n)
}

// readHeader reads the parameters of the frame f that come before the bit allocation: pitch filter, kind of block,
// coarse energies, time resolution and spread. It stores them in f, d.energy and d.bands, and returns the pitch filter.
// A frame without a pitch filter returns one with gain 0.
func (d *Decoder) readHeader(f *frame) (pitch filter) {
	e, total := f.e, 8*f.e.Len()
	if f.start == 0 && e.BitsUsed()+16 <= total && e.Bit(1) {
		octave := uint(e.Uniform(6))
		pitch.period = 16<<octave + int(e.Raw(4+octave)) - 1
		pitch.gain = 0.09375 * float64(e.Raw(3)+1)
		if e.BitsUsed()+2 <= total {
			pitch.taps = e.Symbol([]byte{2, 1, 0}, 2)
		}
	}
	f.transient = f.lm > 0 && e.BitsUsed()+3 <= total && e.Bit(3)
	d.readCoarseEnergy(f, e.BitsUsed()+3 <= total && e.Bit(3))
	d.readResolution(f)
	f.spread = 2
	if e.BitsUsed()+4 <= total {
		f.spread = e.Symbol([]byte{25, 23, 2, 0}, 5)
	}
	return pitch
}

// resolutions lists time-frequency changes by frame length, transient flag, choice and the band's bit.
var resolutions = [4][2][2][2]int{
	{{{0, -1}, {0, -1}}, {{0, -1}, {0, -1}}},
	{{{0, -1}, {0, -2}}, {{1, 0}, {1, -1}}},
	{{{0, -2}, {0, -3}}, {{2, 0}, {1, -1}}},
	{{{0, -2}, {0, -3}}, {{3, 0}, {1, -1}}},
}

// readResolution reads for each band of f how far its time resolution differs from the resolution of the frame (RFC
// 6716, section 4.3.4.5). It stores the differences in d.bands.resolution, as a number of doublings or, if negative,
// halvings of the length of a block.
func (d *Decoder) readResolution(f *frame) {
	e, budget := f.e, 8*f.e.Len()
	logp, next, short := uint(4), uint(5), 0
	if f.transient {
		logp, next, short = 2, 4, 1
	}
	reserved := f.lm > 0 && e.BitsUsed()+int(logp)+1 <= budget
	if reserved {
		budget--
	}
	current, changed := 0, 0
	for i := f.start; i < f.end; i++ {
		if e.BitsUsed()+int(logp) <= budget {
			if e.Bit(logp) {
				current ^= 1
			}
			changed |= current
		}
		d.bands.resolution[i] = current
		logp = next
	}
	table := &resolutions[f.lm][short]
	choice := 0
	if reserved && table[0][changed] != table[1][changed] && e.Bit(1) {
		choice = 1
	}
	for i := f.start; i < f.end; i++ {
		d.bands.resolution[i] = table[choice][d.bands.resolution[i]]
	}
}

// trim decodes the boosts and then the trim of the bit allocation (RFC 6716, section 4.3.3). The boosts are extra bits
// for single bands. trim adds them to f.boosts, which must be 0 before. The result is the trim: the tilt between low
// and high bands, 0..10. It is 5, which is neutral, if too few bits are left. trim also sets f.caps, the most bits that
// each band can use. The unit of f.boosts and f.caps is an eighth of a bit.
func (f *frame) trim() int {
	e, total, logp := f.e, 8*f.e.Len()<<3, 6
	for i := range f.caps {
		n := (edges[i+1] - edges[i]) << f.lm
		f.caps[i] = (int(cacheCaps[bandCount*(2*f.lm+f.channels-1)+i]) + 64) * f.channels * n >> 2
	}
	for i := f.start; i < f.end; i++ {
		width := f.channels * (edges[i+1] - edges[i]) << f.lm
		quantum := min(width<<3, max(6<<3, width))
		for p := logp; e.BitsUsedFrac()+p<<3 < total && f.boosts[i] < f.caps[i]; p = 1 {
			if !e.Bit(uint(p)) {
				break
			}
			f.boosts[i] += quantum
			total -= quantum
		}
		if f.boosts[i] > 0 {
			logp = max(2, logp-1)
		}
	}
	if e.BitsUsedFrac()+6<<3 <= total {
		return e.Symbol([]byte{126, 124, 119, 109, 87, 41, 19, 9, 4, 2, 0}, 7)
	}
	return 5
}

// synthesize computes the samples of the frame f from the shapes and energies of its bands, and writes them to the
// end of d.past. The pitch filter is not yet applied. It converts from the channels of f to the output channels. If
// quiet is true, all spectra are zero. The caller must have shifted d.past by the length of the frame.
func (d *Decoder) synthesize(f *frame, quiet bool) {
	n := overlap << f.lm
	switch {
	case d.channels == 2 && f.channels == 1:
		d.scale(&d.spectrum, f, 0, quiet)
		d.transform(0, f, &d.spectrum)
		d.transform(1, f, &d.spectrum)
	case d.channels == 1 && f.channels == 2:
		d.scale(&d.spectrum, f, 0, quiet)
		d.scale(&d.second, f, 1, quiet)
		for i := range n {
			d.spectrum[i] = (d.spectrum[i] + d.second[i]) / 2
		}
		d.transform(0, f, &d.spectrum)
	default:
		for c := range d.channels {
			d.scale(&d.spectrum, f, c, quiet)
			d.transform(c, f, &d.spectrum)
		}
	}
}

// scale computes the spectrum of a coded channel of the frame f and writes it to dst: the shapes of the bands
// multiplied by their energies (RFC 6716, section 4.3.6). The parameter channel is the index of the channel. Outside
// the bands of f, and everywhere if quiet is true, the spectrum is zero.
func (d *Decoder) scale(dst *[960]float64, f *frame, channel int, quiet bool) {
	clear(dst[:])
	if quiet {
		return
	}
	for i := f.start; i < f.end; i++ {
		g := pcm.Exp2(min(32, float64(d.energy[channel][i])+float64(means[i]/16)))
		for j := edges[i] << f.lm; j < edges[i+1]<<f.lm; j++ {
			dst[j] = float64(d.shape[channel][j] * g)
		}
	}
}

// transform computes the samples of an output channel from spectrum, and overlaps them with the previous frame (RFC
// 6716, section 4.3.7). It writes them to the end of d.past. The parameter channel is the index of the channel, and f
// the frame of the spectrum.
func (d *Decoder) transform(channel int, f *frame, spectrum *[960]float64) {
	n := overlap << f.lm
	out := d.past[channel][history-n:]
	if !f.transient {
		d.sizes[f.lm].apply(out, spectrum[:n], 1, d.window)
		return
	}
	blocks := 1 << f.lm
	for b := range blocks {
		d.sizes[0].apply(out[overlap*b:], spectrum[b:n], blocks, d.window)
	}
}

// applyPitchFilter applies the pitch filter of a frame to the last n samples of each channel in d.past (RFC 6716,
// section 4.3.7.1). The parameter pitch is the filter of this frame. It takes effect 120 samples late: the first 120
// samples of the frame still have the filter of the previous frame, and the next 120 change to pitch. In a frame of 120
// samples pitch is only stored for the next frame. Call applyPitchFilter once per frame.
func (d *Decoder) applyPitchFilter(pitch filter, n int) {
	for c := range d.channels {
		at := history - n
		d.comb(&d.past[c], at, at+overlap, d.pitchBefore, d.pitch)
		if n > overlap {
			d.comb(&d.past[c], at+overlap, history, d.pitch, pitch)
		}
	}
	d.pitchBefore, d.pitch = d.pitch, pitch
	if n > overlap {
		d.pitchBefore = pitch
	}
}

var combTaps = [3][3]float64{
	{0.3066406250, 0.2170410156, 0.1296386719}, {0.4638671875, 0.2680664062, 0}, {0.7998046875, 0.1000976562, 0},
}

// comb applies a pitch filter to x[from:to], in place: it adds the sound one pitch period earlier, multiplied by the
// taps of the filter now. If the previous filter old differs, the first 120 samples (overlap) change from old to now.
// x[from:to] must then have at least as many. A period below minPeriod counts as minPeriod.
func (d *Decoder) comb(x *[history + overlap]float32, from, to int, old, now filter) {
	if old.gain == 0 && now.gain == 0 {
		return
	}
	old.period, now.period = max(old.period, minPeriod), max(now.period, minPeriod)
	tap := func(f filter, i int) float64 {
		t, at := &combTaps[f.taps], i-f.period
		x0, x1 := float64(x[at]), float64(x[at+1])+float64(x[at-1])
		x2 := float64(x[at+2]) + float64(x[at-2])
		return float64(f.gain * (float64(t[0]*x0) + float64(t[1]*x1) + float64(t[2]*x2)))
	}
	i := from
	if old != now {
		for ; i < from+overlap; i++ {
			w := d.window[i-from]
			w = float64(w * w)
			x[i] = float32(float64(x[i]) + float64((1-w)*tap(old, i)) + float64(w*tap(now, i)))
		}
	}
	if now.gain == 0 {
		return
	}
	for ; i < to; i++ {
		x[i] = float32(float64(x[i]) + tap(now, i))
	}
}

// finish applies the de-emphasis filter to the last n samples of each channel in d.past, and writes them to dst (RFC
// 6716, section 4.3.7.2). dst is interleaved, with full scale 1. finish stores the filter state for the next frame;
// d.past stays unchanged.
func (d *Decoder) finish(dst []float32, n int) {
	for c := range d.channels {
		m := d.deemphasis[c]
		for i, x := range d.past[c][history-n : history] {
			y := x + m
			m = float32(y * 0.85000610)
			dst[i*d.channels+c] = float32(y * (1.0 / 32768))
		}
		if math.Abs(float64(m)) < 1e-20 {
			m = 0
		}
		d.deemphasis[c] = m
	}
}

// conceal synthesizes a lost frame of 120<<lm samples at the end of d.past. The caller then calls finish. The sound is
// noise in the bands start to end-1. Its energies decay from the energies of the last frame, down to d.floor at the
// least. conceal shifts d.past, changes d.frame, d.shape, d.energy and the seed d.rng, and increments d.lost.
func (d *Decoder) conceal(lm, start, end int) {
	n := overlap << lm
	f := &d.frame
	*f = frame{header: header{channels: d.channels, lm: lm, start: start, end: end}}
	decay := float32(0.5)
	if d.lost == 0 {
		decay = 1.5
	}
	d.bands.seed = d.rng
	for c := range d.channels {
		for i := start; i < end; i++ {
			d.energy[c][i] = max(d.floor[c][i], d.energy[c][i]-decay)
			x := d.shape[c][edges[i]<<lm : edges[i+1]<<lm]
			for j := range x {
				x[j] = float64(int32(d.bands.random()) >> 20)
			}
			renormalize(x, 1)
		}
		copy(d.past[c][:], d.past[c][n:history+overlap/2])
	}
	d.rng = d.bands.seed
	d.synthesize(f, false)
	d.lost++
}
