package play

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"voicepool/bank/rules"
	"voicepool/cue"
	"voicepool/cue/internal/pauseclock"
	"voicepool/cue/internal/runsheet"
	"voicepool/internal/sheet/yaml"
	"voicepool/internal/words"
)

// ErrStartPosition is wrapped by errors about Options.From and Options.Cue. It comes from NewPlayer if the sheet has
// no cue Options.Cue. It comes from Read and Prime if the show ends before the place where it is to begin.
var ErrStartPosition = errors.New("the show cannot begin there")

// startFrom describes a show that begins in the middle.
type startFrom struct {
	time rules.Time
	cue  int // index in Sheet.Cues; -1: a list cue or a time is meant
	list int // index in Sheet.List; -1: a cue of `cues` or a time is meant

	launches        []runsheet.Launch // of the scheduled GOs
	goes            []cue.Go          // live show: the scheduled GOs before that place
	standby         int               // live show: index in Sheet.List of the next cue
	earlierFinished bool              // live show: the cues before standby count as finished
	reached         bool
}

// newStartFrom returns the beginning of a show of sheet s by Options.From and Options.Cue. Options.Cue is the number of
// a cue. Only if the whole sheet has no cue numbers, it is an index in Sheet.Cues, from 0. launches are the launches of
// the scheduled GOs. The error wraps ErrStartPosition if Options.Cue matches no cue, or if no GO reaches that cue. If
// Options.Cue is empty, the show begins at Options.From, and the error is nil.
func newStartFrom(s *cue.Sheet, launches []runsheet.Launch, o *Options) (startFrom, error) {
	b := startFrom{time: o.From, cue: -1, list: -1, launches: launches, standby: s.List.Standby(0)}
	b.reached = b.time.IsZero() && o.Cue == ""
	if o.Cue == "" {
		if o.Live && !b.reached {
			b.recordEarlierGoes(s)
		}
		return b, nil
	}
	names, number := map[string]bool{}, words.CueNumber(o.Cue)
	for i := range s.List {
		names[s.List[i].Number] = true
	}
	for i := range s.Cues {
		if c := &s.Cues[i]; c.List == 0 && c.Number != "" {
			names[c.Number] = true
			if b.cue < 0 && words.CueNumber(c.Number) == number {
				b.cue = i
			}
		}
	}
	if list, some := s.List.Numbers()[number]; some {
		b.list = list
	}
	if len(names) == 0 {
		var err error
		if b.cue, err = cueIndex(s, o.Cue); err != nil {
			return b, err
		}
	}
	if b.cue < 0 && b.list < 0 {
		known := slices.Sorted(maps.Keys(names))
		return b, fmt.Errorf("cue: %w: no cue has the number %s; the nearest is %s", ErrStartPosition, yaml.Quote(o.Cue), yaml.Quote(words.Nearest(o.Cue, known)))
	}
	if o.Live {
		return b, b.startAtCue(s)
	}
	if b.list >= 0 && !slices.ContainsFunc(launches, func(l runsheet.Launch) bool { return l.List == b.list }) {
		return b, fmt.Errorf("cue: %w: no GO reaches cue %s; give `goes` a time for it", ErrStartPosition, yaml.Quote(o.Cue))
	}
	return b, nil
}

// cueIndex parses text as an index in s.Cues, for sheets whose cues have no numbers. If text is not a number or out of
// range, it returns -1 and an error that wraps ErrStartPosition.
func cueIndex(s *cue.Sheet, text string) (int, error) {
	i, err := strconv.Atoi(text)
	switch {
	case len(s.Cues) == 0:
		return -1, fmt.Errorf("cue: %w: the sheet has no cues; begin at a time", ErrStartPosition)
	case err != nil || i < 0 || i >= len(s.Cues):
		return -1, fmt.Errorf("cue: %w: the cues have no numbers and count from 0 to %d; no cue is %s", ErrStartPosition, len(s.Cues)-1, yaml.Quote(text))
	}
	return i, nil
}

// recordEarlierGoes appends to b.goes the scheduled GOs of sheet s that lie before b.time, the beginning of a live
// show. Their times are converted to the mixer's clock, which stops during pauses. Panics, pauses and resumes are
// appended, too. It also moves b.standby, the next cue of the list, past the cues that these GOs start.
func (b *startFrom) recordEarlierGoes(s *cue.Sheet) {
	rate := max(s.Rate, 1)
	for _, g := range runsheet.GoesByMixerClock(s.Goes, rate) {
		if g.At.Frames(rate) >= b.time.Frames(rate) {
			return
		}
		b.recordGo(s.List, g)
	}
}

