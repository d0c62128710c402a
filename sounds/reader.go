package sounds

// reader decodes a file packet by packet, from any place. It trusts nothing in
// the file, and what it allocates is bounded by its packets. One for each
// format; whole files and streams are decoded by the same.
type reader interface {
	// about returns what the file says before its samples.
	about() *head

	// next appends what a packet completes to dst, which may be nothing. The error
	// is io.EOF behind the last.
	next(dst []float32) ([]float32, error)

	// seek makes next go on at a frame or before it, and returns where: a frame of
	// what next would have given from the beginning, whose bits are the same.
	// What it learns of the file it leaves in marks.
	seek(frame int64, marks *marks) (int64, error)

	// count returns how many frames next gives from the beginning to the end. It
	// leaves the reader anywhere.
	count(marks *marks) (int64, error)
}

// head is what a file says before its samples.
type head struct {
	encoding string // how its samples are kept; empty where samples are not kept
	channels int
	rate     int
	speakers uint32 // as WAVEFORMATEXTENSIBLE counts them; 0: the usual ones

	tags   []string  // "KEY=value"
	smpl   *[2]int64 // a loop, from elsewhere than the tags
	frames int64     // the length after trimming, as it is announced; 0: it is not
	sure   bool      // frames is what is there
	walks  bool      // count walks over the file and does not decode it

	// Frames at both ends that the encoder has added.
	front, back int64
}

// grow appends n samples to dst, which are to be set. It doubles what it must
// enlarge, so that all that was ever allocated stays below four times the
// result.
func grow(dst []float32, n int) []float32 {
	if len(dst)+n > cap(dst) {
		larger := make([]float32, len(dst), max(2*cap(dst), len(dst)+n))
		copy(larger, dst)
		dst = larger
	}
	return dst[:len(dst)+n]
}
