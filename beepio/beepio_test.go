package beepio_test

import (
	"errors"
	"testing"

	"github.com/gopxl/beep/v2"
	"github.com/gopxl/beep/v2/effects"
	"github.com/gopxl/beep/v2/generators"

	"voicepool/beepio"
	"voicepool/mixer"
	"voicepool/pcm"
	"voicepool/sounds/library"
)

// playing returns a mixer that plays a tone of beep's generator.
func playing(t testing.TB) *mixer.Mixer {
	t.Helper()
	tone, err := generators.SineTone(48000, 440)
	if err != nil {
		t.Fatal(err)
	}
	clip, err := beepio.Read("tone", beep.Take(4800, tone), 48000, 48000)
	if err != nil {
		t.Fatal(err)
	}
	s, err := library.Prepare(clip, library.Options{})
	if err != nil {
		t.Fatal(err)
	}
	m, err := mixer.New(mixer.Config{NoLimiter: true})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := m.Play(s, mixer.Options{Gain: 3, Loop: true}); err != nil {
		t.Fatal(err)
	}
	return m
}

func render(t testing.TB, n int) []pcm.Frame {
	want := make([]pcm.Frame, n)
	playing(t).Render(want)
	return want
}

func TestStreamer(t *testing.T) {
	want := render(t, 5000)
	s := beepio.NewStreamer(playing(t))
	got := make([][2]float64, 5000)
	for at, n := 0, 1; at < len(got); n = n*3 + 1 { // lengths below and above a block
		part := got[at:min(at+n, len(got))]
		if k, ok := s.Stream(part); k != len(part) || !ok {
			t.Fatalf("Stream of %d gives %d, %v", len(part), k, ok)
		}
		at += len(part)
	}
	for i := range want {
		if got[i] != [2]float64{float64(want[i][0]), float64(want[i][1])} {
			t.Fatalf("frame %d is %v, want %v", i, got[i], want[i])
		}
	}
	if s.Err() != nil {
		t.Error(s.Err())
	}
	if n, ok := s.Stream(nil); n != 0 || !ok {
		t.Errorf("Stream of nothing gives %d, %v", n, ok)
	}
	// beep's own effects accept it as a streamer.
	quiet := &effects.Gain{Streamer: s, Gain: -0.5}
	if n, ok := quiet.Stream(got); n != len(got) || !ok {
		t.Errorf("under an effect: %d, %v", n, ok)
	}
}

func TestNoAllocation(t *testing.T) {
	s := beepio.NewStreamer(playing(t))
	samples := make([][2]float64, 700)
	if n := testing.AllocsPerRun(20, func() { s.Stream(samples) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// returns is a streamer that returns scripted values.
type returns struct {
	n   []int
	ok  []bool
	err error
}

func (r *returns) Stream(samples [][2]float64) (int, bool) {
	n, ok := r.n[0], r.ok[0]
	if len(r.n) > 1 {
		r.n, r.ok = r.n[1:], r.ok[1:]
	}
	if n == 999 {
		panic("broken")
	}
	for i := range samples[:max(min(n, len(samples)), 0)] {
		samples[i] = [2]float64{0.5, 0.5}
	}
	return n, ok
}

func (r *returns) Err() error { return r.err }

func TestRead(t *testing.T) {
	failure := errors.New("the disk is gone")
	for name, c := range map[string]struct {
		s    returns
		want int // frames; -1: an error
	}{
		"full, part, drained": {returns{n: []int{512, 100, 0}, ok: []bool{true, true, false}}, 612},
		"drained at once":     {returns{n: []int{0}, ok: []bool{false}}, 0},
		"two empty reads":     {returns{n: []int{0, 0, 5, 0}, ok: []bool{true, true, true, false}}, 5},
		"empty for ever":      {returns{n: []int{0}, ok: []bool{true}}, -1},
		"never drained":       {returns{n: []int{512}, ok: []bool{true}}, -1},
		"too many":            {returns{n: []int{513}, ok: []bool{true}}, -1},
		"negative":            {returns{n: []int{-1}, ok: []bool{true}}, -1},
		"panics":              {returns{n: []int{5, 999}, ok: []bool{true, true}}, -1},
		"fails":               {returns{n: []int{5, 0}, ok: []bool{true, false}, err: failure}, -1},
	} {
		clip, err := beepio.Read(name, &c.s, 44100, 10000)
		switch {
		case c.want < 0:
			if !errors.Is(err, beepio.ErrStreamer) {
				t.Errorf("%s: %v", name, err)
			}
			if name == "fails" && !errors.Is(err, failure) {
				t.Errorf("%s: the cause is lost: %v", name, err)
			}
		case err != nil:
			t.Errorf("%s: %v", name, err)
		case clip.Frames() != int64(c.want) || clip.Rate != 44100 || clip.Channels != 2:
			t.Errorf("%s: %d frames at %d Hz, want %d", name, clip.Frames(), clip.Rate, c.want)
		}
	}
}
