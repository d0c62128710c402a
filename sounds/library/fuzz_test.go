package library

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"voicepool/internal/cputime"
)

// narrowLimits keep each sound of a fuzzer small, so that it tests many. The time limit only ends a decoder that hangs,
// because a busy machine can stall a process for a minute.
var narrowLimits = Limits{Frames: 1 << 18, Bytes: 1 << 20, Memory: 1 << 22, Time: 5 * time.Minute}

// seed adds the small files of testdata that match a pattern.
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

// tryDecode requires a valid clip or a typed error for any data, within 5 s of processor time.
func tryDecode(t *testing.T, data []byte) {
	var c *Clip
	var err error
	if took := cputime.OfProcess(func() { c, err = Decode(context.Background(), "x", bytes.NewReader(data), narrowLimits) }); took > 5*time.Second {
		t.Fatalf("decoding took %v of processor time", took)
	}
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
	if err := c.check(); err != nil {
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

func FuzzAIFF(f *testing.F) {
	seed(f, "*aiff-*")
	f.Add(longAIFF(100, marks(5, 10, 90), inst(1, 2, 3)))
	f.Fuzz(tryDecode)
}

func FuzzFLAC(f *testing.F) {
	seed(f, "*flac-*")
	f.Fuzz(tryDecode)
}

// FuzzOgg repairs the checksums of all pages so that the fuzzer reaches the code behind them.
func FuzzOgg(f *testing.F) {
	seed(f, "*ogg-*")
	seed(f, "oggflac-*")
	seed(f, "*vorbis-*")
	seed(f, "*opus-*")
	f.Fuzz(func(t *testing.T, data []byte) {
		tryDecode(t, repaired(data))
	})
}

func FuzzMP3(f *testing.F) {
	seed(f, "*mp3-*")
	f.Fuzz(tryDecode)
}

// FuzzAnswer checks that any output of a child process ends in a valid clip or a typed error.
func FuzzAnswer(f *testing.F) {
	f.Add([]byte(`fault limit "two\nlines"` + "\n"))
	f.Add([]byte("clip wav s16 2 8000 3 1 -6.5 0 1\n12345678"))
	f.Fuzz(func(t *testing.T, data []byte) {
		c, err := readReply(bytes.NewReader(data), narrowLimits.withDefaults(), 1)
		if err != nil {
			if strings.Contains(err.Error(), "\n") {
				t.Fatalf("an error of several lines: %q", err)
			}
			return
		}
		if err := c.check(); err != nil {
			t.Fatalf("not a valid clip: %v", err)
		}
	})
}
