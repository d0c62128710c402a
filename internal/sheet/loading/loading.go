// Package loading loads the sounds of banks and cue sheets into a library.
package loading

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"

	"voicepool/bank/rules"
	"voicepool/internal/sheet/parse"
	"voicepool/internal/words"
	"voicepool/sounds"
	"voicepool/sounds/library"
)

// Modes is a set of ways to play a sound.
type Modes uint8

const (
	Once Modes = 1 << iota
	Looped
)

// Sound holds the loaded files of a sound, by file index. Looped sounds are resampled differently, so that
// the loop has no seam. Streams are the same in both.
type Sound struct{ Once, Looped []*sounds.Sound }

// Files returns the loaded files for looped playback if loop is true, otherwise for playback once. It is nil if
// Sounds has not loaded that way.
func (s *Sound) Files(loop bool) []*sounds.Sound {
	if loop {
		return s.Looped
	}
	return s.Once
}

// Options configures Sounds. The zero value is usable.
type Options struct {
	Progress func(done, total int)          // see play.Progress
	OnError  func(source string, err error) // for streams; see library.StreamOptions
}

// Sounds loads all sounds of r into lib, each for the ways in modes[i] that it is played, as many files in parallel as
// there are processors, and opens streams. The result has one element for each of r.Sounds, with nil for a file that
// could not be loaded. The LoadErrors have the errors of these files. The error is only the end of ctx.
func Sounds(ctx context.Context, r *rules.Rules, lib *library.Library, modes []Modes, o Options) ([]Sound, *LoadErrors, error) {
	var (
		all          = make([]Sound, len(r.Sounds))
		missing      = &LoadErrors{rules: r, reported: map[string]bool{}}
		sources      []library.Source
		files        []rules.File
		destinations []**sounds.Sound // by source: destination of the sound
	)
	for i := range r.Sounds {
		sound := &r.Sounds[i]
		if sound.Stream {
			all[i].Once = openStreams(ctx, lib, sound, missing, o)
			all[i].Looped = all[i].Once
			continue
		}
		for _, loop := range [...]bool{false, true} {
			mode, to := Once, &all[i].Once
			if loop {
				mode, to = Looped, &all[i].Looped
			}
			if modes[i]&mode == 0 {
				continue
			}
			*to = make([]*sounds.Sound, len(sound.Files))
			for j, f := range sound.Files {
				sources = append(sources, r.Source(sound, f, loop))
				files = append(files, f)
				destinations = append(destinations, &(*to)[j])
			}
		}
	}
	done := 0
	if o.Progress != nil && len(sources) > 0 {
		o.Progress(0, len(sources))
	}
	lib.LoadEach(ctx, sources, func(i int, loaded *sounds.Sound, err error) bool {
		*destinations[i] = loaded
		if err != nil {
			missing.Add(files[i], err)
		}
		if done++; o.Progress != nil {
			o.Progress(done, len(sources))
		}
		return ctx.Err() == nil
	})
	return all, missing, ctx.Err()
}

// openStreams opens the files of sound, a stream. It notes the errors of files in missing; their elements are nil.
// After the end of ctx it opens no further files.
func openStreams(ctx context.Context, lib *library.Library, sound *rules.Sound, missing *LoadErrors, o Options) []*sounds.Sound {
	opened := make([]*sounds.Sound, len(sound.Files))
	for j, f := range sound.Files {
		if ctx.Err() != nil {
			break
		}
		stream, err := lib.OpenStream(missing.rules.Source(sound, f, true), library.StreamOptions{
			CountsAs: sound.CountsAs, Measure: sound.Leveling.LUFS != 0, OnError: o.OnError,
		})
		if err != nil {
			missing.Add(f, err)
		}
		opened[j] = stream
	}
	return opened
}

// LoadErrors collects errors of sounds.
type LoadErrors struct {
	rules    *rules.Rules
	errors   rules.Errors
	reported map[string]bool
}

// Add records err, the error of the file f, at the place of f in the sheet. An equal error at the same place, as for
// the other way to play the file, is recorded once.
func (m *LoadErrors) Add(f rules.File, err error) {
	msg := strings.TrimPrefix(err.Error(), "sounds: ")
	if path.Ext(f.Path) == "" && !strings.Contains(f.Path, "/") && errors.Is(err, fs.ErrNotExist) { // probably a name
		msg += m.embeddedHint(f.Path)
	}
	e := &rules.Error{File: m.rules.File, Line: f.Line, Column: f.Column, Msg: msg, Sound: err}
	if text := e.Error(); !m.reported[text] {
		m.reported[text] = true
		m.errors = append(m.errors, e)
	}
}

// embeddedHint returns a hint for name, a path without a file that may be meant as an embedded sound: the nearest
// embedded sound, or how to use embedded sounds. It is the end of a message.
func (m *LoadErrors) embeddedHint(name string) string {
	if m.rules.Named == nil {
		return "; " + parse.EmbeddedHint
	}
	known := words.Names(m.rules.Named, func(s *library.Source) string { return s.Name })
	return fmt.Sprintf("; the nearest embedded sound is %q", words.Nearest(name, known))
}

// Err sorts the errors by line and returns them as rules.Errors, or nil without errors.
func (m *LoadErrors) Err() error {
	if len(m.errors) == 0 {
		return nil
	}
	m.errors.Sort()
	return m.errors
}
