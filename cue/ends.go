package cue

// Ends returns about when the show ends, as a frame, for those who show how far it is: at its
// Length, or when all that starts has been heard once at its own speed, and loops are stopped.
// It takes no account of pauses and pitches. 0: it repeats, and nobody knows. Control side.
func (p *Player) Ends() int64 {
	switch {
	case p.cut != never:
		return p.cut
	case !p.sheet.Repeat.IsZero():
		return 0
	}
	rate, ends := p.sheet.Rate, int64(0)
	acted, loops := int64(0), false
	for _, asked := range p.sheet.acting() {
		last := asked.last(rate)
		acted = max(acted, last)
		for _, c := range asked.starts() {
			if c.For != nil {
				ends = max(ends, last+c.For.Frames(rate))
				continue
			}
			if c.Loop {
				loops = true
				continue
			}
			for _, sound := range p.sounds[c.Sound].Once {
				ends = max(ends, last+max(sound.Frames()-c.From.Frames(rate), 0))
			}
		}
	}
	if loops { // something stops it
		ends = max(ends, acted)
	}
	return ends
}
