package main

import (
	"errors"
	"io"

	"voicepool/cue"
)

// checkRecord finds what cannot be recorded.
func (r *runCommand) checkRecord() error {
	switch {
	case r.Record == "-":
		return usage("--record: name a file; a sheet on standard output would be mixed with what is shown")
	case r.Record != "" && r.Reload:
		return usage("--record and --reload: a sheet names files, not how they were at a time")
	}
	return nil
}

// writeRecord writes what a player has noted.
func writeRecord(file *reportFile, player *cue.Player) error {
	if file == nil {
		return nil
	}
	recorder, failed := player.Recorder()
	err := file.fill(func(w io.Writer) error {
		_, err := recorder.WriteTo(w)
		return err
	})
	if err == nil {
		err = file.commit()
	}
	return errors.Join(err, failed)
}
