package main

import (
	"voicepool/sounds"
)

// levelFlags say how loud sounds are made when they are loaded.
type levelFlags struct {
	LUFS       *float64 `name:"lufs" placeholder:"LUFS" help:"Bring sounds to this loudness in LUFS, -70..-1."`
	ReplayGain bool     `name:"replaygain" help:"Take the loudness of sounds from their ReplayGain or R128 tags, if they have any."`
}

func (l *levelFlags) check() error {
	return inRange("lufs", l.LUFS, -70, -1)
}

func (l *levelFlags) leveling() sounds.Leveling {
	level := sounds.Leveling{Tags: l.ReplayGain}
	if l.LUFS != nil {
		level.LUFS = *l.LUFS
	}
	return level
}
