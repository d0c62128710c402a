package soundcheck

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"voicepool/pcm"
)

// ErrNotFound is returned if no part of the reference is in the recording, or if the reference is silent.
var ErrNotFound = errors.New("soundcheck: the reference was not found in the recording")

const (
	// window is how many consecutive equal frames count as a match.
	window = 256

	// anchors is the number of places of the reference that are searched for.
	anchors = 64

	// reach is the longest gap in frames that is recognized.
	reach = 1 << 17

	// searches limits the searches without a match within reach. After that, differing frames are only
	// counted, because each such search is long.
	searches = 16
)

// Gap is a place at which reference and recording diverge.
type Gap struct {
	Reference int // frame of the reference
	Recording int // frame of the recording
	Missing   int // frames of the reference that are missing in the recording
	Extra     int // frames of the recording that are not in the reference
}

// Result is the result of Compare.
type Result struct {
	// Offset is the frame of the recording with the reference's first frame; negative if the recording began
	// too late.
	Offset int
	// Matched is the number of the reference's frames that were found.
	Matched int
	// Missing is the number of frames that were not found.
	Missing int
	// Differing is the number of frames found in their place with a difference beyond the tolerance.
	Differing int
	// MaxDiff is the largest difference between samples of frames in the same place.
	MaxDiff float64
	// Gaps are in the order of the reference.
	Gaps []Gap
}

// Whole reports whether every frame of the reference was found, in order and without a gap.
func (r Result) Whole() bool {
	return r.Complete() && len(r.Gaps) == 0
}

// Complete reports whether every frame of the reference was found, in order but possibly with gaps, as on an
// overloaded machine.
func (r Result) Complete() bool {
	return r.Missing == 0 && r.Differing == 0
}

// String returns the result in one line, followed by a line for each gap.
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

// Compare searches for reference in recording. Samples are equal if they differ by at most tolerance. A
// silent end of the reference may be missing.
func Compare(reference, recording []pcm.Frame, tolerance float64) (Result, error) {
	c := comparison{ref: reference, rec: recording, tolerance: tolerance}
	i, j, found := c.begin()
	if !found {
		return Result{Missing: len(reference)}, ErrNotFound
	}
	c.result.Offset = j - i
	// Frames before the first match.
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
	vain      int // searches without a match
	result    Result
}

// begin finds a match of the first window with sound or, if the recording lacks it, of later windows.
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

// walk continues from a match.
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

// next finds the nearest match after i, j, with either missing or extra frames.
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
		// the same number of other frames: an overwritten piece
		if i+n < len(c.ref) && j+n < len(c.rec) && c.resumes(i+n, j+n) {
			return n, n, true
		}
	}
	c.vain++
	return 0, 0, false
}

// resumes is together for windows that begin with sound, because silence matches everywhere.
func (c *comparison) resumes(i, j int) bool {
	return c.ref[i] != (pcm.Frame{}) && c.together(i, j)
}

// together reports whether a window is equal in both.
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

// silent reports whether the rest of the reference is silent.
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

// difference returns the larger difference of the two channels, and 1e30 for NaN.
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

// signal returns noise with a silent section in the middle.
func signal() []pcm.Frame {
	frames := make([]pcm.Frame, 20000)
	NewNoise(len(frames)).Render(frames)
	clear(frames[8000:9000])
	return frames
}

func silence(n int) []pcm.Frame { return make([]pcm.Frame, n) }

