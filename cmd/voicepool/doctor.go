package main

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"runtime/debug"
	"text/tabwriter"
	"time"

	"voicepool/cmd/internal/cli/console"
	"voicepool/cmd/internal/cli/doctor"
	"voicepool/cmd/internal/cli/drivers"
	"voicepool/cmd/internal/cli/evidence"
	"voicepool/cmd/internal/cli/outfiles"
)

type doctorCommand struct {
	Tone      bool           `help:"Play a test tone: left, right, both. Otherwise play silence."`
	JSON      bool           `name:"json" help:"Print JSON."`
	Evidence  string         `predictor:"file" placeholder:"FILE" help:"Test the sound with your help in about ten minutes: latency, drift, another output, sleep, unplugging. Write the results as JSON; - is standard output."`
	StepTime  *time.Duration `placeholder:"TIME" help:"With --evidence: how long a step waits for your hands, 0s..1h (1m)."`
	DriftTime *time.Duration `placeholder:"TIME" help:"With --evidence: how long the drift of the clock is measured, 5s..24h (3m)."`
}

// Run examines the machine, which takes some seconds, and prints the report. If no driver plays, the exit code is 1.
// With --evidence it tests the sound instead, and the exit code is 1 if a step fails.
func (d *doctorCommand) Run(c *console.Console) error {
	switch {
	case d.Evidence == "" && d.StepTime != nil:
		return console.Usage("--step-time needs --evidence")
	case d.Evidence == "" && d.DriftTime != nil:
		return console.Usage("--drift-time needs --evidence")
	case d.Evidence != "" && (d.Tone || d.JSON):
		return console.Usage("--evidence plays a tone and writes JSON by itself; omit --tone and --json")
	case d.Evidence != "":
		return d.gather(c)
	}
	interrupted := c.Listen()
	defer interrupted.Close()
	r := doctor.Examine(interrupted, doctor.LocalMachine(), doctor.Options{Tone: d.Tone, Progress: c.Progress})
	c.Progress("")
	if err := interrupted.Cause(); err != nil {
		return err
	}
	var err error
	if d.JSON {
		err = c.JSON(r)
	} else {
		err = printReport(c.Out, r)
	}
	if err == nil && !r.Sound {
		err = console.Reported{Code: console.ExitFailed}
	}
	return err
}

// gather runs the steps of package evidence, with the help of a person at the terminal, and writes their results to
// the file of --evidence. After a signal it writes the results until then.
func (d *doctorCommand) gather(c *console.Console) error {
	o := evidence.Options{
		StepTime: time.Minute, DriftTime: 3 * time.Minute, Program: buildVersion(debug.ReadBuildInfo()), Say: c.Say, Progress: c.Progress,
	}
	set(&o.StepTime, d.StepTime)
	set(&o.DriftTime, d.DriftTime)
	switch {
	case o.StepTime < 0 || o.StepTime > time.Hour:
		return console.Usage("--step-time %v is out of range, want 0s..1h", o.StepTime)
	case o.DriftTime < 5*time.Second || o.DriftTime > 24*time.Hour:
		return console.Usage("--drift-time %v is out of range, want 5s..24h", o.DriftTime)
	}
	if err := outfiles.Of("--evidence", " ", d.Evidence).CheckDistinct(nil); err != nil {
		return err
	}
	interrupted := c.Listen()
	defer interrupted.Close()
	file, err := outfiles.Open(interrupted, d.Evidence)
	if err != nil {
		return interrupted.Instead(c, err)
	}
	defer file.Discard()
	if c.InTerminal != nil {
		o.Lines = readLines(c.In)
	}
	r, err := evidence.Run(interrupted, evidence.LocalMachine(), o)
	if err != nil {
		return err
	}
	if file == nil {
		err = r.Encode(c.Out)
	} else if err = file.Save(r.Encode); err == nil {
		err = printSteps(c.Out, r)
	}
	switch {
	case err != nil:
		return err
	case r.Interrupted:
		return interrupted.Cause()
	case r.Failed():
		return console.Reported{Code: console.ExitFailed}
	}
	return nil
}

// readLines returns a channel with the lines of in, until its end. Its goroutine lives until then. The channel buffers
// up to 64 lines, so that evidence.Run can discard the lines typed before a question.
func readLines(in io.Reader) <-chan string {
	lines := make(chan string, 64)
	go func() {
		defer close(lines)
		for s := bufio.NewScanner(in); s.Scan(); {
			lines <- s.Text()
		}
	}()
	return lines
}

// printSteps prints a table to w with a line for each step of r.
func printSteps(w io.Writer, r *evidence.Report) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, row := range r.Steps.Rows() {
		fmt.Fprintf(table, "%s\t%s\t%s\n", row.Name, row.State, oneLine(row.Detail))
	}
	return table.Flush()
}

// printReport prints a table to w with a line for each finding of r, then whether sound came out, and the advice. It
// returns an error of w only for the table.
func printReport(w io.Writer, r *doctor.Report) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	row := func(what, name, detail string) {
		fmt.Fprintf(table, "%s\t%s\t%s\n", what, oneLine(name), oneLine(detail))
	}
	system := r.System.Name
	if r.System.Container != "" {
		system += " in a container of " + r.System.Container
	}
	row("system", r.System.OS+"/"+r.System.Arch, system)
	for _, d := range r.Drivers {
		row("built in", d.Name, cmp.Or(d.Outputs, "no: built with the tag nooto"))
	}
	for _, v := range r.Variables {
		value := "not set"
		if v.Set {
			value = cmp.Or(v.Value, "set but empty")
		}
		row("variable", v.Name, value)
	}
	for _, s := range r.Sockets {
		detail := s.Detail
		if s.InUse {
			detail += ", asked"
		}
		row("socket", s.Path, detail+" ("+s.From+")")
	}
	for _, s := range r.Sinks {
		row("sink", s.Name, drivers.State(s))
	}
	for _, s := range r.Cards {
		row("card", s.Path, s.Name+": "+s.Detail)
	}
	for _, d := range r.Drivers {
		detail := d.Detail
		if d.Plays {
			detail = "plays on " + detail
		}
		row("driver", d.Name, detail)
	}
	if r.Busy != "" {
		row("busy", "this machine", r.Busy)
	}
	if m := r.Measured; m != nil {
		row("measured", m.Driver, measured(m))
	}
	if err := table.Flush(); err != nil {
		return err
	}
	fmt.Fprintln(w, map[bool]string{true: "sound came out", false: "no sound came out"}[r.Sound])
	for _, a := range r.Advice {
		fmt.Fprintf(w, "%s: %s\n", oneLine(a.Why), oneLine(a.Do))
	}
	return nil
}

// measured describes m in one line: seconds, latencies in ms, the number of gaps and the longest pause in ms.
func measured(m *doctor.Measured) string {
	text := fmt.Sprintf("%.1f s: latency %.1f ms, at most %.1f ms", m.Seconds, m.Latency, m.Worst)
	if m.Queries == 0 {
		text = fmt.Sprintf("%.1f s: latency at most %.1f ms (from the driver)", m.Seconds, m.Latency)
	}
	gaps := "no gap"
	if m.Gaps > 0 {
		gaps = count(m.Gaps, "gap")
	}
	return fmt.Sprintf("%s; %s, longest pause %.1f ms", text, gaps, m.Longest)
}
