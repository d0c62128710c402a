package wav

import (
	"errors"
	"fmt"
	"io"

	"voicepool/pcm"
)

// blockBytes is the size of the write buffer.
const blockBytes = 64 << 10

// Writer writes frames as a WAV file, or raw, to an io.Writer. It is for one goroutine at a time. After an
// error every call returns that error.
type Writer struct {
	w             io.Writer
	seeker        io.WriteSeeker // nil if w cannot seek
	origin        int64          // position of the header in seeker
	config        Config
	encoder       encoder
	buf           []byte
	headerWritten bool          // the header is in buf, or written
	recording     updatableFile // nil: the sizes are written at Close
	headerFrames  int64         // number of frames in the header of a recording
	reached       int64         // bytes written to a recording
	frames        int64
	err           error
	closed        bool
}

// updatableFile is a file whose header is updated every second.
type updatableFile interface {
	io.WriterAt
	Truncate(size int64) error
}

// NewWriter returns a writer to w, which it does not close. It writes no data before the first Write or Close.
// The error wraps ErrFormat and reports an invalid configuration.
func NewWriter(w io.Writer, c Config) (*Writer, error) {
	c, err := c.filled()
	if err != nil {
		return nil, err
	}
	encoder := encoder{format: c.Format, outputs: c.Outputs, dither: pcm.Dither{Seed: c.Seed}}
	out := &Writer{w: w, config: c, encoder: encoder, buf: make([]byte, 0, blockBytes)}
	if s, ok := w.(io.WriteSeeker); ok && !c.Raw {
		if at, err := s.Seek(0, io.SeekCurrent); err == nil {
			out.seeker, out.origin = s, at
		}
	}
	return out, nil
}

// Rate returns the sample rate in Hz.
func (w *Writer) Rate() int { return w.config.Rate }

// Outputs returns the number of stereo outputs.
func (w *Writer) Outputs() int { return w.config.Outputs }

// Frames returns the number of frames written, of each output.
func (w *Writer) Frames() int64 { return w.frames }

// Clipped returns the number of samples beyond the full scale of an integer format, including NaN.
func (w *Writer) Clipped() int64 { return w.encoder.clipped }

// Write appends frames. The frames of several outputs are interleaved, with the same number of each. The errors
// wrap the error of the io.Writer, ErrLength if there are more frames than announced, or ErrClosed.
func (w *Writer) Write(frames []pcm.Frame) error {
	if w.err == nil && w.closed {
		return ErrClosed
	}
	if len(frames) == 0 {
		return w.err
	}
	w.bufferHeader()
	outputs := w.config.Outputs
	if len(frames)%outputs != 0 {
		w.fail(fmt.Errorf("%d stereo frames are not as many of each of %d outputs", len(frames), outputs))
	}
	if announced := w.config.Frames; announced > 0 && w.frames+int64(len(frames)/outputs) > announced {
		w.fail(fmt.Errorf("%w: more than %d frames", ErrLength, announced))
	}
	size := w.config.frameBytes()
	for w.err == nil && len(frames) > 0 {
		n := min(len(frames)/outputs, (blockBytes-len(w.buf))/size)
		w.buf = w.encoder.encode(w.buf, frames[:n*outputs], w.frames)
		w.frames += int64(n)
		frames = frames[n*outputs:]
		due := w.recording != nil && (w.headerFrames == 0 || w.frames-w.headerFrames >= int64(w.config.Rate))
		if due || blockBytes-len(w.buf) < size {
			w.flush()
		}
		if due && w.err == nil {
			w.fail(w.updateHeader(w.frames))
		}
	}
	return w.err
}

// Close writes the buffer, and the sizes if the io.Writer can seek. It returns the first error. Further calls
// return the same error.
func (w *Writer) Close() error {
	if w.closed {
		return w.err
	}
	w.closed = true
	if !w.headerWritten && w.config.Frames == 0 {
		w.buf, w.headerWritten = w.header(0, false), true
		w.flush()
		return w.err
	}
	w.bufferHeader()
	w.flush()
	if announced := w.config.Frames; announced > 0 {
		if w.frames != announced {
			w.fail(fmt.Errorf("%w: %d frames of %d", ErrLength, w.frames, announced))
		}
	} else if w.err == nil && w.recording != nil {
		w.fail(w.updateHeader(w.frames))
	} else if w.err == nil && w.seeker != nil {
		w.fail(w.writeFinalHeader())
	}
	return w.err
}

// bufferHeader puts the header into the buffer, before the first samples. Later calls have no effect.
func (w *Writer) bufferHeader() {
	if w.headerWritten {
		return
	}
	w.headerWritten = true
	frames, room := int64(-1), w.seeker != nil
	if w.config.Frames > 0 {
		frames, room = w.config.Frames, false
	}
	w.buf = append(w.buf, w.header(frames, room)...)
}

// header returns the bytes before the samples for a number of frames, see the function header; nil for raw
// samples.
func (w *Writer) header(frames int64, room bool) []byte {
	if w.config.Raw {
		return nil
	}
	return header(&w.config, frames, room)
}

// flush writes the buffer to the io.Writer and empties it. It stores an error for later calls; after an error it
// writes no data.
func (w *Writer) flush() {
	if w.err != nil || len(w.buf) == 0 {
		return
	}
	n, err := w.w.Write(w.buf)
	w.reached += int64(n)
	if err == nil && n != len(w.buf) {
		err = io.ErrShortWrite
	}
	w.buf = w.buf[:0]
	w.fail(err)
}

// updateHeader rewrites the header of a recording for the given number of frames. Raw files have no header: the call
// only records the number.
func (w *Writer) updateHeader(frames int64) error {
	if w.headerFrames = frames; w.config.Raw {
		return nil
	}
	_, err := w.recording.WriteAt(w.header(frames, true), 0)
	return err
}

// repair repairs a recording after an error: it truncates the file to whole frames, and updates the header. It
// reports whether there are frames to keep. If the repair fails, the last header is still valid.
func (w *Writer) repair() bool {
	begin := int64(len(w.header(0, true)))
	if w.recording == nil || w.reached < max(begin, 1) {
		return false
	}
	size := int64(w.config.frameBytes())
	frames := (w.reached - begin) / size
	if w.updateHeader(frames) == nil {
		_ = w.recording.Truncate(begin + frames*size)
	}
	return true
}

// writeFinalHeader rewrites the header at the origin with the final length. It returns an error if the file is
// open for appending, which ignores the position.
func (w *Writer) writeFinalHeader() error {
	end, err := w.seeker.Seek(0, io.SeekEnd)
	if err != nil {
		return err
	}
	if _, err := w.seeker.Seek(w.origin, io.SeekStart); err != nil {
		return err
	}
	h := header(&w.config, w.frames, true)
	if n, err := w.seeker.Write(h); err != nil {
		return err
	} else if n != len(h) {
		return io.ErrShortWrite
	}
	// A file that was opened for appending ignores Seek and appends every write.
	grown, err := w.seeker.Seek(0, io.SeekEnd)
	if err == nil && grown != end {
		err = errors.New("the file is open for appending: its sizes cannot be written")
	}
	return err
}

// fail stores the first error, with the prefix of the package, and ignores nil and later errors.
func (w *Writer) fail(err error) {
	if err == nil || w.err != nil {
		return
	}
	if !errors.Is(err, ErrLength) {
		err = fmt.Errorf("wav: %w", err)
	}
	w.err = err
}
