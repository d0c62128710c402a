package library

import (
	"cmp"

	"voicepool/pcm"
	"voicepool/sounds/internal/source"
)

// defaultRate is the default sample rate of the mixer.
const defaultRate = 48000

// Options configures how sounds are prepared. The zero value means 48 kHz, no leveling, and default limits.
type Options struct {
	// Rate is the sample rate of the mixer in Hz, 1..768,000; 0 means 48,000.
	Rate int

	// Loop makes the whole sound a loop if its file has no loop points. The conversion to Rate then leaves no click
	// where the loop repeats.
	Loop bool

	// Leveling adjusts the loudness of sounds.
	Leveling Leveling

	// Compact stores sounds with 16 bits per sample, in half the memory. A 16-bit file at the mixer's rate is
	// stored without loss; samples beyond full scale are clipped.
	Compact bool

	// MaxPitch is the highest pitch that sounds are prepared for when they are loaded, 0..96 semitones. Speed counts
	// as pitch: double speed is 12 semitones. For a higher pitch, the mixer prepares the sound at its first use;
	// until then the voice plays at a lower quality. 0: no preparation when loading.
	MaxPitch pcm.Semitones

	// Masking measures sounds in frequency bands for the policy mixer.StealMasked. It takes 5.6 kB and about 10
	// ms per second of sound.
	Masking bool

	// Measure makes a Library measure the loudness and true peak of loaded sounds, for Info. It takes about a
	// hundredth of a sound's duration.
	Measure bool

	// Strict rejects damaged files. Otherwise places that cannot be decoded are concealed.
	Strict bool

	// OnDamage is called for each damaged place of a file that a Library loads or streams, once per place and
	// at most 100 times per file. For a stream the call comes during decoding, shortly before playback. file is
	// Source.File. Any goroutine. nil: no calls.
	OnDamage func(file string, d Damage) `json:"-"`

	Limits Limits
}

// rate returns Rate, or the default rate if it is 0, in Hz.
func (o Options) rate() int { return cmp.Or(o.Rate, defaultRate) }

// rateError returns an error that wraps ErrLimit if the rate in use is not in 1..768,000 Hz, otherwise nil. A Rate of
// 0 is valid, because it means the default.
func (o Options) rateError() error {
	if rate := o.rate(); rate < 1 || rate > defaultMaxRate {
		return source.LimitErrorf("%w", &pcm.RangeError{Name: "rate of the mixer", Value: float64(rate), Min: 1, Max: defaultMaxRate, Unit: "Hz"})
	}
	return nil
}
