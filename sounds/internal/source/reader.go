// Package source has the shared parts of the codecs: buffered input, bit readers, tags, limits, and the Reader
// interface.
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

// Reader decodes a file packet by packet, from any position. It validates all data, and its memory is bounded
// by the size of a packet. Each format has one Reader, for whole files and for streams.
type Reader interface {
	// About returns the header's information. Types that embed Head inherit it.
	About() *Head

	// Next appends the samples of the next packet to dst, possibly zero samples. The error is io.EOF after the
	// last packet.
	Next(dst []float32) ([]float32, error)

	// SeekFrame moves to a frame or slightly before it, and returns the position. Next then returns the same
	// samples as when decoding from the beginning. SeekFrame adds the places that it passes to marks.
	SeekFrame(frame int64, marks *Marks) (int64, error)

	// Count returns the total number of frames that Next returns. It leaves the reader at an undefined
	// position.
	Count(marks *Marks) (int64, error)
}

// Head is the information in a file's header.
type Head struct {
	Encoding string // sample encoding; empty for compressed formats
	Channels int
	Rate     int
	Speakers uint32 // channel mask of WAVEFORMATEXTENSIBLE; 0: the usual layout

	Tags       []string // "KEY=value"
	Smpl       pcm.Loop // a loop from other sources than tags
	Frames     int64    // the announced length after trimming; 0: unknown
	Exact      bool     // Frames is exact
	CheapCount bool     // Count walks over the file without decoding it

	// Padding in frames that the encoder has added at the beginning and the end.
	Front, Back int64

	Damages []Damage // since the last DrainDamages

	notes          []string
	invalidSamples int64 // number of samples that are not finite
	firstInvalid   int64 // frame of the first of them
}

// maxNotes is the maximum number of notes per file.
const maxNotes = 8

// Note adds a formatted sentence about an oddity of the file that does not prevent playback. A file has at most
// maxNotes notes; further calls have no effect.
func (h *Head) Note(format string, args ...any) {
	if len(h.notes) < maxNotes {
		h.notes = append(h.notes, fmt.Sprintf(format, args...))
	}
}

// ReplaceInvalid replaces infinite and NaN values in the interleaved samples by 0. It counts them in h, and remembers
// the first, for the text of Notes. frame is the number of the first frame in samples.
func (h *Head) ReplaceInvalid(samples []float32, frame int64) {
	for i, x := range samples {
		if math.Float32bits(x)&0x7f800000 != 0x7f800000 {
			continue
		}
		samples[i] = 0
		if h.invalidSamples++; h.invalidSamples == 1 {
			h.firstInvalid = frame + int64(i/h.Channels)
		}
	}
}

// Notes returns a copy of the oddities of the file found up to now, one sentence each. If ReplaceInvalid has replaced
// samples, the last sentence counts them. Without oddities the result is empty.
func (h *Head) Notes() []string {
	switch list := slices.Clone(h.notes); h.invalidSamples {
	case 0:
		return list
	case 1:
		return append(list, fmt.Sprintf("the sample of frame %d is not a finite number: it is played as 0", h.firstInvalid))
	default:
		return append(list, fmt.Sprintf("%d samples are not finite numbers, the first in frame %d: they are played as 0", h.invalidSamples, h.firstInvalid))
	}
}

// About returns h, as Reader needs.
func (h *Head) About() *Head { return h }

// Read calls read until it has put at least one element into dst, and returns their number. It protects against
// faulty readers. An impossible count is an error that wraps ErrDecode, with unit as the name of the elements. Three
// empty reads in a row give io.ErrNoProgress. An error of read is returned together with the elements read. dst must
// not be empty.
func Read[T any](read func([]T) (int, error), dst []T, unit string) (n int, err error) {
	for range 3 {
		n, err = read(dst)
		if n < 0 || n > len(dst) {
			return 0, DecodeErrorf("it says that it gave %d of %d %s", n, len(dst), unit)
		}
		if n > 0 || err != nil {
			return n, err
		}
	}
	return 0, io.ErrNoProgress
}

// Grow returns dst with n more elements at its end. Their values are undefined until the caller sets them. If more
// memory is needed, Grow at least doubles the capacity, so that all allocations together stay below four times the
// result.
func Grow[T float32 | float64](dst []T, n int) []T {
	if len(dst)+n > cap(dst) {
		larger := make([]T, len(dst), max(2*cap(dst), len(dst)+n))
		copy(larger, dst)
		dst = larger
	}
	return dst[:len(dst)+n]
}

// maxMarks is the maximum number of marks per file.
const maxMarks = 2048

// Mark is a place of a file where a decoder can start.
type Mark struct {
	Frame int64 // the first sound frame returned from there
	At    int64 // offset in bytes

	Packets, Data int64 // of MP3: number of MP3 frames before, and their data in bytes

	// Of Ogg: the position and the serial number of the stream, the number of frames before it, the lead of its
	// granule positions, and the number of the page.
	Link, Before     int64
	Lead             int64
	Serial, Sequence uint32

	State any // of the decoder; nil: not needed
}

// Marks is a sparse list of known marks, sorted by position. The zero value is empty; any goroutine.
type Marks struct {
	mu     sync.Mutex
	list   []Mark
	Stride int64 // minimum distance in frames; 0 means 1<<14
	limit  int   // maximum number; 0 means maxMarks
}

// Limit sets the smallest distance of marks, stride, in frames, and their largest number, limit. It has no effect if a
// distance is already set, as after Add or an earlier Limit.
func (m *Marks) Limit(stride int64, limit int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.Stride == 0 {
		m.Stride, m.limit = stride, limit
	}
}

// Accepts reports whether Add would keep a mark at the given frame. It would if the list is empty, or if the frame is
// far enough after the last mark.
func (m *Marks) Accepts(frame int64) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	n := len(m.list)
	return n == 0 || frame >= m.list[n-1].Frame+m.Stride
}

// Add adds the mark x, a place where a decoder can start, to the list. It has no effect if x is before the last mark
// or too close to it. When the list is full, Add drops every second mark and doubles the minimum distance.
func (m *Marks) Add(x Mark) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.Stride = cmp.Or(m.Stride, 1<<14)
	if n := len(m.list); n > 0 && x.Frame < m.list[n-1].Frame+m.Stride {
		return
	}
	m.list = append(m.list, x)
	limit := cmp.Or(m.limit, maxMarks)
	if len(m.list) < limit {
		return
	}
	for i := range limit / 2 {
		m.list[i] = m.list[2*i]
	}
	clear(m.list[limit/2:])
	m.list = m.list[:limit/2]
	m.Stride *= 2
}

// Last returns the last mark that before accepts. If it accepts not a single mark, Last returns start. before must
// return true for all marks up to some position, and false after it. It must not call methods of m, because Last
// holds the mutex.
func (m *Marks) Last(start Mark, before func(Mark) bool) Mark {
	m.mu.Lock()
	defer m.mu.Unlock()
	i := sort.Search(len(m.list), func(i int) bool { return !before(m.list[i]) })
	if i == 0 {
		return start
	}
	return m.list[i-1]
}
