package library

import (
	"context"
	"fmt"
	"testing"
	"testing/fstest"
	"time"

	"voicepool/sounds"
)

// TestSourceLoop checks that a loop set in a source gives the same bits as one in the file, loaded and
// streamed. It overrides the loop of the file.
func TestSourceLoop(t *testing.T) {
	frames := noise(20000, 1)
	files := fstest.MapFS{
		"marked.wav": {Data: wavBytes16(44100, 2, frames, [2]uint32{4410, 13229})},
		"other.wav":  {Data: wavBytes16(44100, 2, frames, [2]uint32{70, 900})},
		"none.wav":   {Data: wavBytes16(44100, 2, frames, [2]uint32{1, 0})},
	}
	b := NewLibrary(Options{})
	want, err := b.LoadFS(files, "marked.wav")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"other.wav", "none.wav", "marked.wav"} {
		for _, src := range []Source{
			{File: name, FS: files, Loop: [2]int64{4410, 13230}},
			{File: name, FS: files, LoopTimes: [2]time.Duration{100 * time.Millisecond, 300 * time.Millisecond}},
		} {
			list, err := b.Load(context.Background(), src)
			if err != nil {
				t.Fatal(err)
			}
			if list[0].Loop() != want.Loop() || list[0].Loop().Frames() != 9600 {
				t.Errorf("%s: the loop is %v, want %v", name, list[0].Loop(), want.Loop())
			}
			for i, x := range want.Samples() {
				if y := list[0].Samples()[i]; y != x {
					t.Fatalf("%s: sample %d is %v, want %v", name, i, y, x)
				}
			}
			s, err := b.OpenStream(src, StreamOptions{})
			if err != nil {
				t.Fatal(err)
			}
			for _, c := range []sounds.PlayRange{{}, {Loop: want.Loop()}} {
				l := listen(t, s, c)
				sameFrames(t, fmt.Sprint(name, c), l.hear(40000), loaded(want, c, 40000))
				l.buffer.Close()
			}
		}
	}
}

func TestSourceLoopErrors(t *testing.T) {
	files := fstest.MapFS{"a.wav": {Data: wavBytes16(48000, 2, noise(1000, 1), [2]uint32{1, 0})}}
	b := NewLibrary(Options{})
	for name, c := range map[string]struct {
		src  Source
		want string
	}{
		"beyond the end": {src: Source{Loop: [2]int64{10, 1001}}, want: "sounds: a.wav: the loop [10, 1001) is not inside its 1000 frames"},
		"backwards":      {src: Source{Loop: [2]int64{10, 10}}, want: "sounds: a.wav: the loop [10, 10) is not inside its 1000 frames"},
		"before it":      {src: Source{LoopTimes: [2]time.Duration{-time.Second, time.Millisecond}}, want: "sounds: a.wav: the loop begins at -1s, before the file"},
		"two of them": {
			src:  Source{Loop: [2]int64{0, 10}, LoopTimes: [2]time.Duration{0, time.Millisecond}},
			want: "sounds: a.wav: a loop in frames and one in times; give it one of them",
		},
	} {
		c.src.File, c.src.FS = "a.wav", files
		_, err := b.Load(context.Background(), c.src)
		_, opened := b.OpenStream(c.src, StreamOptions{})
		for _, err := range []error{err, opened} {
			if err == nil || err.Error() != c.want {
				t.Errorf("%s: %v, want %s", name, err, c.want)
			}
		}
	}
}
