// Command beep measures the mixer of github.com/gopxl/beep/v2 as `voicepool bench` measures
// this one, and prints rows of the same form.
//
//	beep [-slices] [-slice TIME] VOICES...
//
// beep keeps sounds in memory as a Buffer, which decodes its samples each time. With -slices
// the sounds come from a streamer of ours that copies ready samples, the most that a program
// can get out of beep.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"log"
	"os"
	"runtime/debug"
	"slices"
	"strconv"
	"time"

	"github.com/gopxl/beep/v2"
)

const (
	rate      = 48000
	blockSize = 512
	frames    = 2 * rate // of a sound
	runs      = 7
)

type row struct {
	Case   string  `json:"case"`
	Voices int     `json:"voices"`
	Ns     float64 `json:"ns_per_voice_frame"`
	With   string  `json:"with"`
}

func main() {
	log.SetFlags(0)
	log.SetPrefix("beep: ")
	ready := flag.Bool("slices", false, "sounds from slices, not from a beep.Buffer")
	slice := flag.Duration("slice", 40*time.Millisecond, "how long each of seven runs mixes at least")
	flag.Parse()
	var rows []row
	for _, arg := range flag.Args() {
		n, err := strconv.Atoi(arg)
		if err != nil || n < 1 || n > 65536 {
			log.Fatalf("%s voices are not 1..65536", arg)
		}
		for _, c := range cases {
			rows = append(rows, c.measure(sounds(c.channels, *ready), n, *slice))
		}
	}
	if err := json.NewEncoder(os.Stdout).Encode(map[string]any{"version": version(), "rows": rows}); err != nil {
		log.Fatal(err)
	}
}

// version is that of the beep that was linked.
func version() string {
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, m := range info.Deps {
			if m.Path == "github.com/gopxl/beep/v2" {
				return m.Version
			}
		}
	}
	return "unknown"
}

// testCase is one way to mix; quality 0 does not resample.
type testCase struct {
	name     string
	channels int
	quality  int
}

var cases = []testCase{
	{"mono", 1, 0}, {"mono-linear", 1, 1}, {"mono-cubic", 1, 2}, {"mono-good", 1, 4}, {"mono-best", 1, 8}, {"stereo", 2, 0},
}

// measure returns the median of seven runs. A mix that is not what it should be ends the
// program.
func (c testCase) measure(all []*sound, n int, slice time.Duration) row {
	var m beep.Mixer
	for i := range n {
		m.Add(c.voice(all, i))
	}
	block := make([][2]float64, blockSize)
	m.Stream(block) // beep's resampler has no samples before the first
	m.Stream(block)
	c.check(all, n, block)
	m.Stream(block)
	took := make([]float64, runs)
	for i := range took {
		blocks, begin := 0, time.Now()
		var d time.Duration
		for blocks == 0 || d < slice {
			m.Stream(block)
			blocks++
			d = time.Since(begin)
		}
		took[i] = float64(d.Nanoseconds()) / float64(blocks) / blockSize / float64(n)
	}
	if m.Len() != n {
		log.Fatalf("%s: %d of %d voices play", c.name, m.Len(), n)
	}
	slices.Sort(took)
	with := ""
	if c.quality > 0 {
		with = fmt.Sprintf("Resample(%d) %.0f dB", c.quality, c.impurity(10000))
	}
	return row{c.name, n, took[runs/2], with}
}

// loop plays a streamer again and again.
func loop(from beep.StreamSeeker) beep.Streamer {
	s, err := beep.Loop2(from)
	if err != nil {
		log.Fatal(err)
	}
	return s
}
