package play

import (
	"slices"
	"sync"

	"voicepool/cue/internal/runsheet"
	"voicepool/internal/sheet/loading"
	"voicepool/sounds"
)

// loadedSounds holds the loaded sounds of a show. Any goroutine may use it.
type loadedSounds struct {
	streams *streamErrors
	mutex   sync.Mutex      // guards all
	all     []loading.Sound // by index in the sounds of show.sheet
}

// Replace makes later starts play the sound now wherever they would play the sound old, for example after its file has
// changed. Voices that already play old continue with it. The result is false if the player does not use old; Replace
// then has no effect. Control side, any goroutine.
func (p *Player) Replace(old, now *sounds.Sound) bool { return p.sounds.replace(old, now) }

// replace replaces the sound old by now, as Player.Replace does.
func (l *loadedSounds) replace(old, now *sounds.Sound) (found bool) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	for i := range l.all {
		for _, files := range [...][]*sounds.Sound{l.all[i].Once, l.all[i].Looped} {
			for j, s := range files {
				if s == old {
					files[j], found = now, true
				}
			}
		}
	}
	return found
}

// add appends the sounds of a later sheet.
func (l *loadedSounds) add(more []loading.Sound) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	l.all = slices.Concat(l.all, more)
}

// of returns the sound for the start c. The parameter file is an index in the files of that sound. If c loops, the
// result is the variant for loops. The files must be loaded, see isLoaded; otherwise it panics.
func (l *loadedSounds) of(c *runsheet.Cue, file int) *sounds.Sound {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	return l.all[c.Sound].Files(c.Play.Loop)[file]
}

// isLoaded reports whether the files of the sound with the given index are loaded. If loop is true, they must be loaded
// as variants for loops.
func (l *loadedSounds) isLoaded(sound int, loop bool) bool {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	return len(l.all[sound].Files(loop)) > 0
}

// areOver reports whether the sounds of the start c are already over. c begins in the middle of its sound; a sound is
// over if that position is at or after the end of the file that its action a has chosen. With layers, this must hold
// for all of them. A start that loops without end, or whose length is unknown, is not over.
func (l *loadedSounds) areOver(a *Action, c *runsheet.Cue) bool {
	for i, one := range c.Starts() {
		file := a.File
		if c.Layers != nil {
			file = a.layerChoices[i].file
		}
		s := l.of(one, file)
		last := s.Frames()
		p := one.Play
		if p.Loop {
			last += int64(max(p.Rounds-1, 0)) * s.Loop().Frames()
		}
		if p.Loop && p.Rounds == 0 || s.Frames() == 0 || p.From.Frames(s.Rate()) < last {
			return false
		}
	}
	return true
}

// measure returns the result of the function of for the loaded sounds, which are by index in the sounds of show.sheet.
func measure[T any](l *loadedSounds, of func(all []loading.Sound) T) T {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	return of(l.all)
}
