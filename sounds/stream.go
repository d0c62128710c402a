package sounds

import (
	"errors"
	"io"
	"math"
	"time"

	"voicepool/pcm"
	"voicepool/sounds/internal/source"
	"voicepool/voice"
)

// ErrStream is wrapped by the errors of what is asked of a stream and cannot be
// had of it.
var ErrStream = errors.New("sounds: not so as a stream")

// StreamOptions says how a stream is made. The zero value means 2.7 s decoded
// ahead, the library's leveling, and that nobody is told of errors.
type StreamOptions struct {
	// Ahead is how much is decoded ahead, for each voice that plays the stream;
	// 0 means 131,072 frames at 48 kHz, 2.7 s, which is a megabyte. At most ten
	// minutes.
	Ahead time.Duration

	// CountsAs is the loudness that the stream is taken to have when a voice is to be
	// stolen, -120 to just below 0 LUFS. It changes no volume. 0 means what Measure
	// finds, else what the tags say, else -20 LUFS.
	CountsAs pcm.LUFS

	// Gain changes the stream, besides its leveling, -120..120 dB.
	Gain pcm.Decibels

	// Measure decodes the whole stream once when it is opened, to learn its
	// loudness: leveling is then that of a loaded sound. Without it leveling is
	// done by tags alone, and only downwards, since nobody knows the peaks.
	Measure bool

	// OnError is told, from the goroutine that decodes, why a stream ends before
	// its end. The error names the stream. A panic of OnError is dropped.
	OnError func(name string, err error)
}

// OpenStream returns a sound that is decoded as it plays, in memory that does not depend
// on its length. Its frames are to the bit those that Load returns without
// Options.Compact, loops included, whatever the place it starts from. Of Limits those
// for the whole length (Bytes, Frames, Memory, Time) and Isolate do not apply.
//
// It reads the beginning of the file, and walks over the rest where the length or a loop
// is not told there for certain. The error names the source. Each Play opens the file
// anew: it must be the same then. What is broken ends after what could be read. Control side.
func (l *Library) OpenStream(src Source, opt StreamOptions) (*voice.Sound, error) {
	t, err := l.openTrack(src, &opt)
	if err != nil {
		return nil, named(src.label(), err)
	}
	s := voice.Stream{Name: src.title(), File: src.path(), Level: pcm.Decibels(opt.CountsAs), Frames: t.frames, Mono: t.channels == 1}
	sound, err := l.stream(src.label(), s, t.clip.Rate, t.clip.Loop, opt, func() (origin, error) { return t.cursor() })
	if err != nil {
		return nil, err
	}
	info := Describe(&t.clip, false)
	info.Name, info.File, info.Frames, info.Gain = sound.Name(), src.File, t.frames, t.gain
	info.Seconds = float64(t.frames) / float64(t.clip.Rate)
	info.Measured, info.Loudness, info.TruePeak = t.measured, t.loudness, t.peak
	info.Bytes = sound.Bytes()
	l.mu.Lock()
	defer l.mu.Unlock()
	l.infos[sound] = info
	return sound, nil
}

// maxStreamFrames is the longest length that a voice's position is told in; what
// is longer has none.
const maxStreamFrames = 1<<31 - 1<<12

// stream returns a sound of what open gives, which has a rate and, in frames of it, the
// length of s and a loop.
func (l *Library) stream(label string, s voice.Stream, rate int, loop *pcm.Loop, opt StreamOptions, open func() (origin, error)) (*voice.Sound, error) {
	p := l.planOf(rate, loop)
	s.Rate, s.Frames, s.Loop = l.Rate(), p.total(s.Frames), p.loop
	if s.Frames > maxStreamFrames {
		s.Frames = 0
	}
	channels := 2
	if s.Mono {
		channels = 1
	}
	s.Open = func(c voice.Course) (*voice.Feed, error) {
		from, err := open()
		if err != nil {
			return nil, named(label, err)
		}
		course := newCourse(from, channels, l.planOf(rate, loop), c)
		course.factor = 1 // of a mono stream the pan takes care
		f := newFeeder(opt.Ahead, l.Rate(), c, course, opt.failure(label))
		go f.run()
		return f.feed, nil
	}
	sound, err := voice.NewStream(s)
	return sound, named(label, err)
}

const (
	maxAhead      = 10 * time.Minute // bounds StreamOptions.Ahead
	maxStreamGain = 120              // bounds StreamOptions.Gain, up or down
)

// valid says what is wrong with the numbers. CountsAs is left to voice.NewStream.
func (o *StreamOptions) valid() error {
	switch {
	case o.Ahead < 0 || o.Ahead > maxAhead:
		return source.Beyond("%v ahead are not in 0..%v", o.Ahead, maxAhead)
	case !(math.Abs(float64(o.Gain)) <= maxStreamGain):
		return source.Beyond("a gain of %v dB is not in -%d..%d", o.Gain, maxStreamGain, maxStreamGain)
	}
	return nil
}

