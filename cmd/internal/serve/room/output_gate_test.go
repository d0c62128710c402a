package room

import (
	"math"
	"testing"
	"time"

	"voicepool/pcm"
)

// TestOutputGate passes a mix of ones through an output gate, block by block.
func TestOutputGate(t *testing.T) {
	const rate, outputs = 1000, 2
	now := time.Duration(0)
	for _, block := range []int{1, 7, 10, 64} {
		p := NewLease(func() time.Duration { return now })
		v := outputGate{lease: p}
		heard := func(frames int) (first, last float32) {
			var all []pcm.Frame
			for frames > 0 {
				n := min(block, frames)
				b := make([]pcm.Frame, n*outputs)
				for i := range b {
					b[i] = pcm.Frame{1, 1}
				}
				v.apply(b, outputs, rate, 0)
				for i := 1; i < n; i++ {
					if d := math.Abs(float64(b[i*outputs][0] - b[(i-1)*outputs][0])); d > 1.01/float64(min(n, 10)) {
						t.Fatalf("blocks of %d: a step of %v", block, d)
					}
				}
				all = append(all, b...)
				frames -= n
				now += pcm.Duration(int64(n), rate)
			}
			for i := range all {
				if all[i][0] != all[i][1] || all[i] != all[i/outputs*outputs] {
					t.Fatalf("blocks of %d: outputs and sides differ at %d: %v", block, i, all[i])
				}
			}
			return all[0][0], all[len(all)-1][0]
		}
		want := func(what string, frames int, first, last float32) {
			t.Helper()
			f, l := heard(frames)
			if math.Abs(float64(f-first)) > 1e-4 || math.Abs(float64(l-last)) > 1e-4 {
				t.Fatalf("blocks of %d, %s: from %v to %v, want %v to %v", block, what, f, l, first, last)
			}
		}
		if now == 0 && p.ValidFor(0) {
			t.Error("a lease that was never extended holds")
		}
		p.Extend(now + 10*time.Second)
		want("not entered", 100, 0, 0)
		v.requested.Store(50)
		want("entering", 25, 0.02, 0.5)
		want("entering", 25, 0.52, 1)
		want("entered", 1000, 1, 1)
		p.Extend(now + 200*time.Millisecond) // longer than two blocks
		_, last := heard(200)
		if last != 0 {
			t.Fatalf("blocks of %d: %v behind the end of the lease", block, last)
		}
		want("without lease", 100, 0, 0)
		if p.EndReason() == "" {
			t.Error("nobody says that it is lost")
		}
		p.Extend(now + 10*time.Second)
		want("back", 10, 0.1, 1)
		want("back", 10, 1, 1)
		if p.EndReason() != "" {
			t.Errorf("it holds, and says %q", p.EndReason())
		}
		v.requested.Store(-20)
		want("leaving", 20, 0.95, 0)
		want("left", 100, 0, 0)
		v.requested.Store(20)
		want("in again", 20, 0.05, 1)
		v.requested.Store(-20)
		p.End()
		heard(block)
		want("left and without lease", 100, 0, 0)
		p.Extend(now + time.Second)
		want("left, with one again", 100, 0, 0)
	}
}

// TestOutputGateNeverLate checks that every frame at or after the end of a lease is silent.
func TestOutputGateNeverLate(t *testing.T) {
	const rate = 48000
	for _, block := range []int{1, 31, 480, 481, 2048} {
		for ahead := range 3 {
			now := time.Duration(0)
			p := NewLease(func() time.Duration { return now })
			v := outputGate{lease: p, gain: 1}
			v.requested.Store(1)
			end := 123456 * time.Microsecond
			p.Extend(end)
			late := time.Duration(ahead) * 17 * time.Millisecond
			for now < 200*time.Millisecond {
				b := make([]pcm.Frame, block)
				for i := range b {
					b[i] = pcm.Frame{1, 1}
				}
				v.apply(b, 1, rate, late)
				for i := range b {
					if at := now + late + pcm.Duration(int64(i+1), rate); at >= end && b[i][0] != 0 {
						t.Fatalf("blocks of %d, %v ahead: %v is heard at %v", block, late, b[i], at)
					}
				}
				now += pcm.Duration(int64(block), rate)
			}
		}
	}
}
