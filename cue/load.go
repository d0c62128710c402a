package cue

import (
	"context"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"

	"voicepool/sounds"
	"voicepool/voice"
)

// loaded is a sound as it is played, by file. What loops is prepared in another
// way, so that the conversion of its rate leaves no seam.
type loaded struct{ once, looped []*voice.Sound }

func (l *loaded) file(i int, loop bool) *voice.Sound {
	if loop {
		return l.looped[i]
	}
	return l.once[i]
}

// LoadSounds brings every sound of the sheet into a bank, whether a cue plays it
// or not, as many at a time as there are processors. All that cannot be had
// comes as Errors, which wrap ErrSound, in the order of the sheet's lines; when
// ctx ends it is its error.
func (s *Sheet) LoadSounds(ctx context.Context, bank *sounds.Bank) error {
	_, err := s.load(ctx, bank)
	return err
}

func (s *Sheet) load(ctx context.Context, bank *sounds.Bank) ([]loaded, error) {
	type use struct{ once, looped bool }
	uses := make([]use, len(s.Sounds))
	for i := range s.Cues {
		if c := &s.Cues[i]; c.Verb == Play {
			u := &uses[c.Sound]
			u.once, u.looped = u.once || !c.Loop, u.looped || c.Loop
		}
	}
	l := loading{ctx: ctx, bank: bank, sheet: s, free: make(chan struct{}, runtime.GOMAXPROCS(0))}
	all := make([]loaded, len(s.Sounds))
	for i := range s.Sounds {
		if uses[i].once || !uses[i].looped {
			all[i].once = l.files(s.Sounds[i].Files, false)
		}
		if uses[i].looped {
			all[i].looped = l.files(s.Sounds[i].Files, true)
		}
	}
	l.wait.Wait()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	r := reader{sheet: s, wrong: l.wrong}
	return all, r.sorted()
}

// loading is what several goroutines load together.
type loading struct {
	ctx   context.Context
	bank  *sounds.Bank
	sheet *Sheet
	free  chan struct{} // as many as may load at a time
	wait  sync.WaitGroup

	mutex sync.Mutex
	wrong Errors
}

// files begins to load; the result is complete after wait.
func (l *loading) files(files []File, loop bool) []*voice.Sound {
	out := make([]*voice.Sound, len(files))
	for i := range files {
		l.free <- struct{}{}
		l.wait.Go(func() {
			defer func() { <-l.free }()
			got, err := l.bank.Load(l.ctx, l.sheet.source(files[i], loop))
			if err != nil {
				l.fail(files[i], err)
				return
			}
			out[i] = got[0]
		})
	}
	return out
}

// fail notes what is wrong with a file, once for both ways to play it.
func (l *loading) fail(f File, err error) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	e := &Error{File: l.sheet.File, Line: f.Line, Column: f.Column, Msg: strings.TrimPrefix(err.Error(), "sounds: "), Sound: err}
	if !slices.ContainsFunc(l.wrong, func(o *Error) bool { return o.Error() == e.Error() }) {
		l.wrong = append(l.wrong, e)
	}
}

// source returns where a file is: relative to the folder of the sheet.
func (s *Sheet) source(f File, loop bool) sounds.Source {
	if f.Path == "" {
		return sounds.Source{Name: f.Name, Loop: loop}
	}
	path := filepath.FromSlash(f.Path)
	if !filepath.IsAbs(path) && s.File != "-" {
		path = filepath.Join(filepath.Dir(s.File), path)
	}
	return sounds.Source{File: path, Loop: loop}
}
