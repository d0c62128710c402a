package library

import (
	"errors"
	"io"

	"voicepool/internal/panning"
	"voicepool/pcm"
	"voicepool/sounds"
	"voicepool/sounds/internal/source"
)

// rangeReader reads the frames of an origin at the library's rate for one voice: from a start position, with a
// repeated loop. The frames have the same bits as the loaded sound: its intro, loop and rest are converted with
// the same neighbouring samples.
type rangeReader struct {
	origin     origin
	channels   int // 1 or 2
	factor     float64
	conversion conversion // its resampler is nil if the rate stays the same
	loop       [2]int64
	jumpsLeft  int64 // remaining jumps back to the start of the loop; below 0: unlimited
	at         int64 // the next frame to return

	part       part
	positioned bool      // the origin is at the position that part needs
	source     int64     // the source frame that follows ready or the frames of the origin
	ready      []float32 // read from the origin, not yet consumed
	window     []float64 // input of the resampler, interleaved
	base       int64     // the source frame (counting repetitions of the loop) that window begins with
	ended      bool      // the source has no further frames
	endErr     error     // io.EOF, or the read error
	out        []float32

	shortLoop []pcm.Frame // converted frames of a loop of at most maxShortLoop frames
}

// part is a section of a sound. Its kind determines the samples around it that the resampler sees.
type part uint8

const (
	partPlain part = iota // surrounded by silence
	partIntro             // followed by endless repetitions of the loop
	partLoop              // the loop: preceded and followed by endless repetitions
)

// maxShortLoop is the length of the longest loop whose converted frames are kept in memory.
const maxShortLoop = 1 << 16

// chunkSourceFrames is the approximate number of source frames that are converted at a time.
const chunkSourceFrames = 1 << 13

// newRangeReader returns a reader of the frames that one voice plays, at the library's rate. The range c has the
// start position and the loop with its number of rounds, also at the library's rate. from delivers the samples of the
// file, with 1 or 2 channels; Read is the first to use it, and Close closes it. The conversion p changes the rate of
// the file to the library's rate, and must not be shared with another reader.
func newRangeReader(from origin, channels int, p conversion, c sounds.PlayRange) *rangeReader {
	// A mono sound is written to both channels as a centered pan would write it.
	factor := 1.0
	if channels == 1 {
		factor, _ = panning.Gains(0)
	}
	jumps := c.Rounds - 1
	if size := c.Loop.Frames(); size > 0 && jumps >= 0 && c.From >= c.Loop[1] { // the start is after some rounds
		jumps = max(jumps-(c.From-c.Loop[1])/size-1, 0)
	}
	return &rangeReader{origin: from, channels: channels, factor: factor, conversion: p, loop: c.Loop, jumpsLeft: jumps, at: c.FrameAt(0)}
}

// Close closes the origin, even if it was never read. The error is always nil.
func (c *rangeReader) Close() error {
	c.origin.close()
	return nil
}

// Read writes the next frames of the voice's range to the beginning of dst, at the library's rate. It returns their
// number, at least one. At the end of the loop it jumps back as often as the range demands, and then continues after
// the loop. After the last frame it returns 0 and the error that ended the source, usually io.EOF. It keeps the
// frames of a loop of at most 65,536 frames in memory, and later rounds read them from there. dst must not be empty.
func (c *rangeReader) Read(dst []pcm.Frame) (int, error) {
	size := c.loop[1] - c.loop[0]
	switch {
	case size <= 0 || c.at < c.loop[1]:
	case c.jumpsLeft == 0: // after the last round the rest of the sound follows
		size, c.loop, c.shortLoop = 0, [2]int64{}, nil
	default:
		if c.at = c.loop[0]; c.jumpsLeft > 0 {
			c.jumpsLeft--
		}
		if c.part == partLoop && c.conversion.loop == c.loop && c.positioned {
			c.base -= c.conversion.source[1] - c.conversion.source[0]
		} else {
			c.positioned = false
		}
	}
	if size > 0 && size <= maxShortLoop && int64(len(c.shortLoop)) == size && c.at >= c.loop[0] {
		n := copy(dst, c.shortLoop[c.at-c.loop[0]:])
		c.at += int64(n)
		return n, nil
	}
	n, at := int64(len(dst)), c.at
	if size > 0 {
		n = min(n, c.loop[1]-at)
	}
	x, err := c.next(n)
	read := c.frames(dst, x)
	if size > 0 && size <= maxShortLoop && at == c.loop[0]+int64(len(c.shortLoop)) {
		c.shortLoop = append(c.shortLoop, dst[:read]...)
	}
	return read, err
}

// next returns the interleaved samples of the next 1..n frames at the library's rate, and advances the position c.at
// by their number. It does not jump back at the end of the voice's loop; Read does. The samples are valid until the
// next call. After the last frame it returns the error that ended the source, usually io.EOF.
func (c *rangeReader) next(n int64) (x []float32, err error) {
	p, end := c.currentPart()
	if !c.positioned || p != c.part {
		if err := c.startPart(p); err != nil {
			return nil, err
		}
	}
	n = min(n, end-c.at)
	if c.conversion.resampler == nil {
		x, err = c.readSource(n)
	} else {
		x, err = c.convert(n)
	}
	c.at += int64(len(x) / c.channels)
	return x, err
}

// currentPart returns the part of the sound that the next frame, c.at, belongs to, and the frame where that part ends.
// Frames count at the library's rate. The part determines which samples the resampler sees beyond its ends. A
// resampled sound with a loop has the part partIntro, before the loop, and partLoop, the loop itself. Without a
// resampler or a loop, and after the loop, the part is plain and has no end (the largest int64).
func (c *rangeReader) currentPart() (part, int64) {
	switch {
	case c.conversion.source == nil || c.conversion.resampler == nil || c.at >= c.conversion.loop[1]:
		return partPlain, 1<<63 - 1
	case c.at < c.conversion.loop[0]:
		return partIntro, c.conversion.loop[0]
	}
	return partLoop, c.conversion.loop[1]
}

