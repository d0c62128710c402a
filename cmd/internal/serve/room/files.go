package room

import (
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"voicepool/cue"
	"voicepool/internal/sheet/loading"
	"voicepool/voice"
)

// loadedSound is a loaded sound, with the stamps of its files at loading.
type loadedSound struct {
	seconds float64
	sounds  []*voice.Sound
	stamps  map[string]stamp // by path
}

// stamp identifies a version of a file.
type stamp struct {
	time time.Time
	size int64
}

// stampOf returns the modification time and size of the sound file of s at path. path is looked up in s.FS if that is
// set, otherwise relative to the folder of the sheet's own file. A file that cannot be found gives the zero stamp.
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

// loadedSounds returns the loaded sounds of s by name, each with its length in seconds and the current stamps of its
// files. files has the loaded files of each sound of s, in the same order.
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

// forgetChanged compares the stamps of the loaded files with the disk and removes the sounds with a changed file from
// the library of st, so that the next load reads these files again. Playing voices continue. Relative paths are looked
// up as in sheet, the next sheet of the room.
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
