package library_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"math"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"voicepool/pcm"
	"voicepool/sounds/library"
)

func decode(t *testing.T, data []byte) *library.Clip {
	t.Helper()
	c, err := library.Decode(context.Background(), "x.wav", bytes.NewReader(data), library.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestLoopPoints(t *testing.T) {
	x := make([]int16, 1000)
	for _, c := range []struct {
		name string
		more []string
		want *pcm.Loop
	}{
		{name: "none"},
		{name: "smpl", more: []string{smpl(100, 899)}, want: &pcm.Loop{100, 900}},
		{name: "to the end", more: []string{smpl(0, 999)}, want: &pcm.Loop{0, 1000}},
		{name: "beyond the end", more: []string{smpl(0, 1000)}, want: &pcm.Loop{0, 1000}},
		{name: "behind the end", more: []string{smpl(1000, 1001)}},
		{name: "backwards", more: []string{smpl(500, 400)}},
		{
			name: "cue and LIST passed over",
			more: []string{chunk("cue ", make([]byte, 28)), chunk("LIST", []byte("adtl!")), smpl(1, 1)},
			want: &pcm.Loop{1, 2},
		},
		{name: "smpl without a loop", more: []string{chunk("smpl", make([]byte, 36))}},
		{
			name: "a last chunk cut short", more: []string{smpl(100, 899), "LIST\xff\x00\x00\x00abc"},
			want: &pcm.Loop{100, 900},
		},
	} {
		got := decode(t, wavBytes(48000, 1, x, c.more...)).Loop
		if (got == nil) != (c.want == nil) || got != nil && *got != *c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

func TestPrepareLoop(t *testing.T) {
	s, err := library.Prepare(decode(t, wavBytes(44100, 1, make([]int16, 44100), smpl(4410, 22049))), library.Options{Rate: 48000})
	if err != nil {
		t.Fatal(err)
	}
	if s.Loop() != (pcm.Loop{4800, 24000}) || s.Frames() != 48000 {
		t.Errorf("a loop of %v of %d, want [4800 24000] of 48000", s.Loop(), s.Frames())
	}
}

func TestFold(t *testing.T) {
	const h = math.Sqrt2 / 2
	for _, c := range []struct {
		speakers    uint32
		left, right []float64
	}{
		{left: []float64{1, 0, h}, right: []float64{0, 1, h}},
		{left: []float64{1, 0, h, 0}, right: []float64{0, 1, 0, h}},
		{speakers: 0x107, left: []float64{1, 0, h, 0.5}, right: []float64{0, 1, h, 0.5}},
		{left: []float64{1, 0, h, h, 0}, right: []float64{0, 1, h, 0, h}},
		{left: []float64{1, 0, h, 0, h, 0}, right: []float64{0, 1, h, 0, 0, h}},
		{speakers: 0x60f, left: []float64{1, 0, h, 0, h, 0}, right: []float64{0, 1, h, 0, 0, h}},
		{left: []float64{1, 0, h, 0, 0.5, h, 0}, right: []float64{0, 1, h, 0, 0.5, 0, h}},
		{left: []float64{1, 0, h, 0, h, 0, h, 0}, right: []float64{0, 1, h, 0, 0, h, 0, h}},
	} {
		n := len(c.left)
		clip := &library.Clip{Name: "x", Channels: n, Rate: 48000, Speakers: c.speakers, Samples: make([]float32, n*n)}
		for i := range n { // a frame for each channel, with the other channels silent
			clip.Samples[i*n+i] = 0.5
		}
		s, err := library.Prepare(clip, library.Options{})
		if err != nil {
			t.Fatal(err)
		}
		for i := range n {
			l, r := float64(s.Samples()[2*i]), float64(s.Samples()[2*i+1])
			if math.Abs(l-c.left[i]/2) > 1e-7 || math.Abs(r-c.right[i]/2) > 1e-7 {
				t.Errorf("%d channels (%#x): channel %d becomes %v, %v, want %v, %v", n, c.speakers, i, l, r, c.left[i]/2, c.right[i]/2)
			}
		}
	}
}

// TestPrepareRefuses checks that invalid clips are rejected.
func TestPrepareRefuses(t *testing.T) {
	for _, c := range []struct {
		clip library.Clip
		kind error
	}{
		{library.Clip{}, library.ErrLimit},
		{library.Clip{Channels: 9, Rate: 1}, library.ErrLimit},
		{library.Clip{Channels: 1}, library.ErrLimit},
		{library.Clip{Channels: 2, Rate: 1, Samples: make([]float32, 3)}, library.ErrDecode},
		{library.Clip{Channels: 1, Rate: 1, Samples: []float32{float32(math.NaN())}}, library.ErrDecode},
		{library.Clip{Channels: 1, Rate: 1, Samples: []float32{1, 2}, Loop: &pcm.Loop{1, 3}}, library.ErrDecode},
		{library.Clip{Channels: 1, Rate: 1, Samples: make([]float32, 1<<20)}, library.ErrLimit}, // 1 Hz to 768 kHz
	} {
		if _, err := library.Prepare(&c.clip, library.Options{Rate: 768000}); !errors.Is(err, c.kind) {
			t.Errorf("%+v: error %v, want %v", c.clip.Channels, err, c.kind)
		}
	}
	for _, rate := range []int{768001, -1, -44100} {
		if _, err := library.Prepare(&library.Clip{Channels: 1, Rate: 1}, library.Options{Rate: rate}); !errors.Is(err, library.ErrLimit) {
			t.Errorf("a rate of %d: %v", rate, err)
		}
		lib, file := library.NewLibrary(library.Options{Rate: rate}), library.Source{File: "testdata/formats/flac-8.flac"}
		if _, err := lib.OpenStream(file, library.StreamOptions{CountsAs: -20}); !errors.Is(err, library.ErrLimit) {
			t.Errorf("a stream at a rate of %d: %v", rate, err)
		}
		if _, err := lib.LoadFile(file.File); !errors.Is(err, library.ErrLimit) {
			t.Errorf("a file at a rate of %d: %v", rate, err)
		}
	}
}

func TestEmptySound(t *testing.T) {
	s, err := library.Prepare(decode(t, wavBytes(44100, 2, nil)), library.Options{Loop: true})
	if err != nil || s.Frames() != 0 {
		t.Errorf("%v, %v", s, err)
	}
}

func TestLimits(t *testing.T) {
	data := wavBytes(48000, 2, make([]int16, 2000))
	for _, c := range []struct {
		lim  library.Limits
		text string
	}{
		{library.Limits{Bytes: 1000}, "more than 1000 bytes"},
		{library.Limits{Frames: 999}, "more than 999 frames; play it as a stream (stream: true)"},
		{library.Limits{Memory: 7999}, "its samples take more than 7999 bytes; play it as a stream (stream: true)"},
		{library.Limits{Channels: 1}, "2 channels, at most 1 are read"},
		{library.Limits{MaxRate: 44100}, "rate: 48000 Hz is not in 1000..44100"},
		{library.Limits{MinRate: 50000}, "rate: 48000 Hz is not in 50000..768000"},
		{library.Limits{Time: 1}, "decoding took longer than 1ns"},
		{library.Limits{Bytes: int64(len(data)), Frames: 1000, Memory: 8000, Channels: 2, Time: time.Minute}, ""},
	} {
		_, err := library.Decode(context.Background(), "x.wav", bytes.NewReader(data), c.lim)
		if c.text == "" && err != nil || c.text != "" && (!errors.Is(err, library.ErrLimit) || err.Error() != "sounds: x.wav: "+c.text) {
			t.Errorf("%+v: error %v, want %q", c.lim, err, c.text)
		}
	}
}

// TestReaders checks that any behavior of a reader leads to a sound or an error.
func TestReaders(t *testing.T) {
	data := wavBytes(48000, 1, []int16{1, 2, 3})
	broken := errors.New("broken pipe")
	for _, c := range []struct {
		name   string
		reader io.Reader
		want   error
	}{
		{name: "one byte at a time", reader: iotest.OneByteReader(bytes.NewReader(data))},
		{name: "data with the end", reader: iotest.DataErrReader(bytes.NewReader(data))},
		{name: "failing", reader: io.MultiReader(strings.NewReader("RIFF"), iotest.ErrReader(broken)), want: broken},
		{name: "never anything", reader: empty{}, want: io.ErrNoProgress},
	} {
		_, err := library.Decode(context.Background(), "-", c.reader, library.Limits{})
		if !errors.Is(err, c.want) {
			t.Errorf("%s: error %v, want %v", c.name, err, c.want)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := library.Decode(ctx, "x", bytes.NewReader(data), library.Limits{}); !errors.Is(err, context.Canceled) {
		t.Errorf("canceled: %v", err)
	}
}

type empty struct{}

func (empty) Read([]byte) (int, error) { return 0, nil }

// TestDescribe checks the properties that the sounds command shows.
func TestDescribe(t *testing.T) {
	x := make([]int16, 48000)
	for i := range x {
		x[i] = int16(math.Round(3276.7 * math.Sin(2*math.Pi*997*float64(i)/48000)))
	}
	info := library.Describe(decode(t, wavBytes(48000, 1, x, smpl(10, 19))), true)
	if info.Format != "wav" || info.Seconds != 1 || info.Frames != 48000 || info.Loop == nil || *info.Loop != [2]int64{10, 20} {
		t.Errorf("%+v", info)
	}
	if !info.Measured || math.Abs(float64(info.Loudness)+23.01) > 0.05 || math.Abs(float64(info.TruePeak)+20) > 0.05 {
		t.Errorf("%.2f LUFS, %.2f dB, want -23.01 and -20", info.Loudness, info.TruePeak)
	}
	quiet := library.Describe(decode(t, wavBytes(48000, 1, make([]int16, 48000))), true)
	if !math.IsInf(float64(quiet.Loudness), -1) || !math.IsInf(float64(quiet.TruePeak), -1) {
		t.Errorf("silence: %v LUFS, %v dB", quiet.Loudness, quiet.TruePeak)
	}
}
