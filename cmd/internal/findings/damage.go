package findings

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"voicepool/bank/rules"
	"voicepool/internal/words"
	"voicepool/sounds"
)

// Damages gathers the damaged places of files. The zero value is empty; any goroutine.
type Damages struct {
	mutex sync.Mutex
	files map[string][]sounds.Damage
}

// Add is for sounds.Options.OnDamage.
func (d *Damages) Add(file string, place sounds.Damage) {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	if d.files == nil {
		d.files = map[string][]sounds.Damage{}
	}
	d.files[file] = append(d.files[file], place)
}

// Len returns how many places there are.
func (d *Damages) Len() (n int) {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	for _, list := range d.files {
		n += len(list)
	}
	return n
}

// Line returns a damaged place of a file in one line.
func Line(file string, place sounds.Damage) string {
	return words.OneLine(fmt.Sprintf("%s: %v", file, &place))
}

// Damaged decodes the streams of a sheet to their end, in the library for which d gathers, and returns the
// damaged places of all its files, each where the sheet names the file first, and what would end a
// stream before its end. known are the faults of files that are not read at all. The error is that
// of ctx.
func (d *Damages) Damaged(ctx context.Context, r *rules.Rules, lib *sounds.Library, known rules.Errors) (list rules.Errors, err error) {
	told := map[string]bool{}
	for i := range r.Sounds {
		sound := &r.Sounds[i]
		for _, f := range sound.Files {
			src := r.Source(sound, f, false)
			if told[src.File] {
				continue
			}
			at := rules.Error{File: r.File, Line: f.Line, Column: f.Column}
			if sound.Stream && !slices.ContainsFunc(known, func(e *rules.Error) bool { return e.Line == f.Line && e.Column == f.Column }) {
				if err := lib.Scan(ctx, src); ctx.Err() != nil {
					return nil, context.Cause(ctx)
				} else if err != nil {
					at.Msg, at.Sound = strings.TrimPrefix(err.Error(), "sounds: "), err
					list = append(list, &at)
				}
			}
			d.mutex.Lock()
			places := d.files[src.File]
			d.mutex.Unlock()
			for _, place := range places {
				list = append(list, &rules.Error{File: r.File, Line: f.Line, Column: f.Column, Msg: Line(src.File, place), Sound: place.Err})
			}
			told[src.File] = true
		}
	}
	return list, nil
}
