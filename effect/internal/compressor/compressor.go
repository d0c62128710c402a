// Package compressor lowers what is loud: a feed-forward compressor with a soft knee, whose
// level is taken in the logarithmic domain, after D. Giannoulis, M. Massberg and J. D. Reiss,
// "Digital Dynamic Range Compressor Design", Journal of the Audio Engineering Society 60 (2012).
//
// Both sides of a frame get the same gain, which the louder one decides. There is no
// look-ahead and no latency: at rest and without makeup the output is the input, to the bit.
package compressor

import (
	"voicepool/effect/internal/glide"
	"voicepool/internal/dsp"
	"voicepool/pcm"
)

// Values are the parameters.
type Values struct {
	Threshold float64 // dBFS, -60..0
	Ratio     float64 // 1..100 to one; 100 makes a limiter
	Attack    float64 // seconds, 0.0001..0.5: the time to 63 % of a step up of the reduction in dB
	Release   float64 // seconds, 0.005..5: the same of a step down
	Knee      float64 // dB, 0..24: the width of the part that bends, around the threshold
	Makeup    float64 // dB, -24..24: a gain after it
}

// defaults returns the values that a new compressor has.
func defaults() Values {
	return Values{Threshold: -18, Ratio: 4, Attack: 0.005, Release: 0.12, Knee: 6}
}

const (
	octave = 6.02059991327962390427 // dB: 20 log10(2)

	run = 64 // frames that are worked on at once
)

// Compressor is one compressor for both sides. It needs no memory of past samples.
type Compressor struct {
	rate  int
	glide glide.Glide // of the settings

	curve    curve
	times    times
	makeup   float32
	detector detector
	most     float32 // the largest reduction since it was asked for, octaves

	buffer [run]float32
}

// New returns a compressor for a rate in Hz, with the defaults. Control side.
func New(rate int) *Compressor {
	c := &Compressor{rate: rate, glide: glide.New(count)}
	v := defaults()
	c.Jump(&v)
	return c
}

// Jump sets the parameters at once.
func (c *Compressor) Jump(v *Values) {
	s := settings(v, c.rate)
	c.glide.Jump(s[:])
	c.set(c.glide.Now())
}

// Move moves the parameters to v in 64 frames, see the package glide. Call it only at frames that
// are multiples of 32.
func (c *Compressor) Move(v *Values) {
	s := settings(v, c.rate)
	c.glide.Move(s[:])
}

// set makes settings act.
func (c *Compressor) set(s []float64) {
	s = s[:count]
	c.curve = newCurve(s[threshold], s[knee], s[slope])
	c.times = times{release: s[release], attack: s[attack], fall: s[fall]}
	c.makeup = float32(s[makeup])
	if c.glide.Still() {
		c.curve.hush()
	}
}

// Process compresses block in place. The level of key decides, or that of block where key is
// nil. len(key) >= len(block). frame is the mixer's number of the first frame. Audio side.
func (c *Compressor) Process(block, key []pcm.Frame, frame int64) {
	if key == nil {
		key = block
	}
	for len(block) > 0 {
		n := min(len(block), run-int(frame&(run-1)))
		if !c.glide.Still() {
			n = 1
			c.set(c.glide.Next())
		}
		c.compress(block[:n], key[:n])
		block, key = block[n:], key[n:]
		if frame += int64(n); frame&(run-1) == 0 {
			c.detector.settle()
		}
	}
}

// compress works on up to run frames. What it leaves out would change no bit.
func (c *Compressor) compress(block, key []pcm.Frame) {
	quiet := dsp.Peak(key) <= c.curve.quiet
	if quiet && c.detector.rests() {
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

// amplify applies the makeup alone.
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

// Reset forgets the reduction and ends a move. The parameters stay.
func (c *Compressor) Reset() {
	c.detector, c.most = detector{}, 0
	c.glide.Arrive()
	c.set(c.glide.Now())
}

// Idle reports whether the gain is back at 0 dB, exactly: a reduction of less than 1e-6 dB counts
// as none at frames that are multiples of 64. Until something exceeds the knee, Process
// then applies the makeup only, and a pause in the calls changes nothing.
func (c *Compressor) Idle() bool { return c.glide.Still() && c.detector.rests() }

// Reduction returns the largest reduction in dB, 0 or more, of the frames since it was last called.
// Without frames since then it returns the present one. The makeup does not count. Audio side.
func (c *Compressor) Reduction() float64 {
	largest := c.most
	c.most = float32(c.detector.smooth)
	return float64(max(largest, c.most)) * octave
}

// Tail returns 0: nothing rings.
func Tail(*Values, int) int64 { return 0 }
