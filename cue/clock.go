package cue

import (
	"errors"
	"slices"

	"voicepool/bank/rules"
	"voicepool/mixer"
)

// alarm is a panic of a rehearsal: what has begun before it ends.
type alarm struct {
	frame          int64
	over           rules.Time
	launches, cues int // that were there before
}

// stand is a time in which the mixer stands still, in frames.
type stand struct {
	at     int64 // of the mixer
	output int64 // of what is heard
	frames int64 // how long; never: nothing ends it
}

// pauses works out when a mixer stands still, from the frames of the output at which pauses begin
// and end, by turns. A fade out comes before it.
type pauses struct {
	fade   int64 // frames that it takes
	faded  int64
	on     bool
	output int64 // so far
	stands []stand
	stood  int64 // frames of all of them
	flips  int   // that were taken in
}

// pass goes on to a frame of the output.
func (p *pauses) pass(output int64) {
	n := output - p.output
	if !p.on {
		p.faded -= min(n, p.faded)
	} else {
		k := min(n, p.fade-p.faded)
		if p.faded += k; n > k {
			p.stand(p.output+k, n-k)
		}
	}
	p.output = output
}

// stand notes that the mixer stands still from a frame of the output on.
func (p *pauses) stand(output, frames int64) {
	p.stands = append(p.stands, stand{output - p.stood, output, frames})
	p.stood += frames
}

// flip begins a pause at a frame of the output, or ends it.
func (p *pauses) flip(output int64, on bool) {
	if p.on != on {
		p.pass(output)
		p.on = on
	}
}

// heard returns the frame of the output at which one of the mixer is heard.
func (p *pauses) heard(frame int64) int64 {
	output := frame
	for _, s := range p.stands {
		if s.at <= frame {
			output += s.frames
		}
	}
	return output
}

// pausesOf returns the pauses of the GOs of a sheet.
func pausesOf(goes []Go, rate int) *pauses {
	p := &pauses{fade: fadeFrames(rate)}
	for i := range goes {
		if d := goes[i].Does; d == DoPause || d == DoResume {
			p.flip(goes[i].At.Frames(rate), d == DoPause)
		}
	}
	if p.on {
		p.stand(p.output+p.fade-p.faded, never)
	}
	return p
}

// clocked returns the GOs of a sheet by the clock of the mixer, which stands still in pauses.
func (s *Sheet) clocked(rate int) []Go {
	p := pausesOf(s.Goes, rate)
	if len(p.stands) == 0 {
		return s.Goes
	}
	goes := slices.Clone(s.Goes)
	for i := range goes {
		at, frame := goes[i].At.Frames(rate), goes[i].At.Frames(rate)
		for _, one := range p.stands {
			if one.output <= at {
				frame -= min(one.frames, at-one.output)
			}
		}
		if frame != at {
			goes[i].At = rules.FrameTime(frame, rate)
		}
	}
	return goes
}

// alarm has a panic act in a render.
func (p *Player) alarm(a *alarm) error {
	p.schedule.clear(a.cues)
	p.follows.clear(a.launches, a.cues)
	at := p.mixer.At(p.file.now)
	if err := errors.Join(at.Stop(mixer.TargetAll(), a.over.Duration(p.sheet.Rate)), at.Resume(mixer.TargetAll())); err != nil {
		return err
	}
	p.mixer.Render(nil)
	p.poll()
	return nil
}

// flipsOf returns the pauses of the GOs of a sheet as a render meets them.
func flipsOf(goes []Go, rate int) (flips []flip) {
	for i := range goes {
		if d := goes[i].Does; d == DoPause || d == DoResume {
			flips = append(flips, flip{goes[i].At.Frames(rate), d == DoPause})
		}
	}
	return flips
}

// stands has a render stand still where its sheet does, and reports whether it does now. Else it
// returns how many frames there are at most until a pause begins, or ends, or is faded.
func (p *Player) stands(size int) (int, bool) {
	f, h := &p.file, p.hold
	output := f.now + f.stood
	for len(f.flips) > 0 && f.flips[0].output <= output {
		h.was, f.flips = f.flips[0].on, f.flips[1:]
	}
	next := int64(never)
	if len(f.flips) > 0 {
		next = f.flips[0].output - output
	}
	switch {
	case h.was && h.faded == len(h.window):
		if next == never {
			f.over = true
			return 0, true
		}
		f.gap, f.stood = next, f.stood+next
		if f.kept.rings {
			f.early = f.kept.give(nil, len(f.kept.held))
		} else {
			f.gap += f.held
		}
		f.held = 0
		return 0, true
	case h.was:
		next = min(next, int64(len(h.window)-h.faded))
	case h.faded > 0:
		next = min(next, int64(h.faded))
	}
	return int(min(int64(size), next)), false
}
