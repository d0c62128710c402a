package cue

import (
	"container/heap"
	"context"
	"errors"
	"fmt"
	"slices"

	"voicepool/internal/chance"
	"voicepool/internal/loading"
	"voicepool/internal/yaml"
	"voicepool/mixer"
	"voicepool/pcm"
	"voicepool/sounds"
)

// ErrChange is wrapped by the errors of Change: the sheet is not one that a show under way can take.
var ErrChange = errors.New("cue: the show keeps its sheet")

// Change has what starts from now on be as another sheet says, such as its file after an edit; what
// plays goes on. A timeline that started with the show goes on at the same time of the other one. One
// that a cue of the list has started goes on as it was. What the mixer is made from stays: kept names
// the keys that differ there, for people. While Feed plays, with Options.Changes; control side, any
// goroutine but that of Feed. The library is that of NewPlayer.
//
// When it acts, the goroutine of Feed calls adopted, which may be nil, and moves the gains of the new
// sheet's list by what it returns: decibels, by the numbers of cues, as Trim does.
//
// The error is that of LoadSounds, or wraps ErrChange; then nothing has changed.
func (p *Player) Change(ctx context.Context, s *Sheet, lib *sounds.Library, adopted func() map[string]float64) (kept []string, err error) {
	now := p.Sheet()
	if !p.options.Changes {
		return nil, fmt.Errorf("%w: it was not made for changes", ErrChange)
	}
	if len(s.List) > 0 && len(now.List) == 0 {
		return nil, fmt.Errorf("%w: it has no list of cues that wait for GO, and there is one now; begin the show again", ErrChange)
	}
	if len(s.List) == 0 && len(now.List) > 0 { // as a file that is being written
		return nil, fmt.Errorf("%w: it has cues that wait for GO, and there is none there; write the list again", ErrChange)
	}
	if s.Rate != now.Rate {
		return nil, fmt.Errorf("%w: `rate` is %d now, and %d there; begin the show again", ErrChange, now.Rate, s.Rate)
	}
	for i := range s.Buses {
		b := &s.Buses[i]
		switch _, some := p.buses[b.Name]; {
		case !some:
			return nil, fmt.Errorf("%w: the bus %s is new; begin the show again", ErrChange, yaml.Quote(b.Name))
		case s.Parents()[b.Name] != now.Parents()[b.Name]:
			return nil, fmt.Errorf("%w: the bus %s has another parent; begin the show again", ErrChange, yaml.Quote(b.Name))
		}
	}
	loaded, err := s.load(ctx, lib, nil, p.streams, true)
	if err != nil {
		return nil, err
	}
	if err := s.versions(loaded).Make(ctx); err != nil {
		return nil, err
	}
	groups, err := s.Groups(p.mixer)
	if err != nil {
		return nil, fmt.Errorf("cue: %w", err)
	}
	done := make(chan struct{})
	p.live.ask(func() {
		defer close(done)
		p.change(s, loaded, groups)
		if adopted != nil {
			for number, by := range adopted() {
				p.trimCues(number, pcm.Decibels(by))
			}
		}
	})
	select {
	case <-done:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	return differing(now, s), nil
}

// differing returns the keys of what a mixer is made from in which two sheets differ.
func differing(now, then *Sheet) (keys []string) {
	a, b := now.Config(), then.Config()
	for _, one := range []struct {
		key  string
		same bool
	}{
		{"voices", a.Voices == b.Voices && a.MaxVoices == b.MaxVoices && a.Virtual == b.Virtual},
		{"overflow", a.Overflow == b.Overflow && a.Grow == b.Grow && a.RejectQuietest == b.RejectQuietest},
		{"master", a.MasterGain == b.MasterGain && a.NoLimiter == b.NoLimiter && a.SoftClip == b.SoftClip && a.DCGuard == b.DCGuard},
		{"quality", a.Quality == b.Quality},
		{"outputs", slices.Equal(a.Outputs, b.Outputs)},
		{"buses", slices.Equal(a.Buses, b.Buses)},
		{"seed", now.Seed == then.Seed},
		{"length", now.Length == nil && then.Length == nil || now.Length != nil && then.Length != nil && *now.Length == *then.Length},
	} {
		if !one.same {
			keys = append(keys, one.key)
		}
	}
	return keys
}

// change takes another sheet in: what it says comes behind what there is, so that all that is under way
// keeps its places.
func (p *Player) change(s *Sheet, loaded []loading.Sound, groups []*mixer.Group) {
	to, old, first := p.sheet, p.Sheet(), len(p.sheet.Sounds)
	p.replaced.Lock()
	p.sounds = slices.Concat(p.sounds, loaded)
	p.replaced.Unlock()
	p.groups = slices.Concat(p.groups, groups)
	to.Sounds, to.Scenes = slices.Concat(to.Sounds, s.Sounds), s.Scenes
	p.schedule.widen(len(to.Sounds))

	tags, owners := p.live.names(s.ids, &p.live.ids), map[string]uint64{}
	for i := range to.Cues {
		for _, c := range to.Cues[i].starts() {
			owners[c.Owner] = c.owner
		}
	}
	number := func(c *Cue) uint64 {
		if c.owner > 0 && owners[c.Owner] == 0 {
			most := uint64(0)
			for _, n := range owners {
				most = max(most, n)
			}
			owners[c.Owner] = most + 1
		}
		return owners[c.Owner]
	}
	shift := len(to.Cues)
	for i := range s.Cues {
		c := s.Cues[i]
		c.layers = slices.Clone(c.layers)
		for j := range c.layers {
			l := &c.layers[j]
			l.Sound, l.tag, l.owner = l.Sound+first, tags[l.tag], number(l)
		}
		if c.Verb == Play {
			c.Sound += first
		}
		c.tag, c.afterTag, c.owner, c.origin, c.state = tags[c.tag], tags[c.afterTag], number(&c), i+1, idle
		if c.afterTag != 0 {
			p.follows.awaited[c.afterTag] = true
		}
		to.Cues = append(to.Cues, c)
	}
	moved := s.numbers()
	where := func(list int) int {
		if list >= 0 {
			if i, some := moved[numberOf(to.List[list].Number)]; some {
				return i
			}
		}
		return -1
	}
	for i := range to.launches {
		to.launches[i].list = where(to.launches[i].list)
	}
	firings := make([]uint64, len(s.List))
	for i, n := range to.firings {
		if j := where(i); j >= 0 {
			firings[j] = n
		}
	}
	if a := &p.armed; a.on && !p.options.Live {
		p.regoes(s, where)
	}
	to.first, to.own, to.firings, to.List = shift, len(to.Cues), firings, slices.Clone(s.List)
	for i := range to.List {
		to.List[i].First += shift
	}
	if old.timed() || s.timed() {
		p.schedule.clear(shift)
		for i := shift; i < to.own && s.timed(); i++ {
			if c := &to.Cues[i]; c.list == 0 {
				c.state = byTime
				p.schedule.addFrom(i, p.handed)
			}
		}
	}
	p.pitches = to.pitches()
	p.live.mutex.Lock()
	p.live.first = first
	p.given.Store(s)
	p.live.mutex.Unlock()
}

// regoes takes the times of GO of another sheet that are still to come. The cue that stands by does so
// in that one, too.
func (p *Player) regoes(s *Sheet, where func(int) int) {
	a := &p.armed
	next := a.next
	for next < len(p.sheet.List) && where(next) < 0 {
		next++
	}
	if a.next = len(s.List); next < len(p.sheet.List) {
		a.next = where(next)
	}
	a.goes = slices.DeleteFunc(slices.Clone(s.clocked(s.Rate)), func(g Go) bool { return g.At.Frames(s.Rate) < p.handed })
}

// names returns the tags of ids, by their places from 1 on, and adds those to all that there are which
// are new.
func (l *live) names(ids []string, all *[]string) []uint64 {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	tags := []uint64{0}
	for _, id := range ids {
		i := slices.Index(*all, id)
		if i < 0 {
			i = len(*all)
			*all = append(slices.Clip(*all), id)
		}
		tags = append(tags, uint64(i+1))
	}
	return tags
}

// widen makes room for more sounds.
func (sc *Schedule) widen(sounds int) {
	more := make([]chance.Picker, sounds-len(sc.pickers))
	sc.pickers, sc.listed = append(sc.pickers, more...), append(sc.listed, slices.Clone(more)...)
}

// addFrom takes a cue that was added to the sheet, but for what it does before a frame.
func (sc *Schedule) addFrom(cue int, frame int64) {
	c := &sc.sheet.Cues[cue]
	t, more := turn{moment: moment{sc.frame(cue, 0), cue}}, true
	if every := c.Every.Frames(sc.rate); c.EveryMost.IsZero() && c.Times > 1 && t.frame < frame && every > 0 {
		if k := uint64((frame - t.frame) / (every + 1)); k > 0 { // no later than the last before it
			t.repetition = min(k, c.Times) - 1
			t.frame = sc.frame(cue, t.repetition)
		}
	}
	for more && t.frame < frame {
		_, after, another := sc.repeat(t)
		after.frame = sc.base(cue) + sc.since(after).Frames(sc.rate)
		t, more = after, another
	}
	if !more {
		return
	}
	heap.Push(&sc.heap, t)
	sc.expectMore(c, c.Times-t.repetition)
}
