package cue

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"time"

	"voicepool/bank/rules"
	"voicepool/internal/sheet/yaml"
	"voicepool/internal/words"
	"voicepool/mixer"
	"voicepool/pcm"
)

// ErrStartPosition is wrapped by errors about Options.From and Options.Cue. It comes from NewPlayer if the sheet has
// no cue Options.Cue. It comes from Read and Prime if the show ends before the place where it is to begin.
var ErrStartPosition = errors.New("the show cannot begin there")

// leadIn is the length of the part that is mixed and discarded before it begins in the middle. The gain of
// the limiter depends on at most the last 1 s.
const leadIn = 2 * time.Second

// startFrom describes a show that begins in the middle.
type startFrom struct {
	time rules.Time
	cue  int // index in Sheet.Cues; -1: a list cue or a time is meant
	list int // index in Sheet.List; -1: a cue of `cues` or a time is meant

	launches        []launch // of the scheduled GOs
	goes            []Go     // live show: the scheduled GOs before that place
	standby         int      // live show: index in Sheet.List of the next cue
	earlierFinished bool     // live show: the cues before standby count as finished

	frame   int64 // the frame of that place, once it has been reached
	reached bool
	block   []pcm.Frame
}

// initStartFrom sets p.startFrom from Options.From and Options.Cue. Options.Cue is the number of a cue. Only if the
// whole sheet has no cue numbers, it is an index in Sheet.Cues, from 0. The error wraps ErrStartPosition if Options.Cue
// matches no cue, or if no GO reaches that cue. If Options.Cue is empty, the show begins at Options.From, and the error
// is nil.
func (p *Player) initStartFrom() error {
	b := startFrom{time: p.options.From, cue: -1, list: -1, launches: p.sheet.launches, standby: p.Sheet().standby(0)}
	b.reached = b.time.IsZero() && p.options.Cue == ""
	defer func() { p.startFrom = b }()
	if p.options.Cue == "" {
		if p.options.Live && !b.reached {
			b.recordEarlierGoes(p.Sheet())
		}
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
			var err error
			if b.cue, err = s.cueIndex(p.options.Cue); err != nil {
				return err
			}
		}
	}
	if b.cue < 0 && b.list < 0 {
		known := slices.Sorted(maps.Keys(names))
		return fmt.Errorf("cue: %w: no cue has the number %s; the nearest is %s", ErrStartPosition, yaml.Quote(p.options.Cue), yaml.Quote(words.Nearest(p.options.Cue, known)))
	}
	if p.options.Live {
		return b.startAtCue(p.Sheet())
	}
	if b.list >= 0 && !slices.ContainsFunc(s.launches, func(l launch) bool { return l.list == b.list }) {
		return fmt.Errorf("cue: %w: no GO reaches cue %s; give `goes` a time for it", ErrStartPosition, yaml.Quote(p.options.Cue))
	}
	return nil
}

// cueIndex parses text as an index in Sheet.Cues, for sheets whose cues have no numbers. If text is not a number or out
// of range, it returns -1 and an error that wraps ErrStartPosition.
func (s *Sheet) cueIndex(text string) (int, error) {
	i, err := strconv.Atoi(text)
	switch {
	case len(s.Cues) == 0:
		return -1, fmt.Errorf("cue: %w: the sheet has no cues; begin at a time", ErrStartPosition)
	case err != nil || i < 0 || i >= len(s.Cues):
		return -1, fmt.Errorf("cue: %w: the cues have no numbers and count from 0 to %d; no cue is %s", ErrStartPosition, len(s.Cues)-1, yaml.Quote(text))
	}
	return i, nil
}

// recordEarlierGoes appends to b.goes the scheduled GOs of sheet s before b.time, the beginning of a live show. It also
// moves b.standby, the next cue of the list, past their cues.
func (b *startFrom) recordEarlierGoes(s *Sheet) {
	rate := max(s.Rate, 1)
	for _, g := range s.goesByMixerClock(rate) {
		if g.At.Frames(rate) >= b.time.Frames(rate) {
			return
		}
		b.recordGo(s, g)
	}
}

