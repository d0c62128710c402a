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

// held is a sound of a stage, and how its files were when it was loaded.
type held struct {
	seconds float64
	sounds  []*voice.Sound
	stamps  map[string]stamp // by the paths of files
}

// stamp tells whether a file has changed.
type stamp struct {
	time time.Time
	size int64
}

// stampOf returns that of a file of a sheet; zero: there is none.
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

// holds returns what a sheet has loaded.
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

// forgetChanged has files that have changed since they were loaded be read anew by the next sheet.
func (st *stage) forgetChanged(sheet *cue.Sheet) {
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
