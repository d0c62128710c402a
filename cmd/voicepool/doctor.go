package main

import (
	"cmp"
	"fmt"
	"io"
	"text/tabwriter"

	"voicepool/cmd/internal/cli/console"
	"voicepool/cmd/internal/cli/doctor"
	"voicepool/cmd/internal/cli/drivers"
)

type doctorCommand struct {
	Tone bool `help:"Play a test tone: left, right, both. Otherwise play silence."`
	JSON bool `name:"json" help:"Print JSON."`
}

// Run examines the machine, which takes some seconds, and prints the report. If no driver plays, the exit code is 1.
func (d *doctorCommand) Run(c *console.Console) error {
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
