package audiotest

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"testing"
	"time"

	"voicepool/internal/listening"
	"voicepool/pcm"
)

// Recording is audio that was recorded elsewhere, not by an Audio: a file, or the output of a stream.
type Recording struct {
	mixRecording
	known []namedSound
}

// Listen reads a recording to its end: WAV, or another format of package library, mono or stereo. A read error
// ends the test.
func Listen(t testing.TB, r io.Reader) *Recording {
	t.Helper()
	frames, rate, err := decode("recording", r)
	if err != nil {
		t.Fatalf("audiotest: %v", err)
	}
	return newRecording(t, rate, frames)
}

// Raw describes the format of samples without a header: interleaved, little endian.
type Raw struct {
	Rate     int  // frames per second, 1..768,000; 0: 48,000
	Channels int  // 1 or 2; 0: 2
	Int16    bool // 16-bit integers; otherwise float32
}

// ListenRaw reads samples without a header to the end of r. A read error or an incomplete last frame ends the
// test.
func ListenRaw(t testing.TB, r io.Reader, raw Raw) *Recording {
	t.Helper()
	rate, channels, size := cmp.Or(raw.Rate, 48000), cmp.Or(raw.Channels, 2), 4
	if raw.Int16 {
		size = 2
	}
	data, err := io.ReadAll(r)
	switch {
	case err != nil:
		t.Fatalf("audiotest: raw samples: %v", err)
	case rate < 1 || rate > 768000:
		t.Fatalf("audiotest: a rate of %d Hz is not in 1..768000", rate)
	case channels < 1 || channels > 2:
		t.Fatalf("audiotest: %d channels are not in 1..2", channels)
	case len(data)%(channels*size) != 0:
		t.Fatalf("audiotest: %d bytes are not whole frames of %d", len(data), channels*size)
	}
	sample := func(i int) float32 {
		if raw.Int16 {
			return float32(int16(binary.LittleEndian.Uint16(data[2*i:]))) / 32768
		}
		return math.Float32frombits(binary.LittleEndian.Uint32(data[4*i:]))
	}
	frames := make([]pcm.Frame, len(data)/(channels*size))
	for i := range frames {
		frames[i] = pcm.Frame{sample(i * channels), sample(i*channels + channels - 1)}
	}
	return newRecording(t, rate, frames)
}

// newRecording returns a recording of frames at a rate in Hz, whose assertions fail t.
func newRecording(t testing.TB, rate int, frames []pcm.Frame) *Recording {
	r := &Recording{mixRecording: mixRecording{t: t, rate: rate, frames: int64(len(frames)), update: *update}}
	r.mix.write(0, frames)
	r.drawTimeline = func(focus) string { return r.levels() }
	return r
}

// levels draws the level of the recording over time, with the symbols of a timeline.
func (r *Recording) levels() string {
	line := make([]byte, timelineColumns)
	for x := range line {
		from := int64(x) * r.frames / timelineColumns
		line[x] = listening.LevelSymbol(r.mix.level(span{from, max(int64(x+1)*r.frames/timelineColumns, from+1)}))
	}
	return fmt.Sprintf("%v at %d Hz |%s| %.1f dB\n# -20 dB and louder   = -40 dB   - -60 dB   . less\n",
		pcm.Duration(r.frames, r.rate).Round(time.Microsecond), r.rate, line, float64(r.mix.level(span{0, r.frames})))
}

// Frames returns a copy of the recording.
func (r *Recording) Frames() []pcm.Frame { return r.mix.read(0, r.frames) }
