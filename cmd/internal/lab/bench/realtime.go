package bench

import (
	"runtime"
	"runtime/metrics"
	"sync"
	"time"

	"voicepool/device"
	"voicepool/pcm"
	"voicepool/sounds"
)

// The load of bench --realtime, and the garbage made at the same time.
const (
	RealtimeVoices  = 64
	realtimeGarbage = 1e9 // bytes per second
	garbageMakers   = 2   // goroutines that make garbage
	garbageBytes    = 1 << 10
	liveObjects     = 8192 // objects kept by each, so that a collection has something to mark
)

// RealtimeRow is the result of a run. The simulated device plays a block, holds one more in
// reserve, and requests the next block when a block begins.
type RealtimeRow struct {
	Run         string               `json:"run"`
	Blocks      int64                `json:"blocks"`
	Late        int64                `json:"late"`          // blocks that were not ready when the playing block ended, so that the reserve was used
	Missed      int64                `json:"missed"`        // blocks that were not ready when the reserve ended either: an audible gap
	WorstLate   float64              `json:"worst_late_ms"` // of the late blocks
	Mean        float64              `json:"render_mean_ms"`
	Longest     float64              `json:"render_worst_ms"`
	Shares      [device.Shares]int64 `json:"shares"` // as in device.Load
	Collections uint64               `json:"collections"`
	Garbage     float64              `json:"gb_per_second"` // made by the whole process
}

// Realtime measures whether blocks are rendered in time while garbage is collected. It makes two runs of the given
// number of blocks in real time, each with a new mixer of 64 pitched voices. During the second run, "garbage", other
// goroutines make garbage. The first run, "control", has no such goroutines. Realtime calls next before each run, and
// a run lasts as long as its blocks.
func Realtime(blocks int64, next Progress) ([]RealtimeRow, error) {
	all, err := noises(16, 1, false)
	if err != nil {
		return nil, err
	}
	var rows []RealtimeRow
	for _, name := range []string{"control", "garbage"} {
		next("the %s run, %.0f s", name, float64(blocks)*Block/Rate)
		m, _, err := mixCase{channels: 1, speed: 1.1, quality: sounds.Best}.stage(all, RealtimeVoices)
		if err != nil {
			return nil, err
		}
		m.Prepare()
		for warm := make([]pcm.Frame, Block); m.Now() < 3*Block; {
			m.Render(warm)
		}
		runtime.GC()
		stop := func() {}
		if name == "garbage" {
			stop = makeGarbage(realtimeGarbage)
		}
		made, start := heapAllocated(), time.Now()
		row := pace(m, Rate, Block, blocks)
		row.Run, row.Garbage = name, float64(heapAllocated()-made)/1e9/time.Since(start).Seconds()
		stop()
		rows = append(rows, row)
	}
	return rows, nil
}

// pace requests the given number of blocks from src in real time, like a device with one block in reserve. It measures
// how late they are. The parameter block is the length of a block in frames, rate the sample rate in Hz. The caller
// sets the fields Run and Garbage of the result.
func pace(src device.Source, rate, block int, blocks int64) RealtimeRow {
	g := device.NewLoadMeter(src, rate)
	dst := make([]pcm.Frame, block)
	var row RealtimeRow
	var worst time.Duration
	start := time.Now()
	for k := range blocks {
		time.Sleep(time.Until(start.Add(pcm.Duration(k*int64(block), rate))))
		g.Render(dst)
		ready := time.Since(start)
		if late := ready - pcm.Duration((k+1)*int64(block), rate); late > 0 {
			row.Late++
			worst = max(worst, late)
		}
		if ready > pcm.Duration((k+2)*int64(block), rate) {
			row.Missed++
		}
	}
	l := g.Load()
	row.Blocks, row.Shares, row.Collections = l.Blocks, l.Shares, l.Collections
	row.WorstLate, row.Longest = worst.Seconds()*1000, l.Longest.Seconds()*1000
	row.Mean = l.Mean * float64(block) / float64(rate) * 1000
	return row
}

// garbage is an object that becomes garbage. It contains a pointer. With the word that Go puts before
// it, it is garbageBytes long.
type garbage struct {
	next *garbage
	_    [garbageBytes - 16]byte
}

// makeGarbage starts goroutines that together allocate perSecond bytes of garbage per second, until the caller calls
// the result stop. stop waits until the goroutines have ended. It must be called once.
func makeGarbage(perSecond float64) (stop func()) {
	done := make(chan struct{})
	var all sync.WaitGroup
	for range garbageMakers {
		all.Go(func() {
			live := make([]*garbage, liveObjects)
			start, made := time.Now(), 0
			for {
				select {
				case <-done:
					return
				default:
				}
				for target := int(time.Since(start).Seconds() * perSecond / garbageMakers / garbageBytes); made < target; made++ {
					at := made % liveObjects
					if old := live[(at+1)%liveObjects]; old != nil {
						old.next = nil // otherwise all objects would stay reachable through the chain
					}
					live[at] = &garbage{next: live[(at+liveObjects/2)%liveObjects]}
				}
				time.Sleep(time.Millisecond)
			}
		})
	}
	return func() { close(done); all.Wait() }
}

// heapAllocated returns the number of bytes allocated on the heap since the process began, including freed ones.
func heapAllocated() uint64 {
	sample := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}
