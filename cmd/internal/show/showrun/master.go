package showrun

import (
	"time"

	"voicepool/bank/rules"
	"voicepool/cue"
	"voicepool/internal/words"
	"voicepool/mixer"
	"voicepool/pcm"
)

// Master adds the parameter by, in dB, to the gain of the master bus of every output, with a ramp of 50 ms. Each new
// gain is clamped to the range of the mixer. It reports no event. An error is from the mixer, for example because the
// mixer is closed. The buses before the failed one have then changed.
func (s *Show) Master(by float64) error {
	s.mutex.Lock()
	names := masters(s.sheet)
	s.mutex.Unlock()
	for _, name := range names {
		b, err := s.player.Mixer().Bus(name)
		if err != nil {
			return err
		}
		gain := min(max(float64(b.Gain())+by, mixer.MinGain), mixer.MaxGain)
		if err := b.Fade(pcm.Decibels(gain), 50*time.Millisecond); err != nil {
			return err
		}
	}
	return nil
}

// masters returns the names of the master buses of a sheet. The first output has the bus "master"; the bus of each
// further output has the name of that output.
func masters(s *cue.Sheet) []string {
	names := words.Names(s.Outputs, func(o *rules.Output) string { return o.Name })
	return append([]string{"master"}, names[min(1, len(names)):]...)
}

// Mute mutes the bus called name in the mixer if on is true, otherwise it unmutes the bus. It also records that for
// State and IsMuted. It reports no event. An unknown bus is an error.
func (s *Show) Mute(name string, on bool) error {
	b, err := s.player.Mixer().Bus(name)
	if err == nil {
		err = b.SetMute(on)
	}
	if err == nil {
		s.mutex.Lock()
		defer s.mutex.Unlock()
		s.muted[name] = on
	}
	return err
}

// BusNames returns the names of all buses of a sheet. The first is "master". Then come the outputs except the first,
// and then the buses that the sheet lists.
func BusNames(s *cue.Sheet) []string {
	return append(masters(s), words.Names(s.Buses, func(b *rules.Bus) string { return b.Name })...)
}

// SetMuted records, for State and IsMuted, that another part of the program has muted the bus called name. If on is
// false, the bus was unmuted. SetMuted does not change the mixer; Mute does.
func (s *Show) SetMuted(name string, on bool) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.muted[name] = on
}

// IsMuted reports whether the bus called name is muted by the show. The last call of Mute or SetMuted decides, or
// without one the sheet. For an unknown bus the result is false.
func (s *Show) IsMuted(name string) bool {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return s.muted[name]
}

// RestorePosition restores the position of an earlier show in the cue list. last is the number of the cue that the last
// GO started. standby is the number of the cue for the next GO. If standby is empty, unknown or disabled, the cue after
// last is on standby. An empty or unknown last is ignored. RestorePosition starts no cue and reports no event.
func (s *Show) RestorePosition(last, standby string) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if i, err := s.sheet.ListIndex(last); err == nil && last != "" {
		s.last, s.standby = i, s.after(i)
	}
	if i, err := s.find(standby); err == nil && standby != "" {
		s.standby = i
	}
}
