package bench

import (
	"fmt"
	"io"
)

// Print writes rows as tables to w, one line for each row. If the unit of a row differs from the previous row, a new
// table with its own heading begins. Errors of w are ignored.
func Print(w io.Writer, rows []Row) {
	unit := ""
	for i := range rows {
		r := &rows[i]
		if r.Unit() != unit {
			if unit != "" {
				fmt.Fprintln(w)
			}
			switch unit = r.Unit(); unit {
			case unitVoice:
				fmt.Fprintf(w, "%-21s %6s %21s %18s  %s\n", "case", "voices", "ns per voice-frame", "in real time", "kernel")
			case unitSeconds:
				fmt.Fprintf(w, "%-21s %6s %21s\n", "sounds", "files", unit)
			default:
				fmt.Fprintf(w, "%-21s %6s %21s\n", "call", "voices", unit)
			}
		}
		if r.NsPerVoiceFrame != nil {
			fmt.Fprintf(w, "%-21s %6d %21.3f %18d  %s\n", r.Case, r.Voices, *r.NsPerVoiceFrame, *r.VoicesRealtime, r.Kernel)
			continue
		}
		digits := 0
		switch {
		case unit == unitSeconds:
			digits = 3
		case unit == unitCall && r.value() < 50:
			digits = 1
		}
		fmt.Fprintf(w, "%-21s %6d %21.*f\n", r.Case, r.Voices, digits, r.value())
	}
}

// PrintRealtime writes a table to w with a line for each run. A line has the late and the missed blocks, the time to
// render a block, the garbage collections, and the garbage made per second.
func PrintRealtime(w io.Writer, rows []RealtimeRow) {
	fmt.Fprintf(w, "%-8s %7s %6s %7s %14s %12s %12s %12s %6s\n", "run", "blocks", "late", "missed", "worst late ms", "render ms", "worst ms", "collections", "GB/s")
	for _, r := range rows {
		fmt.Fprintf(w, "%-8s %7d %6d %7d %14.2f %12.3f %12.2f %12d %6.2f\n",
			r.Run, r.Blocks, r.Late, r.Missed, r.WorstLate, r.Mean, r.Longest, r.Collections, r.Garbage)
	}
}

// The units of rows.
const (
	unitVoice   = "ns/frame" // per voice
	unitCall    = "ns"
	unitBytes   = "bytes"
	unitSeconds = "s"
	unitTimes   = "x real"
)

// Unit returns the unit of the measured figure in r: "ns/frame", "bytes", "s" or "x real" (times real time). It
// depends on the field that is set. For a row with Ns or without any figure, the unit is "ns".
func (r *Row) Unit() string {
	switch {
	case r.NsPerVoiceFrame != nil:
		return unitVoice
	case r.Bytes != nil:
		return unitBytes
	case r.Seconds != nil:
		return unitSeconds
	case r.TimesRealtime != nil:
		return unitTimes
	}
	return unitCall
}

// value returns the measured figure of r, in the unit that Unit returns. It ignores NsPerVoiceFrame, the figure of
// mixing cases. If the other figures are missing, it returns 0.
func (r *Row) value() float64 {
	switch {
	case r.Bytes != nil:
		return *r.Bytes
	case r.Seconds != nil:
		return *r.Seconds
	case r.TimesRealtime != nil:
		return *r.TimesRealtime
	case r.Ns != nil:
		return *r.Ns
	}
	return 0
}
