package cue

import "voicepool/voice"

// Replace makes later starts play the sound now wherever they would play the sound old, for example after its file has
// changed. Voices that already play old continue with it. The result is false if the player does not use old; Replace
// then has no effect. Control side, any goroutine.
func (p *Player) Replace(old, now *voice.Sound) bool {
	p.soundsMutex.Lock()
	defer p.soundsMutex.Unlock()
	found := false
	for i := range p.sounds {
		for _, files := range [...][]*voice.Sound{p.sounds[i].Once, p.sounds[i].Looped} {
			for j, s := range files {
				if s == old {
					files[j], found = now, true
				}
			}
		}
	}
	return found
}

// soundOf returns the loaded sound for the start c. The parameter file is an index in the files of that sound. If c
// loops, the result is the variant for loops. The files must be loaded, see isLoaded; otherwise soundOf panics. It
// takes p.soundsMutex. Any goroutine.
func (p *Player) soundOf(c *Cue, file int) *voice.Sound {
	p.soundsMutex.Lock()
	defer p.soundsMutex.Unlock()
	return p.filesOf(c)[file]
}

// isLoaded reports whether the files for the start c are loaded. If c loops, they must be loaded as variants for
// loops. It takes p.soundsMutex. Any goroutine.
func (p *Player) isLoaded(c *Cue) bool {
	p.soundsMutex.Lock()
	defer p.soundsMutex.Unlock()
	return len(p.filesOf(c)) > 0
}

// filesOf returns the loaded files that the start c chooses from. If c loops, these are the variants for loops. The
// result is nil if they were not loaded. The caller holds p.soundsMutex and must not change the slice.
func (p *Player) filesOf(c *Cue) []*voice.Sound { return p.sounds[c.Sound].Files(c.Loop) }