// recordGo appends g, a scheduled GO of sheet s before the beginning of a live show, to b.goes. It also moves
// b.standby, the next cue of the list, past the cues that g starts. Panics and pauses are appended, too, but do not
// move b.standby. A GO must find a cue to start, which the parser has checked; otherwise recordGo panics.
func (b *startFrom) recordGo(s *Sheet, g Go) {
	if b.goes = append(b.goes, g); g.Action == ActionGo {
		chain := s.chain(s.cueOf(&g, b.standby))
		b.standby = s.standby(chain[len(chain)-1] + 1)
	}
}

// cueOf returns the index in Sheet.List of the cue that the GO g starts. If g has no cue number, it starts the first
// enabled cue at or after index standby. If no such cue is left, the result is len(s.List). A number in g must be in
// the list; for an unknown number the result is 0.
func (s *Sheet) cueOf(g *Go, standby int) int {
	if g.Cue != "" {
		return s.numbers()[numberOf(g.Cue)] // checkGoes has verified that it exists
	}
	return s.standby(standby)
}

// startAtCue sets b so that a live show begins with a cue of sheet s, just before its scheduled GO or time. The cue is
// b.list or b.cue; both are set to -1. If a list cue has no scheduled GO, the earlier cues of the list count as
// finished. If no GO starts the timeline that the cue belongs to, the error wraps ErrStartPosition.
func (b *startFrom) startAtCue(s *Sheet) error {
	list, cue := b.list, b.cue
	if b.list, b.cue = -1, -1; list < 0 {
		b.time = s.Cues[cue].At
		if !s.timelineStartsWithShow() {
			s := s.withScheduledGoes()
			i := slices.IndexFunc(s.launches, func(l launch) bool { return s.List[l.list].Timeline })
			if i < 0 || s.launches[i].predecessor >= 0 {
				return fmt.Errorf("cue: %w: no GO starts the timeline; begin at a cue of the list", ErrStartPosition)
			}
			b.time = addTimes(addTimes(s.launches[i].base, s.launches[i].offset), b.time)
		}
		b.recordEarlierGoes(s)
		return nil
	}
	for _, g := range s.goesByMixerClock(max(s.Rate, 1)) {
		if g.Action == ActionGo && s.cueOf(&g, b.standby) == list {
			b.time, b.standby = g.At, list
			return nil
		}
		b.recordGo(s, g)
	}
	b.goes, b.standby, b.earlierFinished, b.reached, b.time = nil, list, true, true, rules.Time{}
	return nil
}

// Standby returns the index in Sheet.List of the first cue that waits for GO when a live show begins. If no cue waits,
// it is the length of the list. Later GOs do not change the result.
func (p *Player) Standby() int { return p.startFrom.standby }

// applyFinishedCues brings a live show into the state after all list cues before p.startFrom.standby. At frame 0 it
// starts launches (runs of list cues) with their lasting results: endless loops, played from their beginning, and
// values that were set. Disabled cues are left out. It needs the lookahead.
func (p *Player) applyFinishedCues() {
	s, f := p.sheet, &p.follows
	for i := range p.startFrom.standby {
		if s.List[i].Disabled {
			continue
		}
		l := launch{list: i, predecessor: -1, first: len(s.Cues)}
		for _, j := range s.actionsOf(i) {
			if c := s.Cues[j].finishedAction(); c != nil {
				c.origin, c.launch, c.firing = s.filePosition(j)+1, len(s.launches)+1, s.firings[i]
				s.Cues = append(s.Cues, *c)
			}
		}
		if l.count = len(s.Cues) - l.first; l.count == 0 {
			continue
		}
		s.launches = append(s.launches, l)
		s.firings[i]++
		f.trackNewLaunches()
		f.upcoming = f.upcoming[:0]
		chain := p.addBatch(0)
		chain.goFrame, chain.rank = 0, int32(l.first)
		p.addLaunchBatch(len(s.launches)-1, chain)
	}
}

// actionsOf returns the indexes in s.Cues of the actions of a list cue, ordered by time. list is the index of the list
// cue. If the list cue starts the timeline, the cues of the timeline are included.
func (s *Sheet) actionsOf(list int) (all []int) {
	listCue := &s.List[list]
	for i := s.firstOwn; i < s.ownEnd; i++ {
		if listCue.Timeline && s.Cues[i].list == 0 || i >= listCue.First && i < listCue.First+listCue.Count {
			all = append(all, i)
		}
	}
	slices.SortStableFunc(all, func(a, b int) int { return s.Cues[a].At.Compare(s.Cues[b].At) })
	return all
}