// recordGo appends g, a scheduled GO before the beginning of a live show, to b.goes. It also moves b.standby, the next
// cue of list, past the cues that g starts. Panics and pauses are appended, too, but do not move b.standby. A GO must
// find a cue to start, which the parser has checked; otherwise recordGo panics.
func (b *startFrom) recordGo(list cue.List, g cue.Go) {
	if b.goes = append(b.goes, g); g.Action == cue.ActionGo {
		chain := list.Chain(runsheet.CueOf(list, &g, b.standby))
		b.standby = list.Standby(chain[len(chain)-1] + 1)
	}
}

// startAtCue sets b so that a live show begins with a cue of sheet s, just before its scheduled GO or time. The cue is
// b.list or b.cue; both are set to -1. If a list cue has no scheduled GO, the earlier cues of the list count as
// finished. If no GO starts the timeline that the cue belongs to, the error wraps ErrStartPosition.
func (b *startFrom) startAtCue(s *cue.Sheet) error {
	list, index := b.list, b.cue
	if b.list, b.cue = -1, -1; list < 0 {
		b.time = s.Cues[index].At
		if s.List.StartsTimeline() {
			launches := runsheet.Scheduled(s).Launches
			i := slices.IndexFunc(launches, func(l runsheet.Launch) bool { return s.List[l.List].Timeline })
			if i < 0 || launches[i].Predecessor >= 0 {
				return fmt.Errorf("cue: %w: no GO starts the timeline; begin at a cue of the list", ErrStartPosition)
			}
			b.time = runsheet.AddTimes(runsheet.AddTimes(launches[i].Base, launches[i].Offset), b.time)
		}
		b.recordEarlierGoes(s)
		return nil
	}
	for _, g := range runsheet.GoesByMixerClock(s.Goes, max(s.Rate, 1)) {
		if g.Action == cue.ActionGo && runsheet.CueOf(s.List, &g, b.standby) == list {
			b.time, b.standby = g.At, list
			return nil
		}
		b.recordGo(s.List, g)
	}
	b.goes, b.standby, b.earlierFinished, b.reached, b.time = nil, list, true, true, rules.Time{}
	return nil
}

// byTime reports whether the show begins at a time, and not at a cue.
func (b *startFrom) byTime() bool { return b.list < 0 && b.cue < 0 }

// frame returns the frame where a show of sheet s begins. If it begins at a cue, the result is a frame of the mixer.
// known is then false as long as the frame is not certain, for example before the end of an earlier cue. If the show
// begins at a time, the result is a frame of the output, which also counts pauses, and known is true. progress has the
// launches until now.
func (b *startFrom) frame(s *cue.Sheet, progress []launchProgress) (frame int64, known bool) {
	rate := s.Rate
	after := func(l *runsheet.Launch, since rules.Time) (int64, bool) {
		if l.Predecessor < 0 {
			return l.Base.Frames(rate) + since.Frames(rate), true
		}
		if l.Predecessor >= len(progress) {
			return 0, false
		}
		before := &progress[l.Predecessor]
		return before.endFrame + since.Frames(rate), before.started && before.remaining == 0
	}
	switch {
	case b.list >= 0:
		for i := range b.launches {
			if l := &b.launches[i]; l.List == b.list {
				return after(l, l.Offset)
			}
		}
		return 0, false
	case b.cue >= 0 && !s.List.StartsTimeline():
		return s.Cues[b.cue].At.Frames(rate), true
	case b.cue >= 0:
		for i := range b.launches {
			if l := &b.launches[i]; s.List[l.List].Timeline {
				return after(l, runsheet.AddTimes(l.Offset, s.Cues[b.cue].At))
			}
		}
		return 0, false
	}
	return b.time.Frames(rate), true
}

// pausesBefore returns a clock that has processed the pauses of a render up to frame, and their number. all are the
// scheduled pauses. If the show begins at a time, frame counts output frames; otherwise it counts mixer frames. rate is
// the sample rate in Hz.
func (b *startFrom) pausesBefore(frame int64, all []freezeChange, rate int) (clock *pauseclock.Clock, n int) {
	clock = pauseclock.New(rate)
	for _, one := range all {
		if b.byTime() && one.output > frame || !b.byTime() && one.output-clock.Stopped > frame {
			break
		}
		clock.SetPaused(one.output, one.on)
		n++
	}
	if !b.byTime() {
		frame += clock.Stopped
	}
	clock.AdvanceTo(frame)
	return clock, n
}
