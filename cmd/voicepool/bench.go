package main

import (
	"fmt"
	"slices"
	"time"

	"voicepool/internal/dsp"
	"voicepool/mixer"
	"voicepool/pcm"
	soundlib "voicepool/sounds"
	"voicepool/voice"
)

// What bench measures: every case with so many voices, as the median of runs.
const (
	benchRate  = 48000
	benchBlock = 512
	benchRuns  = 7
)

type benchCommand struct {
	// With the defaults it takes under 20 seconds on a slow machine.
	Voices []int         `default:"32,256,1024,4096" placeholder:"N,..." help:"How many voices play, 1..65536 (${default})."`
	Slice  time.Duration `default:"40ms" placeholder:"TIME" help:"How long each of seven runs mixes at least (${default})."`
	JSON   bool          `name:"json" help:"Print JSON."`
	realtimeFlags
}

// benchRow is one measured figure: per voice and frame for what mixes, per call
// for all else.
type benchRow struct {
	Case            string   `json:"case"`
	Voices          int      `json:"voices"`
	NsPerVoiceFrame *float64 `json:"ns_per_voice_frame,omitempty"`
	VoicesRealtime  *int     `json:"voices_realtime,omitempty"`
	Ns              *float64 `json:"ns,omitempty"`
	Kernel          string   `json:"kernel"`
}

func (b *benchCommand) Run(c *console) error {
	if b.Realtime {
		return b.runRealtime(c, b.JSON)
	}
	for _, n := range b.Voices {
		if n < 1 || n > 65536 {
			return usage("--voices: %d is not in 1..65536", n)
		}
	}
	var rows []benchRow
	for _, bc := range benchCases {
		sounds, err := benchSounds(bc.channels, bc.compact)
		if err != nil {
			return err
		}
		for _, n := range b.Voices {
			c.progress("measuring %s with %d voices", bc.name, n)
			ns, err := bc.measure(sounds, n, b.Slice)
			if err != nil {
				return err
			}
			realtime := int(1e9 / benchRate / ns)
			rows = append(rows, benchRow{Case: bc.name, Voices: n, NsPerVoiceFrame: &ns, VoicesRealtime: &realtime, Kernel: dsp.Kernel()})
		}
	}
	sounds, err := benchSounds(1, false)
	if err != nil {
		return err
	}
	for _, n := range b.Voices {
		c.progress("measuring starts with %d voices", n)
		calls, err := measureCalls(sounds, n)
		if err != nil {
			return err
		}
		rows = append(rows, calls...)
	}
	silent, err := measureSilence()
	if err != nil {
		return err
	}
	rows = append(rows, silent)
	c.progress("")
	if b.JSON {
		return printJSON(c.out, struct {
			Rate  int        `json:"rate"`
			Block int        `json:"block"`
			Runs  int        `json:"runs"`
			Rows  []benchRow `json:"rows"`
		}{benchRate, benchBlock, benchRuns, rows})
	}
	printBench(c, rows)
	return nil
}

func printBench(c *console, rows []benchRow) {
	fmt.Fprintf(c.out, "%-17s %6s %21s %18s  %s\n", "case", "voices", "ns per voice-frame", "in real time", "kernel")
	calls := false
	for _, r := range rows {
		if r.Ns == nil {
			fmt.Fprintf(c.out, "%-17s %6d %21.3f %18d  %s\n", r.Case, r.Voices, *r.NsPerVoiceFrame, *r.VoicesRealtime, r.Kernel)
			continue
		}
		if !calls {
			fmt.Fprintf(c.out, "\n%-17s %6s %21s\n", "call", "voices", "ns")
			calls = true
		}
		fmt.Fprintf(c.out, "%-17s %6d %21.0f\n", r.Case, r.Voices, *r.Ns)
	}
}

// benchCase is one way to mix.
type benchCase struct {
	name     string
	channels int
	speed    float64
	quality  voice.Quality
	compact  bool // samples of 16 bits
}

var benchCases = []benchCase{
	{"mono", 1, 1, voice.Best, false}, {"mono-linear", 1, 1.1, voice.Linear, false}, {"mono-cubic", 1, 1.1, voice.Cubic, false}, {"mono-best", 1, 1.1, voice.Best, false},
	{"stereo", 2, 1, voice.Best, false}, {"stereo-linear", 2, 1.1, voice.Linear, false}, {"stereo-cubic", 2, 1.1, voice.Cubic, false}, {"stereo-best", 2, 1.1, voice.Best, false},
	{"mono-16bit", 1, 1, voice.Best, true}, {"mono-linear-16bit", 1, 1.1, voice.Linear, true}, {"mono-cubic-16bit", 1, 1.1, voice.Cubic, true}, {"stereo-16bit", 2, 1, voice.Best, true},
}

// benchSounds returns 16 sounds of two seconds of quiet noise, which all voices
// share.
func benchSounds(channels int, compact bool) ([]*voice.Sound, error) {
	sounds := make([]*voice.Sound, 16)
	x := uint32(1)
	for i := range sounds {
		data := make([]float32, 2*benchRate*channels)
		for j := range data {
			x = x*1664525 + 1013904223
			data[j] = float32(int32(x)) / (1 << 31) / 64
		}
		s, err := voice.NewSound(voice.Samples{Name: "noise", Rate: benchRate, Channels: channels, Data: data, Compact: compact, Refine: soundlib.Refine})
		if err != nil {
			return nil, err
		}
		sounds[i] = s
	}
	return sounds, nil
}

// start fills the pool of a mixer of n voices: they loop, at different places,
// with different gains and pans.
func (b benchCase) start(sounds []*voice.Sound, n int) (*mixer.Mixer, error) {
	m, err := mixer.New(mixer.Config{Rate: benchRate, Voices: n, Commands: n + 2*benchStarts})
	if err != nil {
		return nil, err
	}
	for i := range n {
		_, err := m.Play(sounds[i%len(sounds)], mixer.Options{
			Loop: true, Speed: b.speed, Quality: b.quality,
			From: pcm.Duration(int64(i)*797%(2*benchRate), benchRate), Pan: float64(i%21)/10 - 1, Gain: pcm.Decibels(-30 - i%13),
		})
		if err != nil {
			return nil, err
		}
	}
	return m, nil
}

// measure returns nanoseconds per voice and frame, of runs of at least a slice.
func (b benchCase) measure(sounds []*voice.Sound, n int, slice time.Duration) (float64, error) {
	m, err := b.start(sounds, n)
	if err != nil {
		return 0, err
	}
	m.Prepare()
	block := make([]pcm.Frame, benchBlock)
	for range 3 { // the fade-ins are over, the caches warm
		m.Render(block)
	}
	return median(benchRuns, func() float64 {
		blocks, begin := 0, time.Now()
		var took time.Duration
		for blocks == 0 || took < slice {
			m.Render(block)
			blocks++
			took = time.Since(begin)
		}
		return float64(took.Nanoseconds()) / float64(blocks) / benchBlock / float64(n)
	}), nil
}

// median returns the median of so many runs.
func median(runs int, run func() float64) float64 {
	all := make([]float64, runs)
	for i := range all {
		all[i] = run()
	}
	slices.Sort(all)
	return (all[(runs-1)/2] + all[runs/2]) / 2
}
