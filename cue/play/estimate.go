package play

import (
	"context"
	"errors"
	"time"

	"voicepool/bank/rules"
	"voicepool/cue"
	"voicepool/cue/internal/bounds"
	"voicepool/cue/internal/runsheet"
	"voicepool/cue/report"
	"voicepool/internal/sheet/loading"
	"voicepool/mixer"
	"voicepool/sounds/library"
)

// Estimate is the duration of a sheet and the number of voices it needs.
type Estimate struct {
	Frames  int64 // length of its render: to the end of the last voice, fade and tail, or to Sheet.Length
	Endless bool  // the render would never end, and Frames is 0; see CheckRender
	HasTail bool  // effects have a tail: the render ends when the tail is inaudible, at Frames at the latest
	Voices  int   // the maximum at once, given a large enough pool
	Missing int   // sounds that could not be loaded; Frames and Voices do not include them
	Cut     bool  // the time limit was reached; Frames and Voices cover only part of the sheet
}

// maxSkimFrames is the largest number of frames per step. A step that takes longer than skimSlow makes the
// next shorter.
const (
	maxSkimFrames = 4096
	skimSlow      = 100 * time.Millisecond
)

// CheckRender returns an error if a render of sheet s would never end. A render never ends if a loop is never stopped,
// if a paused voice is never resumed or stopped, or if the sheet repeats. A list without times of GO is an error, too,
// see cue.Sheet.CheckGoes. A sheet with a length is not checked for endless voices. The error is of type rules.Errors,
// as from cue.Parse.
func CheckRender(s *cue.Sheet) error { return bounds.CheckRender(s) }

// EstimateOf returns the duration of sheet s and the number of voices that it needs. It plays the sheet without mixing
// it. The limits of sounds and buses apply as in a render. If the pool of the sheet is too small for all starts, a
// second pass with a large pool counts the voices. The parameter within is the wall time that both passes may take,
// after the sounds are loaded. When it is over, the result covers only part of the sheet, and Cut is set. A sound that
// cannot be loaded counts in Missing and is not an error.
//
// A sheet with a list must have times of GO; otherwise the error is the error of cue.Sheet.CheckGoes. Other errors come
// from ctx, NewPlayer or Read.
func EstimateOf(ctx context.Context, s *cue.Sheet, lib *library.Library, within time.Duration) (Estimate, error) {
	var e Estimate
	e.Endless, e.HasTail = CheckRender(s) != nil, s.Length == nil && bounds.EffectTail(runsheet.New(s)) > 0
	if s.CheckGoes() != nil {
		return e, s.CheckGoes()
	}
	var missing rules.Errors
	if err := LoadSounds(ctx, s, lib, nil); err != nil && !errors.As(err, &missing) {
		return e, err
	}
	until := time.Now().Add(within)
	plain, lost := bounds.Simplified(s, missing)
	e.Missing = lost
	full, err := playWithoutMixing(ctx, plain, lib, until, &e)
	if err != nil || !full || e.Cut {
		return e, err
	}
	large := Estimate{Endless: e.Endless}
	_, err = playWithoutMixing(ctx, bounds.WithLargePool(plain), lib, until, &large)
	e.Voices, e.Cut = max(e.Voices, large.Voices), large.Cut
	return e, err
}

// playWithoutMixing plays sheet s to its end and stores its measurements in e. The sheet is not mixed, unless the
// master has a DC guard. It adds the length in frames to e.Frames and sets e.Voices to the largest number of voices at
// once. The parameter until is a wall time. When it is reached, the sheet is not played further, and e.Cut is set. If
// e.Endless is set, the sheet is played only until every start has begun, and e.Frames becomes 0.
//
// The result full reports whether any start was rejected, stolen or made virtual. A larger pool may then use more
// voices. The error comes from ctx, NewPlayer or the render.
func playWithoutMixing(ctx context.Context, s *cue.Sheet, lib *library.Library, until time.Time, e *Estimate) (full bool, err error) {
	p, err := NewPlayer(ctx, s, lib, Options{Watch: func(ev report.Event) {
		full = full || ev.Kind == mixer.EventStolen || ev.Kind == mixer.EventRejected || ev.Kind == mixer.EventVirtual
	}})
	if err != nil {
		return false, err
	}
	defer p.Close()
	r := &p.renderer
	// The fade-out of the DC guard depends on the mixed samples.
	p.isRender, r.skipMixing, r.tail.enabled = true, !s.Master.DCGuard, false
	for size := 1; !r.ended && !e.Cut && !(e.Endless && p.allStarted()); {
		if ctx.Err() != nil {
			return full, ctx.Err()
		}
		began := time.Now()
		e.Cut = !began.Before(until)
		if err := r.mixNext(size); err != nil {
			return full, err
		}
		if size = min(2*size, maxSkimFrames); time.Since(began) > skimSlow {
			size = max(size/8, 1)
		}
		e.Frames += r.gap + int64((len(r.released)+len(r.ready))/p.outputs)
		r.released, r.gap, r.ready = nil, 0, nil
	}
	p.reporter.poll()
	if e.Endless {
		e.Frames = 0
	}
	st := p.mixer.Stats()
	e.Voices = int(st.HighWater)
	return full, nil
}

// allStarted reports whether every start of the sheet has begun. It is false while an action waits for room in the
// mixer's queue, or for the end of a cue or id. A start that was stopped before it began counts as begun.
func (p *Player) allStarted() bool {
	st := p.mixer.Stats()
	return p.schedule.Plays() == 0 && !p.sender.busy() && !p.follows.hasPending() && p.sender.allBegun(&st)
}

// EstimatedEnd returns an estimate of the end of the show, in frames, for a progress display. If the sheet has a
// Length, it is that length. If the sheet repeats, it is 0. Otherwise it is the latest end of all sounds that cues
// start. A sound ends after the time of the key `for`. Without this key it ends after its longest file at normal
// speed. All loops, even with a number of rounds, end with the last action of the sheet. Stops, pauses, pitches,
// delays of layers and list cues without a GO are ignored. Without starts the result is 0. Control side.
func (p *Player) EstimatedEnd() int64 {
	if p.cut != never {
		return p.cut
	}
	return measure(&p.sounds, func(all []loading.Sound) int64 { return bounds.EstimatedEnd(p.sheet, all) })
}
