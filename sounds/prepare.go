package sounds

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"voicepool/pcm"
	"voicepool/sounds/internal/source"
	"voicepool/voice"
)

// defaultRate is the mixer's usual rate.
const defaultRate = 48000

// Options says how sounds are made ready. The zero value means 48 kHz, files
// as they are, the default limits.
type Options struct {
	// Rate is the mixer's, in Hz, 1..768,000; 0 means 48,000.
	Rate int

	// Loop takes sounds without loop points of their own as loops from their
	// first frame to their last, so that the conversion to Rate leaves no seam.
	Loop bool

	// Leveling says how loud sounds are made.
	Leveling Leveling

	// Compact keeps sounds in 16 bits a sample, half the memory. A file of 16 bits
	// at the mixer's rate loses nothing by it; what is louder than full scale is
	// clipped.
	Compact bool

	// MaxPitch is the highest pitch, speed included, for which sounds are made ready
	// as they are loaded, 0..96 semitones. Whatever is played pitched without it, or
	// higher, is made ready by the mixer when it is first asked for, and reads
	// something worse until then. 0: nothing is.
	MaxPitch pcm.Semitones

	// Masking has sounds measured in bands, which the policy mixer.StealMasked looks
	// at: 5.6 kB and about 10 ms of work for a second of sound.
	Masking bool

	// Measure has a Library measure loudness and true peak of what it loads, for
	// Info; it costs about a hundredth of a sound's length.
	Measure bool

	// Strict refuses files that are damaged. Otherwise the places that cannot be decoded are
	// concealed.
	Strict bool

	// OnDamage is called with each damaged place of a file that a Library loads or streams, once for
	// each place and at most 100 times for each file: of a stream when it is decoded, a little before it
	// is heard. The file is Source.File. Any goroutine. nil: it is not called.
	OnDamage func(file string, d Damage) `json:"-"`

	Limits Limits
}

func (o Options) rate() int { return cmp.Or(o.Rate, defaultRate) }

// rateError says that no mixer has the rate; nil: one may.
func (o Options) rateError() error {
	if rate := o.rate(); rate < 1 || rate > defaultMaxRate {
		return source.Beyond("a mixer's rate of %d Hz is not in 1..%d", rate, defaultMaxRate)
	}
	return nil
}

// Prepare makes a sound for a mixer out of what a file held: folded to mono or
// stereo, converted to the mixer's rate, with its loudness index. The clip is
// not changed. Control side.
func Prepare(c *Clip, opt Options) (*voice.Sound, error) {
	if err := c.valid(); err != nil {
		return nil, named(c.Name, err)
	}
	if err := opt.refuse(c.Damages); err != nil {
		return nil, named(c.Name, err)
	}
	sound, _, err := prepare(context.Background(), c, opt, c.measure, c.Name, "", &filters{}, nil)
	return sound, named(c.Name, err)
}

// prepare is Prepare for a valid clip, with a name and a file of its own and what may be there
// already: its loudness and peak, filters, and memory to work in. It returns the gain of its leveling too.
func prepare(
	ctx context.Context, c *Clip, opt Options, measured func() (pcm.LUFS, pcm.Decibels), title, file string, filters *filters, room *spare,
) (_ *voice.Sound, gain pcm.Decibels, err error) {
	if gain, err = opt.Leveling.gain(c, measured); err != nil {
		return nil, 0, err
	}
	rate := opt.rate()
	lim := opt.Limits.withDefaults()
	if err := opt.rateError(); err != nil {
		return nil, 0, err
	}
	samples, channels := fold(c)
	if gain != 0 {
		samples = slices.Clone(samples)
		amplify(samples, gain.Linear())
	}
	loop := c.Loop
	if loop == nil && opt.Loop && len(samples) > 0 {
		loop = &pcm.Loop{0, c.Frames()}
	}
	if err := lim.bounds().Length(newRatio(int64(rate), int64(c.Rate)).scale(c.Frames()), channels); err != nil {
		return nil, 0, err
	}
	samples, loop, err = resample(ctx, filters, samples, channels, c.Rate, rate, loop, room)
	if err != nil {
		return nil, 0, fmt.Errorf("given up: %w", err)
	}
	s := voice.Samples{Name: title, File: file, Rate: rate, Channels: channels, Data: samples, Compact: opt.Compact, Refine: Refine}
	whole := [2]int64{0, int64(len(samples) / channels)}
	if loop != nil {
		s.Loop, whole = *loop, *loop
	}
	s.Envelope = measureEnvelope(samples, channels, rate, whole)
	if opt.Masking {
		s.Envelope.Masks, s.Envelope.MasksLoop = measureMasks(samples, channels, rate, whole)
	}
	sound, err := voice.NewSound(s)
	if err != nil {
		return nil, 0, err
	}
	if err := opt.refine(ctx, sound, loop != nil); err != nil {
		return nil, 0, err
	}
	return sound, gain, nil
}

