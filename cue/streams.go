package cue

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"

	"voicepool/sounds"
	"voicepool/voice"
)

// broken is what went wrong first in the goroutines that decode streams.
type broken struct{ first atomic.Value }

// note keeps the first error. Any goroutine.
func (b *broken) note(_ string, err error) {
	b.first.CompareAndSwap(nil, &streamError{"cue: the stream " + strings.TrimPrefix(err.Error(), "sounds: "), err})
}

func (b *broken) err() error {
	err, _ := b.first.Load().(error)
	return err
}

// streamError is the error of a stream, under ErrSound.
type streamError struct {
	msg   string
	cause error
}

func (e *streamError) Error() string   { return e.msg }
func (e *streamError) Unwrap() []error { return []error{ErrSound, e.cause} }

// openStreams opens the files of the sounds that are decoded as they play. What
// cannot be opened is noted in r.
func (s *Sheet) openStreams(ctx context.Context, bank *sounds.Bank, all []loaded, r *reader, b *broken) {
	for i := range s.Sounds {
		sound := &s.Sounds[i]
		if !sound.Stream {
			continue
		}
		opened := make([]*voice.Sound, len(sound.Files))
		for j, f := range sound.Files {
			if ctx.Err() != nil {
				return
			}
			got, err := bank.OpenStream(s.source(f, sounds.Source{Leveling: sound.Leveling}), sounds.StreamOptions{
				Level: sound.Level, Measure: sound.Leveling.LUFS != 0, OnError: b.note,
			})
			if err != nil {
				r.noSound(f, err)
			}
			opened[j] = got
		}
		all[i] = loaded{once: opened, looped: opened}
	}
}

// errLoop is what a cue asks of a stream that does not know how long it is.
var errLoop = errors.New("this stream does not say how long it is, so it cannot loop")
