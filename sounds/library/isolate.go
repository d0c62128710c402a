package library

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os/exec"
	"slices"
	"strings"

	"voicepool/sounds/internal/source"
)

var (
	faultKinds = [...]struct {
		name string
		kind error
	}{{"format", ErrFormat}, {"decode", ErrDecode}, {"limit", ErrLimit}}
	clipEncodings = [...]string{"", "u8", "s8", "s16", "s24", "s32", "f32", "f64", "alaw", "ulaw", "ima-adpcm", "ms-adpcm"}
)

// decodeIsolated decodes the file data in a child process and returns its clip. The child is the command lim.Isolate,
// which must not be empty; lim must have its defaults filled in. The child is killed one second after lim.Time, when
// ctx ends, or when its answer is invalid.
//
// An error that the child reports is returned. Otherwise the error wraps ErrLimit after the time limit, ErrDecode if
// the child failed, the error of ctx when ctx ends, or the error of starting the child.
func decodeIsolated(ctx context.Context, data []byte, lim Limits) (*Clip, error) {
	ctx, cancel := context.WithTimeout(ctx, lim.Time+gracePeriod) // the child checks the time itself; this is the fallback
	defer cancel()
	child := exec.CommandContext(ctx, lim.Isolate[0], lim.Isolate[1:]...)
	child.Stdin = io.MultiReader(strings.NewReader(lim.request(int64(len(data)))), bytes.NewReader(data))
	child.WaitDelay = gracePeriod
	setProcessGroup(child)
	out, err := child.StdoutPipe()
	if err == nil {
		err = child.Start()
	}
	if err != nil {
		if path := (*fs.PathError)(nil); errors.As(err, &path) {
			err = fmt.Errorf("%s: %w", path.Path, path.Err)
		}
		return nil, fmt.Errorf("no process to decode in: %w", err)
	}
	// A process that the child started may keep the pipe open after the child has ended.
	stop := context.AfterFunc(ctx, func() { _ = out.Close() })
	clip, err := readReply(out, lim, int64(len(data)))
	expired := ctx.Err() // before cancel below
	stop()
	if err != nil {
		cancel()
	}
	ended := child.Wait()
	switch {
	case expired != nil:
		return nil, timeoutError(ctx, lim.Time, expired)
	case errors.Is(err, errIncomplete):
		return nil, source.DecodeErrorf("the process that decodes it ended without an answer (%v)", child.ProcessState)
	case err != nil:
		return nil, err
	case ended != nil:
		return nil, source.DecodeErrorf("the process that decodes it failed: %v", ended)
	}
	return clip, nil
}

// errIncomplete reports that the child ended before its answer was complete.
var errIncomplete = errors.New("cut short")

// readReply reads the answer of a child process from r to its end and returns the clip in it. It validates all values
// against the limits lim for a file of size bytes. It returns the error that the child reported, or errIncomplete if
// the answer is empty or ends within the samples. An invalid answer, or a line that is cut short, gives an error that
// wraps ErrDecode or ErrLimit. An invalid loop or gain is only dropped.
func readReply(r io.Reader, lim Limits, size int64) (*Clip, error) {
	in := bufio.NewReaderSize(r, maxLine)
	var a isolateReply
	w, err := readLine(in)
	if err == nil {
		err = a.parse(w)
	}
	switch {
	case errors.Is(err, errIncomplete):
		return nil, err
	case err != nil:
		return nil, source.DecodeErrorf("the process that decodes it gives no answer, but something else")
	case a.Fault != "":
		return nil, a.faultError()
	}
	c := a.Clip
	bounds := lim.boundsOf(size)
	if err := bounds.CheckFormat(a.Channels, int64(a.Rate)); err != nil {
		return nil, err
	}
	if err := bounds.CheckLength(a.Frames, a.Channels); err != nil {
		return nil, err
	}
	if a.damages < 0 || a.damages > source.MaxDamages {
		return nil, source.DecodeErrorf("the process that decodes it gives an answer that makes no sense")
	}
	for range a.damages {
		w, err := readLine(in)
		if err == nil {
			err = a.parseDamage(w)
		}
		if err != nil {
			return nil, source.DecodeErrorf("the process that decodes it gives no answer, but something else")
		}
	}
	for missing := a.Frames * int64(a.Channels); missing > 0; missing = a.Frames*int64(a.Channels) - int64(len(c.Samples)) {
		old := len(c.Samples)
		c.Samples = source.Grow(c.Samples, int(min(missing, 1<<12)))
		if err := binary.Read(in, binary.LittleEndian, c.Samples[old:]); err != nil {
			return nil, errIncomplete
		}
	}
	if _, err := in.ReadByte(); err == nil {
		return nil, source.DecodeErrorf("the process that decodes it does not stop after its answer")
	}
	if c.Gain != nil {
		c.Gain = source.PlausibleGain(float64(*c.Gain))
	}
	if c.Loop != nil && !c.Loop.Inside(c.Frames()) {
		c.Loop = nil
	}
	if a.Frames < 0 || c.Format != mp3Format.name && !slices.ContainsFunc(formats[:], func(f format) bool { return f.name == c.Format }) || !slices.Contains(clipEncodings[:], c.Encoding) {
		return nil, source.DecodeErrorf("the process that decodes it gives an answer that makes no sense")
	}
	return c, checkSamples(c.Samples, c.Channels, 0)
}

