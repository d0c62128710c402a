package room

import (
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"voicepool/cue"
	"voicepool/internal/loading"
	"voicepool/voice"
)

// held is a loaded sound, with the stamps of its files at loading.
type held struct {
	seconds float64
	sounds  []*voice.Sound
	stamps  map[string]stamp // by path
}

// stamp identifies a version of a file.
type stamp struct {
	time time.Time
	size int64
}

// stampOf returns the modification time and size of a file of a sheet. They are zero if the file cannot be
// found.
func stampOf(s *cue.Sheet, path string) stamp {
	var info fs.FileInfo
	var err error
	switch {
	case s.FS != nil:
		info, err = fs.Stat(s.FS, path)
	case filepath.IsAbs(path):
		info, err = os.Stat(path)
	default:
		info, err = os.Stat(filepath.Join(filepath.Dir(s.File), path))
	}
	if err != nil {
		return stamp{}
	}
	return stamp{info.ModTime(), info.Size()}
}

// holds returns the loaded sounds of a sheet by name, with their lengths and the stamps of their files. files
// has the sounds in the order of the sheet.
func holds(s *cue.Sheet, files []loading.Sound) map[string]held {
	all := make(map[string]held, len(files))
	for i := range files {
		h := held{stamps: map[string]stamp{}, sounds: files[i].Looped}
		for _, file := range files[i].Once {
			h.seconds = max(h.seconds, float64(file.Frames())/float64(file.Rate()))
			h.sounds = append(h.sounds, file)
		}
		for _, f := range s.Sounds[i].Files {
			if f.Path != "" {
				h.stamps[f.Path] = stampOf(s, f.Path)
			}
		}
		all[s.Sounds[i].Name] = h
	}
	return all
}

// forgetChanged removes sounds of changed files from the library, so that the next sheet loads them again.
// sheet is the next sheet, which locates the files.
func (st *playback) forgetChanged(sheet *cue.Sheet) {
	st.mutex.Lock()
	defer st.mutex.Unlock()
	for _, h := range st.held {
		for path, was := range h.stamps {
			if stampOf(sheet, path) != was {
				for _, s := range h.sounds {
					st.sounds.Forget(s)
				}
			}
		}
	}
}
