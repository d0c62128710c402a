package bank

import (
	"fmt"
	"time"

	"voicepool/bank/rules"
	"voicepool/internal/musicplan"
	"voicepool/mixer"
	"voicepool/pcm"
)

// Point is a kind of point in musical time, in the words of a bank's file: "next bar", "next beat", "next 4 bars" or
// "marker NAME". The word "next" may be omitted. "next 4 bars" is the next bar whose number is 1 plus a multiple of 4.
// The name of a marker is NAME for every segment that has such a marker, and SEGMENT.NAME for one segment.
type Point string

// The usual points.
const (
	NextBeat Point = "next beat"
	NextBar  Point = "next bar"
)

// Every returns the point at every n-th bar, from bar 1. n is 1..10,000.
func Every(n int) Point { return Point(fmt.Sprintf("next %d bars", n)) }

// Marker returns the point at the marker called name.
func Marker(name string) Point { return Point("marker " + name) }

// Music is a theme of a bank's file, with its segments and their musical time. Create it with Bank.Music. All methods
// are control side and safe for concurrent use.
//
// Position and Next follow the voices of the theme through pauses and seeks. The result is exact to the frame unless a
// block is being mixed during the call; then it assumes that the music has played on since the last call.
type Music struct {
	bank *Bank
	name string

	// Bank.mu guards the fields below.
	rules    *rules.Rules // the rules that the segments belong to
	segments []*musicplan.Segment
	play     Handle
	chain    musicplan.Chain // the segments of the voices of play
	anchor   anchor
}

// anchor is a known place of a theme: the voice plays the position at the frame of the mix.
type anchor struct {
	voice           int // index in Music.chain
	frame, position int64
	paused          bool
}

// Position is the place of a theme in musical time.
type Position struct {
	Segment string // empty if the theme does not play
	Bar     int    // from 1; 0 before bar 1 of the segment
	Beat    int    // in the bar, from 1; 0 before bar 1
	Frame   int64  // the frame of the mix that is at this position
}

// Music returns the theme called name of the bank's file. Each call with that name returns the same Music. The error
// wraps ErrName, or is a rules.Errors if a segment or a marker does not fit its sound.
func (b *Bank) Music(name string) (*Music, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	mu := b.themes[name]
	if mu == nil {
		mu = &Music{bank: b, name: name}
	}
	if err := mu.refresh(); err != nil {
		return nil, err
	}
	if b.themes == nil {
		b.themes = map[string]*Music{}
	}
	b.themes[name] = mu
	return mu, nil
}

// refresh makes the segments again if the rules of the bank have changed. Segments that play keep their musical time.
// After an error the old segments remain. The caller holds Bank.mu.
func (mu *Music) refresh() error {
	b := mu.bank
	if mu.rules == b.rules {
		return nil
	}
	known := map[string]bool{}
	for i := range b.rules.Music {
		m := &b.rules.Music[i]
		if known[m.Name] = true; m.Name != mu.name {
			continue
		}
		segments, err := musicplan.NewTheme(b.rules.File, m, b.rules.Rate, func(name string) (int64, pcm.Loop) {
			s := b.sounds[name]
			if !s.rules.Loop {
				return s.files[0].Frames(), pcm.Loop{}
			}
			return s.files[0].Frames(), s.files[0].Loop()
		})
		if err != nil {
			return err
		}
		mu.rules, mu.segments = b.rules, segments
		return nil
	}
	return unknownError("theme", mu.name, known)
}

// Play starts the first segment of the theme at the next frame, and ends an earlier play of it with a tail of 10 ms.
// The segments named by `next` follow without a gap. The options apply to all segments, except From, For and FadeIn,
// which are for the first. The pitch and the speed must be zero. It fails as Bank.Play and Bank.Music do, or
// with an error that wraps mixer.ErrOption.
func (mu *Music) Play(o Options) error { return mu.PlayAt(mixer.Now, o) }

// PlayAt starts the theme as Play does, but at frame, as Bank.PlayAt does.
func (mu *Music) PlayAt(frame int64, o Options) error {
	b := mu.bank
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.mixer == nil {
		return noMixerError("Music.Play")
	}
	if o.Pitch != 0 || o.Speed != 0 && o.Speed != 1 {
		return fmt.Errorf("%w: a theme keeps its tempo; it has no pitch and speed", mixer.ErrOption)
	}
	if err := mu.refresh(); err != nil {
		return err
	}
	chain := mu.chainFrom(0)
	from := pcm.Frames(o.From, b.rules.Rate)
	h, err := b.play(frame, chain[0].Sound, &o)
	if err != nil {
		return err
	}
	if frame == mixer.Now {
		frame = b.mixer.Engine().Next()
	}
	if old := mu.play; old != (Handle{}) {
		_ = mu.forVoices(old, func(v mixer.Handle) error { return b.mixer.Engine().At(frame).Stop(mixer.TargetVoice(v), 0) })
	}
	mu.play, mu.chain = h, chain
	mu.anchor = anchor{frame: max(frame, b.mixer.Now()), position: from}
	return nil
}

