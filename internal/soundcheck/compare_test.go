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

// signal is noise with a silent stretch in the middle.
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
	// Frames that differ everywhere are counted, and soon.
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
