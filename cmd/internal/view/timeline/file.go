package timeline

import (
	"context"
	"io"
	"path/filepath"
	"strings"
	"time"

	"voicepool/cmd/internal/cli/outfiles"
	"voicepool/cue/report"
	"voicepool/mixer"
)

// File is the output file of a timeline, with its recorded levels. A nil File does nothing.
type File struct {
	file   *outfiles.File
	path   string
	levels *Levels
}

// Open opens a File for a timeline that will be saved at path. Until SaveReport, a file at path is unchanged. An
// empty path gives nil, which is a valid File. rate is in Hz, and every is the interval of recorded levels. When ctx
// ends, Open gives up.
func Open(ctx context.Context, path string, rate int, every time.Duration) (*File, error) {
	if path == "" {
		return nil, nil
	}
	file, err := outfiles.Open(ctx, path)
	if err != nil {
		return nil, err
	}
	return &File{file, path, NewLevels(rate, every)}, nil
}

// Block returns a block size of at most frames for the render loop, small enough that Look misses no level. For a
// nil File it returns frames.
func (f *File) Block(frames int) int {
	if f == nil {
		return frames
	}
	return int(min(int64(frames), f.levels.step))
}

// Look records the levels after a block. frames is the total number of mixed frames; left and right are the peaks
// since the last call, as linear factors.
func (f *File) Look(m *mixer.Mixer, frames int64, left, right float32) {
	if f != nil {
		f.levels.Hear(frames, max(left, right))
		f.levels.Look(m)
	}
}

// SaveReport draws r with the recorded levels under a title and writes the file. For a nil File it returns nil.
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

// Discard removes the unfinished file. After SaveReport, and for a nil File, it has no effect.
func (f *File) Discard() {
	if f != nil {
		f.file.Discard()
	}
}

// Save writes the timeline to file, in the format of the extension of path. An unknown extension gives SVG.
func (t *Timeline) Save(file *outfiles.File, path string) error {
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

// FormatOf returns the format that the extension of path means, and whether it is known. Case does not matter.
func FormatOf(path string) (Format, bool) {
	f := Format(strings.ToLower(filepath.Ext(path)))
	return f, f == SVG || f == PNG || f == HTML
}

// Write writes the timeline to w. For SVG and PNG, more than 4,096 rows of slots and virtual voices are an error,
// and w is unchanged. HTML has no such limit.
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
