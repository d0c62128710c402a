package wav_test

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"voicepool/device/wav"
	"voicepool/internal/leak"
	"voicepool/pcm"
)

var update = flag.Bool("update", false, "write the golden files anew")

func TestMain(m *testing.M) { leak.Main(m) }

// edges contains difficult values: ties, both ends of the scale and beyond, and NaN.
var edges = []pcm.Frame{
	{0, 0}, {1, -1}, {1.5, -1.5}, {0.5, -0.5},
	{1.0 / (1 << 23), -1.0 / (1 << 23)},
	{0.5 / (1 << 23), 1.5 / (1 << 23)}, // ties of 24 bits
	{1 - 1.0/(1<<23), 1 - 1.0/(1<<24)},
	{float32(math.Inf(1)), float32(math.Inf(-1))},
	{float32(math.NaN()), math.SmallestNonzeroFloat32},
	{0, 0},
}

// memory is a seekable writer.
type memory struct {
	bytes []byte
	at    int
}

func (m *memory) Write(p []byte) (int, error) {
	if need := m.at + len(p); need > len(m.bytes) {
		m.bytes = append(m.bytes, make([]byte, need-len(m.bytes))...)
	}
	m.at += copy(m.bytes[m.at:], p)
	return len(p), nil
}

func (m *memory) Seek(offset int64, whence int) (int64, error) {
	switch whence {
	case io.SeekStart:
		m.at = int(offset)
	case io.SeekCurrent:
		m.at += int(offset)
	case io.SeekEnd:
		m.at = len(m.bytes) + int(offset)
	}
	return int64(m.at), nil
}

func write(t *testing.T, w io.Writer, c wav.Config, frames []pcm.Frame) *wav.Writer {
	t.Helper()
	out, err := wav.NewWriter(w, c)
	if err != nil {
		t.Fatal(err)
	}
	if err := out.Write(frames); err != nil {
		t.Fatal(err)
	}
	if err := out.Close(); err != nil {
		t.Fatal(err)
	}
	return out
}

// TestGolden compares with golden files, which sox and ffmpeg read with equal results.
func TestGolden(t *testing.T) {
	for _, format := range []wav.Format{wav.S16, wav.S24, wav.F32} {
		for _, kind := range []string{"file", "pipe", "known"} {
			t.Run(fmt.Sprint(format, "-", kind), func(t *testing.T) {
				c := wav.Config{Format: format, Seed: 1}
				var got []byte
				switch kind {
				case "file":
					m := memory{}
					write(t, &m, c, edges)
					got = m.bytes
				case "pipe":
					b := bytes.Buffer{}
					write(t, &b, c, edges)
					got = b.Bytes()
				case "known":
					b := bytes.Buffer{}
					c.Frames = int64(len(edges))
					write(t, &b, c, edges)
					got = b.Bytes()
				}
				name := filepath.Join("testdata", fmt.Sprintf("%v-%s.wav", format, kind))
				if *update {
					if err := os.WriteFile(name, got, 0o644); err != nil {
						t.Fatal(err)
					}
				}
				want, err := os.ReadFile(name)
				if err != nil {
					t.Fatal(err)
				}
				if !bytes.Equal(got, want) {
					t.Errorf("wrote\n%s\nwant\n%s", hex.Dump(got), hex.Dump(want))
				}
			})
		}
	}
}

// samples returns the samples after the header, as integers.
func samples(t *testing.T, file []byte, size int) []int32 {
	t.Helper()
	at := bytes.Index(file, []byte("data"))
	if at < 0 {
		t.Fatal("no data chunk")
	}
	var out []int32
	for b := file[at+8:]; len(b) > 0; b = b[size:] {
		var word [4]byte
		copy(word[4-size:], b[:size])
		out = append(out, int32(binary.LittleEndian.Uint32(word[:]))>>(32-8*size))
	}
	return out
}

func TestRounding(t *testing.T) {
	var b bytes.Buffer
	w := write(t, &b, wav.Config{}, edges)
	want := []int32{
		0, 0, 1<<23 - 1, -1 << 23, 1<<23 - 1, -1 << 23, 1 << 22, -1 << 22,
		1, -1, 0, 2, 1<<23 - 1, 1<<23 - 1, 1<<23 - 1, -1 << 23, 0, 0, 0, 0,
	}
	if got := samples(t, b.Bytes(), 3); fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("24 bits: %v, want %v", got, want)
	}
	// 1, 1.5, -1.5, 1-2^-24, +Inf, -Inf, NaN; -1 fits.
	if w.Clipped() != 7 {
		t.Errorf("Clipped() = %d, want 7", w.Clipped())
	}
}