// chainFrom returns the segment i and its successors by `next`.
func (mu *Music) chainFrom(i int) (chain musicplan.Chain) {
	for i >= 0 {
		s := mu.segments[i]
		chain = append(chain, s)
		next := mu.bank.sounds[s.Sound].rules.Then
		for i = len(mu.segments) - 1; i >= 0 && mu.segments[i].Sound != next; i-- {
		}
	}
	return chain
}

// forVoices calls do for each voice of the play h and returns the first error. The caller holds Bank.mu.
func (mu *Music) forVoices(h Handle, do func(mixer.Handle) error) error {
	if h.play == nil {
		return do(h.Handle)
	}
	if h.play.age != h.age {
		return mixer.ErrGone
	}
	return h.play.forEach(do)
}

// voice returns the voice i of the play, or the zero Handle if it is gone. The caller holds Bank.mu.
func (mu *Music) voice(i int) mixer.Handle {
	switch p := mu.play.play; {
	case p == nil && i == 0:
		return mu.play.Handle
	case p != nil && p.age == mu.play.age && i < len(p.voices):
		return p.voices[i]
	}
	return mixer.Handle{}
}

// locate moves the anchor to the present frame and reports whether the theme plays. The caller holds Bank.mu.
func (mu *Music) locate() bool {
	b, a := mu.bank, &mu.anchor
	if b.mixer == nil || mu.play == (Handle{}) || mu.play.Mixer() != b.mixer {
		return false
	}
	for i := a.voice; i < len(mu.chain); i++ {
		v := mu.voice(i)
		state := v.State()
		if v == (mixer.Handle{}) || state.Over() {
			continue
		}
		if frame, position, ok := b.mixer.Engine().Playhead(v); ok {
			*a = anchor{i, frame, position, state == mixer.StatePaused}
			return true
		}
		if e := b.mixer.Engine(); i > 0 && state == mixer.StatePending && mu.voice(i-1).State() == mixer.StateEnded && !e.Mixing() {
			*a = anchor{voice: i, frame: b.mixer.Now()} // its predecessor ended with the last block
		} else {
			mu.extrapolate(b.mixer.Now())
		}
		return true
	}
	return false
}

// extrapolate moves the anchor to the frame now as if the voices had played on. The caller holds Bank.mu.
func (mu *Music) extrapolate(now int64) {
	a := &mu.anchor
	n := now - a.frame
	if a.frame = now; a.paused {
		return
	}
	for left := mu.chain[a.voice].Frames - a.position; a.voice < len(mu.chain)-1 && n >= left; left = mu.chain[a.voice].Frames {
		n -= left
		a.voice, a.position = a.voice+1, 0
	}
	if n > 0 {
		a.position = mu.chain[a.voice].Advance(a.position, n)
	} else {
		a.position += n
	}
}

// Position returns the present place of the theme, as of the last block. It is zero if the theme does not play.
func (mu *Music) Position() Position {
	mu.bank.mu.Lock()
	defer mu.bank.mu.Unlock()
	if !mu.locate() {
		return Position{}
	}
	a := &mu.anchor
	s := mu.chain[a.voice]
	bar, beat := s.At(a.position)
	return Position{Segment: s.Name, Bar: bar, Beat: beat, Frame: a.frame}
}

// Next returns the frame of the mix of the next point p, for PlayAt and mixer.Engine.At. A point at the next frame
// counts. The result is mixer.Now if the theme does not play or has no such point ahead, or if p is not valid.
func (mu *Music) Next(p Point) int64 {
	b := mu.bank
	b.mu.Lock()
	defer b.mu.Unlock()
	point, err := rules.ParseMusicPoint(string(p))
	if err != nil || !mu.locate() {
		return mixer.Now
	}
	frames, _, ok := mu.chain[mu.anchor.voice:].Wait(mu.anchor.position, mu.earliest(), point)
	if !ok {
		return mixer.Now
	}
	return mu.anchor.frame + frames
}

// earliest returns the number of frames from the anchor to the first frame that a command still reaches in time. The
// caller holds Bank.mu.
func (mu *Music) earliest() int64 {
	e := mu.bank.mixer.Engine()
	next := e.Next()
	if e.Mixing() {
		next += pcm.Frames(mu.bank.mixer.Latency().Block, mu.bank.mixer.Rate())
	}
	return max(next-mu.anchor.frame, 0)
}

// Handle returns the play of the theme, for changes such as Pause, Seek and SetGain. It is zero before the first Play.
func (mu *Music) Handle() Handle {
	mu.bank.mu.Lock()
	defer mu.bank.mu.Unlock()
	return mu.play
}

// Stop ends the theme over the duration over, as Handle.Stop does. The error is mixer.ErrGone if it does not play.
func (mu *Music) Stop(over time.Duration) error { return mu.Handle().Stop(over) }
