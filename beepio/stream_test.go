package beepio_test

import (
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/gopxl/beep/v2"
	"github.com/gopxl/beep/v2/generators"

	"voicepool/beepio"
	"voicepool/pcm"
	"voicepool/sounds"
	"voicepool/sounds/library"
	"voicepool/voice"
)

// hear plays a range of a sound to its end, or up to n frames.
func hear(t *testing.T, s *sounds.Sound, c sounds.PlayRange, n int) []pcm.Frame {
	t.Helper()
	f, err := s.Open(c)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var v voice.Voice
	v.Start(s, voice.Options{Buffer: f}, 0)
	out := make([]pcm.Frame, n)
	for at := 0; at < n; at += 480 {
		f.Wait(1 << 13)
		block := out[at:min(at+480, n)]
		if got := v.Mix(block, int64(at)); got < len(block) {
			return out[:at+got]
		}
		v.Commit()
	}
	return out
}

// ramp is a buffer of distinct frames.
func ramp(frames int) *beep.Buffer {
	b := beep.NewBuffer(beep.Format{SampleRate: 48000, NumChannels: 2, Precision: 3})
	i := 0
	b.Append(beep.StreamerFunc(func(samples [][2]float64) (int, bool) {
		n := min(len(samples), frames-i)
		for j := range samples[:n] {
			samples[j] = [2]float64{float64(i) / float64(frames), -0.25}
			i++
		}
		return n, n > 0
	}))
	return b
}

type faults struct {
	mu   sync.Mutex
	list []error
}

func (f *faults) add(name string, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.list = append(f.list, fmt.Errorf("%s: %w", name, err))
}

func (f *faults) first() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.list) == 0 {
		return nil
	}
	return f.list[0]
}

func TestStreamSeeker(t *testing.T) {
	const length = 30000
	b := ramp(length)
	want := make([][2]float64, length)
	for n, s := 0, b.Streamer(0, length); n < length; {
		k, _ := s.Stream(want[n:])
		n += k
	}
	var told faults
	lib := library.NewLibrary(library.Options{})
	s, err := lib.StreamFrames(beepio.Stream("ramp", b.Streamer(0, length), 48000), library.StreamOptions{OnError: told.add})
	if err != nil {
		t.Fatal(err)
	}
	if s.Frames() != length || s.Name() != "ramp" {
		t.Errorf("%q has %d frames", s.Name(), s.Frames())
	}
	for _, c := range []sounds.PlayRange{{}, {From: 12345}, {From: length + 10}, {Loop: [2]int64{0, length}}, {From: 1000, Loop: [2]int64{20000, 21000}}} {
		got := hear(t, s, c, 2*length)
		n := 2 * length
		if c.Loop[1] == 0 {
			n = int(max(length-c.From, 0))
		}
		if len(got) != n {
			t.Errorf("range %v: %d frames, want %d", c, len(got), n)
		}
		for i, x := range got {
			w := want[c.FrameAt(int64(i))]
			if x != (pcm.Frame{float32(w[0]), float32(w[1])}) {
				t.Fatalf("range %v: frame %d is %v, want %v", c, i, x, w)
			}
		}
	}
	if told.first() != nil {
		t.Error(told.first())
	}
	// The second voice takes the streamer over, and the first one gets an error.
	f, err := s.Open(sounds.PlayRange{Loop: [2]int64{0, length}})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if n := len(hear(t, s, sounds.PlayRange{}, 2*length)); n != length {
		t.Errorf("the second voice hears %d frames", n)
	}
	f.Wait(1) // it is still full of decoded frames
}

// TestStreamOnce checks that a streamer that cannot seek is played once, and cannot be looped.
func TestStreamOnce(t *testing.T) {
	var told faults
	lib := library.NewLibrary(library.Options{})
	tone := beep.Take(30000, generators.Silence(-1))
	s, err := lib.StreamFrames(beepio.Stream("once", tone, 44100), library.StreamOptions{OnError: told.add})
	if err != nil {
		t.Fatal(err)
	}
	if n := len(hear(t, s, sounds.PlayRange{From: 100}, 1<<17)); n != 32653-100 {
		t.Errorf("%d frames", n)
	}
	if _, err := s.Open(sounds.PlayRange{}); !errors.Is(err, beepio.ErrStreamer) ||
		err.Error() != "sounds: once: beepio: bad streamer: it cannot seek, so it is played once, and it has been" {
		t.Errorf("error %v", err)
	}
	if told.first() != nil {
		t.Error(told.first())
	}
}

func TestStreamFaults(t *testing.T) {
	failure := errors.New("the disk is gone")
	for name, c := range map[string]struct {
		source returns
		want   int
		text   string
	}{
		"full, part, drained": {source: returns{n: []int{512, 100, 0}, ok: []bool{true, true, false}}, want: 612},
		"two empty reads":     {source: returns{n: []int{0, 0, 5, 0}, ok: []bool{true, true, true, false}}, want: 5},
		"empty for ever": {
			source: returns{n: []int{7, 0}, ok: []bool{true, true}}, want: 7,
			text: "multiple Read calls return no data or error",
		},
		"too many": {
			source: returns{n: []int{7, 513}, ok: []bool{true, true}}, want: 7,
			text: "beepio: bad streamer: it says that it gave 513 of 512 frames",
		},
		"negative": {
			source: returns{n: []int{7, -1}, ok: []bool{true, true}}, want: 7,
			text: "beepio: bad streamer: it says that it gave -1 of 512 frames",
		},
		"panics": {
			source: returns{n: []int{5, 999}, ok: []bool{true, true}}, want: 5,
			text: "beepio: bad streamer: it panics after 5 frames: broken",
		},
		"fails": {
			source: returns{n: []int{5, 0}, ok: []bool{true, false}, err: failure},
			want:   5, text: "beepio: bad streamer: the disk is gone",
		},
	} {
		var told faults
		lib := library.NewLibrary(library.Options{})
		s, err := lib.StreamFrames(beepio.Stream("x", &c.source, 48000), library.StreamOptions{OnError: told.add})
		if err != nil {
			t.Fatal(err)
		}
		if n := len(hear(t, s, sounds.PlayRange{}, 1<<16)); n != c.want {
			t.Errorf("%s: %d frames, want %d", name, n, c.want)
		}
		if err := told.first(); (err == nil) != (c.text == "") || err != nil && err.Error() != "x: sounds: x: "+c.text {
			t.Errorf("%s: error %v, want %q", name, err, c.text)
		}
		if name == "fails" && !errors.Is(told.first(), failure) {
			t.Errorf("the cause is lost: %v", told.first())
		}
	}
}