// valid checks a clip that somebody may have made by hand.
func (c *Clip) valid() error {
	switch frames := c.Frames(); {
	case c.Channels < 1 || c.Channels > defaultChannels:
		return source.Beyond("%d channels, a sound has 1..%d", c.Channels, defaultChannels)
	case c.Rate < 1 || c.Rate > defaultMaxRate:
		return source.Beyond("a rate of %d Hz is not in 1..%d", c.Rate, defaultMaxRate)
	case len(c.Samples)%c.Channels != 0:
		return source.Broken("%d samples are not whole frames of %d channels", len(c.Samples), c.Channels)
	case c.Loop != nil && !c.Loop.Inside(frames):
		return source.Broken("the loop [%d, %d) is not inside its %d frames", c.Loop[0], c.Loop[1], frames)
	case c.Gain != nil && !(math.Abs(float64(*c.Gain)) <= source.MaxTagGain):
		return source.Broken("a gain of %v dB is not in -%d..%d", *c.Gain, source.MaxTagGain, source.MaxTagGain)
	}
	return checkSamples(c.Samples, c.Channels, 0)
}

// leastLUFS is the lowest loudness that a sound can be brought to.
const leastLUFS = -70

// maxPeak is how far raising a sound may take its true peak: what EBU R 128
// allows.
const maxPeak pcm.Decibels = -1

// Leveling says how loud sounds are made when they are loaded. The zero value
// leaves them as they are.
type Leveling struct {
	// LUFS is the integrated loudness to bring a sound to, -70 to just below 0;
	// 0 means none. Silence stays silent.
	LUFS float64

	// Tags takes a sound's loudness from its ReplayGain or R128 tags, where it
	// has some, instead of measuring it. Without LUFS it brings what has tags to
	// -18, and leaves all else.
	Tags bool
}

// valid says what is wrong with it.
func (l Leveling) valid() error {
	if l.LUFS == 0 || l.LUFS >= leastLUFS && l.LUFS < 0 {
		return nil
	}
	return source.Beyond("a loudness of %v LUFS is not in %d..0", l.LUFS, leastLUFS)
}

// gain returns by how much a clip is to be changed. It is never raised so far
// that its true peak passes maxPeak.
func (l Leveling) gain(c *Clip, measured func() (pcm.LUFS, pcm.Decibels)) (pcm.Decibels, error) {
	if err := l.valid(); err != nil {
		return 0, err
	}
	tagged := l.Tags && c.Gain != nil
	if l.LUFS == 0 && !tagged {
		return 0, nil
	}
	level, peak := measured()
	if math.IsInf(float64(level), 0) {
		return 0, nil
	}
	gain := pcm.Decibels(l.LUFS - float64(level))
	if tagged {
		gain = *c.Gain
		if l.LUFS != 0 {
			gain += pcm.Decibels(l.LUFS - source.TagReference)
		}
	}
	return min(gain, max(0, maxPeak-peak)), nil
}

// amplify multiplies samples, each rounded once.
func amplify(samples []float32, factor float64) {
	if factor == 1 {
		return
	}
	for i, x := range samples {
		samples[i] = float32(float64(x) * factor)
	}
}
