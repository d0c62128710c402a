package catalog

import (
	"context"
	"fmt"

	"voicepool/bank/rules"
	"voicepool/cue"
	"voicepool/internal/words"
	"voicepool/sounds/library"
)

// BeyondEnd finds the play cues of sheet that start a sound at or beyond the end of a file, so that they are silent.
// The result has an error for each such file, at the line of the cue. BeyondEnd loads the files of these sounds into
// lib. Streams, loops and files that lib cannot load are not checked.
func BeyondEnd(ctx context.Context, sheet *cue.Sheet, lib *library.Library) (list rules.Errors) {
	lengths := make([][]int64, len(sheet.Sounds)) // of each file; -1: it could not be loaded
	for i := range sheet.Cues {
		c := &sheet.Cues[i]
		p, is := c.Action.(*cue.Play)
		if !is || p.Loop || sheet.Sounds[p.Sound].Stream {
			continue
		}
		from, sound := p.From.Frames(sheet.Rate), &sheet.Sounds[p.Sound]
		if from == 0 {
			continue
		}
		if lengths[p.Sound] == nil {
			lengths[p.Sound] = framesOf(ctx, sheet, sound, lib)
		}
		for j, frames := range lengths[p.Sound] {
			if frames < 0 || from < frames {
				continue
			}
			name := sound.Name
			if f := &sound.Files[j]; len(sound.Files) > 1 {
				name += ", " + f.Path + f.Name
			}
			list = append(list, &rules.Error{File: sheet.File, Line: c.Line, Column: c.Column, Msg: fmt.Sprintf(
				"from: %v is beyond the end of %q (%s), so it is silent", p.From, words.OneLine(name), Length(float64(frames)/float64(sheet.Rate)))})
		}
	}
	return list
}

// framesOf loads the files of sound into lib and returns the length of each, in frames at the rate of sheet. The
// length of a file that lib cannot load is -1.
func framesOf(ctx context.Context, sheet *cue.Sheet, sound *rules.Sound, lib *library.Library) []int64 {
	frames := make([]int64, len(sound.Files))
	for i, f := range sound.Files {
		frames[i] = -1
		if loaded, err := lib.Load(ctx, sheet.Source(sound, f, false)); err == nil {
			frames[i] = loaded[0].Frames()
		}
	}
	return frames
}

// FormatNotes returns the notes of lib about the files of sheet that lib has loaded, such as an unusual format. Each
// note is an error value at the line of the sheet that names the file.
func FormatNotes(sheet *cue.Sheet, lib *library.Library) (list rules.Errors) {
	notes := map[string][]string{}
	for _, info := range lib.Infos() {
		notes[info.File] = info.Notes // the same for all variants of a file
	}
	for i := range sheet.Sounds {
		sound := &sheet.Sounds[i]
		for _, f := range sound.Files {
			file := sheet.Source(sound, f, false).File
			for _, note := range notes[file] {
				list = append(list, &rules.Error{File: sheet.File, Line: f.Line, Column: f.Column, Msg: words.OneLine(file + ": " + note)})
			}
		}
	}
	return list
}
