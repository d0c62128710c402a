package main

import (
	"voicepool/cmd/internal/console"
	"voicepool/sounds"
)

// levelFlags say how loud sounds are made when they are loaded.
type levelFlags struct {
	LUFS       *float64 `name:"lufs" placeholder:"LUFS" help:"Bring sounds to this loudness in LUFS, -70..-1."`
	ReplayGain bool     `name:"replaygain" help:"Take the loudness of sounds from their ReplayGain or R128 tags, if they have any."`
}

func (l *levelFlags) check() error {
	if l.LUFS != nil && !(*l.LUFS >= -70 && *l.LUFS <= -1) {
		return console.Usage("--lufs: %v is not in -70..-1", *l.LUFS)
	}
	return nil
}

func (l *levelFlags) leveling() sounds.Leveling {
	level := sounds.Leveling{Tags: l.ReplayGain}
	if l.LUFS != nil {
		level.LUFS = *l.LUFS
	}
	return level
}