// startPart prepares c to read the part p of the sound from the frame c.at on. It discards all buffered samples, and
// seeks the source to the first source frame that the resampler needs for c.at. In the loop, that frame may be in the
// repetition before. Frames before the start of the sound are silent: startPart writes them to c.window, the input of
// the resampler. The error is of the seek.
func (c *rangeReader) startPart(p part) error {
	c.part, c.positioned, c.ended, c.endErr, c.ready = p, true, false, nil, nil
	c.window = c.window[:0]
	c.source, c.base = c.at, c.at
	if c.conversion.resampler != nil {
		first, _ := c.conversion.sourcePosition(c.at)
		c.base = first - c.conversion.before
		c.source = c.base
		if p == partLoop {
			from, size := c.conversion.source[0], c.conversion.source[1]-c.conversion.source[0]
			c.source = from + ((c.base-from)%size+size)%size
		}
		if c.source < 0 {
			c.appendSilence(-c.source)
			c.source = 0
		}
	}
	return c.origin.seek(c.source)
}

// readSource returns the interleaved samples of the next 1..n source frames, not resampled, and advances c.source by
// their number. They are valid until the next call. In the parts partIntro and partLoop, at the end of the loop it
// jumps back to the start of the loop. There, a file that ends before the end of the loop gives an error that wraps
// ErrDecode. In the part partPlain it returns io.EOF at the end of the file. Other errors are of the source.
func (c *rangeReader) readSource(n int64) ([]float32, error) {
	if c.part != partPlain {
		if c.source == c.conversion.source[1] {
			c.source, c.ready = c.conversion.source[0], nil
			if err := c.origin.seek(c.source); err != nil {
				return nil, err
			}
		}
		n = min(n, c.conversion.source[1]-c.source)
	}
	if len(c.ready) == 0 {
		ready, err := c.origin.read()
		if c.part != partPlain && errors.Is(err, io.EOF) {
			err = source.DecodeErrorf("cut short: its loop ends at frame %d, it has %d frames", c.conversion.source[1], c.origin.length())
		}
		if err != nil {
			return nil, err
		}
		c.ready = ready
	}
	n = min(n, int64(len(c.ready)/c.channels))
	x := c.ready[:n*int64(c.channels)]
	c.ready = c.ready[len(x):]
	c.source += n
	return x, nil
}

// frames converts the interleaved samples x, with c.channels channels, to stereo frames in dst, and returns the
// number of frames. A mono sample is multiplied by c.factor and written to both channels. dst must be long enough.
func (c *rangeReader) frames(dst []pcm.Frame, x []float32) int {
	n := len(x) / c.channels
	for i := range n {
		if c.channels == 1 {
			y := float32(float64(x[i]) * c.factor)
			dst[i] = pcm.Frame{y, y}
		} else {
			dst[i] = pcm.Frame{x[2*i], x[2*i+1]}
		}
	}
	return n
}

// convert returns the interleaved, resampled samples of the next 1..n frames, from the frame c.at on, at the
// library's rate. They are valid until the next call. c.at does not change. It reads the source frames that it needs
// into c.window, and drops from there the frames that are no longer needed. After the last frame it returns the error
// that ended the source, usually io.EOF. Requires a resampler.
func (c *rangeReader) convert(n int64) ([]float32, error) {
	r := c.conversion.resampler
	n = min(n, max(chunkSourceFrames*r.out/r.in, 1))
	first, phase := r.sourcePosition(c.at)
	last, _ := r.sourcePosition(c.at + n - 1)
	c.window = c.window[:copy(c.window, c.window[(first-r.before-c.base)*int64(c.channels):])]
	c.base = first - r.before
	if err := c.extendWindow(c.base + last - first + r.width - 1); err != nil {
		return nil, err
	}
	if c.ended {
		length := c.source // the number of readable frames, if the source is broken
		if errors.Is(c.endErr, io.EOF) {
			length = c.origin.length()
		}
		if n = min(n, c.conversion.total(length)-c.at); n <= 0 {
			return nil, c.endErr
		}
	}
	c.out = source.Grow(c.out[:0], int(n)*c.channels)
	r.convert(c.out, c.window, c.channels, phase)
	return c.out, nil
}

// extendWindow reads source frames into c.window, the input of the resampler, until the window includes the source
// frame number last. Frame numbers count repetitions of the loop, as c.base does. At the end of the source it sets
// c.ended and c.endErr, and appends silence for the missing frames. In the plain part, outside repetitions of the
// loop, a read error counts as the end. In the intro and in the loop a read error is returned.
func (c *rangeReader) extendWindow(last int64) error {
	for {
		need := last + 1 - c.base - int64(len(c.window)/c.channels)
		if need <= 0 {
			return nil
		}
		if c.ended {
			c.appendSilence(need)
			return nil
		}
		x, err := c.readSource(need)
		if errors.Is(err, io.EOF) || err != nil && c.part == partPlain {
			c.ended, c.endErr = true, err
			continue
		}
		if err != nil {
			return err
		}
		n := len(c.window)
		c.window = source.Grow(c.window, len(x))
		toFloat64(c.window[n:], x)
	}
}

// appendSilence appends the given number of silent frames to c.window.
func (c *rangeReader) appendSilence(frames int64) {
	n := len(c.window)
	c.window = source.Grow(c.window, int(frames)*c.channels)
	clear(c.window[n:])
}