// TestDither checks that dither is silent on digital zero, is at most one and a half steps off, and is centered
// on values between the steps.
func TestDither(t *testing.T) {
	const n = 1 << 16
	frames := make([]pcm.Frame, n)
	for i := range frames {
		frames[i] = pcm.Frame{0, 100.25 / (1 << 15)}
	}
	var b bytes.Buffer
	write(t, &b, wav.Config{Format: wav.S16, Seed: 7}, frames)
	sum, square := 0.0, 0.0
	seen := map[int32]int{}
	for i, v := range samples(t, b.Bytes(), 2) {
		if i%2 == 0 {
			if v != 0 {
				t.Fatalf("frame %d: digital zero became %d", i/2, v)
			}
			continue
		}
		seen[v]++
		d := float64(v) - 100.25
		sum += d
		square += d * d
	}
	if len(seen) != 3 || seen[99] == 0 || seen[100] == 0 || seen[101] == 0 {
		t.Errorf("100.25 became %v, want some each of 99, 100 and 101", seen)
	}
	// Triangular dither: the mean of the error is 0 and its variance 1/4 step^2.
	if mean := sum / n; math.Abs(mean) > 0.01 {
		t.Errorf("the error's mean is %.4f steps, want 0", mean)
	}
	if variance := square / n; math.Abs(variance-0.25) > 0.01 {
		t.Errorf("the error's variance is %.4f, want 0.2500", variance)
	}
}

// TestBlocks checks that the bits depend on the number of a frame and the seed, not on the block size.
func TestBlocks(t *testing.T) {
	frames := make([]pcm.Frame, 30000)
	for i := range frames {
		frames[i] = pcm.Frame{float32(i%200)/200 - 0.5, float32(i%77) / 77}
	}
	for _, format := range []wav.Format{wav.S16, wav.S24, wav.F32} {
		var whole bytes.Buffer
		write(t, &whole, wav.Config{Format: format, Seed: 3}, frames)
		for _, block := range []int{1, 7, 512, 4096} {
			var b bytes.Buffer
			w, err := wav.NewWriter(&b, wav.Config{Format: format, Seed: 3})
			if err != nil {
				t.Fatal(err)
			}
			for rest := frames; len(rest) > 0; {
				n := min(block, len(rest))
				if err := w.Write(rest[:n]); err != nil {
					t.Fatal(err)
				}
				rest = rest[n:]
			}
			if err := w.Close(); err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(b.Bytes(), whole.Bytes()) {
				t.Errorf("%v: blocks of %d give other bytes than one of %d", format, block, len(frames))
			}
			if w.Frames() != int64(len(frames)) {
				t.Errorf("Frames() = %d, want %d", w.Frames(), len(frames))
			}
		}
	}
	var one, other bytes.Buffer
	write(t, &one, wav.Config{Format: wav.S16, Seed: 3}, frames)
	write(t, &other, wav.Config{Format: wav.S16, Seed: 4}, frames)
	if bytes.Equal(one.Bytes(), other.Bytes()) {
		t.Error("seeds 3 and 4 give the same dither")
	}
}

func TestNoFrames(t *testing.T) {
	var pipe bytes.Buffer
	write(t, &pipe, wav.Config{}, nil)
	file := memory{}
	write(t, &file, wav.Config{}, nil)
	for name, b := range map[string][]byte{"pipe": pipe.Bytes(), "file": file.bytes} {
		if riff, data := sizes(b); riff != int64(len(b)-8) || data != 0 {
			t.Errorf("%s: sizes %d and %d, want %d and 0", name, riff, data, len(b)-8)
		}
	}
}

func sizes(b []byte) (riff, data int64) {
	at := bytes.Index(b, []byte("data"))
	return int64(binary.LittleEndian.Uint32(b[4:])), int64(binary.LittleEndian.Uint32(b[at+4:]))
}

// TestOrigin checks that a writer that is not at its beginning keeps the earlier bytes.
func TestOrigin(t *testing.T) {
	m := memory{bytes: []byte("before"), at: 6}
	write(t, &m, wav.Config{Format: wav.F32}, edges)
	if !bytes.HasPrefix(m.bytes, []byte("beforeRIFF")) {
		t.Fatalf("the file begins with %q, want %q", m.bytes[:10], "beforeRIFF")
	}
	if riff, data := sizes(m.bytes[6:]); riff != int64(len(m.bytes)-6-8) || data != 8*10 {
		t.Errorf("sizes %d and %d, want %d and 80", riff, data, len(m.bytes)-6-8)
	}
}

func TestAppending(t *testing.T) {
	name := filepath.Join(t.TempDir(), "out.wav")
	f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o666)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	w, err := wav.NewWriter(f, wav.Config{})
	if err != nil {
		t.Fatal(err)
	}
	w.Write(edges)
	if err := w.Close(); err == nil || !strings.Contains(err.Error(), "open for appending") {
		t.Errorf("Close = %v, want an error that says: open for appending", err)
	}
}

