package sounds

import (
	"context"
	"errors"
	"io"
)

// reader decodes a file packet by packet, from any place. It trusts nothing in
// the file, and what it allocates is bounded by its packets. One for each
// format; whole files and streams are decoded by the same.
type reader interface {
	// about returns what the file says before its samples.
	about() *head

	// next appends what a packet completes to c, which may be nothing. The error
	// is io.EOF behind the last.
	next(c *Clip) error

	// seek makes next go on at a frame or before it, and returns where: a frame of
	// what next would have given from the beginning, whose bits are the same.
	// What it learns of the file it leaves in marks.
	seek(frame int64, marks *marks) (int64, error)

	// count returns how many frames next gives from the beginning to the end. It
	// leaves the reader anywhere.
	count(marks *marks) (int64, error)
}

// opener reads the beginning of a file that in stands at.
type opener func(in *input, lim Limits) (reader, error)

// head is what a file says before its samples.
type head struct {
	clip   Clip // without samples
	tags   []string
	smpl   *[2]int64 // a loop, from elsewhere than the tags
	frames int64     // the length after trimming, as it is announced; 0: it is not
	sure   bool      // frames is what is there

	// Frames at both ends that the encoder has added.
	front, back int64
}

// finish completes a clip, or the head of a stream, of so many frames with what
// the file says of the whole.
func (h *head) finish(c *Clip, frames int64) {
	if h.smpl != nil {
		c.setLoopWithin(h.smpl[0], h.smpl[1], frames)
	}
	applyTagsTo(c, h.tags, frames)
}

// drain decodes a whole file.
func drain(ctx context.Context, r reader) (*Clip, error) {
	h := r.about()
	c := h.clip
	if h.sure {
		c.Samples = make([]float32, 0, h.frames*int64(c.Channels))
	}
	for {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if err := r.next(&c); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, err
		}
	}
	from := min(h.front, c.Frames())
	to := max(from, c.Frames()-h.back)
	c.Samples = c.Samples[from*int64(c.Channels) : to*int64(c.Channels)]
	h.finish(&c, c.Frames())
	return &c, nil
}
