package room

import (
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"voicepool/cue"
	"voicepool/internal/sheet/loading"
	"voicepool/sounds"
)

// loadedSound is a loaded sound, with the stamps of its files at loading.
type loadedSound struct {
	seconds float64
	sounds  []*sounds.Sound
	stamps  map[string]stamp // by path
}

// stamp identifies a version of a file.
type stamp struct {
	time time.Time
	size int64
}

// stampOf returns the modification time and size of the sound file at path, to detect later changes of the file. If
// s.FS is set, path is a path in it. Otherwise a relative path starts at the folder of the sheet's own file. If the
// file cannot be found, stampOf returns the zero stamp.
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

// loadedSounds combines the sounds of the sheet s with their loaded files and returns them by name. The parameter files
// has one element for each sound of s, in the same order. Each result has the length of its longest file in seconds. It
// also has the present modification times and sizes of its files, read from the disk.
func loadedSounds(s *cue.Sheet, files []loading.Sound) map[string]loadedSound {
	all := make(map[string]loadedSound, len(files))
	for i := range files {
		h := loadedSound{stamps: map[string]stamp{}, sounds: files[i].Looped}
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

// forgetChanged removes sounds whose files have changed on disk since loading from the sound library of st. The next
// load then reads these files again. Playing voices continue. A file counts as changed if its modification time or size
// differs. The parameter sheet is the next sheet of the room; it determines the folder of relative paths.
func (st *playback) forgetChanged(sheet *cue.Sheet) {
	st.mutex.Lock()
	defer st.mutex.Unlock()
	for _, h := range st.loaded {
		for path, was := range h.stamps {
			if stampOf(sheet, path) != was {
				for _, s := range h.sounds {
					st.sounds.Forget(s)
				}
			}
		}
	}
}
