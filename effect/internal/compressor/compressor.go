// Package compressor implements a feed-forward compressor with a soft knee and level detection in the
// logarithmic domain, after D. Giannoulis, M. Massberg and J. D. Reiss, "Digital Dynamic Range Compressor
// Design", Journal of the Audio Engineering Society 60 (2012).
//
// Both channels of a frame get the same gain, computed from the louder one. The compressor has no look-ahead
// and no latency: without reduction and makeup the output equals the input to the bit.
package compressor

import (
	"voicepool/effect/internal/ramp"
	"voicepool/internal/dsp"
	"voicepool/pcm"
)

// Values are the parameters.
type Values struct {
	Threshold float64 // dBFS, -60..0
	Ratio     float64 // 1..100 to one; 100 makes a limiter
	Attack    float64 // seconds, 0.0001..0.5: time to 63 % of a step up of the reduction in dB
	Release   float64 // seconds, 0.005..5: the same for a step down
	Knee      float64 // dB, 0..24: width of the curved part around the threshold
	Makeup    float64 // dB, -24..24: gain after the reduction
}

// defaults returns the values of a new compressor.
func defaults() Values {
	return Values{Threshold: -18, Ratio: 4, Attack: 0.005, Release: 0.12, Knee: 6}
}

const (
	octave = 6.02059991327962390427 // dB: 20 log10(2)

	run = 64 // maximum frames per step
)

// Compressor is a stereo compressor. It stores no past samples.
type Compressor struct {
	rate int
	ramp ramp.Ramp // of the settings

	curve    curve
	times    times
	makeup   float32
	detector detector
	most     float32 // largest reduction since the last Reduction call, in octaves

	buffer [run]float32
}

// New returns a compressor for a rate in Hz, with the defaults. Control side.
func New(rate int) *Compressor {
	c := &Compressor{rate: rate, ramp: ramp.New(count)}
	v := defaults()
	c.Jump(&v)
	return c
}

// Jump sets the parameters to v at once, without a ramp.
func (c *Compressor) Jump(v *Values) {
	s := settings(v, c.rate)
	c.ramp.Jump(s[:])
	c.set(c.ramp.Now())
}

// Move moves the parameters to v in 64 frames, see package ramp. Call it only at frames that are multiples
// of 32.
func (c *Compressor) Move(v *Values) {
	s := settings(v, c.rate)
	c.ramp.Move(s[:])
}

// set applies the settings s, in the order of the constants of package compressor. When they no longer move, it also
// computes the amplitude without reduction.
func (c *Compressor) set(s []float64) {
	s = s[:count]
	c.curve = newCurve(s[threshold], s[knee], s[slope])
	c.times = times{release: s[release], attack: s[attack], fall: s[fall]}
	c.makeup = float32(s[makeup])
	if c.ramp.Still() {
		c.curve.computeQuiet()
	}
}

// Process compresses block in place, by the level of key or, if key is nil, of block. len(key) >= len(block).
// frame is the mixer's number of the first frame. Audio side.
func (c *Compressor) Process(block, key []pcm.Frame, frame int64) {
	if key == nil {
		key = block
	}
	for len(block) > 0 {
		n := min(len(block), run-int(frame&(run-1)))
		if !c.ramp.Still() {
			n = 1
			c.set(c.ramp.Next())
		}
		c.compress(block[:n], key[:n])
		block, key = block[n:], key[n:]
		if frame += int64(n); frame&(run-1) == 0 {
			c.detector.flushTiny()
		}
	}
}

// compress processes up to run frames of block in place, by the level of key. It skips steps only if they would
// not change any bit.
func (c *Compressor) compress(block, key []pcm.Frame) {
	quiet := dsp.Peak(key) <= c.curve.quiet
	if quiet && c.detector.idle() {
		c.amplify(block)
		return
	}
	x := c.buffer[:len(block)]
	if quiet {
		clear(x)
	} else {
		c.curve.Reductions(x, key)
	}
	c.most = max(c.most, c.detector.next(x, c.times))
	if dsp.Peak(block) > 0 {
		dsp.Lower(block, x, c.makeup)
	}
}

// amplify multiplies block by the makeup gain.
func (c *Compressor) amplify(block []pcm.Frame) {
	gain := c.makeup
	if gain == 1 {
		return
	}
	for i := range block {
		x := &block[i]
		x[0], x[1] = float32(x[0]*gain), float32(x[1]*gain)
	}
}

// Reset sets the reduction to 0 and ends a ramp at its target. The parameters stay.
func (c *Compressor) Reset() {
	c.detector, c.most = detector{}, 0
	c.ramp.Finish()
	c.set(c.ramp.Now())
}

// Idle reports whether the reduction is exactly 0 dB and no parameter moves. At frames that are multiples of 64
// a reduction below 1e-6 dB becomes 0. Until the input exceeds the knee, Process then only applies the makeup,
// and calls for silent blocks may be left out.
func (c *Compressor) Idle() bool { return c.ramp.Still() && c.detector.idle() }

// Reduction returns the largest reduction in dB, 0 or more, since the last call. Without frames since then it
// returns the present one. The makeup does not count. Audio side.
func (c *Compressor) Reduction() float64 {
	largest := c.most
	c.most = float32(c.detector.smooth)
	return float64(max(largest, c.most)) * octave
}
