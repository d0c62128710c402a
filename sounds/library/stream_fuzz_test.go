package library

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"voicepool/internal/dsp"
	"voicepool/pcm"
	"voicepool/sounds"
)

// FuzzStream checks that loadable data gives the same samples as a stream, from the beginning and from a
// position. Other data ends in a typed error.
func FuzzStream(f *testing.F) {
	seed(f, "*-*")
	f.Fuzz(func(t *testing.T, data []byte) {
		data = repaired(data)
		clip, loadErr := Decode(context.Background(), "x", bytes.NewReader(data), narrowLimits)
		rate := 48000
		if loadErr == nil {
			rate = clip.Rate // unconverted: the conversion has tests of its own
		}
		b := NewLibrary(Options{Rate: rate, Limits: narrowLimits})
		tr, err := b.openTrack(Source{File: "x", FS: fstest.MapFS{"x": {Data: data}}}, &StreamOptions{})
		const most = 1<<18 + 1
		if err == nil && tr.clip.Rate == rate {
			got, readErr := readRange(t, b, tr, sounds.PlayRange{}, most)
			flushTiny(got)
			if err = readErr; loadErr == nil {
				sound, prepErr := Prepare(clip, Options{Rate: rate, Limits: narrowLimits})
				if prepErr != nil {
					return
				}
				all := loaded(sound, sounds.PlayRange{}, most)
				flushTiny(all) // at -3 dB the smallest samples become denormals
				if err != nil || !slices.Equal(got, all) {
					t.Fatalf("%d frames, %v; loaded it has %d", len(got), err, len(all))
				}
				// FLAC seeks by frame numbers, which may be wrong.
				if from := len(all) * 2 / 3; clip.Format != "flac" {
					got, err := readRange(t, b, tr, sounds.PlayRange{From: int64(from)}, most)
					flushTiny(got)
					if err != nil || !slices.Equal(got, all[from:]) {
						t.Fatalf("from frame %d: %d frames, %v; loaded it has %d", from, len(got), err, len(all)-from)
					}
				}
			}
		}
		if err == nil {
			if loadErr != nil && !errors.Is(loadErr, ErrLimit) && tr.clip.Rate == rate {
				t.Fatalf("no error; loaded: %v", loadErr)
			}
			return
		}
		if !errors.Is(err, ErrFormat) && !errors.Is(err, ErrDecode) && !errors.Is(err, ErrLimit) {
			t.Fatalf("an error of no kind: %v", err)
		}
		if text := err.Error(); strings.Contains(text, "the decoder failed") || strings.Contains(text, "\n") || loadErr == nil {
			t.Fatal(err)
		}
	})
}

// flushTiny zeroes samples below the floor of the mixer, as a voice does.
func flushTiny(frames []pcm.Frame) {
	samples := dsp.Interleaved(frames)
	dsp.FlushTiny(samples, samples)
}

// repaired sets the checksums of all Ogg pages so that the fuzzer reaches the code behind them.
func repaired(data []byte) []byte {
	data = bytes.Clone(data)
	for rest := data; ; {
		at := bytes.Index(rest, []byte("OggS"))
		if at < 0 || len(rest) < at+27 {
			return data
		}
		rest = rest[at:]
		size := 27 + int(rest[26])
		for _, n := range rest[27:min(size, len(rest))] {
			size += int(n)
		}
		if size > len(rest) {
			return data
		}
		setOggSum(rest[:size])
		rest = rest[size:]
	}
}
