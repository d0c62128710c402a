// Package score keeps the scores of the voices of a mixer: how audible each voice will be. It computes a score from the
// power of the gains of a voice and from its sound, stores it where the choice of a victim finds it, publishes it, and
// schedules its next update.
//
// Everything except New belongs to the audio side of the mixer: one goroutine at a time calls it, and it does not
// allocate.
package score

import (
	"voicepool/internal/spectrum"
	"voicepool/mixer/internal/masking"
	"voicepool/mixer/internal/publish"
	"voicepool/mixer/internal/victim"
	"voicepool/sounds"
	"voicepool/voice"
)

// State holds the inputs of a score beside the sound and its position. The zero value is a silent voice that ends by
// itself.
type State struct {
	Power         float64 // left^2 + right^2 of all gains on the way to the output
	Shaped        bool    // the response of that way is not flat, see Voice.Response
	Endless       bool    // it does not end by itself
	Virtualizable bool    // it becomes virtual if a full pool steals it

	flags flags
	shown float32 // the audibility as published
}

// flags are booleans of a State, which is small because a mixer has many.
type flags uint8

const (
	constant   flags = 1 << iota // Power is constant until the voice or its bus changes
	willLoop                     // it will return to the start of its loop, as far as is known
	shownLoops                   // willLoop as published
)

// set sets or clears f.
func (s *State) set(f flags, on bool) {
	if s.flags &^= f; on {
		s.flags |= f
	}
}

// Constant reports whether Power is constant until the voice or its bus changes, as of the last Update.
func (s *State) Constant() bool { return s.flags&constant != 0 }

// Voice is a voice, at its index in Scores.
type Voice struct {
	Index      int
	State      *State
	Playing    *voice.Voice
	Response   *spectrum.Gains    // the power of each frequency band on all ways to the output; nil unless State.Shaped
	Importance float32            // the power factor of its scores; Measure ignores it
	Published  *publish.FloatPair // gets the audibility, and 1 if the voice will return to the start of its loop
}

// Audibility is the loudness of a voice at the output, as powers.
type Audibility struct {
	Remaining float32 // in the rest of its sound: the highest average
	Soon      float32 // in the next 20 ms; only valid for a voice that can become virtual if the voice has a response
}

// Scores holds the scores of all voices. Create it with New.
type Scores struct {
	victim.Table
	Masking *masking.Table // nil unless the table is made for victim.ByMasked

	slots      int
	hop        int64
	searchedAt int64 // the last frame of NoteSearch
}

// New returns scores for the given numbers of slots and of virtual voices. All scores are
// updated every hop frames. key is the score that the policy of the mixer compares.
func New(slots, virtual int, key victim.Key, hop int64) Scores {
	t := Scores{Table: victim.New(slots, virtual, key), slots: slots, hop: hop}
	if key == victim.ByMasked {
		t.Masking = masking.New(slots, virtual, t.Masked)
	}
	return t
}

// Measure returns how audible a voice is, from its position, v.State.Power and v.Response. lacks is true if the
// spectrum of its sound is missing.
func (v *Voice) Measure() (a Audibility, lacks bool) {
	e, at, looped := v.Playing.Envelope()
	index, near := e.BothAt(at, looped)
	ahead, now := v.State.Power, v.State.Power
	if v.Response != nil {
		ahead, now, lacks = v.Playing.FilteredShares((*[spectrum.Bands]float64)(v.Response), v.State.Virtualizable)
	}
	return Audibility{float32(float64(ahead * index)), float32(float64(now * near))}, lacks
}

// SetMasking sets the masking data of v at index i, which is the index of a slot, or of the incoming start as in
// masking.Table.SetReal. t.Masking must not be nil.
func (t *Scores) SetMasking(i int, v *Voice) {
	t.Masking.SetReal(i, t.bandPowers(v), v.Importance, v.Playing)
}

// bandPowers returns left^2 + right^2 of the gains of v for each band of the ear. t.Masking must not be nil.
func (t *Scores) bandPowers(v *Voice) [sounds.Bands]float32 {
	return t.Masking.Powers(v.State.Power, v.Response)
}

