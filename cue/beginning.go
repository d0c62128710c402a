package cue

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"voicepool/bank/rules"
	"voicepool/internal/words"
	"voicepool/internal/yaml"
	"voicepool/mixer"
	"voicepool/pcm"
)

// ErrBeginning is wrapped where Options.From or Options.Cue is no place at which a show could begin:
// by the errors of NewPlayer, where no such cue begins, and of Read and Prime, where it is over.
var ErrBeginning = errors.New("the show cannot begin there")

// leadIn is how long a show is mixed, and thrown away, before it begins in the middle. What a
// limiter does with a frame goes back 1 s at the most.
const leadIn = 2 * time.Second

// beginning is where a show begins that does not begin at its start.
type beginning struct {
	time rules.Time
	cue  int // in Sheet.Cues; -1: none
	list int // in Sheet.List; -1: none

	launches []launch // of the times of GO

	frame int64 // once there: where that was
	there bool
	block []pcm.Frame
}

// newBeginning finds the cue of Options.Cue.
func (p *Player) newBeginning() error {
	b := beginning{time: p.options.From, cue: -1, list: -1, launches: p.sheet.launches}
	b.there = b.time.IsZero() && p.options.Cue == ""
	defer func() { p.begins = b }()
	if p.options.Cue == "" {
		return nil
	}
	s, names := p.sheet, map[string]bool{}
	for i := range s.List {
		names[s.List[i].Number] = true
	}
	for i := range s.Cues {
		if c := &s.Cues[i]; c.list == 0 && c.Number != "" {
			names[c.Number] = true
			if b.cue < 0 && numberOf(c.Number) == numberOf(p.options.Cue) {
				b.cue = i
			}
		}
	}
	if list, some := s.numbers()[numberOf(p.options.Cue)]; some {
		b.list = list
	}
	if b.cue < 0 && b.list < 0 {
		if len(names) == 0 {
			return fmt.Errorf("cue: %w: no cue of the sheet has a number; give one `cue: 1`, or begin at a time", ErrBeginning)
		}
		known := slices.Sorted(maps.Keys(names))
		return fmt.Errorf("cue: %w: no cue has the number %s; the nearest is %s", ErrBeginning, yaml.Quote(p.options.Cue), yaml.Quote(words.Nearest(p.options.Cue, known)))
	}
	if b.list >= 0 && !slices.ContainsFunc(s.launches, func(l launch) bool { return l.list == b.list }) {
		return fmt.Errorf("cue: %w: no GO reaches cue %s; give `goes` a time for it", ErrBeginning, yaml.Quote(p.options.Cue))
	}
	return nil
}

// beginsAt returns the frame at which the show is to begin, if that is known by now.
func (p *Player) beginsAt() (frame int64, known bool) {
	b, rate := &p.begins, p.sheet.Rate
	switch {
	case b.list >= 0:
		for _, l := range b.launches {
			if l.list != b.list {
				continue
			}
			if l.after < 0 {
				return l.base.Frames(rate) + l.since.Frames(rate), true
			}
			before := &p.follows.runs[l.after]
			return before.over + l.since.Frames(rate), before.begun && before.left == 0
		}
		return 0, false
	case b.cue >= 0:
		return p.sheet.Cues[b.cue].frame(0, rate), true
	}
	return b.time.Frames(rate), true
}

// Began returns the frame at which the show begins: after the first Read, or Prime.
func (p *Player) Began() int64 { return p.begins.frame }

// goThere goes on to some frames after the one at which the show begins, and reports whether it is
// there: it takes a part of that at a time. All is decided that is decided before, and what is heard
// from there on is the rest of the whole, to the bit. Only the last 2 s are mixed.
func (p *Player) goThere(after int64) (there bool, err error) {
	b, f := &p.begins, &p.file
	if b.there {
		return true, nil
	}
	if b.block == nil {
		b.block = make([]pcm.Frame, 4096*p.wide)
	}
	for most := int64(1 << 19); most > 0; {
		from, known := p.beginsAt()
		known = known && from < p.cut // beyond it, it comes to its end
		if known && f.now == from+after {
			b.there, b.frame, b.block, p.skips = true, from, nil, false
			return true, nil
		}
		if st := p.mixer.Stats(); f.now >= p.cut || p.finished(&st) && f.now >= st.SilentFrom+int64(p.mixer.LatencyFrames()) {
			return false, fmt.Errorf("cue: %w: it is over at %v", ErrBeginning, rules.FrameTime(min(p.cut, st.SilentFrom), p.sheet.Rate))
		}
		n, wide := min(most, int64(len(b.block)/p.wide)), int64(p.wide)
		if p.skips = false; known {
			n = min(n, from+after-f.now)
			// What rings for longer than a lead-in can only be heard from the start.
			if mixed := from - pcm.Frames(leadIn, p.sheet.Rate); f.now < mixed && !p.sheet.Master.DCGuard {
				n = min(n, mixed-f.now)
				p.skips = true
			}
		}
		if p.armed.on {
			if !known {
				return false, fmt.Errorf("cue: %w: only a render knows when cue %s begins, at the end of another; begin at a time", ErrBeginning, yaml.Quote(p.options.Cue))
			}
			if err := p.mixArmed(b.block[:n*wide]); err != nil {
				return false, err
			}
		} else if !known && p.follows.waits() { // it stops at every end
			k, err := p.mixToEnd(b.block[:n*wide])
			if err != nil {
				return false, err
			}
			n = int64(k)
		} else if err := p.mixBlock(b.block[:n*wide]); err != nil {
			return false, err
		}
		most -= max(n, 1)
	}
	return false, nil
}

// mixArmed mixes a block of a list that is armed ahead of it.
func (p *Player) mixArmed(block []pcm.Frame) error {
	f := &p.file
	for len(block) > 0 {
		n := min(int64(len(block)/p.wide), p.ahead()/2)
		if err := p.handSome(f.now + p.ahead()); err != nil && !errors.Is(err, mixer.ErrBusy) {
			return err
		}
		p.renderPrepared(block[:n*int64(p.wide)])
		block = block[n*int64(p.wide):]
		f.now += n
		p.poll()
		st := p.mixer.Stats()
		p.learn(&st)
	}
	return p.streams.err()
}
