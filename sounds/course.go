package sounds

import (
	"errors"
	"io"

	"voicepool/pcm"
	"voicepool/sounds/internal/source"
	"voicepool/voice"
)

// course gives the frames of an origin at another rate and on a voice's course:
// from a place on, with a part that repeats. They are to the bit those of the
// sound that is loaded: its parts, the intro, the loop and what is behind it,
// are converted from the same neighbours.
type course struct {
	from     origin
	channels int // 1 or 2
	factor   float64
	plan     plan // without a resampler, where the rate stays
	loop     [2]int64
	back     int64 // how often it still goes back in it; below 0: always
	at       int64 // the next frame

	part   part
	begun  bool      // the origin stands where the part goes on
	source int64     // the frame of the source that comes next from ready or the origin
	ready  []float32 // what the origin gave and was not taken yet
	window []float64 // what the part is made from, interleaved
	base   int64     // which frame of the source, or of its endless repetition, window begins with
	ended  bool      // nothing follows in the source
	why    error     // io.EOF, or what keeps it from going on
	out    []float32

	short []pcm.Frame // of a short loop, what has been made of it
}

// part is a stretch of a sound with neighbours of one kind.
type part uint8

const (
	plain part = iota // as it stands, in silence
	intro             // what follows is the loop, again and again
	round             // so is what comes before
)

// maxShort is the longest loop that is kept in memory, in frames.
const maxShort = 1 << 16

// pieceIn is about how many frames of a source are converted at a time.
const pieceIn = 1 << 13

func newCourse(from origin, channels int, p plan, c voice.Course) *course {
	// One channel stands in both, as a pan in the middle puts it there.
	factor := 1.0
	if channels == 1 {
		factor, _ = voice.Pan(0)
	}
	back := c.Rounds - 1
	if size := c.Loop.Frames(); size > 0 && back >= 0 && c.From >= c.Loop[1] { // some rounds are over
		back = max(back-(c.From-c.Loop[1])/size-1, 0)
	}
	return &course{from: from, channels: channels, factor: factor, plan: p, loop: c.Loop, back: back, at: c.At(0)}
}

// Close gives the origin back.
func (c *course) Close() error {
	c.from.close()
	return nil
}

// Read gives the frames that come, at least one.
func (c *course) Read(dst []pcm.Frame) (int, error) {
	size := c.loop[1] - c.loop[0]
	switch {
	case size <= 0 || c.at < c.loop[1]:
	case c.back == 0: // the rest, of which nothing repeats
		size, c.loop, c.short = 0, [2]int64{}, nil
	default:
		if c.at = c.loop[0]; c.back > 0 {
			c.back--
		}
		if c.part == round && c.plan.loop == c.loop && c.begun {
			c.base -= c.plan.source[1] - c.plan.source[0]
		} else {
			c.begun = false
		}
	}
	if size > 0 && size <= maxShort && int64(len(c.short)) == size && c.at >= c.loop[0] {
		n := copy(dst, c.short[c.at-c.loop[0]:])
		c.at += int64(n)
		return n, nil
	}
	n, at := int64(len(dst)), c.at
	if size > 0 {
		n = min(n, c.loop[1]-at)
	}
	x, err := c.next(n)
	got := c.frames(dst, x)
	if size > 0 && size <= maxShort && at == c.loop[0]+int64(len(c.short)) {
		c.short = append(c.short, dst[:got]...)
	}
	return got, err
}

// next gives the samples that come, of at most n frames and at least one, whatever the
// voice repeats. They are valid until the next call.
func (c *course) next(n int64) (x []float32, err error) {
	p, end := c.parted()
	if !c.begun || p != c.part {
		if err := c.begin(p); err != nil {
			return nil, err
		}
	}
	n = min(n, end-c.at)
	if c.plan.resampler == nil {
		x, err = c.pull(n)
	} else {
		x, err = c.convert(n)
	}
	c.at += int64(len(x) / c.channels)
	return x, err
}

// parted returns which part the next frame belongs to, and where that ends.
func (c *course) parted() (part, int64) {
	switch {
	case c.plan.source == nil || c.plan.resampler == nil || c.at >= c.plan.loop[1]:
		return plain, 1<<63 - 1
	case c.at < c.plan.loop[0]:
		return intro, c.plan.loop[0]
	}
	return round, c.plan.loop[1]
}

// begin brings the origin to where a part needs it.
func (c *course) begin(p part) error {
	c.part, c.begun, c.ended, c.why, c.ready = p, true, false, nil, nil
	c.window = c.window[:0]
	c.source, c.base = c.at, c.at
	if c.plan.resampler != nil {
		first, _ := c.plan.place(c.at)
		c.base = first - c.plan.before
		c.source = c.base
		if p == round {
			from, size := c.plan.source[0], c.plan.source[1]-c.plan.source[0]
			c.source = from + ((c.base-from)%size+size)%size
		}
		if c.source < 0 {
			c.silence(-c.source)
			c.source = 0
		}
	}
	return c.from.seek(c.source)
}

// pull takes what comes from the source, at most n frames.
func (c *course) pull(n int64) ([]float32, error) {
	if c.part != plain {
		if c.source == c.plan.source[1] {
			c.source, c.ready = c.plan.source[0], nil
			if err := c.from.seek(c.source); err != nil {
				return nil, err
			}
		}
		n = min(n, c.plan.source[1]-c.source)
	}
	if len(c.ready) == 0 {
		ready, err := c.from.read()
		if c.part != plain && errors.Is(err, io.EOF) {
			err = source.Broken("cut short: its loop ends at frame %d, it has %d frames", c.plan.source[1], c.from.length())
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

// frames writes samples as frames.
func (c *course) frames(dst []pcm.Frame, x []float32) int {
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

func (c *course) convert(n int64) ([]float32, error) {
	r := c.plan.resampler
	n = min(n, max(pieceIn*r.out/r.in, 1))
	first, phase := r.place(c.at)
	last, _ := r.place(c.at + n - 1)
	c.window = c.window[:copy(c.window, c.window[(first-r.before-c.base)*int64(c.channels):])]
	c.base = first - r.before
	if err := c.fill(c.base + last - first + r.width - 1); err != nil {
		return nil, err
	}
	if c.ended {
		length := c.source // what could be read, if it is broken
		if errors.Is(c.why, io.EOF) {
			length = c.from.length()
		}
		if n = min(n, c.plan.total(length)-c.at); n <= 0 {
			return nil, c.why
		}
	}
	c.out = source.Grow(c.out[:0], int(n)*c.channels)
	r.convert(c.out, c.window, c.channels, phase)
	return c.out, nil
}

// fill brings the window to a frame.
func (c *course) fill(last int64) error {
	for {
		need := last + 1 - c.base - int64(len(c.window)/c.channels)
		if need <= 0 {
			return nil
		}
		if c.ended {
			c.silence(need)
			return nil
		}
		x, err := c.pull(need)
		if errors.Is(err, io.EOF) || err != nil && c.part == plain {
			c.ended, c.why = true, err
			continue
		}
		if err != nil {
			return err
		}
		n := len(c.window)
		c.window = source.Grow(c.window, len(x))
		widen(c.window[n:], x)
	}
}

// silence goes on with silent frames.
func (c *course) silence(frames int64) {
	n := len(c.window)
	c.window = source.Grow(c.window, int(frames)*c.channels)
	clear(c.window[n:])
}
