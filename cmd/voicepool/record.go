package main

import (
	"io"

	"voicepool/cmd/internal/console"
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
func writeRecord(file *reportFile, player *cue.Player) (err, failed error) {
	if file == nil {
		return nil, nil
	}
	recorder, failed := player.Recorder()
	return file.save(func(w io.Writer) error {
		_, err := recorder.WriteTo(w)
		return err
	}), failed
}
