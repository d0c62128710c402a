package main

import (
	"os"
	"runtime"
	"time"

	"voicepool/cmd/internal/cli/console"
	"voicepool/cmd/internal/lab/bench"
)

type benchCommand struct {
	// With the defaults it takes less than 20 seconds on a slow machine.
	Voices   *[]int         `placeholder:"N,..." help:"Numbers of voices to measure, 1..65536 (32,256,1024,4096)."`
	Slice    *time.Duration `placeholder:"TIME" help:"Mix at least this long in each of seven runs, 1ns..10s (30ms)."`
	Speed    *float64       `placeholder:"X" help:"Speed of pitched voices, 1/16..16 (1.1)."`
	Own      bool           `help:"Give each voice its own sound, up to 1024; otherwise they share 16."`
	Least    bool           `help:"Print the minimum of each block position on the grid of 20 ms instead of the median: the speed of an idle machine."`
	All      bool           `help:"Also measure 16384 voices with a sound each, a plain copy of the same samples, the memory of a mixer, 500 mixers in turn, and a render."`
	Only     []string       `placeholder:"CASE,..." help:"Measure only these cases: names as in the table; * matches any part."`
	Load     string         `predictor:"file" placeholder:"FOLDER" help:"Also measure how long the sounds of a folder take to load."`
	Against  string         `predictor:"report" placeholder:"FILE" help:"Compare with the output of an earlier bench --json, as benchstat does."`
	JSON     bool           `name:"json" help:"Print JSON."`
	Realtime bool           `help:"Mix 64 pitched voices in real time, alone and beside 1 GB/s of garbage, and count missed deadlines."`
	Seconds  *int           `placeholder:"N" help:"Length of each run of --realtime in seconds, 1..3600 (10)."`
}

// options returns the options of bench that the flags select, with defaults for missing flags. A value out of range
// is a usage error.
func (b *benchCommand) options() (o bench.Options, err error) {
	o = bench.Options{Voices: []int{32, 256, 1024, 4096}, Slice: 30 * time.Millisecond, Speed: b.Speed, Own: b.Own, Least: b.Least, All: b.All || b.Only != nil, Only: b.Only, Load: b.Load}
	if b.Own {
		o.Voices = o.Voices[:3]
	}
	set(&o.Voices, b.Voices)
	set(&o.Slice, b.Slice)
	if err := pools(o.Voices); err != nil {
		return o, err
	}
	if err := o.Check(); err != nil {
		return o, console.Usage("%w", err)
	}
	return o, nil
}

// Run measures this machine and prints the rows, or with --against the changes since an earlier run, as a table or
// JSON. With --realtime it calls runRealtime instead.
func (b *benchCommand) Run(c *console.Console) error {
	switch {
	case b.Realtime && (b.Voices != nil || b.Slice != nil || b.Speed != nil || b.Own || b.Least || b.All || b.Only != nil || b.Load != "" || b.Against != ""):
		return console.Usage("--realtime mixes 64 voices for --seconds; omit --voices, --slice, --speed, --own, --least, --all, --only, --load and --against")
	case b.Realtime:
		return b.runRealtime(c)
	case b.Seconds != nil:
		return console.Usage("--seconds needs --realtime")
	}
	o, err := b.options()
	if err != nil {
		return err
	}
	var before *bench.Results
	if b.Against != "" {
		text, err := os.ReadFile(b.Against)
		if err == nil {
			before, err = bench.ReadResults(text)
		}
		if err != nil {
			return console.Usage("--against %s: %w", oneLine(b.Against), cause(err))
		}
	}
	rows, err := bench.Measure(o, c.Progress)
	c.Progress("")
	if err != nil {
		return err
	}
	now := &bench.Results{Rate: bench.Rate, Block: bench.Block, Runs: bench.Runs, Rows: rows}
	switch {
	case before != nil && b.JSON:
		return c.JSON(bench.Against(now, before))
	case before != nil:
		bench.PrintChanges(c.Out, bench.Against(now, before))
		return nil
	case b.JSON:
		return c.JSON(now)
	}
	bench.Print(c.Out, rows)
	return nil
}

// runRealtime makes two runs with 64 voices in real time, each of --seconds, and prints the rows as JSON or as a
// table. --seconds out of range is a usage error.
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
	bench.PrintRealtime(c.Out, rows)
	return nil
}
