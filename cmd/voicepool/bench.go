package main

import (
	"fmt"
	"runtime"
	"slices"
	"time"

	"voicepool/cmd/internal/bench"
	"voicepool/cmd/internal/console"
	"voicepool/mixer"
)

type benchCommand struct {
	// With the defaults it takes under 20 seconds on a slow machine.
	Voices   *[]int         `placeholder:"N,..." help:"Numbers of voices to measure, 1..65536 (32,256,1024,4096)."`
	Slice    *time.Duration `placeholder:"TIME" help:"Mix at least this long in each of seven runs, 1ns..10s (30ms)."`
	Speed    *float64       `placeholder:"X" help:"Speed of pitched voices, 1/16..16 (1.1)."`
	Own      bool           `help:"Give each voice a sound of its own, up to 1024; otherwise they share 16."`
	Least    bool           `help:"Print the least time of each block position on the grid of 20 ms, not the median: the speed of an idle machine."`
	JSON     bool           `name:"json" help:"Print JSON."`
	Realtime bool           `help:"Mix 64 pitched voices in real time, alone and beside 1 GB/s of garbage, and count missed deadlines."`
	Seconds  *int           `placeholder:"N" help:"Length of each run of --realtime in seconds, 1..3600 (10)."`
}

func (b *benchCommand) options() (o bench.Options, err error) {
	o = bench.Options{Voices: []int{32, 256, 1024, 4096}, Slice: 30 * time.Millisecond, Own: b.Own, Least: b.Least}
	if b.Own {
		o.Voices = o.Voices[:3]
	}
	set(&o.Voices, b.Voices)
	set(&o.Slice, b.Slice)
	set(&o.Speed, b.Speed)
	if len(o.Voices) == 0 {
		return o, console.Usage("--voices: no number")
	}
	if err := pools(o.Voices); err != nil {
		return o, err
	}
	if o.Slice <= 0 || o.Slice > 10*time.Second {
		return o, console.Usage("--slice: %v is not in 1ns..10s", o.Slice)
	}
	if b.Own && slices.Max(o.Voices) > 1024 {
		return o, console.Usage("--own: %d voices are more than 1024", slices.Max(o.Voices))
	}
	if b.Speed != nil && !(o.Speed >= mixer.MinSpeed && o.Speed <= mixer.MaxSpeed) {
		return o, console.Usage("--speed: %v is not in 1/16..16", o.Speed)
	}
	return o, nil
}

func (b *benchCommand) Run(c *console.Console) error {
	switch {
	case b.Realtime && (b.Voices != nil || b.Slice != nil || b.Speed != nil || b.Own || b.Least):
		return console.Usage("--realtime mixes 64 voices for --seconds: no --voices, --slice, --speed, --own or --least")
	case b.Realtime:
		return b.runRealtime(c)
	case b.Seconds != nil:
		return console.Usage("--seconds is for --realtime")
	}
	o, err := b.options()
	if err != nil {
		return err
	}
	rows, err := bench.Measure(o, c.Progress)
	c.Progress("")
	if err != nil {
		return err
	}
	if b.JSON {
		return c.JSON(struct {
			Rate  int         `json:"rate"`
			Block int         `json:"block"`
			Runs  int         `json:"runs"`
			Rows  []bench.Row `json:"rows"`
		}{bench.Rate, bench.Block, bench.Runs, rows})
	}
	fmt.Fprintf(c.Out, "%-17s %6s %21s %18s  %s\n", "case", "voices", "ns per voice-frame", "in real time", "kernel")
	calls := false
	for _, r := range rows {
		if r.Ns == nil {
			fmt.Fprintf(c.Out, "%-17s %6d %21.3f %18d  %s\n", r.Case, r.Voices, *r.NsPerVoiceFrame, *r.VoicesRealtime, r.Kernel)
			continue
		}
		if !calls {
			fmt.Fprintf(c.Out, "\n%-17s %6s %21s\n", "call", "voices", "ns")
			calls = true
		}
		fmt.Fprintf(c.Out, "%-17s %6d %21.0f\n", r.Case, r.Voices, *r.Ns)
	}
	return nil
}

func (b *benchCommand) runRealtime(c *console.Console) error {
	seconds := 10
	set(&seconds, b.Seconds)
	if err := inRange("seconds", &seconds, 1, 3600); err != nil {
		return err
	}
	rows, err := bench.Realtime(int64(seconds)*bench.Rate/bench.Block, c.Progress)
	c.Progress("")
	if err != nil {
		return err
	}
	if b.JSON {
		return c.JSON(struct {
			Rate   int                 `json:"rate"`
			Block  int                 `json:"block"`
			Voices int                 `json:"voices"`
			Cores  int                 `json:"cores"`
			Rows   []bench.RealtimeRow `json:"rows"`
		}{bench.Rate, bench.Block, bench.RealtimeVoices, runtime.GOMAXPROCS(0), rows})
	}
	fmt.Fprintf(c.Out, "%-8s %7s %6s %7s %14s %12s %12s %12s %6s\n", "run", "blocks", "late", "missed", "worst late ms", "render ms", "worst ms", "collections", "GB/s")
	for _, r := range rows {
		fmt.Fprintf(c.Out, "%-8s %7d %6d %7d %14.2f %12.3f %12.2f %12d %6.2f\n",
			r.Run, r.Blocks, r.Late, r.Missed, r.WorstLate, r.Mean, r.Longest, r.Collections, r.Garbage)
	}
	return nil
}
