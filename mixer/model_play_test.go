package mixer_test

import (
	"voicepool/mixer"
	"voicepool/sounds"
)

// modelPlay is one start, as the caller sees it.
type modelPlay struct {
	h      mixer.Handle
	sound  *sounds.Sound
	o      mixer.Options
	bus    int
	group  *modelGroup
	prio   int
	from   int64
	fadeIn int64
	lasts  int64

	state  mixer.State
	number uint64
	voice  *modelVoice
	cancel bool

	ahead [numModelWants]*float64 // set by commands before it began
	want  [numModelWants]float64
	dirty [numModelWants]bool
	seq   [numModelWants]int
}

// The properties of a handle, in the order in which they are applied.
const (
	wantGain = iota
	wantPan
	wantPitch
	wantSpeed
	wantPriority
	wantProtect
	wantRounds
	wantSeek
	wantPause
	numModelWants
)

type modelGroup struct {
	g                *mixer.Group
	limit            int
	cooldown, within int64
	most             float64

	started bool
	last    int64
	crowd   *modelVoice
}
