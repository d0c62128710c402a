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

// sound returns what a start plays.
func (p *Player) sound(c *Cue, file int) *voice.Sound {
	p.replaced.Lock()
	defer p.replaced.Unlock()
	return p.files(c)[file]
}

// prepared reports whether there is something to play for a start. Any goroutine.
func (p *Player) prepared(c *Cue) bool {
	p.replaced.Lock()
	defer p.replaced.Unlock()
	return len(p.files(c)) > 0
}

// files returns what a start may play.
func (p *Player) files(c *Cue) []*voice.Sound { return p.sounds[c.Sound].Files(c.Loop) }