// faultError returns the error that a child process reported in a.Fault, with a question mark for each unprintable
// character. It wraps ErrFormat, ErrDecode or ErrLimit if a.Kind names that kind of error.
func (a *isolateReply) faultError() error {
	text := printable(a.Fault)
	for _, k := range faultKinds {
		if k.name == a.Kind {
			return source.Errorf(k.kind, "%s", text)
		}
	}
	return errors.New(text)
}

// ServeDecode decodes one sound for a parent process that has set [Limits].Isolate. The process must have no other
// purpose. It reads a request and the file from stdin, and writes the answer to stdout. Both the request and lim have
// limits, and the stricter value applies; a zero field of lim adds no limit. The error is nil if an answer was
// written, even if the answer is that the file is broken. Otherwise the request is invalid, the process cannot be
// limited, or stdout fails.
//
// On Linux the process first limits its own memory to the needs of the file, its processor time to about twice
// Limits.Time, and disables core dumps. If it exceeds a limit, it dies, and the parent reports that. On other systems
// only the parent limits it.
func ServeDecode(stdin io.Reader, stdout io.Writer, lim Limits) error {
	return serve(stdin, stdout, lim, limitProcess)
}

// serve decodes the file that arrives on stdin and writes the answer to stdout, as ServeDecode does. Both the request
// and lim have limits, and the stricter value applies. Before serve reads the file, it calls limit, which limits the
// resources of the process for a file of size bytes, at most the limit Bytes. The error is nil if an answer was
// written. Otherwise it reports an invalid request, or wraps the error of limit or of stdout.
func serve(stdin io.Reader, stdout io.Writer, lim Limits, limit func(size int64, lim Limits) error) error {
	in := bufio.NewReaderSize(stdin, maxLine)
	size, requested, err := readRequest(in)
	if err != nil {
		return errors.New("sounds: standard input is no request to decode a file")
	}
	lim = requested.stricter(lim).withDefaults()
	if err := limit(min(size, lim.Bytes), lim); err != nil {
		return fmt.Errorf("sounds: the process cannot be confined: %w", err)
	}
	open := func(context.Context) (io.ReadCloser, error) { return io.NopCloser(in), nil }
	clip, err := decode(context.Background(), open, lim, &workBuffers{})
	var a isolateReply
	if err != nil {
		a.Fault = truncated(err.Error())
		for _, k := range faultKinds {
			if errors.Is(err, k.kind) {
				a.Kind = k.name
			}
		}
	} else {
		a.Clip, a.Frames = clip, clip.Frames()
	}
	out := bufio.NewWriterSize(stdout, 1<<16)
	_, _ = out.WriteString(a.encode()) // a Writer keeps its first error
	if clip != nil {
		for _, x := range clip.Samples {
			_, _ = out.Write(binary.LittleEndian.AppendUint32(out.AvailableBuffer(), math.Float32bits(x)))
		}
	}
	if err := out.Flush(); err != nil {
		return fmt.Errorf("sounds: the answer: %w", err)
	}
	return nil
}
