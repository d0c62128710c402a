// Package soundcheck checks whether a recording has every frame of a reference, in
// order and without a gap. The recording may begin earlier and end later. It proves
// that a sound server received what a device played.
package soundcheck

import (
	"errors"
	"fmt"
	"strings"

	"voicepool/pcm"
)

// ErrNotFound is returned where nothing of the reference is in the recording,
// or the reference is silent, so that there is nothing to look for.
var ErrNotFound = errors.New("soundcheck: the reference was not found in the recording")

const (
	// window is how many equal frames in a row count as the same place.
	window = 256

	// anchors is how many places of the reference are looked for.
	anchors = 64

	// reach is how long a gap may be, in frames, to be seen as one.
	reach = 1 << 17

	// searches is how often a frame may have no other place within reach
	// before differing frames are only counted: each such search is long.
	searches = 16
)

// Gap is a place where the two do not go on together.
type Gap struct {
	Reference int // where it is in the reference
	Recording int // and in the recording
	Missing   int // frames of the reference that the recording has not
	Extra     int // frames of the recording that the reference has not
}

// Result is what Compare found.
type Result struct {
	// Offset is where the recording has the reference's first frame; it is
	// negative where the recording began too late.
	Offset int
	// Matched counts the reference's frames that were found.
	Matched int
	// Missing counts those that were not.
	Missing int
	// Differing counts those that were found in their place, but with a
	// difference beyond the tolerance.
	Differing int
	// MaxDiff is the largest difference between samples of frames in the same
	// place.
	MaxDiff float64
	// Gaps are in the order of the reference.
	Gaps []Gap
}

// Whole says that every frame of the reference is there, in order, and no gap.
func (r Result) Whole() bool {
	return r.Complete() && len(r.Gaps) == 0
}

// Complete says that every frame of the reference is there, in order, but
// perhaps with gaps between: what a machine that is too busy leaves.
func (r Result) Complete() bool {
	return r.Missing == 0 && r.Differing == 0
}

// String tells the result in one line, and the gaps in one line each.
func (r Result) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "offset %d, matched %d, missing %d, differing %d, gaps %d, largest difference %.3g",
		r.Offset, r.Matched, r.Missing, r.Differing, len(r.Gaps), r.MaxDiff)
	for i, g := range r.Gaps {
		if i == 20 {
			fmt.Fprintf(&b, "\n  and %d more", len(r.Gaps)-i)
			break
		}
		fmt.Fprintf(&b, "\n  gap at frame %d (recording %d): %d missing, %d extra", g.Reference, g.Recording, g.Missing, g.Extra)
	}
	return b.String()
}

// Compare looks for reference in recording. Samples are the same when they
// differ by no more than tolerance. A silent end of the reference may be cut.
func Compare(reference, recording []pcm.Frame, tolerance float64) (Result, error) {
	c := comparison{ref: reference, rec: recording, tolerance: tolerance}
	i, j, found := c.begin()
	if !found {
		return Result{Missing: len(reference)}, ErrNotFound
	}
	c.result.Offset = j - i
	// What lies before the first place that was found.
	head := min(i, j)
	if missing := i - head; missing > 0 {
		c.gap(Gap{Reference: 0, Recording: 0, Missing: missing})
	}
	c.walk(i-head, j-head)
	return c.result, nil
}

type comparison struct {
	ref, rec  []pcm.Frame
	tolerance float64
	vain      int // searches that found nothing
	result    Result
}

// begin finds a place where the two are together. It takes the first window
// with sound in it, and if the recording has it not, others further on.
func (c *comparison) begin() (i, j int, found bool) {
	first := 0
	for first < len(c.ref) && c.ref[first] == (pcm.Frame{}) {
		first++
	}
	if first == len(c.ref) {
		return 0, 0, false
	}
	step := max(window, (len(c.ref)-first)/anchors)
	for i := first; i < len(c.ref); i += step {
		if c.ref[i] == (pcm.Frame{}) {
			continue
		}
		for j := range c.rec {
			if c.together(i, j) {
				return i, j, true
			}
		}
	}
	return 0, 0, false
}

// walk goes on from a place where the two are together.
func (c *comparison) walk(i, j int) {
	for i < len(c.ref) {
		if j < len(c.rec) {
			if d := difference(c.ref[i], c.rec[j]); d <= c.tolerance {
				c.result.MaxDiff = max(c.result.MaxDiff, d)
				c.result.Matched++
				i++
				j++
				continue
			}
		}
		missing, extra, found := c.next(i, j)
		switch {
		case found:
			c.gap(Gap{Reference: i, Recording: j, Missing: missing, Extra: extra})
			i += missing
			j += extra
		case j < len(c.rec):
			c.result.MaxDiff = max(c.result.MaxDiff, difference(c.ref[i], c.rec[j]))
			c.result.Differing++
			i++
			j++
		case c.silent(i):
			return
		default:
			c.gap(Gap{Reference: i, Recording: j, Missing: len(c.ref) - i})
			return
		}
	}
}

// next finds the nearest place behind i, j where the two are together again,
// with frames missing, or extra.
func (c *comparison) next(i, j int) (missing, extra int, found bool) {
	if c.vain == searches {
		return 0, 0, false
	}
	for n := 1; n <= reach; n++ {
		if i+n < len(c.ref) && c.resumes(i+n, j) {
			return n, 0, true
		}
		if j+n < len(c.rec) && c.resumes(i, j+n) {
			return 0, n, true
		}
		// As many frames of something else: a piece that was overwritten.
		if i+n < len(c.ref) && j+n < len(c.rec) && c.resumes(i+n, j+n) {
			return n, n, true
		}
	}
	c.vain++
	return 0, 0, false
}

// resumes is together for places with sound: silence is everywhere.
func (c *comparison) resumes(i, j int) bool {
	return c.ref[i] != (pcm.Frame{}) && c.together(i, j)
}

// together says whether a window is the same in both.
func (c *comparison) together(i, j int) bool {
	n := min(window, len(c.ref)-i)
	if j+n > len(c.rec) {
		return false
	}
	for k := range n {
		if difference(c.ref[i+k], c.rec[j+k]) > c.tolerance {
			return false
		}
	}
	return true
}

// silent says whether nothing but silence is left of the reference.
func (c *comparison) silent(i int) bool {
	for _, f := range c.ref[i:] {
		if difference(f, pcm.Frame{}) > c.tolerance {
			return false
		}
	}
	return true
}

func (c *comparison) gap(g Gap) {
	c.result.Missing += g.Missing
	c.result.Gaps = append(c.result.Gaps, g)
}

// difference returns the larger of two channels' differences, and 1e30
// where one is not a number.
func difference(a, b pcm.Frame) float64 {
	d := 0.0
	for c := range a {
		x := float64(a[c]) - float64(b[c])
		if x < 0 {
			x = -x
		}
		if !(x <= 1e30) {
			return 1e30
		}
		d = max(d, x)
	}
	return d
}
