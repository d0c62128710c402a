package sounds_test

import (
	"math"
	"testing"

	"voicepool/pcm"
	"voicepool/sounds"
)

// TestStreamBuffer writes frames beyond the capacity of a buffer, while a reader releases them, and reads them again.
func TestStreamBuffer(t *testing.T) {
	f := sounds.NewStreamBuffer(1, sounds.PlayRange{})
	size := f.Capacity()
	if size != 8192 || f.Free() != size {
		t.Fatalf("a buffer has a capacity of %d frames, %d of them free", size, f.Free())
	}
	frame := func(i int) pcm.Frame { return pcm.Frame{float32(i + 1), float32(-i - 1)} }
	block := make([]pcm.Frame, 5000)
	for written, read := 0, 0; read < 4*size; {
		for i := range block {
			block[i] = frame(written + i)
		}
		written += f.Write(block)
		if int64(written) != f.Written() || written-read > size {
			t.Fatalf("%d frames are written, and %d are released of %d", f.Written(), read, written)
		}
		for ; read < written-100; read += 64 {
			var got [2 * 70]float32
			first := max(read-4, 0)
			if !f.CopyTo(got[:], int64(first)) {
				t.Fatalf("frame %d is not valid", first)
			}
			for i := range 70 {
				if want := frame(first + i); got[2*i] != want[0] || got[2*i+1] != want[1] {
					t.Fatalf("frame %d is %v, want %v", first+i, got[2*i:2*i+2], want)
				}
			}
			f.Release(int64(first))
		}
	}
}

// TestStreamBufferEdges reads before the first frame and behind the last one, and checks invalid samples and the marks
// of the end.
func TestStreamBufferEdges(t *testing.T) {
	f := sounds.NewStreamBuffer(1, sounds.PlayRange{})
	f.Write([]pcm.Frame{{1, 2}, {3, float32(math.NaN())}})
	got := [8]float32{9, 9, 9, 9, 9, 9, 9, 9}
	if !f.CopyTo(got[:4], -1) || [4]float32(got[:4]) != [4]float32{0, 0, 1, 2} {
		t.Errorf("around the start it has %v", got[:4])
	}
	if f.CopyTo(got[:], 1) {
		t.Error("a NaN is valid")
	}
	if f.Write([]pcm.Frame{{5, 6}}); !f.CopyTo(got[:], 2) || got != [8]float32{5, 6} {
		t.Errorf("around the end it has %v", got)
	}
	if f.Ended() || f.Failed() || f.Closed() {
		t.Error("a new buffer is at its end")
	}
	if f.Fail(); !f.Ended() || !f.Failed() {
		t.Error("a broken stream has no end")
	}
	if f.Drop(); !f.Closed() {
		t.Error("a dropped buffer is open")
	}
}

// TestPlayRange compares the frames of a range with the frames that a loop plays one after another.
func TestPlayRange(t *testing.T) {
	for _, c := range []sounds.PlayRange{{}, {From: 5}, {Loop: pcm.Loop{3, 7}}, {From: 4, Loop: pcm.Loop{3, 7}, Rounds: 3}, {Loop: pcm.Loop{0, 1}, Rounds: 5}} {
		at, rounds := c.From, int64(1)
		for n := range int64(60) {
			if c.Loop.Frames() > 0 && at == c.Loop[1] && (c.Rounds == 0 || rounds < c.Rounds) {
				at, rounds = c.Loop[0], rounds+1
			}
			if got := c.FrameAt(n); got != at {
				t.Fatalf("%+v: frame %d is %d, want %d", c, n, got, at)
			}
			at++
		}
		if c.Endless() != (c.Loop.Frames() > 0 && c.Rounds == 0) {
			t.Errorf("%+v is endless: %v", c, c.Endless())
		}
	}
}
