package cue

import "voicepool/voice"

// Replace has what starts from now on play another sound in the place of old, as
// when its file has changed; voices that play old go on. It reports whether the
// sheet has it. Control side, any goroutine.
func (p *Player) Replace(old, now *voice.Sound) bool {
	p.replaced.Lock()
	defer p.replaced.Unlock()
	found := false
	for i := range p.sounds {
		for _, files := range [...][]*voice.Sound{p.sounds[i].once, p.sounds[i].looped} {
			for j, s := range files {
				if s == old {
					files[j], found = now, true
				}
			}
		}
	}
	return found
}

// sound returns what an action plays.
func (p *Player) sound(c *Cue, a *Action) *voice.Sound {
	p.replaced.Lock()
	defer p.replaced.Unlock()
	return p.sounds[c.Sound].file(a.File, c.Loop)
}
