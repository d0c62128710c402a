// Package loading brings the sounds of rules into a library, for banks and cue sheets.
package loading

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"

	"voicepool/bank/rules"
	"voicepool/internal/parse"
	"voicepool/internal/words"
	"voicepool/sounds"
	"voicepool/voice"
)

// Ways is how a sound is going to be played.
type Ways uint8

const (
	Once Ways = 1 << iota
	Looped
)

// Sound is a sound as it is played, by file. What loops is prepared in another way, so that the
// conversion of its rate leaves no seam. A stream is the same in both.
type Sound struct{ Once, Looped []*voice.Sound }

// Files returns the files to be looped or not.
func (s *Sound) Files(loop bool) []*voice.Sound {
	if loop {
		return s.Looped
	}
	return s.Once
}

// Options says how sounds are loaded; the zero value is good.
type Options struct {
	Progress func(done, total int)          // as cue.Loading
	OnError  func(source string, err error) // of streams, as of sounds.StreamOptions
}

// Sounds loads all sounds, as many files at a time as there are processors, each in its ways.
// What could not be loaded is in the result of Missing. When ctx ends the error is its own.
func Sounds(ctx context.Context, r *rules.Rules, lib *sounds.Library, ways []Ways, o Options) ([]Sound, *Missing, error) {
	var (
		all     = make([]Sound, len(r.Sounds))
		missing = &Missing{rules: r, told: map[string]bool{}}
		sources []sounds.Source
		files   []rules.File
		places  []**voice.Sound // of each source, where it goes
	)
	for i := range r.Sounds {
		sound := &r.Sounds[i]
		if sound.Stream {
			all[i].Once = openStreams(ctx, lib, sound, missing, o)
			all[i].Looped = all[i].Once
			continue
		}
		for _, loop := range [...]bool{false, true} {
			way, to := Once, &all[i].Once
			if loop {
				way, to = Looped, &all[i].Looped
			}
			if ways[i]&way == 0 {
				continue
			}
			*to = make([]*voice.Sound, len(sound.Files))
			for j, f := range sound.Files {
				sources = append(sources, r.Source(sound, f, loop))
				files = append(files, f)
				places = append(places, &(*to)[j])
			}
		}
	}
	done := 0
	if o.Progress != nil && len(sources) > 0 {
		o.Progress(0, len(sources))
	}
	lib.LoadEach(ctx, sources, func(i int, got *voice.Sound, err error) bool {
		*places[i] = got
		if err != nil {
			missing.Note(files[i], err)
		}
		if done++; o.Progress != nil {
			o.Progress(done, len(sources))
		}
		return ctx.Err() == nil
	})
	return all, missing, ctx.Err()
}

// openStreams opens the files of a sound that is decoded as it plays.
func openStreams(ctx context.Context, lib *sounds.Library, sound *rules.Sound, missing *Missing, o Options) []*voice.Sound {
	opened := make([]*voice.Sound, len(sound.Files))
	for j, f := range sound.Files {
		if ctx.Err() != nil {
			break
		}
		got, err := lib.OpenStream(missing.rules.Source(sound, f, true), sounds.StreamOptions{
			CountsAs: sound.CountsAs, Measure: sound.Leveling.LUFS != 0, OnError: o.OnError,
		})
		if err != nil {
			missing.Note(f, err)
		}
		opened[j] = got
	}
	return opened
}

// Missing gathers what is wrong with sounds.
type Missing struct {
	rules *rules.Rules
	wrong rules.Errors
	told  map[string]bool
}

// Note notes what is wrong with a file, once for both ways to play it.
func (m *Missing) Note(f rules.File, err error) {
	msg := strings.TrimPrefix(err.Error(), "sounds: ")
	if path.Ext(f.Path) == "" && !strings.Contains(f.Path, "/") && errors.Is(err, fs.ErrNotExist) { // seems to be a name
		msg += m.meant(f.Path)
	}
	e := &rules.Error{File: m.rules.File, Line: f.Line, Column: f.Column, Msg: msg, Sound: err}
	if said := e.Error(); !m.told[said] {
		m.told[said] = true
		m.wrong = append(m.wrong, e)
	}
}

// meant says what a name of no file may mean.
func (m *Missing) meant(name string) string {
	if m.rules.Named == nil {
		return "; " + parse.AskEmbedded
	}
	var known []string
	for i := range m.rules.Named {
		known = append(known, m.rules.Named[i].Name)
	}
	return fmt.Sprintf("; the nearest embedded sound is %q", words.Nearest(name, known))
}

// Err returns what is wrong, in the order of the lines, as rules.Errors; or nil.
func (m *Missing) Err() error {
	if len(m.wrong) == 0 {
		return nil
	}
	m.wrong.Sort()
	return m.wrong
}
