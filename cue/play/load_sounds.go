package play

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"

	"voicepool/bank/rules"
	"voicepool/cue"
	"voicepool/internal/sheet/loading"
	"voicepool/sounds/library"
)

// Progress is a callback for progress. It is called once at the start and after each file, loaded or failed,
// with the number of finished files and the total. Calls come from any goroutine, but one at a time. A file
// that is used both looped and once counts twice.
type Progress func(done, total int)

// LoadSounds loads all sounds of sheet s, used or not, into lib. It loads them in parallel and returns when all are
// loaded. It reports to progress, which may be nil. Sounds that cannot be loaded do not stop the others. Their errors
// are returned together as rules.Errors, which wrap rules.ErrSound, in line order. If ctx ends, the error is the error
// of ctx.
func LoadSounds(ctx context.Context, s *cue.Sheet, lib *library.Library, progress Progress) error {
	_, err := load(ctx, s, lib, progress, &streamErrors{}, false)
	return err
}

// load loads all sounds of sheet s with lib and returns them in the order of s.Sounds. Each sound is loaded for
// playing once or looped, or both, as its cues need it. If live is true, the variants for starts by hand are loaded,
// too. progress may be nil. Later errors, while streams play, are passed to b.
//
// Sounds that cannot be loaded are reported together as rules.Errors, and the other sounds are still returned. If ctx
// ends, the result is nil, and the error is the error of ctx.
func load(ctx context.Context, s *cue.Sheet, lib *library.Library, progress Progress, b *streamErrors, live bool) ([]loading.Sound, error) {
	modes := make([]loading.Modes, len(s.Sounds))
	for i := range s.Cues {
		for _, c := range s.Cues[i].Starts() {
			if c.Loop {
				modes[c.Sound] |= loading.Looped
			} else {
				modes[c.Sound] |= loading.Once
			}
		}
	}
	for i := range modes {
		if modes[i] == 0 || live { // load it even if no cue plays it
			modes[i] |= loading.Once
		}
		if live && s.Sounds[i].Loop {
			modes[i] |= loading.Looped
		}
	}
	all, missing, err := loading.Sounds(ctx, &s.Rules, lib, modes, loading.Options{Progress: progress, OnError: b.record})
	if err != nil {
		return nil, err
	}
	for i := range s.Cues {
		for _, c := range s.Cues[i].Starts() {
			if !c.Loop || !s.Sounds[c.Sound].Stream {
				continue
			}
			for j, sound := range all[c.Sound].Looped {
				if sound != nil && sound.Loop().Frames() <= 0 {
					missing.Add(s.Sounds[c.Sound].Files[j], errors.New("this stream does not declare its length, so it cannot loop"))
				}
			}
		}
	}
	return all, missing.Err()
}

// streamErrors keeps the first error of the goroutines that decode streams.
type streamErrors struct {
	first  atomic.Value
	report func(error) // may be nil
}

// record wraps err, the error of a stream, in a streamError. It keeps the first such error for the method err, and
// passes each to the callback b.report, unless that is nil. The first argument is unused. Any goroutine.
func (b *streamErrors) record(_ string, err error) {
	err = &streamError{"cue: the stream " + strings.TrimPrefix(err.Error(), "sounds: "), err}
	b.first.CompareAndSwap(nil, err)
	if b.report != nil {
		b.report(err)
	}
}

// err returns the first error of a stream, or nil. Any goroutine.
func (b *streamErrors) err() error {
	err, _ := b.first.Load().(error)
	return err
}

// streamError is the error of a stream. It wraps ErrSound.
type streamError struct {
	msg   string
	cause error
}

// Error returns the message, which names the stream.
func (e *streamError) Error() string { return e.msg }

// Unwrap returns rules.ErrSound and the error of the decoder.
func (e *streamError) Unwrap() []error { return []error{rules.ErrSound, e.cause} }
