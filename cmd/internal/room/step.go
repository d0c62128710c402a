package room

import "time"

// Step is a command of a Batch: one of them is not nil.
type Step struct {
	Play *Order
	Set  *Move
	Stop *time.Duration
	Bus  *Fader
	On   string // of Set and Stop the target, of Bus its name
}

// Result is what became of a step.
type Result struct {
	Verdict *Verdict `json:"verdict,omitempty"`
	Voices  []uint64 `json:"voices,omitempty"`
	Bus     *Bus     `json:"bus,omitempty"`
	Refused *Error   `json:"-"` // of a play that the pool refused
}
