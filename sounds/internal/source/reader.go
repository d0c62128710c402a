// Package source has what the codecs share: the file as they read it, bits in both
// orders, tags, what a file may cost, and what a codec is.
package source

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"sort"
	"sync"

	"voicepool/pcm"
)

// Reader decodes a file packet by packet, from any place. It trusts nothing in
// the file, and what it allocates is bounded by its packets. One for each
// format; whole files and streams are decoded by the same.
type Reader interface {
	// About returns what the file says before its samples. What has a Head has it.
	About() *Head

	// Next appends what a packet completes to dst, which may be nothing. The error
	// is io.EOF behind the last.
	Next(dst []float32) ([]float32, error)

	// SeekFrame makes Next go on at a frame or before it, and returns where: a frame of
	// what Next would have given from the beginning, whose bits are the same.
	// What it learns of the file it leaves in marks.
	SeekFrame(frame int64, marks *Marks) (int64, error)

	// Count returns how many frames Next gives from the beginning to the end. It
	// leaves the reader anywhere.
	Count(marks *Marks) (int64, error)
}

// Head is what a file says before its samples.
type Head struct {
	Encoding string // how its samples are kept; empty where samples are not kept
	Channels int
	Rate     int
	Speakers uint32 // as WAVEFORMATEXTENSIBLE counts them; 0: the usual ones

	Tags   []string // "KEY=value"
	Smpl   pcm.Loop // a loop, from elsewhere than the tags
	Frames int64    // the length after trimming, as it is announced; 0: it is not
	Sure   bool     // Frames is what is there
	Walks  bool     // Count walks over the file and does not decode it

	// Frames at both ends that the encoder has added.
	Front, Back int64

	Damages []Damage // of what Next returned, since the last TakeDamages

	notes   []string
	silence int64 // samples that are no numbers
	first   int64 // the frame of the first of them
}

// maxNotes bounds how many notes a file has.
const maxNotes = 8

// Note keeps a sentence about what is odd in the file, and does not keep it from being played.
func (h *Head) Note(format string, args ...any) {
	if len(h.notes) < maxNotes {
		h.notes = append(h.notes, fmt.Sprintf(format, args...))
	}
}

// Silence sets the samples to 0 that are infinite or not a number, of which the first is of a frame.
func (h *Head) Silence(samples []float32, frame int64) {
	for i, x := range samples {
		if math.Float32bits(x)&0x7f800000 != 0x7f800000 {
			continue
		}
		samples[i] = 0
		if h.silence++; h.silence == 1 {
			h.first = frame + int64(i/h.Channels)
		}
	}
}

// Notes returns what is odd in the file, as far as it was read, a sentence each.
func (h *Head) Notes() []string {
	switch list := slices.Clone(h.notes); h.silence {
	case 0:
		return list
	case 1:
		return append(list, fmt.Sprintf("the sample of frame %d is not a finite number: it is played as 0", h.first))
	default:
		return append(list, fmt.Sprintf("%d samples are not finite numbers, the first in frame %d: they are played as 0", h.silence, h.first))
	}
}

// About returns the head itself.
func (h *Head) About() *Head { return h }

// Read reads at least one of dst, whose kind unit names. The reader may be anybody's: one
// that says it gave more than there is room for is an error, and so are three empty reads
// in a row.
func Read[T any](read func([]T) (int, error), dst []T, unit string) (n int, err error) {
	for range 3 {
		n, err = read(dst)
		if n < 0 || n > len(dst) {
			return 0, Broken("it says that it gave %d of %d %s", n, len(dst), unit)
		}
		if n > 0 || err != nil {
			return n, err
		}
	}
	return 0, io.ErrNoProgress
}

// Grow appends n samples to dst, which are to be set. It doubles what it must
// enlarge, so that all that was ever allocated stays below four times the
// result.
func Grow[T float32 | float64](dst []T, n int) []T {
	if len(dst)+n > cap(dst) {
		larger := make([]T, len(dst), max(2*cap(dst), len(dst)+n))
		copy(larger, dst)
		dst = larger
	}
	return dst[:len(dst)+n]
}

// maxMarks bounds how many places of a file are remembered.
const maxMarks = 2048

// Mark is a place of a file where a decoder can begin.
type Mark struct {
	Frame int64 // of sound, which it gives first
	At    int64 // in bytes

	Packets, Data int64 // of MP3: how many frames of it, and bytes of their data, are before

	// Of Ogg: where the stream begins, which it is, how many frames are before
	// it, what its positions are ahead, and the number of the page.
	Link, Before     int64
	Lead             int64
	Serial, Sequence uint32

	State any // of the decoder; nil: it needs none
}

// Marks are the places that have been found so far, in order, not too dense.
// The zero value is empty; any goroutine.
type Marks struct {
	mu     sync.Mutex
	list   []Mark
	Stride int64 // frames between two of them, at least; 0 means 1<<14
	most   int   // of them; 0 means maxMarks
}

// Limit makes places rarer, unless there are some.
func (m *Marks) Limit(stride int64, most int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.Stride == 0 {
		m.Stride, m.most = stride, most
	}
}

// Wants reports whether a place at a frame would be kept.
func (m *Marks) Wants(frame int64) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	n := len(m.list)
	return n == 0 || frame >= m.list[n-1].Frame+m.Stride
}

// Add keeps a mark, unless it is too near to those that are there.
func (m *Marks) Add(x Mark) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.Stride == 0 {
		m.Stride = 1 << 14
	}
	if n := len(m.list); n > 0 && x.Frame < m.list[n-1].Frame+m.Stride {
		return
	}
	m.list = append(m.list, x)
	most := cmp.Or(m.most, maxMarks)
	if len(m.list) < most {
		return
	}
	for i := range most / 2 {
		m.list[i] = m.list[2*i]
	}
	clear(m.list[most/2:])
	m.list = m.list[:most/2]
	m.Stride *= 2
}

// Last returns the last mark for which before says true, which it does for those up to
// one of them, or start where it says so of none.
func (m *Marks) Last(start Mark, before func(Mark) bool) Mark {
	m.mu.Lock()
	defer m.mu.Unlock()
	i := sort.Search(len(m.list), func(i int) bool { return !before(m.list[i]) })
	if i == 0 {
		return start
	}
	return m.list[i-1]
}
