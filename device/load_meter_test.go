package device_test

import (
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"voicepool/device"
	"voicepool/pcm"
)

// slow takes a given time to render, by the clock of synctest.
type slow struct{ takes time.Duration }

func (s *slow) Render([]pcm.Frame) { time.Sleep(s.takes) }

func TestLoadMeter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &slow{}
		g := device.NewLoadMeter(s, 1000)
		block := make([]pcm.Frame, 256) // 256 ms
		for _, ms := range []time.Duration{0, 1, 2, 3, 4, 5, 128, 129, 256, 257, 1000} {
			s.takes = ms * time.Millisecond
			g.Render(block)
		}
		g.Render(nil) // an empty block is not counted
		runtime.GC()
		l := g.Load()
		want := [device.Shares]int64{2, 1, 2, 1, 0, 0, 0, 1, 2, 2}
		if l.Blocks != 11 || l.Late != 2 || l.Shares != want || l.Longest != time.Second {
			t.Errorf("the load is %+v, want the shares %v", l, want)
		}
		if took := 1785.0 / (11 * 256); l.Mean != took {
			t.Errorf("the mean is %v, want %v", l.Mean, took)
		}
		if l.Collections == 0 {
			t.Error("no collection was seen after one")
		}
	})
}

func TestLoadMeterDoesNotAllocate(t *testing.T) {
	g := device.NewLoadMeter(&slow{}, 48000)
	block := make([]pcm.Frame, 64)
	if n := testing.AllocsPerRun(100, func() { g.Render(block) }); n != 0 {
		t.Errorf("%v allocations a block", n)
	}
}
