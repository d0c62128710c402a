package cue

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"sync/atomic"

	"voicepool/mixer"
	"voicepool/sounds"
	"voicepool/sounds/embedded"
	"voicepool/voice"
)

// loaded is a sound as it is played, by file. What loops is prepared in another
// way, so that the conversion of its rate leaves no seam.
type loaded struct{ once, looped []*voice.Sound }

func (l *loaded) files(loop bool) []*voice.Sound {
	if loop {
		return l.looped
	}
	return l.once
}

// Loading is told of every file that has been loaded or could not be: how many
// are done, and of how many; one call at a time, from any goroutine. A file that
// is played in two ways counts twice.
type Loading func(done, total int)

// LoadSounds brings every sound of the sheet into a library, whether a cue plays it
// or not, as many at a time as there are processors. progress may be nil. All
// that cannot be had comes as Errors, which wrap ErrSound, in the order of the
// sheet's lines; when ctx ends it is its error.
func (s *Sheet) LoadSounds(ctx context.Context, lib *sounds.Library, progress Loading) error {
	_, err := s.load(ctx, lib, progress, &broken{})
	return err
}

func (s *Sheet) load(ctx context.Context, lib *sounds.Library, progress Loading, b *broken) ([]loaded, error) {
	var (
		all     = make([]loaded, len(s.Sounds))
		sources []sounds.Source
		files   []File
		places  []**voice.Sound // of each source, where it goes
	)
	want := func(i int, loop bool) {
		sound, out := &s.Sounds[i], &all[i].once
		if loop {
			out = &all[i].looped
		}
		if *out != nil || sound.Stream {
			return
		}
		*out = make([]*voice.Sound, len(sound.Files))
		for j, f := range sound.Files {
			sources = append(sources, s.Source(sound, f, loop))
			files = append(files, f)
			places = append(places, &(*out)[j])
		}
	}
	for i := range s.Cues {
		if c := &s.Cues[i]; c.Verb == Play {
			want(c.Sound, c.Loop)
		}
	}
	for i := range all {
		if all[i].looped == nil { // whether a cue plays it or not
			want(i, false)
		}
	}
	r := reader{sheet: s, told: map[string]bool{}}
	s.openStreams(ctx, lib, all, &r, b)
	done := 0
	lib.LoadEach(ctx, sources, func(i int, got *voice.Sound, err error) bool {
		*places[i] = got
		if err != nil {
			r.noSound(files[i], err)
		}
		if done++; progress != nil {
			progress(done, len(sources))
		}
		return ctx.Err() == nil
	})
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	s.checkLoops(all, &r)
	return all, r.sorted()
}

// checkLoops says which cues loop a stream that cannot.
func (s *Sheet) checkLoops(all []loaded, r *reader) {
	for i := range s.Cues {
		c := &s.Cues[i]
		if c.Verb != Play || !c.Loop || !s.Sounds[c.Sound].Stream {
			continue
		}
		for j, got := range all[c.Sound].looped {
			if got != nil && got.Loop().Frames() <= 0 {
				r.noSound(s.Sounds[c.Sound].Files[j], errors.New("this stream does not say how long it is, so it cannot loop"))
			}
		}
	}
}

// noSound notes what is wrong with a file, once for both ways to play it.
func (r *reader) noSound(f File, err error) {
	e := &Error{File: r.sheet.File, Line: f.Line, Column: f.Column, Msg: strings.TrimPrefix(err.Error(), "sounds: "), Sound: err}
	if said := e.Error(); !r.told[said] {
		r.told[said] = true
		r.wrong = append(r.wrong, e)
	}
}

// Source returns how a file of one of the sheet's sounds is loaded, to be looped
// or not, and where it is.
func (s *Sheet) Source(sound *Sound, f File, loop bool) sounds.Source {
	return s.source(f, sounds.Source{Loop: loop, Leveling: sound.Leveling, Masking: s.Overflow == mixer.StealMasked})
}

// source completes what is to be loaded with where it is: relative to the
// folder of the sheet.
func (s *Sheet) source(f File, from sounds.Source) sounds.Source {
	if f.Path == "" {
		at := embedded.Source(f.Name)
		from.Name, from.File, from.FS = at.Name, at.File, at.FS
		return from
	}
	path := filepath.FromSlash(f.Path)
	if !filepath.IsAbs(path) && s.File != "-" {
		path = filepath.Join(filepath.Dir(s.File), path)
	}
	from.File = path
	return from
}

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
func (s *Sheet) openStreams(ctx context.Context, lib *sounds.Library, all []loaded, r *reader, b *broken) {
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
			got, err := lib.OpenStream(s.source(f, sounds.Source{Leveling: sound.Leveling}), sounds.StreamOptions{
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
