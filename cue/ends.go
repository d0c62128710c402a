package cue

// Ends estimates the last frame of the show, for a progress display. It is the Length of the sheet; without
// a Length, it is the time when every start has played once at its own speed and loops have been stopped.
// Pauses and pitches are ignored. The result is 0 if the sheet repeats. Control side.
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
	if loops { // a later cue stops them
		ends = max(ends, acted)
	}
	return ends
}
