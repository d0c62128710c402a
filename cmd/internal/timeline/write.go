package timeline

import (
	"io"
	"path/filepath"
	"strings"
)

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
