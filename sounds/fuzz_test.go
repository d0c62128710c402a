package sounds

import (
	"bytes"
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// narrowLimits keep a fuzzer busy with many small sounds.
var narrowLimits = Limits{Frames: 1 << 18, Bytes: 1 << 20, Memory: 1 << 22, Time: 5 * time.Second}

// seed adds the small files of testdata of a kind.
func seed(f *testing.F, pattern string) {
	for _, folder := range []string{"testdata/hostile", "testdata/formats"} {
		files, err := filepath.Glob(filepath.Join(folder, pattern))
		if err != nil {
			f.Fatal(err)
		}
		for _, name := range files {
			data, err := os.ReadFile(name)
			if err != nil {
				f.Fatal(err)
			}
			if len(data) < 16<<10 && !strings.HasPrefix(filepath.Base(name), "golden") {
				f.Add(data)
			}
		}
	}
}

// tryDecode wants a proper sound or a proper error of whatever data is.
func tryDecode(t *testing.T, data []byte) {
	c, err := Decode(context.Background(), "x", bytes.NewReader(data), narrowLimits)
	if err != nil {
		if !errors.Is(err, ErrFormat) && !errors.Is(err, ErrDecode) && !errors.Is(err, ErrLimit) {
			t.Fatalf("an error of no kind: %v", err)
		}
		text := err.Error()
		if strings.Contains(text, "the decoder failed") || strings.Contains(text, "took longer") || strings.Contains(text, "\n") {
			t.Fatal(err)
		}
		return
	}
	if err := c.valid(); err != nil {
		t.Fatalf("not a valid clip: %v", err)
	}
	if c.Frames() > narrowLimits.Frames || int64(4*len(c.Samples)) > narrowLimits.Memory {
		t.Fatalf("%d frames of %d channels pass the limits", c.Frames(), c.Channels)
	}
}

func FuzzWAV(f *testing.F) {
	seed(f, "wav-*")
	f.Fuzz(tryDecode)
}

func FuzzFLAC(f *testing.F) {
	seed(f, "*flac-*")
	f.Fuzz(tryDecode)
}

// FuzzFLACSubframe reaches what the checksums of a frame keep from FuzzFLAC.
func FuzzFLACSubframe(f *testing.F) {
	f.Add(uint8(16), uint16(192), []byte{0x10, 0, 0, 1, 2, 3, 4, 5})
	f.Add(uint8(33), uint16(4096), []byte{0x7e, 1, 2, 3, 4, 5, 6, 7, 8, 9})
	f.Fuzz(func(t *testing.T, bits uint8, size uint16, data []byte) {
		if bits < 4 || bits > 33 || size == 0 {
			return
		}
		r := flacBits{data: data}
		_ = readSubframe(&r, make([]int64, size), uint(bits))
		if r.offset() > len(data)+8 && !r.over() {
			t.Fatal("it read beyond the end and did not notice")
		}
	})
}

// FuzzOgg repairs the checksums of all pages, so that what is within them is
// reached.
func FuzzOgg(f *testing.F) {
	seed(f, "*ogg-*")
	seed(f, "*vorbis-*")
	f.Fuzz(func(t *testing.T, data []byte) {
		tryDecode(t, repaired(data))
	})
}

func FuzzMP3(f *testing.F) {
	seed(f, "*mp3-*")
	f.Fuzz(tryDecode)
}

// FuzzAnswer: whatever a child process says ends in a proper clip or a proper
// error.
func FuzzAnswer(f *testing.F) {
	f.Add([]byte(`{"fault":"two\nlines","kind":"limit"}` + "\n"))
	f.Add([]byte(`{"format":"wav","encoding":"s16","channels":2,"rate":8000,"frames":1,"loop":[0,1]}` + "\n12345678"))
	f.Fuzz(func(t *testing.T, data []byte) {
		c, err := readAnswer(bytes.NewReader(data), narrowLimits.withDefaults())
		if err != nil {
			if strings.Contains(err.Error(), "\n") {
				t.Fatalf("an error of several lines: %q", err)
			}
			return
		}
		if err := c.valid(); err != nil {
			t.Fatalf("not a valid clip: %v", err)
		}
	})
}

// FuzzTags: the words around a sound, whatever they are, leave a valid clip.
func FuzzTags(f *testing.F) {
	f.Add(comments("LOOPSTART=1", "LOOPLENGTH=2", "REPLAYGAIN_TRACK_GAIN=-1.5 dB"))
	f.Add(id3(3, 0, id3Frame(3, "TXXX", "\x01\xff\xfeA\x00\x00\x00\xff\xfeb\x00")))
	f.Add(id3(4, 0x40, []byte("\x00\x00\x00\x06\x01\x00"), id3Frame(4, "TXXX", "\x03R128_TRACK_GAIN\x00-256")))
	f.Add(id3(2, 0x80, id3Frame(2, "TXX", "\x00LOOPEND\x0012")))
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, tags := range [][]string{parseID3(data), parseComments(data)} {
			c := &Clip{Channels: 1, Rate: 8000, Samples: make([]float32, 100)}
			applyTags(c, tags)
			if err := c.valid(); err != nil || c.Gain != nil && !(math.Abs(float64(*c.Gain)) <= maxTagGain) {
				t.Fatalf("%v, gain %v", err, c.Gain)
			}
		}
	})
}
