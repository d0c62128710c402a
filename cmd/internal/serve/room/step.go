package room

import "time"

// Step is a command of a batch. Exactly one pointer is set.
type Step struct {
	Play   *PlayRequest
	Set    *VoiceChange
	Stop   *time.Duration
	Bus    *BusChange
	Target string // target of Set and Stop, or bus of Bus
}

// Result is the outcome of a step.
type Result struct {
	Result  *PlayResult `json:"verdict,omitempty"`
	Voices  []uint64    `json:"voices,omitempty"`
	Bus     *Bus        `json:"bus,omitempty"`
	Refused *Error      `json:"-"` // a play rejected by the pool
}
