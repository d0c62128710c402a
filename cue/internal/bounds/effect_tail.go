package bounds

import (
	"voicepool/bank/rules"
	"voicepool/cue"
	"voicepool/cue/internal/runsheet"
	"voicepool/effect"
	"voicepool/internal/passfilter"
	"voicepool/mixer"
)

// EffectTail returns how long the effects and filters of the sheet can sound after their input has ended. The result is
// an upper bound in frames at the sheet's rate: the sum over all effects and filters of the master, the outputs and the
// buses. It considers all values that cues and scenes set. The result is 0 without effects and filters.
func EffectTail(s *runsheet.Sheet) (frames int64) {
	add := func(bus string, effects []effect.Effect, low, high float64) {
		for i := range effects {
			frames += effects[i].Tail(s.Rate, effectValues(s, bus, effects[i].Name()))
		}
		frames += filterTail(s, bus, low, high)
	}
	add("master", s.Master.Effects, s.Master.LowPass, s.Master.HighPass)
	for i := range s.Outputs {
		if o := &s.Outputs[i]; i > 0 {
			add(o.Name, o.Effects, o.LowPass, o.HighPass)
		}
	}
	for i := range s.Buses {
		b := &s.Buses[i]
		add(b.Name, b.Effects, b.LowPass, b.HighPass)
	}
	return frames
}

// effectValues returns all values that the sheet sets for one effect while it plays. The effect is on the given bus
// and has the given name. Values from scenes come first, then values from cues. The initial values of the effect are
// not included. The result is nil if no scene or cue changes the effect.
func effectValues(s *runsheet.Sheet, bus, name string) (moves []effect.Values) {
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
		if set, is := s.Cues[i].Action.(*cue.Set); is && set.Target.Name == bus {
			add(set.Effects)
		}
	}
	return moves
}

// filterTail returns how long the low-pass and the high-pass of the given bus can sound after their input has ended.
// The result is an upper bound in frames. low and high are the initial cutoffs in Hz; 0 means off. A low cutoff sounds
// long, so the lowest low-pass cutoff of all scenes and cues counts. If any of them changes the high-pass, its lowest
// possible cutoff counts. The result is 0 if both filters are always off.
func filterTail(s *runsheet.Sheet, bus string, low, high float64) (frames int64) {
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
		if set, is := s.Cues[i].Action.(*cue.Set); is && set.Target.Name == bus {
			if set.Change.Fields&mixer.FieldLowPass != 0 {
				lowest(&low, &set.Change.LowPass)
			}
			moves = moves || set.Change.Fields&mixer.FieldHighPass != 0
		}
	}
	if moves {
		high = mixer.MinCutoff
	}
	for _, hz := range [...]float64{low, high} {
		if hz != 0 {
			frames += passfilter.Tail(hz, s.Rate)
		}
	}
	return frames
}
