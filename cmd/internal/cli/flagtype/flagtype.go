// Package flagtype has the types of flags other than numbers and names: policies, qualities, times,
// formats and decibels. Each parses its text, and its errors list the valid values.
package flagtype

import (
	"fmt"

	"voicepool/bank/rules"
	"voicepool/device/wav"
	"voicepool/internal/words"
	"voicepool/mixer"
	"voicepool/sounds"
)

// Overflow is a policy for a full pool.
type Overflow mixer.Overflow

// UnmarshalText parses the name of a policy for a full pool, such as quietest or oldest, and stores it in o. Any other
// text is an error that lists the names, and it changes o, too.
func (o *Overflow) UnmarshalText(text []byte) error {
	policy, err := mixer.ParseOverflow(string(text))
	if *o = Overflow(policy); err != nil {
		return fmt.Errorf("unknown policy %q (want quietest, oldest, gain, reject, grow or masked)", text)
	}
	return nil
}

// Quality is an interpolation quality.
type Quality sounds.Quality

// UnmarshalText parses the name of an interpolation quality, linear, cubic or best, and stores it in q. Any other text
// is an error that lists the names, and it changes q, too.
func (q *Quality) UnmarshalText(text []byte) error {
	quality, err := sounds.ParseQuality(string(text))
	if *q = Quality(quality); err != nil || quality == sounds.DefaultQuality {
		return fmt.Errorf("unknown quality %q (want linear, cubic or best)", text)
	}
	return nil
}

// Time is a time as written in sheets.
type Time rules.Time

// UnmarshalText parses a time as written in sheets and stores it in t. Examples are 30s, 1m30s, and 1.5 for 1.5 s. Any
// other text is an error and sets t to 0.
func (t *Time) UnmarshalText(text []byte) error {
	time, err := rules.ParseTime(string(text))
	*t = Time(time)
	return err
}

// Value returns t as a time of a sheet, or nil if t is nil, as for a flag that was not given.
func (t *Time) Value() *rules.Time { return (*rules.Time)(t) }

// Format is a sample format.
type Format struct{ wav.Format }

// UnmarshalText parses the name of a sample format, s16, s24 or f32, and stores it in f. Any other text is an error
// that lists the names, and it changes f, too.
func (f *Format) UnmarshalText(text []byte) (err error) {
	if f.Format, err = wav.ParseFormat(string(text)); err != nil {
		return fmt.Errorf("unknown format %q (want s16, s24 or f32)", text)
	}
	return nil
}

// Gain is a number of decibels, with or without a unit.
type Gain float64

// UnmarshalText parses a gain in dB, such as -6 or -6dB, and stores it in g. The range is not limited. Any other text
// is an error and leaves g unchanged.
func (g *Gain) UnmarshalText(text []byte) error {
	x, _, ok := words.ParseDecibels(string(text))
	if !ok {
		return fmt.Errorf("invalid gain %q (want decibels, as -6 or -6dB)", text)
	}
	*g = Gain(x)
	return nil
}
