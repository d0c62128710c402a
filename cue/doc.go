// Package cue reads cue sheets and lists their errors. A cue sheet is a file with sounds, and with cues that play, stop
// or change them. Cues under the key `cues` have fixed times; they form the timeline. Cues under the key `list` start
// on a GO, a command of an operator, or follow the cue before them. A show is one playing of a sheet.
//
// Parse turns YAML or JSON into a Sheet, and Schema describes the files for editors:
//
//	s, err := cue.Load("show.yaml") // err lists all errors, with their places in the file
//	for i := range s.Cues {
//		fmt.Println(s.Cues[i].At, s.Cues[i].Action.Verb())
//	}
//
// Package cue loads no sounds and runs no mixer. Package cue/play plays a sheet, checks that its sounds can be loaded
// and estimates how long it lasts. Package cue/record makes a sheet from the journal of a mixer.
//
// Times in a sheet are exact decimals. Each is rounded to a frame once, half up. The time of repetition k of a cue is
// `at` plus k times `every`, rounded only then, so rhythms do not drift. A random choice depends only on the seed of
// the sheet, the position of the cue and the number of the repetition. Whether a full mixer stole or rejected voices
// has no influence.
//
// A parsed sheet is read-only and safe for concurrent use. docs/cues.md describes every key.
package cue