// finishedAction returns a copy of c that has the lasting result of the finished cue at once, such as an endless loop
// or a set value. A stop, or a release from a loop, becomes a stop without a tail. It returns nil if c leaves no
// lasting result.
func (c *Cue) finishedAction() *Cue {
	out := *c
	out.At, out.Over, out.FadeIn, out.awaitedID, out.awaitedTag, out.state = rules.Time{}, rules.Time{}, rules.Time{}, "", 0, stateTimed
	out.Every, out.EveryMax, out.Times, out.Change.Shape = rules.Time{}, rules.Time{}, 1, 0
	endless := func(c *Cue) bool { return c.Loop && c.Rounds == 0 && c.For == nil }
	switch {
	case c.Verb == Play && c.layers == nil && !endless(c), c.Verb == Seek, c.Verb == Send:
		return nil
	case c.Verb == Play:
		out.layers = nil
		for i := range c.layers {
			if one := c.layers[i]; endless(&one) {
				one.At, one.FadeIn = rules.Time{}, rules.Time{}
				out.layers = append(out.layers, one)
			}
		}
		if c.layers != nil && out.layers == nil {
			return nil
		}
	case c.Verb == Stop, c.Verb == Set && c.Change.Fields&mixer.FieldRounds != 0 && !c.loopsForever(): // they left their loop
		out.Verb, out.Cut, out.Change = Stop, true, mixer.Change{}
	}
	return &out
}

// findStartFrame returns the frame where the show begins. If it begins at a cue, the result is a frame of the mixer.
// known is then false as long as the frame is not certain, for example before the end of an earlier cue. If the show
// begins at a time, the result is a frame of the output, which also counts pauses, and known is true.
func (p *Player) findStartFrame() (frame int64, known bool) {
	b, rate := &p.startFrom, p.sheet.Rate
	after := func(l *launch, since rules.Time) (int64, bool) {
		if l.predecessor < 0 {
			return l.base.Frames(rate) + since.Frames(rate), true
		}
		if l.predecessor >= len(p.follows.progress) {
			return 0, false
		}
		before := &p.follows.progress[l.predecessor]
		return before.endFrame + since.Frames(rate), before.started && before.remaining == 0
	}
	switch {
	case b.list >= 0:
		for i := range b.launches {
			if l := &b.launches[i]; l.list == b.list {
				return after(l, l.offset)
			}
		}
		return 0, false
	case b.cue >= 0 && p.Sheet().timelineStartsWithShow():
		return p.Sheet().Cues[b.cue].frame(0, rate), true
	case b.cue >= 0:
		for i := range b.launches {
			if l := &b.launches[i]; p.Sheet().List[l.list].Timeline {
				return after(l, addTimes(l.offset, p.Sheet().Cues[b.cue].At))
			}
		}
		return 0, false
	}
	return b.time.Frames(rate), true
}

// pausesBefore returns a clock that has processed the scheduled pauses of a render up to frame. If the show begins at a
// time, frame counts output frames; otherwise it counts mixer frames.
func (p *Player) pausesBefore(frame int64) *pauseClock {
	s := &pauseClock{fade: fadeFrames(p.sheet.Rate)}
	byTime := p.startFrom.list < 0 && p.startFrom.cue < 0
	for _, one := range p.rendering.pauseChanges {
		if byTime && one.output > frame || !byTime && one.output-s.stopped > frame {
			break
		}
		s.setPaused(one.output, one.on)
		s.changes++
	}
	if !byTime {
		frame += s.stopped
	}
	s.advanceTo(frame)
	return s
}

// timelineStartsWithShow reports whether the timeline, the cues with times, starts together with the show. It is false
// if an enabled list cue starts the timeline.
func (s *Sheet) timelineStartsWithShow() bool {
	return !slices.ContainsFunc(s.List, func(l ListCue) bool { return l.Timeline && !l.Disabled })
}

