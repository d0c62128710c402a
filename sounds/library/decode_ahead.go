package library

import (
	"cmp"
	"errors"
	"io"
	"time"

	"voicepool/internal/dsp"
	"voicepool/pcm"
	"voicepool/sounds"
	"voicepool/sounds/internal/source"
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
	buffer       *sounds.StreamBuffer
	reader       FrameReader
	pollInterval time.Duration   // poll interval while the buffer is full
	onError      func(error)     // receives the error of a stream that ends early
	hasMore      func() bool     // optional; reports at io.EOF whether more frames follow, otherwise it calls buffer.End
	wakeUp       <-chan struct{} // signals that hasMore may now return true
}

// defaultAheadFrames is the default length of the buffer at 48 kHz: 2.7 s.
const defaultAheadFrames = 1 << 17

// newDecodeAhead returns a decodeAhead, which decodes the frames of reader into a new buffer ahead of playback. The
// buffer is for one voice, which plays the range c. ahead is the length of the buffer; 0 means 2.7 s. The length in
// frames is rounded up to a power of two, at least 8,192. rate is in Hz. fail receives an error that ends the stream
// early. The caller must start the method run in a goroutine.
func newDecodeAhead(ahead time.Duration, rate int, c sounds.PlayRange, reader FrameReader, fail func(error)) *decodeAhead {
	frames := defaultAheadFrames * int64(rate) / defaultRate
	if ahead > 0 {
		frames = pcm.Frames(ahead, rate)
	}
	buffer := sounds.NewStreamBuffer(int(max(frames, 1)), c)
	return &decodeAhead{buffer: buffer, reader: reader, pollInterval: max(pcm.Duration(int64(buffer.Capacity()), rate)/4, time.Millisecond), onError: fail}
}

// chunkFrames is the number of frames that are decoded at a time.
const chunkFrames = 2048

// run decodes into the buffer until the end of the stream or until the voice ends. It then closes the reader and marks
// the buffer as ended. After an error or a panic of the reader, it calls Fail of the buffer instead of End, and
// reports the error to f.onError. An error after the voice has ended is not reported. run must be called once, in a
// goroutine of its own.
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

// fill decodes frames into the buffer, and waits whenever the buffer is full. It returns nil when the buffer is closed.
// If f.hasMore is nil, it also returns nil at the end of the frames. Otherwise, as for a queue, fill calls f.hasMore
// there. It continues with the next source, or waits for one until the buffer is closed. An error of the reader ends
// fill and is returned. An invalid sample gives an error that wraps ErrDecode.
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

// waitForSpace waits until the buffer may have space or the reader may have further frames. It returns when the
// buffer signals Wake, when f.wakeUp is signaled, or after f.pollInterval. The audio side sends no signal for free
// space, so after the interval the buffer may still be full. timer measures the interval.
func (f *decodeAhead) waitForSpace(timer *time.Timer) {
	timer.Reset(f.pollInterval)
	select {
	case <-f.buffer.Wake():
	case <-f.wakeUp:
	case <-timer.C:
	}
}
