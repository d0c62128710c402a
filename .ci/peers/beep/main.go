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
	ready := flag.Bool("slices", false, "sounds from slices, not from a beep.Buffer")
	slice := flag.Duration("slice", 40*time.Millisecond, "how long each of seven runs mixes at least")
	flag.Parse()
	if err := run(flag.Args(), *ready, *slice); err != nil {
		fmt.Fprintln(os.Stderr, "beep:", err)
		os.Exit(1)
	}
}

func run(args []string, ready bool, slice time.Duration) error {
	var rows []row
	for _, arg := range args {
		n, err := strconv.Atoi(arg)
		if err != nil || n < 1 || n > 65536 {
			return fmt.Errorf("%s voices are not 1..65536", arg)
		}
		for _, c := range cases {
			r, err := c.measure(sounds(c.channels, ready), n, slice)
			if err != nil {
				return fmt.Errorf("%s, %d voices: %w", c.name, n, err)
			}
			rows = append(rows, r)
		}
	}
	return json.NewEncoder(os.Stdout).Encode(struct {
		Version string `json:"version"`
		Rows    []row  `json:"rows"`
	}{version(), rows})
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

func (c testCase) measure(all []*sound, n int, slice time.Duration) (row, error) {
	var m beep.Mixer
	for i := range n {
		s, err := c.voice(all, i)
		if err != nil {
			return row{}, err
		}
		m.Add(s)
	}
	block := make([][2]float64, blockSize)
	m.Stream(block) // beep's resampler has no samples before the first
	m.Stream(block)
	if err := c.check(all, n, block); err != nil {
		return row{}, err
	}
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
		return row{}, fmt.Errorf("%d of them play", m.Len())
	}
	slices.Sort(took)
	with := ""
	if c.quality > 0 {
		rest, err := c.impurity(10000)
		if err != nil {
			return row{}, err
		}
		with = fmt.Sprintf("Resample(%d) %.0f dB", c.quality, rest)
	}
	return row{c.name, n, took[runs/2], with}, nil
}
