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

// File is the output file of a timeline, with the levels recorded for it. A nil File is valid: its methods have no
// effect.
type File struct {
	file   *outfiles.File
	path   string
	levels *Levels
}

// Open starts a timeline that SaveReport will save at path. Until then, a file at path is unchanged. The caller must
// call SaveReport or Discard. An empty path gives a nil File. rate is in Hz, and every is the interval of recorded
// levels. Open returns early when ctx ends.
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

// Block returns the block size for the render loop: frames, or fewer so that Record misses no level. For a nil File it
// returns frames.
func (f *File) Block(frames int) int {
	if f == nil {
		return frames
	}
	return int(min(int64(frames), f.levels.step))
}

// Record records the audibility of the voices of m and the peak of the mix. Call it after each block. frames is the
// total number of mixed frames; left and right are the peaks since the last call, as linear factors.
func (f *File) Record(m *mixer.Mixer, frames int64, left, right float32) {
	if f != nil {
		f.levels.AddPeak(frames, max(left, right))
		f.levels.Sample(m)
	}
}

// SaveReport draws r and the recorded levels, with title as the heading, and saves the drawing at the path given to
// Open. The extension selects the format. For a nil File it returns nil.
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

// Discard removes the unfinished file and drops the recorded levels. After SaveReport, and for a nil File, it has no
// effect.
func (f *File) Discard() {
	if f != nil {
		f.file.Discard()
	}
}

// Save writes the timeline to file and saves it. The extension of path selects the format; an unknown extension means
// SVG.
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

// FormatOf returns the extension of path in lower case as a Format, and whether that is a known format.
func FormatOf(path string) (Format, bool) {
	f := Format(strings.ToLower(filepath.Ext(path)))
	return f, f == SVG || f == PNG || f == HTML
}

// Write writes the timeline to w; every format except PNG and HTML gives SVG. For SVG and PNG, more than 4,096 rows
// of slots and virtual voices are an error, and no byte is written. HTML has no such limit.
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
