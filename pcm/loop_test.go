package pcm_test

import (
	"testing"

	"voicepool/pcm"
)

// TestLoop checks that a loop wraps only at its end, and that an empty loop never wraps.
func TestLoop(t *testing.T) {
	for _, c := range []struct {
		loop             pcm.Loop
		n, at, frames    int64
		inside3, inside2 bool
	}{
		{loop: pcm.Loop{}, n: 7, at: 7},
		{loop: pcm.Loop{1, 3}, n: 0, at: 0, frames: 2, inside3: true},
		{loop: pcm.Loop{1, 3}, n: 2, at: 2, frames: 2, inside3: true},
		{loop: pcm.Loop{1, 3}, n: 3, at: 1, frames: 2, inside3: true},
		{loop: pcm.Loop{1, 3}, n: 6, at: 2, frames: 2, inside3: true},
		{loop: pcm.Loop{0, 1}, n: 1 << 60, at: 0, frames: 1, inside3: true, inside2: true},
		{loop: pcm.Loop{2, 2}, n: 9, at: 9},
		{loop: pcm.Loop{-1, 2}, n: 1, at: 1, frames: 3},
	} {
		if at := c.loop.At(c.n); at != c.at || c.loop.Frames() != c.frames || c.loop.Inside(3) != c.inside3 || c.loop.Inside(2) != c.inside2 {
			t.Errorf("%v: at %d there is %d, want %d; %d frames, inside 3 %v, inside 2 %v", c.loop, c.n, at, c.at, c.loop.Frames(), c.loop.Inside(3), c.loop.Inside(2))
		}
	}
}
