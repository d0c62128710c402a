package audiotest

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"testing"
	"time"

	"voicepool/pcm"
)

// Recording is audio that came from elsewhere: a file, or what a stream gave.
type Recording struct {
	take
	known []named
}

// Listen reads a recording to its end: WAV, or another format that package sounds reads,
// mono or stereo. What cannot be read ends the test.
func Listen(t testing.TB, r io.Reader) *Recording {
	t.Helper()
	frames, rate, err := decode("recording", r)
	if err != nil {
		t.Fatalf("audiotest: %v", err)
	}
	return recording(t, rate, frames)
}

// Raw says how samples without a header are to be read: interleaved, little endian.
type Raw struct {
	Rate     int  // frames per second, 1..768,000; 0: 48,000
	Channels int  // 1 or 2; 0: 2
	Int16    bool // 16-bit integers; else float32
}

// ListenRaw reads samples without a header to the end of r. What cannot be read, or does
// not end with a whole frame, ends the test.
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
	return recording(t, rate, frames)
}

func recording(t testing.TB, rate int, frames []pcm.Frame) *Recording {
	r := &Recording{take: take{t: t, rate: rate, frames: int64(len(frames)), update: *update}}
	r.mix.write(0, frames)
	r.picture = func(focus) string { return r.levels() }
	return r
}

// levels draws how loud the recording is over time, with the letters of a timeline.
func (r *Recording) levels() string {
	line := make([]byte, columns)
	for x := range line {
		from := int64(x) * r.frames / columns
		line[x] = letter(r.mix.level(span{from, max(int64(x+1)*r.frames/columns, from+1)}))
	}
	return fmt.Sprintf("%v at %d Hz |%s| %.1f dB\n# -20 dB and louder   = -40 dB   - -60 dB   . less\n",
		pcm.Duration(r.frames, r.rate).Round(time.Microsecond), r.rate, line, float64(r.mix.level(span{0, r.frames})))
}

// Frames returns the recording: a copy.
func (r *Recording) Frames() []pcm.Frame { return r.mix.read(0, r.frames) }

// Sound asserts that anything is heard, and returns all of it, from the first sound to the
// last. A sound is a sample above -84 dBFS.
func (r *Recording) Sound() *Heard {
	r.t.Helper()
	return r.sound()
}

// Silent asserts that nothing is heard from one time to another: no sample is above
// -84 dBFS.
func (r *Recording) Silent(from, to time.Duration) {
	r.t.Helper()
	r.silent(from, to)
}

// Golden is Audio.Golden for a recording.
func (r *Recording) Golden(file string) {
	r.t.Helper()
	r.golden(file)
}

// GoldenHash is Audio.GoldenHash for a recording.
func (r *Recording) GoldenHash(want string) {
	r.t.Helper()
	r.goldenHash(want)
}
