package record

import (
	"cmp"
	"fmt"
	"time"

	"voicepool/bank/rules"
	"voicepool/internal/property"
	"voicepool/internal/sheet/yaml"
	"voicepool/mixer"
	"voicepool/pcm"
	"voicepool/sounds"
)

// RulesOf returns the mixer configuration c as the rules of a sheet without sounds, as New needs it. Voices, Rate and
// Quality become the defaults of the mixer if they are not set in c. Cutoffs above half the sample rate become half of
// it. If the master, a bus or an output has an insert, a sheet cannot express c. The rules are then nil, and the error
// wraps ErrRecord.
func RulesOf(c mixer.Config) (*rules.Rules, error) {
	s := &rules.Rules{
		Voices: cmp.Or(c.Voices, 32), Virtual: c.Virtual, Overflow: c.Overflow, Refuse: c.RejectQuietest,
		Rate: cmp.Or(c.Rate, 48000), Quality: max(c.Quality, sounds.Best), Seed: 1,
		Master: rules.Master{Gain: c.MasterGain, Limiter: !c.NoLimiter, SoftClip: c.SoftClip, DCGuard: c.DCGuard, Effects: c.Effects, LowPass: c.LowPass, HighPass: c.HighPass},
	}
	at := func(frames int64) rules.Time { return rules.FrameTime(frames, s.Rate) }
	if c.Overflow == mixer.GrowPool {
		s.Grow = rules.Grow{Step: c.Grow.Step, Max: c.Grow.Max, Idle: at(pcm.Frames(c.Grow.Idle, s.Rate))}
	}
	if c.Insert != nil {
		return nil, fmt.Errorf("%w: the master has an insert", ErrRecord)
	}
	if err := addOutputs(s, &c); err != nil {
		return nil, err
	}
	for _, b := range c.Buses {
		if b.Insert != nil {
			return nil, fmt.Errorf("%w: bus %s has an insert", ErrRecord, yaml.Quote(b.Name))
		}
		bus := rules.Bus{Name: b.Name, Parent: b.Parent, Output: b.Output, Gain: b.Gain, Pan: b.Pan, Pitch: b.Pitch, Voices: b.Voices, Mute: b.Mute, Solo: b.Solo, Effects: b.Effects, Sends: b.Sends, LowPass: b.LowPass, HighPass: b.HighPass}
		if b.Duck != (mixer.Duck{}) {
			bus.Duck = duckOf(b.Duck, s.Rate)
		}
		s.Buses = append(s.Buses, bus)
	}
	s.Master.LowPass, s.Master.HighPass = limitCutoff(s.Master.LowPass, s.Rate), limitCutoff(s.Master.HighPass, s.Rate)
	for i := range s.Outputs {
		o := &s.Outputs[i]
		o.LowPass, o.HighPass = limitCutoff(o.LowPass, s.Rate), limitCutoff(o.HighPass, s.Rate)
	}
	for i := range s.Buses {
		b := &s.Buses[i]
		b.LowPass, b.HighPass = limitCutoff(b.LowPass, s.Rate), limitCutoff(b.HighPass, s.Rate)
	}
	return s, nil
}

// limitCutoff limits hz, the cutoff of a filter, to half of rate, the sample rate in Hz. The limited filter sounds the
// same. 0, for no filter, stays 0.
func limitCutoff(hz float64, rate int) float64 { return min(hz, float64(rate)/2) }

// limitFilters is limitCutoff for the cutoffs of a voice.
func limitFilters(filters mixer.Filters, rate int) mixer.Filters {
	for i, x := range filters.FilterFields() {
		if property.Filters()[i].IsCutoff() {
			*x = limitCutoff(*x, rate)
		}
	}
	return filters
}

// duckOf converts d, a duck of a mixer, to a duck of a sheet. Times are rounded to whole frames. rate is the sample
// rate in Hz.
func duckOf(d mixer.Duck, rate int) *rules.Duck {
	at := func(t time.Duration) rules.Time { return rules.FrameTime(pcm.Frames(t, rate), rate) }
	return &rules.Duck{When: d.When, By: d.By, Above: d.Above, Attack: at(d.Attack), Hold: at(d.Hold), Release: at(d.Release)}
}

// addOutputs appends the outputs of the mixer configuration c to s.Outputs. The gain, the cutoffs and the effects of
// the first output are moved to s.Master, because the first output is the master bus of a sheet. An output without a
// channel gets the two channels after the previous output. If an output has an insert, the error wraps ErrRecord.
func addOutputs(s *rules.Rules, c *mixer.Config) error {
	next := 1
	for i, o := range c.Outputs {
		if o.Insert != nil {
			return fmt.Errorf("%w: output %s has an insert", ErrRecord, yaml.Quote(o.Name))
		}
		if o.Channel == 0 {
			o.Channel = next
		}
		next = o.Channel + 2
		if i == 0 && o.Gain != 0 { // the gain of the master
			s.Master.Gain, o.Gain = o.Gain, 0
		}
		if i == 0 {
			m := &s.Master
			m.LowPass, m.HighPass = cmp.Or(o.LowPass, m.LowPass), cmp.Or(o.HighPass, m.HighPass)
			o.LowPass, o.HighPass = 0, 0
			if len(o.Effects) > 0 {
				m.Effects, o.Effects = o.Effects, nil
			}
		}
		s.Outputs = append(s.Outputs, rules.Output{Name: o.Name, Channel: o.Channel, Gain: o.Gain, LowPass: o.LowPass, HighPass: o.HighPass, Effects: o.Effects})
	}
	return nil
}