// Update stores the audibility of v after a change of its State. isConstant is true if its power is constant until the
// voice or its bus changes. now is the present frame. onGrid is true if all scores are updated at this frame.
func (t *Scores) Update(v *Voice, a Audibility, isConstant bool, now int64, onGrid bool) {
	s := v.State
	s.set(constant, isConstant)
	if t.Gain != nil {
		t.Gain[v.Index] = float32(float32(s.Power) * v.Importance)
	}
	t.SetEndless(v.Index, s.Endless)
	s.set(willLoop, v.Playing.LoopsAgain())
	if v.Index >= t.slots {
		t.ResetRemaining(v.Index)
	}
	t.Advance(v, a, now, onGrid)
}

// Advance stores the audibility of v, whose State has not changed since the last Update: it has only advanced in its
// sound. now and onGrid are as in Update.
func (t *Scores) Advance(v *Voice, a Audibility, now int64, onGrid bool) {
	s, audibility := v.State, a.Remaining
	t.SetRemaining(v.Index, float32(audibility*v.Importance))
	if s.Virtualizable {
		audibility = a.Soon
	}
	t.UpdateMasking(v, onGrid)
	t.SetAudibility(v.Index, float32(audibility*v.Importance))
	loops := s.flags&willLoop != 0 && v.Playing.LoopsAgain() // the last round may have begun
	s.set(willLoop, loops)
	if s.shown != audibility || (s.flags&shownLoops != 0) != loops {
		s.shown = audibility
		s.set(shownLoops, loops)
		published := float32(0)
		if loops {
			published = 1
		}
		v.Published.Store(audibility, published)
	}
	t.schedule(v, now)
}

// UpdateMasking updates the masking data of v. It has no effect if t.Masking is nil. For a voice in a slot it sets the
// energy and how much the voice masks others. For a virtual voice it sets the energy if onGrid is true, as in Update.
// Otherwise it only marks that energy as outdated. In both cases the masking score of the virtual voice is infinite
// until it is rated, see masking.Table.Rate.
func (t *Scores) UpdateMasking(v *Voice, onGrid bool) {
	switch {
	case t.Masking == nil:
	case v.Index < t.slots:
		t.SetMasking(v.Index, v)
	case onGrid:
		t.Masking.SetVirtual(v.Index-t.slots, t.bandPowers(v), v.Importance, v.Playing)
	default:
		t.Masking.MarkStale(v.Index - t.slots)
	}
}

// NoteSearch records that a choice at the frame now compares the audibility of virtual voices in the rest of their
// sounds.
func (t *Scores) NoteSearch(now int64) { t.searchedAt = now }

// schedule schedules the next update of the scores of v: the first frame where the loudness of its remaining sound may
// change. It assumes that the voice and its bus do not change before. While a gain fades, the update is due at once.
func (t *Scores) schedule(v *Voice, now int64) {
	until := now
	switch {
	case !v.State.Constant():
	case v.State.Virtualizable, t.Masking != nil:
		until += v.Playing.StableFrames(true)
	default:
		until += v.Playing.StableFrames(false)
	}
	if v.Index >= t.slots {
		t.scheduleRemaining(v, now, until)
	}
	t.SetValidUntil(v.Index, until)
}

// scheduleRemaining schedules the next update of one score of the virtual voice v: the audibility in the rest of its
// sound. until is the frame where its other scores may change. If a later update is still planned, it stays.
func (t *Scores) scheduleRemaining(v *Voice, now, until int64) {
	switch {
	case !v.State.Constant():
		until = 0
	case now-t.searchedAt > 10*t.hop, v.Response != nil && !v.Playing.HasSpectrum(): // without searches, separate updates cost time
	case t.RemainingUntil(v.Index) <= now:
		until = max(until, now+v.Playing.StableFrames(false))
	default:
		return
	}
	t.SetRemainingUntil(v.Index, until)
}
