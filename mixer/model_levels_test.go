package mixer_test

import (
	"fmt"
	"math"

	"voicepool/pcm"
)

// near compares scores with a tolerance for rounding.
func near(a, b float64) bool { return math.Abs(a-b) <= modelSlack*max(math.Abs(a), math.Abs(b)) }

const modelSlack = 1e-5

// none is the RunnerUp of an event with one candidate.
var none = pcm.Decibels(math.Inf(1))

// sameLevels compares the levels of a choice and clears them in both events. If the model does not
// compute a level, the mixer has silence.
func sameLevels(got, want *modelEvent, slack float64) bool {
	same := true
	for _, p := range [][2]*pcm.Decibels{{&got.Audibility, &want.Audibility}, {&got.Newcomer, &want.Newcomer}, {&got.RunnerUp, &want.RunnerUp}} {
		if *p[1] == 0 && *p[0] != 0 {
			*p[1] = pcm.FromPower(0)
		}
		same = same && sameLevel(*p[0], *p[1], slack)
		*p[0], *p[1] = 0, 0
	}
	return same
}

// sameLevel compares levels with a relative tolerance of their powers.
func sameLevel(a, b pcm.Decibels, slack float64) bool {
	return a == b || math.Abs(float64(a-b)) <= -float64(pcm.FromPower(1-slack))
}

// describe formats events for a failure.
func describe(events []modelEvent) (s string) {
	for _, e := range events {
		name := ""
		if e.Sound != nil {
			name = e.Sound.Name()
		}
		s += fmt.Sprintf("[%d %v %v slot %d voice %d %s %p ref %d by %d/%d %p %p audibility %.9g newcomer %.9g next %.9g of %d] ",
			e.Frame, e.Kind, e.Reason, e.Slot, e.Voice, name, e.Group, e.Ref, e.By, e.ByRef, e.BySound, e.ByGroup, e.Audibility, e.Newcomer, e.RunnerUp, e.Candidates)
	}
	return s
}
