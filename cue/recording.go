package cue

import (
	"fmt"
	"path/filepath"

	"voicepool/bank/rules"
	"voicepool/mixer"
	"voicepool/voice"
)

// recording is the state of Options.Record.
type recording struct {
	recorder *Recorder // nil: not recording
	entries  []mixer.Entry
	files    map[*voice.Sound]rules.Sound
	err      error
}

// journalSize is the capacity of the journal: sixteen times the number of commands in flight.
const journalSize = 1 << 16

// startRecording prepares p.recording for recording the mixer's journal. The recorded sheet will have absolute paths of
// the sound files. It must be called after the sounds are loaded and before the first command.
func (p *Player) startRecording() {
	p.recording = recording{
		entries: make([]mixer.Entry, 256), files: map[*voice.Sound]rules.Sound{},
		recorder: NewRecorder(p.sheet, func(s *voice.Sound) (rules.Sound, bool) {
			from, ok := p.recording.files[s]
			return from, ok
		}),
	}
	for i := range p.sheet.Sounds {
		from := &p.sheet.Sounds[i]
		for j, f := range from.Files {
			if f.Path != "" {
				path := p.sheet.Source(from, f, false).File
				if whole, err := filepath.Abs(path); err == nil {
					path = whole
				}
				f.Path = filepath.ToSlash(path)
			}
			one := *from
			one.Files = []rules.File{f}
			for _, loop := range [...]bool{false, true} {
				if played := p.sounds[i].Files(loop); played != nil {
					p.recording.files[played[j]] = one
				}
			}
		}
	}
}

// readJournal moves the new entries of the journal of m to the recorder. It keeps the first error of the recorder in
// r.err and drops all entries after it. Without a recorder it has no effect.
func (r *recording) readJournal(m *mixer.Mixer) {
	for r.recorder != nil {
		n := m.Journal(r.entries)
		if r.err == nil {
			r.err = r.recorder.Add(r.entries[:n])
		}
		if n < len(r.entries) {
			break
		}
	}
}

// Recorder returns the recording until now. Its method WriteTo writes it as a sheet with absolute file paths. Without
// Options.Record it returns nil and no error. If the error is not nil, it wraps ErrRecord, and the sheet is
// incomplete. There are two causes. A sheet could not express a command: this command and all later ones are missing.
// Or commands came too fast to be recorded: some of them are missing. Control side, at the same times as Report.
func (p *Player) Recorder() (*Recorder, error) {
	r := &p.recording
	r.readJournal(p.mixer)
	if r.recorder == nil {
		return nil, nil
	}
	if p.cut != never {
		r.recorder.End(p.cut)
	}
	if lost := p.mixer.JournalLost(); r.err == nil && lost > 0 {
		r.err = fmt.Errorf("%w: %d commands came too fast to be recorded", ErrRecord, lost)
	}
	return r.recorder, r.err
}
