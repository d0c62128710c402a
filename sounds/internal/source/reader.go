// Package source has what the codecs share: the file as they read it, bits in both
// orders, tags, what a file may cost, and what a codec is.
package source

import (
	"io"

	"voicepool/pcm"
)

// Reader decodes a file packet by packet, from any place. It trusts nothing in
// the file, and what it allocates is bounded by its packets. One for each
// format; whole files and streams are decoded by the same.
type Reader interface {
	// About returns what the file says before its samples.
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
}

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
func Grow(dst []float32, n int) []float32 {
	if len(dst)+n > cap(dst) {
		larger := make([]float32, len(dst), max(2*cap(dst), len(dst)+n))
		copy(larger, dst)
		dst = larger
	}
	return dst[:len(dst)+n]
}