func TestCompare(t *testing.T) {
	ref := signal()
	changed := slices.Clone(ref)
	changed[15000][1] += 0.5
	overwritten := slices.Clone(ref)
	clear(overwritten[12000:12480])
	for _, test := range []struct {
		name string
		rec  []pcm.Frame
		want Result
	}{
		{name: "the same", rec: ref, want: Result{Matched: 20000}},
		{
			name: "silence around", rec: slices.Concat(silence(777), ref, silence(5000)),
			want: Result{Offset: 777, Matched: 20000},
		},
		{
			name: "begins late", rec: ref[300:],
			want: Result{Offset: -300, Matched: 19700, Missing: 300,
				Gaps: []Gap{{Missing: 300}}},
		},
		{
			name: "ends early", rec: slices.Concat(silence(10), ref[:19000]),
			want: Result{Offset: 10, Matched: 19000, Missing: 1000,
				Gaps: []Gap{{Reference: 19000, Recording: 19010, Missing: 1000}}},
		},
		{
			name: "one frame lost", rec: slices.Concat(ref[:5000], ref[5001:]),
			want: Result{Matched: 19999, Missing: 1,
				Gaps: []Gap{{Reference: 5000, Recording: 5000, Missing: 1}}},
		},
		{
			name: "a gap", rec: slices.Concat(ref[:5000], silence(480), ref[5000:]),
			want: Result{Matched: 20000,
				Gaps: []Gap{{Reference: 5000, Recording: 5000, Extra: 480}}},
		},
		{
			name: "a gap in the silence", rec: slices.Concat(ref[:8500], silence(480), ref[8500:]),
			want: Result{Matched: 20000,
				Gaps: []Gap{{Reference: 9000, Recording: 9000, Extra: 480}}},
		},
		{
			name: "two gaps",
			rec:  slices.Concat(ref[:5000], silence(1), ref[5000:6000], ref[6100:]),
			want: Result{Matched: 19900, Missing: 100,
				Gaps: []Gap{{Reference: 5000, Recording: 5000, Extra: 1}, {Reference: 6000, Recording: 6001, Missing: 100}}},
		},
		{
			name: "overwritten", rec: overwritten,
			want: Result{Matched: 19520, Missing: 480,
				Gaps: []Gap{{Reference: 12000, Recording: 12000, Missing: 480, Extra: 480}}},
		},
		{
			name: "changed", rec: changed,
			want: Result{Matched: 19999, Missing: 1,
				Gaps: []Gap{{Reference: 15000, Recording: 15000, Missing: 1, Extra: 1}}},
		},
		{name: "silent end cut", rec: slices.Concat(silence(3), ref[:8100]), want: Result{Offset: 3, Matched: 8100}},
	} {
		t.Run(test.name, func(t *testing.T) {
			ref := ref
			if test.name == "silent end cut" {
				ref = ref[:9000]
			}
			got, err := Compare(ref, test.rec, 0)
			if err != nil {
				t.Fatal(err)
			}
			if fmt.Sprintf("%+v", got) != fmt.Sprintf("%+v", test.want) {
				t.Errorf("got  %+v\nwant %+v", got, test.want)
			}
			if whole := test.want.Missing == 0 && len(test.want.Gaps) == 0; got.Whole() != whole {
				t.Errorf("Whole() = %v, want %v", got.Whole(), whole)
			}
			if got.Complete() != (test.want.Missing == 0) {
				t.Errorf("Complete() = %v, want %v", got.Complete(), test.want.Missing == 0)
			}
		})
	}
}

func TestTolerance(t *testing.T) {
	ref := signal()
	rec := slices.Clone(ref)
	for i := range rec {
		rec[i][0] += 1.0 / (1 << 12)
	}
	if _, err := Compare(ref, rec, 0); !errors.Is(err, ErrNotFound) {
		t.Errorf("tolerance 0: %v, want %v", err, ErrNotFound)
	}
	got, err := Compare(ref, rec, 0.001)
	if err != nil || !got.Whole() || got.MaxDiff != 1.0/(1<<12) {
		t.Errorf("tolerance 0.001: %v, %v, want a whole with a difference of %v", got, err, 1.0/(1<<12))
	}
	nan := slices.Clone(ref)
	nan[15000][0] = float32(math.NaN())
	if got, err := Compare(ref, nan, 1); err != nil || got.Whole() {
		t.Errorf("a NaN: %v, %v, want it seen", got, err)
	}
	// Frames that differ everywhere are counted, within a short time.
	for i := range rec[10000:] {
		rec[10000+i][0] += 0.1
	}
	if got, err := Compare(ref, rec, 0.001); err != nil || got.Differing != 10000 || got.Whole() || got.Complete() {
		t.Errorf("10000 frames that differ: %v, %v", got, err)
	}
	if _, err := Compare(silence(100), rec, 0); !errors.Is(err, ErrNotFound) {
		t.Errorf("a silent reference: %v, want %v", err, ErrNotFound)
	}
	if _, err := Compare(nil, nil, 0); !errors.Is(err, ErrNotFound) {
		t.Errorf("no reference: %v, want %v", err, ErrNotFound)
	}
}
