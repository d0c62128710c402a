package cue

import "voicepool/voice"

// Replace makes later starts play the sound now instead of old, for example after its file has changed. Voices that
// play old continue. It reports whether the player uses old; if not, it has no effect. Control side, any goroutine.
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

// soundOf returns the loaded sound that the start c plays, the looped variant if c loops. file is an index in the files
// of that sound. It takes p.soundsMutex. Any goroutine.
func (p *Player) soundOf(c *Cue, file int) *voice.Sound {
	p.soundsMutex.Lock()
	defer p.soundsMutex.Unlock()
	return p.filesOf(c)[file]
}

// isLoaded reports whether the sound of the start c is loaded, in the looped variant if c loops. It takes
// p.soundsMutex. Any goroutine.
func (p *Player) isLoaded(c *Cue) bool {
	p.soundsMutex.Lock()
	defer p.soundsMutex.Unlock()
	return len(p.filesOf(c)) > 0
}

// filesOf returns the loaded files that the start c chooses from, the looped variants if c loops; nil if they were not
// loaded. The caller holds p.soundsMutex and must not change the slice.
func (p *Player) filesOf(c *Cue) []*voice.Sound { return p.sounds[c.Sound].Files(c.Loop) }
