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

// Open starts a timeline that SaveReport will save at path, and checks that path can be written. Until then, an old
// file at path does not change. The caller must call SaveReport or Discard. rate is the sample rate in Hz, and every is
// the interval of recorded levels.
//
// If path is empty, Open returns a nil File and no error. For the path "-", SaveReport later writes no output. If ctx
// ends first, Open returns the cause of ctx.
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

// Block returns the block length in frames that the render loop should use. It is the parameter frames, or less, so
// that a call of Record after each block misses no level. For a nil File it is always frames.
func (f *File) Block(frames int) int {
	if f == nil {
		return frames
	}
	return int(min(int64(frames), f.levels.step))
}

// Record records the audibility of the voices of m and the peak of the mix. Call it after each block. The parameter
// frames is the total number of mixed frames. left and right are the peaks since the last call, as linear factors. For
// a nil File it has no effect.
func (f *File) Record(m *mixer.Mixer, frames int64, left, right float32) {
	if f != nil {
		f.levels.AddPeak(frames, max(left, right))
		f.levels.Sample(m)
	}
}

// SaveReport draws the events of the report r and the recorded levels, and saves the drawing at the path given to Open.
// The title is its heading. The extension of the path selects PNG or HTML; any other extension means SVG. r must have
// events. More than 500,000 events are an error, and so are too many rows for SVG and PNG, see Timeline.Write. For a
// nil File it returns nil and has no effect.
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

// Save writes the drawing of the timeline to file and completes the file. The extension of path selects the format:
// SVG, PNG or HTML. An unknown extension means SVG.
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

// FormatOf returns the file format that the extension of path names, in any case. The bool is false if the extension
// is not .svg, .png or .html; the Format is then that extension in lower case.
func FormatOf(path string) (Format, bool) {
	f := Format(strings.ToLower(filepath.Ext(path)))
	return f, f == SVG || f == PNG || f == HTML
}

// Write writes the drawing of the timeline to w. Any format except PNG and HTML means SVG. For SVG and PNG, more than
// 4,096 rows of slots and virtual voices are an error, and no byte is written. HTML has no such limit.
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
