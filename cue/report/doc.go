// Package report is what is told of a playing: the events, the sums over them, and the levels.
// It alone knows how they are spelled as JSON, for who writes a report and for who reads one:
//
//	r := player.Report()      // of a cue.Player
//	r.WriteTo(file)
//
//	head, err := report.Read("report.json", file, func(e *report.Event) error {
//		fmt.Println(e.Frame, e.Kind, e.Sound)
//		return nil
//	})
//
// Read keeps no event, so a report may be longer than memory.
package report
