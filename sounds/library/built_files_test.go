package library

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"voicepool/internal/longtest"
)

func mustDecode(t *testing.T, data []byte) *Clip {
	t.Helper()
	c, err := Decode(context.Background(), "x", bytes.NewReader(data), Limits{})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func mustRead(t testing.TB, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// swelling returns a FLAC file with few bytes per frame. Each frame decodes to 65,535 samples of eight
// channels.
func swelling(frames int) []byte { return swellingOf(frames, 0xffff) }

// swellingOf is swelling with the given block size.
func swellingOf(frames int, size uint16) []byte {
	info := make([]byte, 34)
	binary.BigEndian.PutUint16(info, size)
	binary.BigEndian.PutUint16(info[2:], size)
	binary.BigEndian.PutUint64(info[10:], 48000<<44|7<<41|15<<36) // rate, channels-1, bits-1, length not known
	b := append([]byte("fLaC\x80\x00\x00\x22"), info...)
	for range frames {
		start := len(b)
		b = append(b, 0xff, 0xf8, 0x70, 0x78, 0, byte((size-1)>>8), byte(size-1)) // a block with a 16-bit size, eight channels, and the bit depth of the header
		b[start+3] = 0x70
		b = append(b, byte(crc(b[start:], 8, 0x07)))
		for range 8 {
			b = append(b, 0, 0, 0) // constant: zero
		}
		b = binary.BigEndian.AppendUint16(b, uint16(crc(b[start:], 16, 0x8005)))
	}
	return b
}

// TestSwelling checks that a small file with an enormous amount of silence is rejected before it is decoded.
func TestSwelling(t *testing.T) {
	if c := mustDecode(t, swelling(2)); c.Frames() != 2*65535 || c.Channels != 8 {
		t.Fatalf("%d frames of %d channels", c.Frames(), c.Channels)
	}
	data := swelling(longtest.Amount(100, 1000))
	if len(data) > 40000 {
		t.Fatalf("it has %d bytes", len(data))
	}
	file := bytes.NewReader(data)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if _, err := Decode(context.Background(), "x", file, Limits{}); !errors.Is(err, ErrLimit) {
		t.Fatal(err)
	}
	runtime.ReadMemStats(&after)
	if allocated := after.TotalAlloc - before.TotalAlloc; allocated > uint64(longtest.Amount(80, 200))<<20 {
		t.Errorf("%d bytes were allocated", allocated)
	}
}

// TestIsolatedSwelling checks that the largest decoded size that a small file may have fits into the memory
// limit of a child process.
func TestIsolatedSwelling(t *testing.T) {
	if err := exec.Command(os.Args[0], "child", "silent").Run(); err != nil {
		t.Skipf("this program cannot start itself, as under an emulator: %v", err)
	}
	for frames, want := range map[int]error{22: nil, 24: ErrLimit} {
		// A busy machine can stall a process for a minute.
		lim := Limits{Isolate: []string{os.Args[0], "child", "decode"}, Time: 5 * time.Minute}
		if _, err := Decode(context.Background(), "x", bytes.NewReader(swelling(frames)), lim); !errors.Is(err, want) {
			t.Errorf("%d frames: %v, want %v", frames, err, want)
		}
	}
}

// TestFLACChecksumOfRounds checks that the first pass is verified against the checksum of all samples, also
// after a seek to the beginning. Later reads are not verified: a loop would add its samples in every round.
func TestFLACChecksumOfRounds(t *testing.T) {
	data := mustRead(t, "testdata/formats/flac-8.flac")
	data[8+18] ^= 1
	fsys := fstest.MapFS{"x.flac": {Data: data}}
	pass := func(c *cursor) (err error) {
		for err == nil {
			_, err = c.read()
		}
		return err
	}
	c, err := (&streamSource{lib: NewLibrary(Options{Strict: true}), src: Source{File: "x.flac", FS: fsys}, lim: Limits{}.withDefaults().bounds()}).cursor()
	if err != nil {
		t.Fatal(err)
	}
	for round, want := range []bool{true, false, false} {
		if err := c.seek(0); err != nil {
			t.Fatal(err)
		}
		if err := pass(c); errors.Is(err, io.EOF) == want {
			t.Errorf("round %d: %v", round, err)
		}
	}
}

func TestFLACChecksumOfAll(t *testing.T) {
	data := mustRead(t, "testdata/formats/flac-8.flac")
	mustDecode(t, data)
	data[8+18] ^= 1
	c := mustDecode(t, data)
	if len(c.Damages) != 1 || c.Damages[0].Err.Error() != "the checksum of all samples is not the one announced" {
		t.Errorf("damage %v", c.Damages)
	}
	clear(data[8+18 : 8+34]) // no checksum announced
	mustDecode(t, data)
}

// moved shifts the granule positions of pages by the given number of frames and sets their serial.
func moved(pages [][]byte, frames int64, serial uint32) []byte {
	var out []byte
	for _, p := range pages {
		p = bytes.Clone(p)
		if at := int64(binary.LittleEndian.Uint64(p[6:])); at > 0 {
			binary.LittleEndian.PutUint64(p[6:], uint64(at+frames))
		}
		binary.LittleEndian.PutUint32(p[14:], serial)
		setOggSum(p)
		out = append(out, p...)
	}
	return out
}

// TestOggBeginning checks that the frames before position zero are cut off.
func TestOggBeginning(t *testing.T) {
	data := mustRead(t, "testdata/formats/vorbis-many-pages.ogg")
	pages := oggPages(data)
	whole, cut := mustDecode(t, data), mustDecode(t, moved(pages, -100, 7))
	if !slices.Equal(cut.Samples, whole.Samples[100*whole.Channels:]) {
		t.Errorf("%d frames are left of %d, want all but the first 100", cut.Frames(), whole.Frames())
	}
}

// TestOggChain checks that chained streams decode as one sound, and that the error of a torn stream contains
// its place.
func TestOggChain(t *testing.T) {
	data := mustRead(t, "testdata/formats/vorbis-many-pages.ogg")
	pages := oggPages(data)
	one, two := mustDecode(t, data), mustDecode(t, append(bytes.Clone(data), moved(pages, 0, 99)...))
	if !slices.Equal(two.Samples, append(slices.Clone(one.Samples), one.Samples...)) {
		t.Errorf("%d frames, want twice %d", two.Frames(), one.Frames())
	}
	lost := mustDecode(t, slices.Concat(slices.Delete(slices.Clone(pages), 3, 4)...))
	if d := lost.Damages; lost.Frames() != one.Frames() || len(d) != 1 || d[0].Err.Error() != "Ogg page 3 is missing" {
		t.Errorf("without a page %d frames, want %d: %v", lost.Frames(), one.Frames(), d)
	}
	short := mustDecode(t, data[:len(data)-1])
	if d := short.Damages; len(d) != 1 || !strings.HasPrefix(d[0].Err.Error(), "cut short: an Ogg page of") || d[0].Frame != short.Frames() {
		t.Errorf("cut short: %v", d)
	}
	if !slices.Equal(short.Samples, one.Samples[:len(short.Samples)]) {
		t.Error("cut short it begins with other samples")
	}
	other := append(bytes.Clone(data), mustRead(t, "testdata/formats/vorbis-8000-1.ogg")...)
	_, err := Decode(context.Background(), "x", bytes.NewReader(other), Limits{})
	if err == nil || !strings.HasPrefix(err.Error(), "sounds: x: a chain of Ogg streams of different rates or channels is not read") {
		t.Errorf("error %v", err)
	}
}

// TestMP3Around checks that tags and other data before and after the frames do not change the result.
func TestMP3Around(t *testing.T) {
	data := mustRead(t, "testdata/formats/mp3-44100-2-vbr.mp3")
	want := mustDecode(t, data)
	tag := append([]byte("ID3\x04\x00\x10\x00\x00\x01\x00"), make([]byte, 128+10)...) // 128 bytes, and a footer
	id3v1 := append([]byte("TAG"), make([]byte, 125)...)
	for name, variant := range map[string][]byte{
		"ID3v2":        slices.Concat(tag, data),
		"two ID3v2":    slices.Concat(tag, tag, data),
		"ID3v1":        slices.Concat(data, id3v1),
		"rubbish":      slices.Concat(make([]byte, 1000), data),
		"APE":          slices.Concat(data, []byte("APETAGEX\xd0\x07\x00\x00"), make([]byte, 64)),
		"half a frame": slices.Concat(data, data[len(data)-100:]),
	} {
		c, err := Decode(context.Background(), "x", bytes.NewReader(variant), Limits{})
		if err != nil || !slices.Equal(c.Samples, want.Samples) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, text := range []string{"ID3\x04\x00\x00\x7f\x7f\x7f\x7f", "ID3\x04\x00\x00\x00\x00\x00\x00"} { // 256 MiB announced
		if _, err := Decode(context.Background(), "x", strings.NewReader(text), Limits{}); !errors.Is(err, ErrFormat) {
			t.Errorf("%q: %v", text, err)
		}
	}
}
