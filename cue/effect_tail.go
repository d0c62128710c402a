package cue

import (
	"voicepool/bank/rules"
	"voicepool/effect"
	"voicepool/mixer"
	"voicepool/voice"
)

// effectTail returns an upper bound for the sum of the tails of all effects and bus filters, in frames at the sheet's
// rate. A tail is the sound that follows the end of the input. The result is 0 without effects and filters.
func (s *Sheet) effectTail() (frames int64) {
	each := func(bus string, effects []effect.Effect) {
		for i := range effects {
			frames += effects[i].Tail(s.Rate, s.effectValues(bus, effects[i].Name()))
		}
	}
	each("master", s.Master.Effects)
	frames += s.filterTail("master", s.Master.LowPass, s.Master.HighPass)
	for i := range s.Outputs {
		if o := &s.Outputs[i]; i > 0 {
			each(o.Name, o.Effects)
			frames += s.filterTail(o.Name, o.LowPass, o.HighPass)
		}
	}
	for i := range s.Buses {
		b := &s.Buses[i]
		each(b.Name, b.Effects)
		frames += s.filterTail(b.Name, b.LowPass, b.HighPass)
	}
	return frames
}

// effectValues returns all values that scenes and cues of the sheet set for the effect with the given name on the
// given bus: first the values of scenes, then of cues. It is nil if they set no value. Initial values are not
// included.
func (s *Sheet) effectValues(bus, name string) (moves []effect.Values) {
	add := func(of []rules.EffectMove) {
		for i := range of {
			if of[i].Effect == name {
				moves = append(moves, of[i].Values)
			}
		}
	}
	for i := range s.Scenes {
		for _, b := range s.Scenes[i].Buses {
			if b.Name == bus {
				add(b.Effects)
			}
		}
	}
	for i := range s.Cues {
		if s.Cues[i].Target == bus {
			add(s.Cues[i].Effects)
		}
	}
	return moves
}

// filterTail returns an upper bound for the tail of the low-pass and the high-pass of the given bus, in frames, over
// all cutoffs that the sheet sets. low and high are the initial cutoffs in Hz; 0 is off. The result is 0 if both
// filters are always off.
func (s *Sheet) filterTail(bus string, low, high float64) (frames int64) {
	moves := false // the high-pass moves; it may start at 20 Hz
	lowest := func(to *float64, hz *float64) {
		if hz != nil && *hz != 0 && (*to == 0 || *hz < *to) {
			*to = *hz
		}
	}
	for i := range s.Scenes {
		for j := range s.Scenes[i].Buses {
			if b := &s.Scenes[i].Buses[j]; b.Name == bus {
				lowest(&low, b.LowPass)
				moves = moves || b.HighPass != nil
			}
		}
	}
	for i := range s.Cues {
		if c := &s.Cues[i]; c.Target == bus {
			if c.Change.Fields&mixer.FieldLowPass != 0 {
				lowest(&low, &c.Change.LowPass)
			}
			moves = moves || c.Change.Fields&mixer.FieldHighPass != 0
		}
	}
	if moves {
		high = mixer.MinCutoff
	}
	for _, hz := range [...]float64{low, high} {
		if hz != 0 {
			frames += voice.FilterTail(hz, s.Rate)
		}
	}
	return frames
}
