package bench

import (
	"slices"
	"time"

	"voicepool/effect"
	"voicepool/internal/dsp"
	"voicepool/pcm"
)

// effectCases are active effects, measured per frame.
var effectCases = []struct {
	name, kind string
	values     effect.Values
}{
	{"eq-band", "eq", effect.Values{"bands.1.type": effect.Peak, "bands.1.gain": 6}},
	{"compressor", "compressor", effect.Values{"threshold": -60, "ratio": 8}},
	{"delay", "delay", effect.Values{"lowpass": 3000}},
	{"drive", "drive", nil},
	{"reverb", "reverb", nil},
}

// effectNames returns the names of effectCases, in order.
func effectNames() (names []string) {
	for _, c := range effectCases {
		names = append(names, c.name)
	}
	return names
}

// effects measures how long effects take to process noise, in nanoseconds per frame. It measures each of effectCases
// whose name the function selected accepts. Each run lasts at least the duration slice. The figure of a row is the
// median of seven runs, or the shortest run if least is true. effects calls next before each effect.
func effects(selected func(string) bool, next Progress, slice time.Duration, least bool) ([]Row, error) {
	var rows []Row
	in := noise(2 * Block)
	for _, c := range effectCases {
		if !selected(c.name) {
			continue
		}
		next("measuring %s", c.name)
		e, err := effect.New(c.kind, c.values)
		if err != nil {
			return nil, err
		}
		p, block, frame := e.NewProcessor(Rate, Block), make([]pcm.Frame, Block), int64(0)
		var runs []float64
		for range Runs {
			start, frames := time.Now(), 0
			for frames == 0 || time.Since(start) < slice {
				for range 16 {
					for i := range block {
						block[i] = pcm.Frame{in[2*i], in[2*i+1]}
					}
					p.Process(block, nil, frame)
					frame, frames = frame+Block, frames+Block
				}
			}
			runs = append(runs, float64(time.Since(start).Nanoseconds())/float64(frames))
		}
		ns := Median(runs)
		if least {
			ns = slices.Min(runs)
		}
		rows = append(rows, Row{Case: c.name, Ns: &ns, Kernel: dsp.Kernel(), Samples: runs})
	}
	return rows, nil
}
