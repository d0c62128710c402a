package show

import (
	"time"

	"voicepool/mixer"
	"voicepool/pcm"
	"voicepool/voice"
)

// Master adds by dB to the gain of the master bus of every output, as a fade of 50 ms. Gains are clamped to
// the range of the mixer.
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

// masters returns the names of the master buses: "master" for the first output, and the output's name for
// each further one.
func (s *Show) masters() []string {
	names := []string{"master"}
	if n := len(s.sheet.Outputs); n > 1 {
		for i := range s.sheet.Outputs[1:] {
			names = append(names, s.sheet.Outputs[1+i].Name)
		}
	}
	return names
}

// Mute mutes a bus if on is true, otherwise unmutes it. It returns an error for an unknown bus.
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

// buses returns the names of all buses: the master buses first, then the buses of the sheet.
func (s *Show) buses() (names []string) {
	names = s.masters()
	for i := range s.sheet.Buses {
		names = append(names, s.sheet.Buses[i].Name)
	}
	return names
}

// Muted records that another part of the program muted (on) or unmuted a bus. It does not change the mixer.
func (s *Show) Muted(name string, on bool) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.muted[name] = on
}

// IsMuted reports whether a bus is muted, by the last Mute or Muted or by the sheet. It is false for an
// unknown bus.
func (s *Show) IsMuted(name string) bool {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return s.muted[name]
}

// Return resumes a show at an earlier position: last is the cue of the last GO, and standby the cue on
// standby, both by number. An empty or unknown number is ignored. It starts no cue.
func (s *Show) Return(last, standby string) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if i, err := s.sheet.Place(last); err == nil && last != "" {
		s.last, s.standby = i, s.after(i)
	}
	if i, err := s.find(standby); err == nil && standby != "" {
		s.standby = i
	}
}
