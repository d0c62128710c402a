// Package report has what is known of a playing: its events, their sums and levels.
// It alone knows how they are spelled as JSON, for writers and for readers:
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
