package sounds

import (
	"cmp"
	"errors"
	"io"
	"time"

	"voicepool/internal/dsp"
	"voicepool/pcm"
	"voicepool/sounds/internal/source"
	"voicepool/voice"
)

// FrameReader gives the frames of a stream, in order. Read fills the beginning
// of dst and says how much of it; the error is io.EOF at the end, and may come
// together with the last frames. One that is an io.Closer is closed when nobody
// needs it any more. It is called by one goroutine at a time, never by the
// audio side, and may wait: the mix does not wait for it.
type FrameReader interface {
	Read(dst []pcm.Frame) (n int, err error)
}

// feeder decodes ahead: it fills a feed from a reader, in a goroutine of its
// own, until the feed is closed or the reader has ended.
type feeder struct {
	feed *voice.Feed
	from FrameReader
	rest time.Duration   // between two looks at a feed that is full
	fail func(error)     // is told why a stream ends too early
	more func() bool     // nil, or whether something follows after the end; it calls feed.End if not
	news <-chan struct{} // on which something comes when more may have changed its mind
}

// aheadFrames is how much is decoded ahead if nothing else is said, at the usual
// rate.
const aheadFrames = 1 << 17

// newFeeder returns a feeder of so much ahead, at a rate; 0 means 2.7 s.
func newFeeder(ahead time.Duration, rate int, c voice.Course, from FrameReader, fail func(error)) *feeder {
	frames := aheadFrames * int64(rate) / defaultRate
	if ahead > 0 {
		frames = pcm.Frames(ahead, rate)
	}
	feed := voice.NewFeed(int(max(frames, 1)), c)
	return &feeder{feed: feed, from: from, rest: max(pcm.Duration(int64(feed.Size()), rate)/4, time.Millisecond), fail: fail}
}

// piece is how many frames are decoded at a time.
const piece = 2048

// run fills the feed.
func (f *feeder) run() {
	end := f.feed.End
	defer func() { end() }()
	failed := caught("the decoder", f.fill)
	if closer, ok := f.from.(io.Closer); ok {
		failed = cmp.Or(failed, caught("the decoder", closer.Close))
	}
	if failed != nil && !f.feed.Closed() {
		end = f.feed.Fail
		f.fail(failed)
	}
}

// fill decodes until the end, and says what is wrong with it.
func (f *feeder) fill() error {
	buf := make([]pcm.Frame, piece)
	timer := time.NewTimer(f.rest)
	defer timer.Stop()
	for !f.feed.Closed() {
		room := f.feed.Room()
		if room == 0 {
			f.wait(timer)
			continue
		}
		dst := buf[:min(room, piece)]
		n, err := source.Read(f.from.Read, dst, "frames")
		if !(dsp.Peak(dst[:n]) <= maxSample) {
			good := goodSamples(dsp.Interleaved(dst[:n]))
			f.feed.Write(dst[:good/2])
			return source.Broken("a sample is %v, not within -%d..+%d", dst[good/2][good%2], maxSample, maxSample)
		}
		f.feed.Write(dst[:n])
		switch {
		case errors.Is(err, io.EOF) && f.more != nil:
			if !f.more() {
				f.wait(timer)
			}
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		}
	}
	return nil
}

// wait comes back when somebody waits for frames, or after a while: the audio
// side wakes nobody.
func (f *feeder) wait(timer *time.Timer) {
	timer.Reset(f.rest)
	select {
	case <-f.feed.Wake():
	case <-f.news:
	case <-timer.C:
	}
}
