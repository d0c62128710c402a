package library

import (
	"cmp"
	"errors"
	"io"
	"math"
	"time"

	"voicepool/pcm"
	"voicepool/sounds"
	"voicepool/sounds/internal/source"
)

// ErrStream is wrapped by the errors of operations that streams do not support. An example is leveling without
// Measure or tags. It is also wrapped by the error of a file that has changed after OpenStream.
var ErrStream = errors.New("sounds: not so as a stream")

// StreamOptions configures a stream. The zero value decodes 2.7 s ahead, uses the library's leveling, and
// ignores errors.
type StreamOptions struct {
	// Ahead is the duration that is decoded ahead for each voice that plays the stream, at most ten minutes. 0 means
	// 2.7 s, which takes one megabyte per voice at 48 kHz.
	Ahead time.Duration

	// CountsAs is the loudness that the mixer assumes for the stream when it chooses a voice to steal, -120 to just
	// below 0 LUFS. It changes no volume. 0 means the measured loudness with Measure, otherwise the loudness from the
	// tags, otherwise -20 LUFS.
	CountsAs pcm.LUFS

	// Gain is added to the gain of the leveling, -120..120 dB.
	Gain pcm.Decibels

	// Measure decodes the whole stream when it is opened, to measure its loudness; leveling then works as for a
	// loaded sound. Without Measure, leveling uses tags only. It then never raises the level, because the peaks are
	// unknown.
	Measure bool

	// OnError is called from the decoding goroutine with the reason that a stream ends early. The error names
	// the stream. A panic of OnError is ignored.
	OnError func(name string, err error)
}

// OpenStream returns a new sound that is decoded while it plays, in memory that is independent of its length. Its
// frames have the same bits as the sound that Load returns without Options.Compact, from any start position and
// through loops. Isolate and the limits for the whole length (Bytes, Frames, Memory, Time) do not apply.
//
// OpenStream reads the beginning of the file. It also scans the rest if the beginning has no reliable length, or if a
// loop needs the length. The error names the source. The library keeps an Info of the stream until Forget. Each Play
// opens the file again; the file must not have changed. If the file is broken, playback ends after the last readable
// frame. Control side.
func (l *Library) OpenStream(src Source, opt StreamOptions) (*sounds.Sound, error) {
	t, err := l.openTrack(src, &opt)
	if err != nil {
		return nil, withName(src.label(), err)
	}
	s := sounds.Stream{Name: src.title(), File: src.path(), Level: pcm.Decibels(opt.CountsAs), Frames: t.frames, Mono: t.channels == 1}
	sound, err := l.newStream(src.label(), s, t.clip.Rate, t.clip.Loop, opt, func() (origin, error) { return t.cursor() })
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

// maxStreamFrames is the longest length for which a voice reports its position. The length of a longer stream
// is reported as unknown.
const maxStreamFrames = 1<<31 - 1<<12

// newStream returns a sound at the library's rate that is decoded while it plays. Each voice calls open for a source
// of frames of its own, and starts a goroutine that decodes ahead by opt.Ahead. Failures during playback are reported
// to opt.OnError.
//
// s describes the sound: its name, level, channels and length. rate is in Hz; s.Frames and loop, which may be nil, are
// in frames at that rate. newStream fills in the rate, the converted length and loop, and Open. label names the source
// in errors.
func (l *Library) newStream(label string, s sounds.Stream, rate int, loop *pcm.Loop, opt StreamOptions, open func() (origin, error)) (*sounds.Sound, error) {
	p := l.conversionFrom(rate, loop)
	s.Rate, s.Frames, s.Loop = l.Rate(), p.total(s.Frames), p.loop
	if s.Frames > maxStreamFrames {
		s.Frames = 0
	}
	channels := 2
	if s.Mono {
		channels = 1
	}
	s.Open = func(c sounds.PlayRange) (*sounds.StreamBuffer, error) {
		from, err := open()
		if err != nil {
			return nil, withName(label, err)
		}
		reader := newRangeReader(from, channels, l.conversionFrom(rate, loop), c)
		reader.factor = 1 // the mixer pans mono streams itself
		f := newDecodeAhead(opt.Ahead, l.Rate(), c, reader, opt.errorHandler(label))
		go f.run()
		return f.buffer, nil
	}
	sound, err := sounds.NewStream(s)
	return sound, withName(label, err)
}

const (
	maxAhead      = 10 * time.Minute // bounds StreamOptions.Ahead
	maxStreamGain = 120              // bounds StreamOptions.Gain, up or down
)

// check returns an error that wraps ErrLimit if Ahead is not in 0..10 minutes, or Gain is NaN or not in -120..120 dB.
// Otherwise it returns nil. It does not check CountsAs, which sounds.NewStream checks.
func (o *StreamOptions) check() error {
	switch {
	case o.Ahead < 0 || o.Ahead > maxAhead:
		return source.LimitErrorf("%v ahead are not in 0..%v", o.Ahead, maxAhead)
	case !(math.Abs(float64(o.Gain)) <= maxStreamGain):
		return source.LimitErrorf("%w", &pcm.RangeError{Name: "gain", Value: float64(o.Gain), Min: -maxStreamGain, Max: maxStreamGain, Unit: "dB"})
	}
	return nil
}

// errorHandler returns a function that passes its argument, the error of a failed stream, to OnError. The function
// gives OnError label as the name of the stream, and an error that wraps its argument and also names label. A panic of
// OnError is ignored. If OnError is nil, the function has no effect.
func (o *StreamOptions) errorHandler(label string) func(error) {
	return func(err error) {
		defer func() { _ = recover() }() // a panic of OnError cannot be reported
		if o.OnError != nil {
			o.OnError(label, withName(label, err))
		}
	}
}

// conversionFrom returns a new conversion from rate in Hz to the library's rate. loop is in frames at rate, or nil.
// Because a conversion has scratch space, each range reader needs its own.
func (l *Library) conversionFrom(rate int, loop *pcm.Loop) conversion {
	return newConversion(&l.filters, rate, l.Rate(), loop)
}

// FrameSource describes a stream of frames that the program itself generates.
type FrameSource struct {
	Name   string
	Rate   int       // frames per second; the frames are converted to the library's rate
	Frames int64     // the length, at that rate; 0: unknown
	Loop   *pcm.Loop // in frames at that rate; nil: no loop

	// Open returns a reader that starts at the first frame. Each Play and each Seek calls it on the control
	// side. The decoding goroutine calls it to jump back if the reader is not a FrameSeeker.
	Open func() (FrameReader, error)
}

// FrameSeeker is a FrameReader that can seek. With other readers, the frames before the target are read and
// discarded.
type FrameSeeker interface {
	FrameReader

	// SeekFrame makes Read continue at a frame, counted from 0.
	SeekFrame(frame int64) error
}

// StreamFrames returns a sound whose frames the program generates while it plays. src describes the frames; src.Open
// is called later, for each voice. A reader that panics or returns invalid samples ends the stream. opt.Measure is
// ignored, and the library keeps no Info of the sound. The error names src. It wraps ErrStream if src.Open is nil. It
// wraps ErrLimit if src.Rate, opt.Ahead, opt.Gain or the rate of the library is out of range, and sounds.ErrSound if
// opt.CountsAs is. It wraps ErrDecode for an invalid length or loop. Control side.
func (l *Library) StreamFrames(src FrameSource, opt StreamOptions) (*sounds.Sound, error) {
	if err := cmp.Or(l.opt.rateError(), opt.check()); err != nil {
		return nil, withName(src.Name, err)
	}
	switch {
	case src.Open == nil:
		return nil, withName(src.Name, source.Errorf(ErrStream, "frames without Open"))
	case src.Rate < 1 || src.Rate > defaultMaxRate:
		return nil, withName(src.Name, source.LimitErrorf("%w", &pcm.RangeError{Name: "rate", Value: float64(src.Rate), Min: 1, Max: defaultMaxRate, Unit: "Hz"}))
	case src.Frames < 0 || src.Loop != nil && (src.Loop[0] < 0 || src.Loop[1] <= src.Loop[0] || src.Frames > 0 && src.Loop[1] > src.Frames):
		return nil, withName(src.Name, source.DecodeErrorf("the loop %v is not inside its %d frames", src.Loop, src.Frames))
	}
	s := sounds.Stream{Name: src.Name, Level: pcm.Decibels(opt.CountsAs), Frames: src.Frames}
	return l.newStream(src.Name, s, src.Rate, src.Loop, opt, func() (origin, error) {
		r, err := src.Open()
		return &frameOrigin{open: src.Open, r: r, factor: opt.Gain.Linear()}, err
	})
}

// frameOrigin is the origin of a FrameSource.
type frameOrigin struct {
	open   func() (FrameReader, error)
	r      FrameReader
	factor float64
	at     int64 // the next frame of r
	end    error
	frames [chunkFrames]pcm.Frame
	out    [2 * chunkFrames]float32
}

// seek makes the next read begin at the given frame, counted from 0. A reader without SeekFrame is closed and opened
// again to move back; to move ahead, its frames are read and discarded. If the frames end before the target, later
// calls of read return io.EOF. The error is of the reader.
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
		if _, err := o.readFrames(frame - o.at); err != nil && !errors.Is(err, io.EOF) {
			return err
		}
	}
	return nil
}

