package main

import (
	"voicepool/cmd/internal/console"
	"voicepool/cmd/internal/output"
	"voicepool/cue"
)

// checkRecord finds what cannot be recorded.
func (r *runCommand) checkRecord() error {
	switch {
	case r.Record == "-":
		return console.Usage("--record: name a file; a sheet on standard output would be mixed with what is shown")
	case r.Record != "" && r.Reload:
		return console.Usage("--record and --reload: a sheet names files, not how they were at a time")
	}
	return nil
}

// writeRecord writes what a player has noted. failed is what could not be noted; what
// could is written all the same.
func writeRecord(file *output.File, player *cue.Player) (err, failed error) {
	if file == nil {
		return nil, nil
	}
	recorder, failed := player.Recorder()
	return file.SaveFrom(recorder), failed
}