// failure returns what is called when a stream fails.
func (o *StreamOptions) failure(label string) func(error) {
	return func(err error) {
		defer func() { _ = recover() }() // nobody is left to be told
		if o.OnError != nil {
			o.OnError(label, named(label, err))
		}
	}
}

// planOf returns how a rate becomes that of the library. Each course needs one of
// its own.
func (l *Library) planOf(rate int, loop *pcm.Loop) plan {
	return newPlan(&l.filters, rate, l.Rate(), loop)
}

// FrameSource is where frames come from that no file has.
type FrameSource struct {
	Name   string
	Rate   int       // frames per second; they are converted to the library's
	Frames int64     // the length, at that rate; 0: nobody knows
	Loop   *pcm.Loop // in frames at that rate; nil: none

	// Open returns the frames from the first on. It is called on the control side
	// by each Play and each Seek, and by the goroutine that decodes where a stream
	// goes back and its reader is no FrameSeeker.
	Open func() (FrameReader, error)
}

// FrameSeeker is a FrameReader that can go on anywhere. Of others, what comes
// before a place is read and thrown away.
type FrameSeeker interface {
	FrameReader

	// SeekFrame makes Read go on at a frame, 0 being the first.
	SeekFrame(frame int64) error
}

// StreamFrames returns a sound of frames that are made as it plays. Control
// side. Of the options Measure does not apply. A reader that panics or gives
// what is no sound ends the stream. The error names the source.
func (l *Library) StreamFrames(src FrameSource, opt StreamOptions) (*voice.Sound, error) {
	if err := opt.valid(); err != nil {
		return nil, named(src.Name, err)
	}
	switch {
	case src.Open == nil:
		return nil, named(src.Name, source.Fault(ErrStream, "frames without Open"))
	case src.Rate < 1 || src.Rate > defaultMaxRate:
		return nil, named(src.Name, source.Beyond("a rate of %d Hz is not in 1..%d", src.Rate, defaultMaxRate))
	case src.Frames < 0 || src.Loop != nil && (src.Loop[0] < 0 || src.Loop[1] <= src.Loop[0] || src.Frames > 0 && src.Loop[1] > src.Frames):
		return nil, named(src.Name, source.Broken("the loop %v is not inside its %d frames", src.Loop, src.Frames))
	}
	s := voice.Stream{Name: src.Name, Level: pcm.Decibels(opt.CountsAs), Frames: src.Frames}
	return l.stream(src.Name, s, src.Rate, src.Loop, opt, func() (origin, error) {
		r, err := src.Open()
		return &frameOrigin{open: src.Open, r: r, factor: opt.Gain.Linear()}, err
	})
}

// frameOrigin is what a FrameSource gives.
type frameOrigin struct {
	open   func() (FrameReader, error)
	r      FrameReader
	factor float64
	at     int64 // the frame that r gives next
	end    error
	frames [piece]pcm.Frame
	out    [2 * piece]float32
}

func (o *frameOrigin) seek(frame int64) error {
	if s, ok := o.r.(FrameSeeker); ok {
		if err := s.SeekFrame(frame); err != nil {
			return err
		}
		o.at, o.end = frame, nil
		return nil
	}
	if frame < o.at {
		o.close()
		r, err := o.open()
		if err != nil {
			return err
		}
		o.r, o.at, o.end = r, 0, nil
	}
	for o.at < frame && o.end == nil {
		if _, err := o.give(frame - o.at); err != nil && !errors.Is(err, io.EOF) {
			return err
		}
	}
	return nil
}

func (o *frameOrigin) read() ([]float32, error) { return o.give(piece) }

// give reads at most n frames.
func (o *frameOrigin) give(n int64) ([]float32, error) {
	if o.end != nil {
		return nil, o.end
	}
	dst := o.frames[:min(n, piece)]
	k, err := source.Read(o.r.Read, dst, "frames")
	o.end = err
	for i, x := range dst[:k] {
		if goodSamples(x[:]) < 2 {
			o.end = source.Broken("the sample of frame %d is %v, not within -%d..+%d", o.at+int64(i), x, maxSample, maxSample)
			k = i
			break
		}
		copy(o.out[2*i:], x[:])
	}
	if k == 0 {
		return nil, o.end
	}
	o.at += int64(k)
	amplify(o.out[:2*k], o.factor)
	return o.out[:2*k], nil
}

func (o *frameOrigin) length() int64 { return o.at }

func (o *frameOrigin) close() {
	if c, ok := o.r.(io.Closer); ok {
		_ = c.Close()
	}
	o.r, o.end = nil, io.EOF
}

// streamLevel returns what a stream's loudness counts.
func streamLevel(l pcm.LUFS) pcm.LUFS {
	return min(max(l, -120), -0.1)
}
