package main

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"voicepool/cue"
	"voicepool/mixer"
)

// stealPolicy is a policy as a command line names it.
type stealPolicy struct {
	name     string
	overflow mixer.Overflow
	refuse   bool
	virtual  int // asSheet: it does not say
}

// asSheet is a number of virtual voices that is the sheet's, or a flag's.
const asSheet = -1

func (p *stealPolicy) UnmarshalText(text []byte) error {
	words := strings.Split(string(text), "+")
	var overflow overflowFlag
	if err := overflow.UnmarshalText([]byte(words[0])); err != nil {
		return err
	}
	*p = stealPolicy{name: string(text), overflow: overflow.Overflow, virtual: asSheet}
	for _, word := range words[1:] {
		number, isVirtual := strings.CutPrefix(word, "virtual=")
		switch {
		case word == "refuse":
			p.refuse = true
		case isVirtual:
			n, err := strconv.Atoi(number)
			if err != nil || n < 0 || n > 65536 {
				return fmt.Errorf("%q: virtual=%s is not in 0..65536", text, number)
			}
			p.virtual = n
		default:
			return fmt.Errorf("%q: only refuse and virtual=N may follow a policy, as in quietest+virtual=64", text)
		}
	}
	if p.refuse && p.overflow != mixer.StealQuietest && p.overflow != mixer.GrowPool {
		return fmt.Errorf("%q: refuse goes with quietest", text)
	}
	return nil
}

// policyOf is the policy of a sheet, without its virtual voices.
func policyOf(sheet *cue.Sheet) stealPolicy {
	p := stealPolicy{name: sheet.Overflow.String(), overflow: sheet.Overflow, refuse: sheet.Refuse, virtual: asSheet}
	if p.refuse {
		p.name += "+refuse"
	}
	return p
}

// virtuals is how many virtual voices there are, where others means so many.
func (p *stealPolicy) virtuals(others int) int {
	if p.virtual == asSheet {
		return others
	}
	return p.virtual
}

// check finds a policy that does not work with so many virtual voices; how says
// where more can be had.
func (p *stealPolicy) check(virtual int, how string) error {
	if p.overflow == mixer.StealMasked && virtual == 0 {
		return fmt.Errorf("%s: masked goes with virtual voices, of which there are none: say %s", p.name, how)
	}
	return nil
}

// sized finds a policy for which there is no such thing as a size of the pool.
func (p *stealPolicy) sized() error {
	if p.overflow == mixer.GrowPool {
		return errors.New("a pool that grows has no size to be compared")
	}
	return nil
}

// apply returns a sheet with a pool and a policy, and no limiter.
func (p *stealPolicy) apply(sheet *cue.Sheet, voices int) *cue.Sheet {
	s := *sheet
	s.Voices, s.Virtual, s.Overflow, s.Refuse, s.Master.Limiter = voices, p.virtuals(sheet.Virtual), p.overflow, p.refuse, false
	return &s
}
