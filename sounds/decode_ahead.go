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

// FrameReader reads the frames of a stream, in order. Read fills the beginning of dst and returns the number of
// frames. The error is io.EOF at the end, also together with the last frames. If the reader is an io.Closer, it
// is closed after its last Read. Calls come from one goroutine at a time, never from the audio side. Read may
// block: the mix does not wait for it.
type FrameReader interface {
	Read(dst []pcm.Frame) (n int, err error)
}

// decodeAhead fills a buffer from a reader ahead of playback, in its own goroutine, until the buffer is closed or the
// reader ends.
type decodeAhead struct {
	buffer       *voice.StreamBuffer
	reader       FrameReader
	pollInterval time.Duration   // poll interval while the buffer is full
	onError      func(error)     // receives the error of a stream that ends early
	hasMore      func() bool     // optional; reports at io.EOF whether more frames follow, otherwise it calls buffer.End
	wakeUp       <-chan struct{} // signals that more may now return true
}

// defaultAheadFrames is the default length of the buffer at 48 kHz: 2.7 s.
const defaultAheadFrames = 1 << 17

// newDecodeAhead returns a decodeAhead that reads from reader into a new buffer, for the range c of a voice. ahead is
// the length of the buffer, 0 for 2.7 s; rate is in Hz. fail receives the error that ends the stream early. The
// caller starts run in a goroutine.
func newDecodeAhead(ahead time.Duration, rate int, c voice.PlayRange, reader FrameReader, fail func(error)) *decodeAhead {
	frames := defaultAheadFrames * int64(rate) / defaultRate
	if ahead > 0 {
		frames = pcm.Frames(ahead, rate)
	}
	buffer := voice.NewStreamBuffer(int(max(frames, 1)), c)
	return &decodeAhead{buffer: buffer, reader: reader, pollInterval: max(pcm.Duration(int64(buffer.Capacity()), rate)/4, time.Millisecond), onError: fail}
}

// chunkFrames is the number of frames that are decoded at a time.
const chunkFrames = 2048

// run fills the buffer until the end of the stream or until the voice ends, then closes the reader, and last ends the
// buffer. After an error, or a panic of the reader, it calls Fail of the buffer instead of End, and reports the error
// to f.onError; after the voice has ended it reports no error. It must be called once.
func (f *decodeAhead) run() {
	end := f.buffer.End
	defer func() { end() }()
	failed := callSafely("the decoder", f.fill)
	if closer, ok := f.reader.(io.Closer); ok {
		failed = cmp.Or(failed, callSafely("the decoder", closer.Close))
	}
	if failed != nil && !f.buffer.Closed() {
		end = f.buffer.Fail
		f.onError(failed)
	}
}

// fill decodes into the buffer until the end of the frames or until the buffer is closed, and returns nil. It returns
// an error that ends the frames early, or an error that wraps ErrDecode for an invalid sample. A queue, which has
// f.hasMore, waits for more sources at the end instead.
func (f *decodeAhead) fill() error {
	buf := make([]pcm.Frame, chunkFrames)
	timer := time.NewTimer(f.pollInterval)
	defer timer.Stop()
	for !f.buffer.Closed() {
		free := f.buffer.Free()
		if free == 0 {
			f.waitForSpace(timer)
			continue
		}
		dst := buf[:min(free, chunkFrames)]
		n, err := source.Read(f.reader.Read, dst, "frames")
		if !(dsp.Peak(dst[:n]) <= maxSample) {
			good := countValid(dsp.Interleaved(dst[:n]))
			f.buffer.Write(dst[:good/2])
			return source.DecodeErrorf("a sample is %v, not within -%d..+%d", dst[good/2][good%2], maxSample, maxSample)
		}
		f.buffer.Write(dst[:n])
		switch {
		case errors.Is(err, io.EOF) && f.hasMore != nil:
			if !f.hasMore() {
				f.waitForSpace(timer)
			}
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		}
	}
	return nil
}

// waitForSpace waits until the buffer signals Wake, f.wakeUp is signaled, or f.pollInterval has passed, which it
// measures with timer. It polls because the audio side sends no signals, so the buffer may still be full when it
// returns.
func (f *decodeAhead) waitForSpace(timer *time.Timer) {
	timer.Reset(f.pollInterval)
	select {
	case <-f.buffer.Wake():
	case <-f.wakeUp:
	case <-timer.C:
	}
}
