package cue

import (
	"context"
	"errors"
	"slices"
	"time"

	"voicepool/bank/rules"
	"voicepool/cue/report"
	"voicepool/mixer"
	"voicepool/sounds"
	"voicepool/voice"
)

// Estimate is the duration of a sheet and the number of voices it needs.
type Estimate struct {
	Frames  int64 // length of its render: to the end of the last voice, fade and tail, or to Sheet.Length
	Endless bool  // the render would never end, and Frames is 0; see Sheet.CheckRender
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

// maxVoices is the largest number of voices of a mixer.
const maxVoices = 65536

// Estimate returns the duration of the sheet and the number of voices that it needs. It plays the sheet without mixing
// it. The limits of sounds and buses apply as in a render. If the pool of the sheet is too small for all starts, a
// second pass with a large pool counts the voices. The parameter within is the wall time that all this may take. When
// it is over, the result covers only part of the sheet, and Cut is set. A sound that cannot be loaded counts in
// Missing and is not an error.
//
// A sheet with a list must have times of GO; otherwise the error is the error of CheckGoes. Other errors come from
// ctx, NewPlayer or Read.
func (s *Sheet) Estimate(ctx context.Context, lib *sounds.Library, within time.Duration) (Estimate, error) {
	var e Estimate
	until := time.Now().Add(within)
	e.Endless, e.HasTail = s.CheckRender() != nil, s.Length == nil && s.effectTail() > 0
	if s.CheckGoes() != nil {
		return e, s.CheckGoes()
	}
	plain, err := s.simplified(ctx, lib, &e)
	if err != nil {
		return e, err
	}
	full, err := plain.playWithoutMixing(ctx, lib, until, &e)
	if err != nil || !full || e.Cut {
		return e, err
	}
	large := Estimate{Endless: e.Endless}
	_, err = plain.withLargePool().playWithoutMixing(ctx, lib, until, &large)
	e.Voices, e.Cut = max(e.Voices, large.Voices), large.Cut
	return e, err
}

// GoCount returns how many GO commands an operator needs to play the whole list. It counts the enabled cues of the
// list that wait for GO. Cues that follow another cue by themselves do not count. The result is 0 for a sheet without
// a list.
func (s *Sheet) GoCount() (n int) {
	for i := s.standby(0); i < len(s.List); n++ {
		chain := s.chain(i)
		i = s.standby(chain[len(chain)-1] + 1)
	}
	return n
}

// simplified loads the sounds of s with lib and returns a copy of s that is cheaper to play without mixing. The copy
// plays as long and with as many voices as s. Only sounds whose pitch moves keep their quality; all other sounds use
// linear interpolation.
//
// A sound that cannot be loaded adds 1 to e.Missing. In the copy, cues that start such a sound send a message instead.
// The error is the error of ctx.
func (s *Sheet) simplified(ctx context.Context, lib *sounds.Library, e *Estimate) (*Sheet, error) {
	type position struct{ line, column int }
	lostFiles := map[position]bool{}
	if err := s.LoadSounds(ctx, lib, nil); err != nil {
		missing, listed := errors.AsType[rules.Errors](err)
		if !listed {
			return nil, err
		}
		for _, m := range missing {
			lostFiles[position{m.Line, m.Column}] = true
		}
	}
	out := *s
	out.Sounds, out.Cues = slices.Clone(s.Sounds), slices.Clone(s.Cues)
	unloadable, bending := make([]bool, len(out.Sounds)), s.movablePitches()
	for i := range out.Sounds {
		one := &out.Sounds[i]
		// The interpolation of a moving pitch affects the last frame: a voice that switches mip levels adds
		// up its steps differently.
		one.Quality, one.MaxPitch = new(voice.Linear), 0
		if bending[i] {
			one.Quality = new(s.QualityOf(&s.Sounds[i]))
		}
		if unloadable[i] = slices.ContainsFunc(one.Files, func(f rules.File) bool { return lostFiles[position{f.Line, f.Column}] }); unloadable[i] {
			one.Files = nil
			e.Missing++
		}
	}
	for i := range out.Cues {
		c := &out.Cues[i]
		for _, start := range s.Cues[i].starts() {
			if unloadable[start.Sound] { // replaced by a message, which Estimate does not send
				c.Verb, c.Scope, c.layers = Send, OnAll, nil
			}
		}
	}
	return &out, nil
}

// withLargePool returns a copy of the sheet for finding out how many voices it needs. The pool of the copy has one
// voice for every start, repetitions and layers included, but at least 1 and at most 65,536. The pool keeps that size:
// it does not grow, and cues and scenes do not resize it.
func (s *Sheet) withLargePool() *Sheet {
	starts := uint64(0)
	for _, c := range s.withScheduledGoes().activeCues() {
		for range c.starts() {
			starts = min(starts+min(c.Times, maxVoices), maxVoices)
		}
	}
	out := *s
	if out.Voices = int(max(starts, 1)); out.Overflow == mixer.GrowPool {
		out.Overflow, out.Grow = mixer.StealQuietest, rules.Grow{} // a growing pool applies bus limits in this way
	}
	out.Cues, out.Scenes = slices.Clone(s.Cues), slices.Clone(s.Scenes)
	for i := range out.Cues {
		if c := &out.Cues[i]; c.Verb == Resize {
			c.Voices = out.Voices
		}
	}
	for i := range out.Scenes {
		out.Scenes[i].Voices = 0
	}
	return &out
}

// playWithoutMixing plays the sheet to its end and stores its measurements in e. The sheet is not mixed, unless the
// master has a DC guard. It adds the length in frames to e.Frames and sets e.Voices to the largest number of voices at
// once. The parameter until is a wall time. When it is reached, the sheet is not played further, and e.Cut is set. If
// e.Endless is set, the sheet is played only until every start has begun, and e.Frames becomes 0.
//
// The result full reports whether any start was rejected, stolen or made virtual. A larger pool may then use more
// voices. The error comes from ctx, NewPlayer or the render.
func (s *Sheet) playWithoutMixing(ctx context.Context, lib *sounds.Library, until time.Time, e *Estimate) (full bool, err error) {
	p, err := NewPlayer(ctx, s, lib, Options{Watch: func(ev report.Event) {
		full = full || ev.Kind == mixer.EventStolen || ev.Kind == mixer.EventRejected || ev.Kind == mixer.EventVirtual
	}})
	if err != nil {
		return false, err
	}
	defer p.Close()
	f := &p.rendering
	// The fade-out of the DC guard depends on the mixed samples.
	f.isRender, p.skipMixing, f.tail.enabled = true, !s.Master.DCGuard, false
	for size := 1; !f.ended && !e.Cut && !(e.Endless && p.allStarted()); {
		if ctx.Err() != nil {
			return full, ctx.Err()
		}
		began := time.Now()
		e.Cut = !began.Before(until)
		if err := p.mixNext(size); err != nil {
			return full, err
		}
		if size = min(2*size, maxSkimFrames); time.Since(began) > skimSlow {
			size = max(size/8, 1)
		}
		e.Frames += f.gap + int64((len(f.released)+len(f.ready))/p.outputs)
		f.released, f.gap, f.ready = nil, 0, nil
	}
	p.poll()
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
	return p.schedule.Plays() == 0 && p.held == nil && !p.follows.hasPending() && st.Asked+p.stoppedDelayed(&st) >= p.requestedStarts()
}

// EstimatedEnd returns an estimate of the end of the show, in frames, for a progress display. If the sheet has a
// Length, it is that length. If the sheet repeats, it is 0. Otherwise it is the latest end of all sounds that cues
// start. A sound ends after the time of the key `for`. Without this key it ends after its longest file at normal
// speed. All loops, even with a number of rounds, end with the last action of the sheet. Stops, pauses, pitches,
// delays of layers and list cues without a GO are ignored. Without starts the result is 0. Control side.
func (p *Player) EstimatedEnd() int64 {
	switch {
	case p.cut != never:
		return p.cut
	case !p.sheet.Repeat.IsZero():
		return 0
	}
	rate, ends := p.sheet.Rate, int64(0)
	lastAction, loops := int64(0), false
	for _, cue := range p.sheet.activeCues() {
		last := cue.lastFrame(rate)
		lastAction = max(lastAction, last)
		for _, c := range cue.starts() {
			if c.For != nil {
				ends = max(ends, last+c.For.Frames(rate))
				continue
			}
			if c.Loop {
				loops = true
				continue
			}
			for _, sound := range p.sounds[c.Sound].Once {
				ends = max(ends, last+max(sound.Frames()-c.From.Frames(rate), 0))
			}
		}
	}
	if loops { // a later cue stops them
		ends = max(ends, lastAction)
	}
	return ends
}