// StartFrame returns the frame where the show began. It is 0 unless Options.From or Options.Cue was given. It is valid
// after Prime, or after the first Read that returns frames.
func (p *Player) StartFrame() int64 { return p.startFrom.frame }

// playToStart plays the show from frame 0 to its beginning, given by Options.From or Cue, and discards the output. It
// plays some frames more: the parameter after is their number. Each call does part of the work; reached reports whether
// it is done. From there on, the output equals the end of the complete render bit for bit, unless a tail is longer than
// 2 s.
//
// Only the last 2 s are mixed; before them, the mixer only advances. But everything is mixed if the master has a DC
// guard, or as long as the frame of the beginning is unknown. The error is of the mixer or a stream, or wraps
// ErrStartPosition, for example if the show ends earlier.
func (p *Player) playToStart(after int64) (reached bool, err error) {
	b, f := &p.startFrom, &p.rendering
	if b.reached {
		return true, nil
	}
	if b.block == nil {
		b.block = make([]pcm.Frame, 4096*p.outputs)
	}
	for most := int64(1 << 19); most > 0; {
		from, known := p.findStartFrame()
		known = known && from < p.cut // after the cut, the loop runs until the end of the show
		clock := p.pausesBefore(from + after)
		from = clock.output - clock.stopped - after // in frames of the mixer
		if known && f.now == from+after {
			b.reached, b.frame, b.block, p.skipMixing = true, clock.output-after, nil, false
			f.pauseChanges = f.pauseChanges[clock.changes:]
			f.pausedFrames, p.freeze.output = clock.stopped, clock.output
			p.freeze.frozen, p.freeze.fadeProgress = clock.paused, int(clock.fadeProgress)
			p.freeze.on.Store(clock.paused)
			return true, nil
		}
		if st := p.mixer.Stats(); f.now >= p.cut || !p.options.Live && p.finished(&st) && !p.hasPendingMessages() && f.now >= endOfSound(&st)+int64(p.mixer.LatencyFrames()) {
			return false, fmt.Errorf("cue: %w: it ends at %v", ErrStartPosition, rules.FrameTime(min(p.cut, endOfSound(&st)), p.sheet.Rate))
		}
		n, outputs := min(most, int64(len(b.block)/p.outputs)), int64(p.outputs)
		if p.skipMixing = false; known {
			n = min(n, from+after-f.now)
			// A tail longer than the lead-in is exact only in a render from the start.
			if leadInStart := from - pcm.Frames(leadIn, p.sheet.Rate); f.now < leadInStart && !p.sheet.Master.DCGuard {
				n = min(n, leadInStart-f.now)
				p.skipMixing = true
			}
		}
		if p.lookahead.on {
			if !known {
				return false, fmt.Errorf("cue: %w: cue %s begins at the end of another, which only a render computes; begin at a time", ErrStartPosition, yaml.Quote(p.options.Cue))
			}
			if err := p.mixWithLookahead(b.block[:n*outputs]); err != nil {
				return false, err
			}
		} else if !known && p.follows.hasPending() { // stops at every end of a cue
			k, err := p.mixToEnd(b.block[:n*outputs])
			if err != nil {
				return false, err
			}
			n = int64(k)
		} else if err := p.mixBlock(b.block[:n*outputs]); err != nil {
			return false, err
		}
		most -= max(n, 1)
	}
	return false, nil
}

// mixWithLookahead fills block with the next frames of a show whose lookahead is on, and advances p.rendering.now. As
// Feed does, it hands commands to the mixer before their frames. block has interleaved outputs. The error is of the
// mixer or a stream.
func (p *Player) mixWithLookahead(block []pcm.Frame) error {
	f := &p.rendering
	for len(block) > 0 {
		n := min(int64(len(block)/p.outputs), p.lookaheadFrames()/2)
		if err := p.handOverAll(f.now + p.lookaheadFrames()); err != nil && !errors.Is(err, mixer.ErrBusy) {
			return err
		}
		p.renderPrepared(block[:n*int64(p.outputs)])
		block = block[n*int64(p.outputs):]
		f.now += n
		p.poll()
		st := p.mixer.Stats()
		p.updateFired(&st)
	}
	return p.streamErrors.err()
}
