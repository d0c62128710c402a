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

// File is the output file of a timeline, with its recorded levels. A nil File does nothing.
type File struct {
	file   *output.File
	path   string
	levels *Levels
}

// Open opens the file of a timeline; until it is saved, path is unchanged. For an empty path it returns
// nil. rate is in Hz; every is the interval of recorded levels. When ctx ends, it gives up.
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

// Block returns a block size of at most frames, so that no level sample is skipped between two blocks. A
// nil File does not limit it.
func (f *File) Block(frames int) int {
	if f == nil {
		return frames
	}
	return int(min(int64(frames), f.levels.step))
}

// Look records the levels of the mixed frames. frames is the total number of mixed frames; left and right
// are the peaks since the last call, as linear factors.
func (f *File) Look(m *mixer.Mixer, frames int64, left, right float32) {
	if f != nil {
		f.levels.Hear(frames, max(left, right))
		f.levels.Look(m)
	}
}

// SaveReport draws the report with the recorded levels and writes the file. A nil File returns nil.
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

// Discard removes the unfinished file. After SaveReport it has no effect.
func (f *File) Discard() {
	if f != nil {
		f.file.Discard()
	}
}

// Save writes the timeline to a file in the format of the path's extension, see FormatOf. An unknown
// extension is written as SVG.
func (t *Timeline) Save(file *output.File, path string) error {
	format, _ := FormatOf(path)
	return file.Save(func(w io.Writer) error { return t.Write(w, format) })
}

// Format is a file format of timelines.
type Format string

// The formats, named by file extension.
const (
	SVG  Format = ".svg"
	PNG  Format = ".png"
	HTML Format = ".html" // a page with zoom, search and scrolling
)

// FormatOf returns the format of a path's extension, and whether it is known.
func FormatOf(path string) (Format, bool) {
	f := Format(strings.ToLower(filepath.Ext(path)))
	return f, f == SVG || f == PNG || f == HTML
}

// Write writes the timeline. A picture has at most 4,096 rows; more is an error. A page has no such limit.
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
