package policytest

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"voicepool/cue"
	"voicepool/mixer"
)

// Policy is a policy as named on a command line.
type Policy struct {
	Name          string
	Overflow      mixer.Overflow
	Refuse        bool
	Virtual       int  // AsSheet: not set
	Ends          bool // every stolen voice ends, endless sounds too
	IgnoreFilters bool // its scores ignore filters, equalizers and sends
}

// AsSheet as Policy.Virtual means that the policy does not set the number of virtual voices: the sheet or a flag sets
// it.
const AsSheet = -1

// UnmarshalText parses a policy as written on a command line and stores it in p. The text is the name of an overflow
// policy, then any of +virtual=N, +refuse, +end and +blind, as in oldest+virtual=64. Without virtual=N, p.Virtual is
// AsSheet. Errors are unknown words, an N outside 0..65536, end together with virtual voices, and refuse with a policy
// other than quietest or grow. After an error, p may be changed.
func (p *Policy) UnmarshalText(text []byte) error {
	words := strings.Split(string(text), "+")
	overflow, err := mixer.ParseOverflow(words[0])
	if err != nil {
		return fmt.Errorf("unknown policy %q (want quietest, oldest, gain, reject, grow or masked)", words[0])
	}
	*p = Policy{Name: string(text), Overflow: overflow, Virtual: AsSheet}
	for _, word := range words[1:] {
		number, isVirtual := strings.CutPrefix(word, "virtual=")
		switch {
		case word == "refuse":
			p.Refuse = true
		case word == "end":
			p.Ends = true
		case word == "blind":
			p.IgnoreFilters = true
		case isVirtual:
			n, err := strconv.Atoi(number)
			if err != nil || n < 0 || n > 65536 {
				return fmt.Errorf("%q: virtual=%s is not in 0..65536", text, number)
			}
			p.Virtual = n
		default:
			return fmt.Errorf("%q: only refuse, end, blind and virtual=N may follow a policy, as in quietest+virtual=64", text)
		}
	}
	if p.Ends && p.Virtual > 0 {
		return fmt.Errorf("%q: end has no virtual voices", text)
	}
	if p.Refuse && p.Overflow != mixer.StealQuietest && p.Overflow != mixer.GrowPool {
		return fmt.Errorf("%q: refuse needs quietest", text)
	}
	return nil
}

// PolicyOf returns the overflow policy that sheet uses, named for example quietest or quietest+refuse. Its field
// Virtual is AsSheet, so that the sheet decides about the number of virtual voices.
func PolicyOf(sheet *cue.Sheet) Policy {
	p := Policy{Name: sheet.Overflow.String(), Overflow: sheet.Overflow, Refuse: sheet.Refuse, Virtual: AsSheet}
	if p.Refuse {
		p.Name += "+refuse"
	}
	return p
}

// Virtuals returns the number of virtual voices of the policy, or fallback if the policy does not set it (AsSheet).
func (p *Policy) Virtuals(fallback int) int {
	if p.Virtual == AsSheet {
		return fallback
	}
	return p.Virtual
}

// withoutVirtual returns the name of a policy without its word virtual=N.
func withoutVirtual(name string) string {
	words := strings.Split(name, "+")
	return strings.Join(slices.DeleteFunc(words, func(w string) bool { return strings.HasPrefix(w, "virtual=") }), "+")
}

// Check returns an error if the policy is masked but virtual, the number of virtual voices, is 0. The policy masked
// needs such voices. The parameter how names the flag or setting that the message advises to set.
func (p *Policy) Check(virtual int, how string) error {
	if p.Overflow == mixer.StealMasked && virtual == 0 {
		return fmt.Errorf("%s: masked needs virtual voices: set %s", p.Name, how)
	}
	return nil
}

// Sized returns an error if the policy lets its pool grow, because such a pool has no size to compare. Otherwise it
// returns nil.
func (p *Policy) Sized() error {
	if p.Overflow == mixer.GrowPool {
		return errors.New("a pool that grows has no size to be compared")
	}
	return nil
}

// Apply returns a copy of sheet that uses the policy p with all its settings, a pool of the given number of voices,
// and no limiter. If p.Virtual is AsSheet, the copy keeps the sheet's number of virtual voices. Apply does not change
// sheet, but the copy shares memory with it.
func (p *Policy) Apply(sheet *cue.Sheet, voices int) *cue.Sheet {
	s := *sheet
	s.Voices, s.Virtual, s.Overflow, s.Refuse, s.Master.Limiter = voices, p.Virtuals(sheet.Virtual), p.Overflow, p.Refuse, false
	s.IgnoreFilters = p.IgnoreFilters
	if p.Ends {
		s.Sounds = slices.Clone(s.Sounds)
		for i := range s.Sounds {
			s.Sounds[i].WhenFull = mixer.WhenFullEnd
		}
	}
	return &s
}
