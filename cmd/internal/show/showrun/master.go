package showrun

import (
	"time"

	"voicepool/mixer"
	"voicepool/pcm"
	"voicepool/voice"
)

// Master adds by dB to the gain of the master bus of every output, with a ramp of 50 ms. The sum is clamped to the
// range of the mixer. It reports no event. An error is from the mixer, for example because it is closed; earlier
// masters have then changed.
func (s *Show) Master(by float64) error {
	s.mutex.Lock()
	masters := s.masters()
	s.mutex.Unlock()
	for _, name := range masters {
		b, err := s.player.Mixer().Bus(name)
		if err != nil {
			return err
		}
		gain := min(max(float64(b.Gain())+by, mixer.MinGain), mixer.MaxGain)
		if err := b.Fade(pcm.Decibels(gain), 50*time.Millisecond, voice.InDecibels); err != nil {
			return err
		}
	}
	return nil
}

// masters returns the names of the master buses: "master" for the first output, and the name of each further output.
// The caller holds s.mutex.
func (s *Show) masters() []string {
	names := []string{"master"}
	if n := len(s.sheet.Outputs); n > 1 {
		for i := range s.sheet.Outputs[1:] {
			names = append(names, s.sheet.Outputs[1+i].Name)
		}
	}
	return names
}

// Mute mutes the bus called name in the mixer if on is true, otherwise unmutes it, and records that for State. An
// unknown bus is an error. It reports no event.
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

// buses returns the names of all buses: the master buses first, then the buses of the sheet. The caller holds s.mutex.
func (s *Show) buses() (names []string) {
	names = s.masters()
	for i := range s.sheet.Buses {
		names = append(names, s.sheet.Buses[i].Name)
	}
	return names
}

// SetMuted records for State that another part of the program has muted (on is true) or unmuted the bus called name. It
// does not change the mixer; Mute does.
func (s *Show) SetMuted(name string, on bool) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.muted[name] = on
}

// IsMuted reports whether the bus called name is muted, by the last Mute or SetMuted, or else by the sheet. It is false
// for an unknown bus.
func (s *Show) IsMuted(name string) bool {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return s.muted[name]
}

// RestorePosition restores the position of an earlier show: last is the number of the last started cue, and standby
// the number of the cue on standby. Without standby, the cue after last is on standby. An empty or unknown number is
// ignored. It starts no cue and reports no event.
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
