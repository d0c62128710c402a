package growth

import (
	"math/rand/v2"
	"testing"
)

// TestShrinkUntilEqualsShrink compares ShrinkUntil with a call of Shrink per hop, in an idle pool.
func TestShrinkUntilEqualsShrink(t *testing.T) {
	shrunk := 0
	for seed := range uint64(500) {
		r := rand.New(rand.NewPCG(seed, 7))
		hop := int64(10)
		a := New(1+r.IntN(4), 20, r.Int64N(80), hop)
		a.Need(-r.Int64N(60))
		b, size, least := a, 5+r.IntN(16), 1+r.IntN(5)
		got := a.ShrinkUntil(size, least, 0, 300)
		want := size
		for now := hop; now < 300; now += hop {
			want = b.Shrink(want, 0, least, now)
		}
		if got != want {
			t.Fatalf("seed %d: the size is %d, want %d", seed, got, want)
		}
		if got < size {
			shrunk++
		}
	}
	if shrunk < 400 {
		t.Errorf("%d of 500 pools shrink", shrunk)
	}
}

// TestPoolFollowsItsVoices checks that a pool grows by steps up to its maximum, keeps its size while it is needed, and
// shrinks after the idle time.
func TestPoolFollowsItsVoices(t *testing.T) {
	g := New(8, 20, 50, 10)
	if size := g.Larger(4); !g.Grows() || size != 12 || g.Larger(size) != 20 || g.Larger(20) != 20 || g.Larger(25) != 25 {
		t.Errorf("a pool of 4 grows to %d", size)
	}
	g.Need(0)
	size := 12
	for now := int64(10); now <= 100; now += 10 {
		g.Use(9)
		if size = g.Shrink(size, 3, 4, now); size != 12 {
			t.Fatalf("frame %d: a pool with 9 voices shrinks to %d", now, size)
		}
	}
	for now := int64(110); now <= 200; now += 10 {
		want := 12
		if now >= 150 { // 50 frames after the last hop with 9 voices
			want = 4
		}
		if size = g.Shrink(size, 3, 4, now); size != want {
			t.Fatalf("frame %d: the size is %d, want %d", now, size, want)
		}
	}
	if (&Growth{}).Grows() {
		t.Error("the zero value grows")
	}
}
