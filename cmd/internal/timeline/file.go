package timeline

import (
	"context"
	"io"
	"path/filepath"
	"strings"
	"time"

	"voicepool/cmd/internal/output"
	"voicepool/cue/report"
	"voicepool/mixer"
)

// File is the file of a timeline, and what is recorded for it; nil: there is none.
type File struct {
	file   *output.File
	path   string
	levels *Levels
}

// Open opens a file, until ctx ends; an empty path gives nil. Levels at a rate are looked
// at so often, if at all.
func Open(ctx context.Context, path string, rate int, every time.Duration) (*File, error) {
	if path == "" {
		return nil, nil
	}
	file, err := output.Open(ctx, path)
	if err != nil {
		return nil, err
	}
	return &File{file, path, NewLevels(rate, every)}, nil
}

// Block is how many frames may be mixed between two looks.
func (f *File) Block(frames int) int {
	if f == nil {
		return frames
	}
	return int(min(int64(frames), f.levels.step))
}

// Look records what has just been mixed: so many frames in all, with these levels.
func (f *File) Look(m *mixer.Mixer, frames int64, left, right float32) {
	if f != nil {
		f.levels.Hear(frames, max(left, right))
		f.levels.Look(m)
	}
}

// SaveReport draws what was played.
func (f *File) SaveReport(title string, r *report.Report) error {
	if f == nil {
		return nil
	}
	t, err := Of(title, r, f.levels)
	if err != nil {
		return err
	}
	return t.Save(f.file, f.path)
}

// Discard leaves nothing behind; after SaveReport it does nothing.
func (f *File) Discard() {
	if f != nil {
		f.file.Discard()
	}
}

// Save writes the timeline into a file, in the format that the file's name asks for.
func (t *Timeline) Save(file *output.File, path string) error {
	format, _ := FormatOf(path)
	return file.Save(func(w io.Writer) error { return t.Write(w, format) })
}

// Format is what a timeline is written as.
type Format string

// The formats, by the ending of a file's name.
const (
	SVG  Format = ".svg"
	PNG  Format = ".png"
	HTML Format = ".html" // a page that can be zoomed, searched and scrolled
)

// FormatOf returns the format that the name of a file asks for, and whether it is one.
func FormatOf(path string) (Format, bool) {
	f := Format(strings.ToLower(filepath.Ext(path)))
	return f, f == SVG || f == PNG || f == HTML
}

// Write writes the timeline. A picture has at most 4,096 rows; more is an error.
func (t *Timeline) Write(w io.Writer, format Format) error {
	if format == HTML {
		return t.writeHTML(w)
	}
	c, err := drawTimeline(t, func(width, height int) canvas {
		if format == PNG {
			return newPNGCanvas(width, height)
		}
		return newSVGCanvas(width, height)
	})
	if err != nil {
		return err
	}
	return c.writeTo(w)
}