func TestAnnounced(t *testing.T) {
	for _, frames := range []int64{9, 11} {
		w, err := wav.NewWriter(&memory{}, wav.Config{Frames: frames})
		if err != nil {
			t.Fatal(err)
		}
		werr := w.Write(edges)
		if (werr != nil) != (frames == 9) || werr != nil && !errors.Is(werr, wav.ErrLength) {
			t.Errorf("Write of 10 frames, announced %d: %v", frames, werr)
		}
		if err := w.Close(); !errors.Is(err, wav.ErrLength) {
			t.Errorf("Close after 10 frames, announced %d: %v, want %v", frames, err, wav.ErrLength)
		}
	}
}

func TestConfig(t *testing.T) {
	for _, c := range []wav.Config{
		{Rate: -1}, {Rate: 768_001}, {Format: 3}, {Format: -1}, {Frames: -1}, {Frames: math.MaxInt64},
	} {
		if _, err := wav.NewWriter(io.Discard, c); !errors.Is(err, wav.ErrFormat) {
			t.Errorf("%+v: %v, want %v", c, err, wav.ErrFormat)
		}
	}
	w, err := wav.NewWriter(io.Discard, wav.Config{})
	if err != nil || w.Rate() != 48000 {
		t.Errorf("Config{} gives a rate of %d (%v), want 48000", w.Rate(), err)
	}
	for _, name := range []string{"s16", "s24", "f32"} {
		if f, err := wav.ParseFormat(name); err != nil || f.String() != name {
			t.Errorf("ParseFormat(%q) = %v, %v", name, f, err)
		}
	}
	if _, err := wav.ParseFormat("s32"); !errors.Is(err, wav.ErrFormat) {
		t.Errorf("ParseFormat(s32): %v, want %v", err, wav.ErrFormat)
	}
}

// short accepts all bytes except the last one, without an error.
type short struct{}

func (short) Write(p []byte) (int, error) { return len(p) - 1, nil }

type full struct{ room int }

var errFull = errors.New("full")

func (f *full) Write(p []byte) (int, error) {
	n := min(f.room, len(p))
	f.room -= n
	if n < len(p) {
		return n, errFull
	}
	return n, nil
}

func TestWriteErrors(t *testing.T) {
	frames := make([]pcm.Frame, 50000)
	for _, test := range []struct {
		name   string
		writer io.Writer
		want   error
	}{
		{name: "short", writer: short{}, want: io.ErrShortWrite},
		{name: "full at once", writer: &full{}, want: errFull},
		{name: "full later", writer: &full{room: 200000}, want: errFull},
	} {
		w, err := wav.NewWriter(test.writer, wav.Config{})
		if err != nil {
			t.Fatal(err)
		}
		first := w.Write(frames)
		if !errors.Is(first, test.want) || !strings.HasPrefix(first.Error(), "wav: ") {
			t.Errorf("%s: Write = %v, want wav: %v", test.name, first, test.want)
		}
		if again := w.Write(frames); again != first {
			t.Errorf("%s: the next Write = %v, want %v", test.name, again, first)
		}
		if closing := w.Close(); closing != first {
			t.Errorf("%s: Close = %v, want %v", test.name, closing, first)
		}
	}
	w, _ := wav.NewWriter(io.Discard, wav.Config{})
	w.Close()
	if err := w.Write(frames); err != wav.ErrClosed {
		t.Errorf("Write after Close = %v, want %v", err, wav.ErrClosed)
	}
}

func TestWriteDoesNotAllocate(t *testing.T) {
	frames := make([]pcm.Frame, 512)
	for i := range frames {
		frames[i] = pcm.Frame{0.5, -0.25}
	}
	for _, format := range []wav.Format{wav.S16, wav.S24, wav.F32} {
		w, err := wav.NewWriter(io.Discard, wav.Config{Format: format})
		if err != nil {
			t.Fatal(err)
		}
		w.Write(frames)
		if n := testing.AllocsPerRun(200, func() { w.Write(frames) }); n != 0 {
			t.Errorf("%v: Write allocates %v times, want 0", format, n)
		}
	}
}

func BenchmarkWrite(b *testing.B) {
	frames := make([]pcm.Frame, 512)
	for i := range frames {
		frames[i] = pcm.Frame{float32(i) / 600, float32(i) / -700}
	}
	for _, format := range []wav.Format{wav.S16, wav.S24, wav.F32} {
		b.Run(format.String(), func(b *testing.B) {
			w, err := wav.NewWriter(io.Discard, wav.Config{Format: format})
			if err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				w.Write(frames)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/512, "ns/frame")
		})
	}
}
