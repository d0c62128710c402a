package checkreport

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"voicepool/bank/rules"
	"voicepool/internal/words"
	"voicepool/sounds/library"
)

// Damages collects damaged places of files. The zero value is empty. Safe for concurrent use.
type Damages struct {
	mutex sync.Mutex
	files map[string][]library.Damage
}

// Add records a damaged place in file. It is meant for library.Options.OnDamage and is safe for concurrent use.
func (d *Damages) Add(file string, damage library.Damage) {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	if d.files == nil {
		d.files = map[string][]library.Damage{}
	}
	d.files[file] = append(d.files[file], damage)
}

// Len returns the number of damaged places.
func (d *Damages) Len() (n int) {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	for _, list := range d.files {
		n += len(list)
	}
	return n
}

// Line describes one damaged place in file as one line of text.
func Line(file string, damage library.Damage) string {
	return words.OneLine(fmt.Sprintf("%s: %v", file, &damage))
}

// Damaged finds damage in the files of the sheet r. It decodes the streams to their end. The result has an error for
// each damaged place that d has recorded, and for each stream that ends early. Their line is the first line of the
// sheet that names the file. lib must call d.Add for damage. Files with an error in known are not decoded. If ctx
// ends, err is its cause and list is nil.
func (d *Damages) Damaged(ctx context.Context, r *rules.Rules, lib *library.Library, known rules.Errors) (list rules.Errors, err error) {
	checked := map[string]bool{}
	for i := range r.Sounds {
		sound := &r.Sounds[i]
		for _, f := range sound.Files {
			src := r.Source(sound, f, false)
			if checked[src.File] {
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
			for _, damage := range places {
				list = append(list, &rules.Error{File: r.File, Line: f.Line, Column: f.Column, Msg: Line(src.File, damage), Sound: damage.Err})
			}
			checked[src.File] = true
		}
	}
	return list, nil
}
