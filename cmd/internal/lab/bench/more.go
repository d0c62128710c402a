package bench

import (
	"runtime"
	"time"

	"voicepool/internal/dsp"
	"voicepool/mixer"
	"voicepool/pcm"
)

const memoryVoices, memoryVirtual = "memory", "memory-virtual"

// memory measures the bytes that mixer.New allocates for 8, 32 and 1,024 voices. Allocations of other goroutines at the
// same time count, too. The case "memory" has no virtual voices. The case "memory-virtual" has twice as many virtual
// voices as voices. pick reports whether the case with a name is measured. memory calls next before each measurement.
func memory(pick func(string) bool, next Progress) (rows []Row, err error) {
	for _, of := range []struct {
		name    string
		virtual int // per voice
	}{{memoryVoices, 0}, {memoryVirtual, 2}} {
		if !pick(of.name) {
			continue
		}
		for _, n := range []int{8, 32, 1024} {
			next("measuring the memory of a mixer of %d voices", n)
			var runs []float64
			for range Runs {
				before := allocated()
				m, err := mixer.New(mixer.Config{Rate: Rate, Voices: n, Virtual: n * of.virtual})
				if err != nil {
					return nil, err
				}
				runs = append(runs, allocated()-before)
				runtime.KeepAlive(m)
			}
			rows = append(rows, Row{Case: of.name, Voices: n, Bytes: new(Median(runs)), Samples: runs, Kernel: dsp.Kernel()})
		}
	}
	return rows, nil
}

// allocated returns the number of bytes allocated since the process began, including freed ones.
func allocated() float64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return float64(m.TotalAlloc)
}

// measureMixers measures how long a mixer with eight voices takes to render a block, in nanoseconds per block. It
// measures a single mixer, and then 500 mixers in turn. In the second case the data of a mixer has left the processor's
// caches before its next block. If pick rejects the case "turn", measureMixers returns no rows. It calls next before
// each measurement.
func measureMixers(pick func(string) bool, next Progress) ([]Row, error) {
	if !pick("turn") {
		return nil, nil
	}
	sounds, err := noises(16, 1, false)
	if err != nil {
		return nil, err
	}
	var rows []Row
	for _, count := range []int{1, 500} {
		next("measuring %d mixers in turn", count)
		mixers := make([]*mixer.Mixer, count)
		block := make([]pcm.Frame, Block)
		for i := range mixers {
			if mixers[i], _, err = (mixCase{speed: 1}).stage(sounds, 8); err != nil {
				return nil, err
			}
			mixers[i].Render(block)
		}
		var runs []float64
		rounds := max(2000/count, 4)
		runtime.GC() // so that no collection begins during the measurement
		for range Runs {
			start := time.Now()
			for range rounds {
				for _, m := range mixers {
					m.Render(block)
				}
			}
			runs = append(runs, perCall(time.Since(start), rounds*count))
		}
		rows = append(rows, callRow("turn", count, runs))
	}
	return rows, nil
}