// read returns the next interleaved stereo samples, at most chunkFrames frames, multiplied by the gain, valid until
// the next call. After the last ones it returns the error that ended the frames, io.EOF at the end.
func (o *frameOrigin) read() ([]float32, error) { return o.readFrames(chunkFrames) }

// readFrames reads the next 1..n frames, at most 2,048, and returns their interleaved stereo samples, multiplied by the
// gain. They are valid until the next call. After the last frames it returns the error that ended them, io.EOF at the
// end. An invalid sample also ends the frames, with an error that wraps ErrDecode: the frames before it are returned
// first, and the next call returns the error.
func (o *frameOrigin) readFrames(n int64) ([]float32, error) {
	if o.end != nil {
		return nil, o.end
	}
	dst := o.frames[:min(n, chunkFrames)]
	k, err := source.Read(o.r.Read, dst, "frames")
	o.end = err
	for i, x := range dst[:k] {
		if countValid(x[:]) < 2 {
			o.end = source.DecodeErrorf("the sample of frame %d is %v, not within -%d..+%d", o.at+int64(i), x, maxSample, maxSample)
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

// length returns the number of the next frame that read returns, which is the length after io.EOF.
func (o *frameOrigin) length() int64 { return o.at }

// close closes the reader, if it is an io.Closer, and ignores its error. Afterwards read returns io.EOF. A seek back
// opens the source again.
func (o *frameOrigin) close() {
	if c, ok := o.r.(io.Closer); ok {
		_ = c.Close()
	}
	o.r, o.end = nil, io.EOF
}

// streamLevel returns the loudness l limited to -120..-0.1 LUFS, the range of StreamOptions.CountsAs without 0.
func streamLevel(l pcm.LUFS) pcm.LUFS {
	return min(max(l, -120), -0.1)
}
