package hear

import (
	"context"
	"encoding/binary"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"voicepool/internal/metric/peaq"
	"voicepool/internal/metric/zimtohrli"
	"voicepool/sounds"
	"voicepool/sounds/library"
)

// write writes a WAV file of 16-bit noise and returns its path. announced is the number of frames in its header.
func write(t *testing.T, name string, rate, channels, frames, announced int, level float64) string {
	data := []byte("RIFF")
	put := func(x ...any) {
		for _, x := range x {
			data, _ = binary.Append(data, binary.LittleEndian, x)
		}
	}
	put(uint32(36+2*announced*channels), []byte("WAVEfmt "), uint32(16), uint16(1), uint16(channels), uint32(rate),
		uint32(2*rate*channels), uint16(2*channels), uint16(16), []byte("data"), uint32(2*announced*channels))
	r := rand.New(rand.NewPCG(1, 2))
	for range frames * channels {
		put(int16((2*r.Float64() - 1) * level))
	}
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, data, 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

func compare(reference, test string) (Result, error) {
	return Files(context.Background(), reference, test, nil, func(int64, int64) {})
}

// TestFiles compares the result with the metrics of the whole, loaded sounds.
func TestFiles(t *testing.T) {
	for _, c := range []struct{ rate, channels int }{{48000, 1}, {48000, 2}, {44100, 2}} {
		a := write(t, "a.wav", c.rate, c.channels, 30001, 30001, 8000)
		b := write(t, "b.wav", c.rate, c.channels, 30001, 30001, 3000)
		lib := library.NewLibrary(library.Options{Rate: 48000})
		var s [2]sounds.Samples
		for i, path := range []string{a, b} {
			loaded, err := lib.LoadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			s[i] = sounds.Samples{Rate: 48000, Channels: c.channels, Data: loaded.Samples()}
		}
		distance, err := zimtohrli.Distance(s[0], s[1])
		if err != nil {
			t.Fatal(err)
		}
		out, err := peaq.Compare(s[0], s[1])
		if err != nil {
			t.Fatal(err)
		}
		want := Result{Zimtohrli: distance, TwoF: out.Score()}
		if c.rate != 48000 {
			want.Resampled = c.rate
		}
		if got, err := compare(a, b); err != nil || got != want || got.TwoF == 100 {
			t.Errorf("%d Hz, %d channels: %+v (%v), want %+v", c.rate, c.channels, got, err, want)
		}
		if got, err := compare(a, a); err != nil || got.Zimtohrli != 0 || got.TwoF != 100 {
			t.Errorf("%d Hz, %d channels: the same file gives %+v (%v)", c.rate, c.channels, got, err)
		}
	}
}

func TestErrors(t *testing.T) {
	a := write(t, "a.wav", 48000, 2, 30000, 30000, 1000)
	for _, c := range []struct{ a, b, want string }{
		{a, write(t, "b.wav", 44100, 2, 30000, 30000, 1000), "a.wav has a rate of 48000 Hz, b.wav 44100 Hz; want the same rate"},
		{a, write(t, "b.wav", 48000, 1, 30000, 30000, 1000), "a.wav has 2 channels, b.wav 1; want the same number"},
		{a, write(t, "b.wav", 48000, 2, 50001, 50001, 1000), "a.wav has 30000 frames at 48000 Hz, b.wav 50001; want the same number"},
		{write(t, "c.wav", 48000, 2, 100, 100, 1000), write(t, "d.wav", 48000, 2, 100, 100, 1000), "c.wav and d.wav: too short: 100 frames, want at least 25600"},
		{write(t, "c.wav", 48000, 3, 30000, 30000, 1000), write(t, "d.wav", 48000, 3, 30000, 30000, 1000), "c.wav and d.wav have 3 channels; want 1 or 2"},
		{a, "none.wav", "sounds: none.wav: no such file or directory"},
	} {
		_, err := compare(c.a, c.b)
		if err == nil {
			t.Errorf("no error, want %s", c.want)
			continue
		}
		got := err.Error()
		for _, path := range []string{c.a, c.b} {
			got = strings.ReplaceAll(got, path, filepath.Base(path))
		}
		if got != c.want {
			t.Errorf("error %q, want %q", got, c.want)
		}
	}
	// A stream ends with an error where its file is truncated.
	cut := write(t, "cut.wav", 48000, 2, 30000, 60000, 1000)
	if _, err := compare(cut, cut); !errors.Is(err, library.ErrDecode) {
		t.Errorf("truncated file: %v", err)
	}
	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(os.ErrClosed)
	if _, err := Files(ctx, a, a, nil, nil); err != os.ErrClosed {
		t.Errorf("after the end of the context: %v", err)
	}
}
