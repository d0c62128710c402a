package library

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"voicepool/pcm"
	"voicepool/sounds"
	"voicepool/sounds/internal/source"
)

// Prepare makes a sound for a mixer from the decoded clip c. It downmixes the samples to mono or stereo, converts them
// to the mixer's rate, and computes the loudness index. The clip is not changed. The error names the clip and wraps
// ErrDecode or ErrLimit if the clip or an option is invalid. It wraps sounds.ErrSound if the converted sound is too
// long for a voice, or has samples beyond 65,536. With Options.Strict a damaged clip is an error. Control side.
func Prepare(c *Clip, opt Options) (*sounds.Sound, error) {
	if err := cmp.Or(c.check(), opt.strictError(c.Damages)); err != nil {
		return nil, withName(c.Name, err)
	}
	sound, _, err := prepare(context.Background(), c, opt, c.measure, c.Name, "", &filterCache{}, &workBuffers{})
	return sound, withName(c.Name, err)
}

// prepare makes a sound for a mixer from the clip c, which must be valid. It works as Prepare does, and also returns
// the gain of the leveling in dB. title and file are the names of the sound in reports. measured returns loudness and
// peak of the clip, and is called only if the leveling needs them. The cache filters provides the resampling filters.
// buffers provides working memory. When ctx ends, the error wraps the error of ctx; other errors are of
// invalid options or limits, or wrap sounds.ErrSound as in Prepare.
func prepare(
	ctx context.Context, c *Clip, opt Options, measured func() (pcm.LUFS, pcm.Decibels), title, file string, filters *filterCache, buffers *workBuffers,
) (_ *sounds.Sound, gain pcm.Decibels, err error) {
	if gain, err = opt.Leveling.gain(c, measured); err != nil {
		return nil, 0, err
	}
	rate := opt.rate()
	lim := opt.Limits.withDefaults()
	if err := opt.rateError(); err != nil {
		return nil, 0, err
	}
	samples, channels := downmix(c)
	if gain != 0 {
		samples = slices.Clone(samples)
		amplify(samples, gain.Linear())
	}
	loop := c.Loop
	if loop == nil && opt.Loop && len(samples) > 0 {
		loop = &pcm.Loop{0, c.Frames()}
	}
	if err := lim.bounds().CheckLength(newRatio(int64(rate), int64(c.Rate)).scale(c.Frames()), channels); err != nil {
		return nil, 0, err
	}
	samples, loop, err = resample(ctx, filters, samples, channels, c.Rate, rate, loop, buffers)
	if err != nil {
		return nil, 0, fmt.Errorf("given up: %w", err)
	}
	s := sounds.Samples{Name: title, File: file, Rate: rate, Channels: channels, Data: samples, Compact: opt.Compact, Refine: Refine}
	whole := [2]int64{0, int64(len(samples) / channels)}
	if loop != nil {
		s.Loop, whole = *loop, *loop
	}
	s.Envelope = measureEnvelope(samples, channels, rate, whole)
	if opt.Masking {
		s.Envelope.Masks, s.Envelope.MasksLoop = measureMasks(samples, channels, rate, whole)
	}
	sound, err := sounds.NewSound(s)
	if err != nil {
		return nil, 0, err
	}
	if err := opt.refine(ctx, sound, loop != nil); err != nil {
		return nil, 0, err
	}
	return sound, gain, nil
}

// check checks the clip, which may come from code outside this package. It returns an error if the channels, rate,
// loop, gain or samples are invalid, otherwise nil. The error wraps ErrLimit for channels and rate, and ErrDecode for
// the rest.
func (c *Clip) check() error {
	switch frames := c.Frames(); {
	case c.Channels < 1 || c.Channels > defaultChannels:
		return source.LimitErrorf("%d channels, a sound has 1..%d", c.Channels, defaultChannels)
	case c.Rate < 1 || c.Rate > defaultMaxRate:
		return source.LimitErrorf("%w", &pcm.RangeError{Name: "rate", Value: float64(c.Rate), Min: 1, Max: defaultMaxRate, Unit: "Hz"})
	case len(c.Samples)%c.Channels != 0:
		return source.DecodeErrorf("%d samples are not whole frames of %d channels", len(c.Samples), c.Channels)
	case c.Loop != nil && !c.Loop.Inside(frames):
		return source.DecodeErrorf("the loop [%d, %d) is not inside its %d frames", c.Loop[0], c.Loop[1], frames)
	case c.Gain != nil && !(math.Abs(float64(*c.Gain)) <= source.MaxTagGain):
		return source.DecodeErrorf("%w", &pcm.RangeError{Name: "gain", Value: float64(*c.Gain), Min: -source.MaxTagGain, Max: source.MaxTagGain, Unit: "dB"})
	}
	return checkSamples(c.Samples, c.Channels, 0)
}

// minLUFS is the lowest target loudness.
const minLUFS = -70

// maxPeak is the highest true peak that leveling may raise a sound to, in dBTP: the limit of EBU R 128.
const maxPeak pcm.Decibels = -1

// Leveling adjusts the loudness of sounds when they are loaded. The zero value leaves them unchanged.
type Leveling struct {
	// LUFS is the target integrated loudness, -70 to just below 0; 0 means no target. Silence stays silent.
	LUFS float64

	// Tags takes the loudness of a sound from its ReplayGain or R128 tags, if it has any, instead of measuring
	// it. Without LUFS the target of tagged sounds is -18 LUFS, and untagged sounds stay unchanged.
	Tags bool
}

// check returns an error that wraps ErrLimit if LUFS is out of range or NaN, otherwise nil; 0 is valid.
func (l Leveling) check() error {
	if l.LUFS == 0 || l.LUFS >= minLUFS && l.LUFS < 0 {
		return nil
	}
	return source.LimitErrorf("%w", &pcm.RangeError{Name: "loudness", Value: l.LUFS, Min: minLUFS, Unit: "LUFS"})
}

// gain returns the gain in dB that brings the clip c to the target loudness of l. It is 0 without a target and for
// silence. With l.Tags, a loudness from tags in c counts instead of the measured one. A gain above 0 is reduced, at
// most to 0, so that the true peak stays at or below -1 dBTP (maxPeak). measured returns loudness and peak of the
// clip; it is called only if there is a target. The error wraps ErrLimit if l.LUFS is out of range.
func (l Leveling) gain(c *Clip, measured func() (pcm.LUFS, pcm.Decibels)) (pcm.Decibels, error) {
	if err := l.check(); err != nil {
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

// amplify multiplies samples in place by factor, a linear gain. Each product is computed in float64 and rounded once
// to float32. A factor of 1 changes no sample.
func amplify(samples []float32, factor float64) {
	if factor == 1 {
		return
	}
	for i, x := range samples {
		samples[i] = float32(float64(x) * factor)
	}
}
