package main

import (
	"voicepool/cmd/internal/console"
	"voicepool/cmd/internal/output"
	"voicepool/cmd/internal/performance"
	"voicepool/cue"
)

// liveFlags are those of the commands that play in real time.
type liveFlags struct {
	sheetFlags
	Device performance.Device `placeholder:"DEVICE" default:"auto" help:"Device to play to: auto, oto, null, wav:FILE, or - for a WAV on standard output."`
}

func (l *liveFlags) check() error {
	if l.Device.Kind == "-" && (l.JSON || l.Report == "-") {
		return console.Usage("--device - needs standard output for itself; write the report to a file")
	}
	return l.sheetFlags.check()
}

// outputs is what will be written.
func (l *liveFlags) outputs() output.List {
	return l.written(output.Of("--device", " wav:", l.Device.File))
}

// perform plays a sheet as the flags want it.
func (l *liveFlags) perform(c *console.Console, interrupted *console.Interrupts, sheet *cue.Sheet, o performance.Options) error {
	o.Device, o.Block, o.Limits, o.Report, o.Timeline = l.Device, l.Block, l.limits(), l.Report, l.Timeline
	c.Quiet = l.Quiet
	o.JSON, o.Verbose = l.JSON, l.Verbose
	return performance.Play(c, interrupted, l.apply(sheet), &o)
}
