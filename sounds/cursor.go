package sounds

import (
	"cmp"

	"voicepool/sounds/internal/source"
)

// origin gives the frames of a sound in order, from any place, at its own rate
// and of one channel or two.
type origin interface {
	// seek makes read go on at a frame.
	seek(frame int64) error

	// read returns what follows, at least one frame, interleaved; it is valid until
	// the next call. The error is io.EOF at the end.
	read() ([]float32, error)

	// length returns how many frames there are, once read has said io.EOF.
	length() int64

	close()
}

// cursor is a place in a file: it gives the frames from there on, without what
// the encoder added, checked, folded and under their gain, in memory that is
// bounded by a packet.
type cursor struct {
	in     *source.Input
	r      source.Reader
	marks  *source.Marks
	folder folder
	factor float64 // of the gain

	clip    Clip  // what has been decoded
	taken   int64 // frames of it
	skip    int64 // frames of it that are before the place
	at      int64 // the frame that read gives next
	decoded int64 // frames of the file up to the end of clip, with what the encoder added
	end     error // what comes behind clip
	out     []float32
}

var _ origin = (*cursor)(nil)

func (c *cursor) seek(frame int64) error {
	front := c.r.About().Front
	at, err := c.r.SeekFrame(frame+front, c.marks)
	err = cmp.Or(c.in.Err, err)
	c.clip.Samples, c.taken, c.end = c.clip.Samples[:0], 0, err
	c.at, c.decoded, c.skip = frame, at, frame+front-at
	return err
}

func (c *cursor) read() ([]float32, error) {
	channels, back := int64(c.clip.Channels), c.r.About().Back
	for {
		n := min(c.skip, c.clip.Frames()-c.taken)
		c.skip -= n
		c.taken += n
		if n = c.clip.Frames() - c.taken - back; n > 0 {
			samples := c.clip.Samples[c.taken*channels : (c.taken+n)*channels]
			c.taken += n
			if good := int64(goodSamples(samples)) / channels; good < n {
				c.end = checkSamples(samples, int(channels), c.at)
				c.clip.Samples = c.clip.Samples[:0]
				samples, n, c.taken = samples[:good*channels], good, 0
			}
			if n > 0 {
				c.at += n
				return c.shape(samples), nil
			}
		}
		if c.end != nil {
			return nil, c.end
		}
		c.clip.Samples = c.clip.Samples[:copy(c.clip.Samples, c.clip.Samples[c.taken*channels:])]
		c.taken = 0
		old := c.clip.Frames()
		c.clip.Samples, c.end = c.r.Next(c.clip.Samples)
		c.decoded += c.clip.Frames() - old
		c.end = cmp.Or(c.in.Err, c.end)
	}
}

// shape folds samples and gives them their gain.
func (c *cursor) shape(samples []float32) []float32 {
	c.out = c.folder.fold(c.out[:0], samples)
	amplify(c.out, c.factor)
	return c.out
}

func (c *cursor) length() int64 {
	h := c.r.About()
	return max(c.decoded-h.Front-h.Back, 0)
}

func (c *cursor) close() { _ = c.in.Close() }
