package cue

import (
	"slices"

	"voicepool/bank/rules"
	"voicepool/mixer"
	"voicepool/pcm"
	"voicepool/voice"
)

// refBits is how many bits of a mark are the index of a cue. Those above are the number of a layer.
const refBits = 32

// refOf is the mark of a start in events: of a cue, or of a layer of it, counted from 1.
func refOf(cue, number int) int64 { return int64(number)<<refBits | int64(cue) }

// ofRef returns the cue of a mark, and the number of a layer; -1: it is of a start by hand.
func ofRef(ref int64) (cue, number int) {
	if ref < 0 {
		return -1, 0
	}
	return int(ref & (1<<refBits - 1)), int(ref >> refBits)
}

const (
	// handBits is how many bits of the mark of a start by hand are its sound. Those above are what the
	// caller gave.
	handBits = 24

	// MaxRef is the largest Start.Ref.
	MaxRef = 1<<(63-handBits) - 1
)

// handRef is the mark of a start by hand, which is negative. A sound whose place is beyond the bits has none.
func handRef(ref int64, sound int) int64 { return ^(ref<<handBits | int64(min(sound, 1<<handBits-1))) }

// ofHandRef returns what the caller gave with a start by hand, and the place of its sound; of others 0 and -1.
func ofHandRef(ref int64) (given int64, sound int) {
	if ref >= 0 {
		return 0, -1
	}
	return ^ref >> handBits, int(^ref & (1<<handBits - 1))
}

// waiting is a layer that was asked for and waits for its delay. No tag finds it.
type waiting struct {
	frame  int64
	tag    uint64
	bus    string
	handle mixer.Handle
	void   bool // it was stopped, and never sounds
}

// play starts what a cue plays: a sound, or the layers of one.
func (p *Player) play(a *Action, c *Cue) error {
	sound := &p.sheet.Sounds[c.Sound]
	tuned := p.tuning.begins(a.Frame, c, sound, p.done == 0)
	if c.launch == 0 && p.armed.on && p.follows.awaited[c.tag] {
		if err := p.once(func() error { return p.moment(a.Frame).Add(p.tagged(c.tag), whole(c.asks()/c.Times)) }); err != nil {
			return err
		}
	}
	base := mixer.Base{Gain: a.Gain, Pitch: a.Pitch, Speed: sound.Speed}
	for i, one := range c.starts() {
		file, base, number := a.File, base, 0
		if c.layers != nil {
			drawn := &a.layers[i]
			file, number = drawn.file, i+1
			base = together(base, mixer.Base{Gain: drawn.gain, Pitch: drawn.pitch, Speed: p.sheet.Sounds[one.Sound].Speed})
		}
		o := p.start(a, one, base, number)
		if tuned != nil {
			o.Gain, o.Pitch = pcm.Decibels(tuned.gain.at(a.Frame)), pcm.Semitones(tuned.pitch.at(a.Frame))
		}
		if err := p.once(func() error { return p.begin(a.Frame, one, p.sound(one, file), o, tuned) }); err != nil {
			return err
		}
	}
	if tuned != nil {
		p.tuning.follow(a.Frame, tuned)
	}
	return nil
}

// start returns how a voice starts: what the sound says and chance has drawn is
// its base, what the cue says its own part. number is that of a layer, from 1, or 0.
func (p *Player) start(a *Action, c *Cue, base mixer.Base, number int) mixer.Options {
	rate, sound := p.sheet.Rate, &p.sheet.Sounds[c.Sound]
	o := p.voiceOf(c, sound, base, rate)
	o.Group, o.Quality, o.Ref = p.groups[c.Sound], p.sheet.QualityOf(sound), refOf(a.Cue, number)
	if c.Place != nil {
		e := sound.Emitter
		e.Spot = c.spot()
		o.Emitter = &e
	}
	if c.For != nil {
		// Less than half a frame is a frame: 0 would be the whole sound.
		o.For = max(c.For.Duration(rate), pcm.Duration(1, rate))
	}
	return o
}

// voiceOf returns what a cue says of a voice, or a start by hand. Any goroutine.
func (p *Player) voiceOf(c *Cue, sound *rules.Sound, base mixer.Base, rate int) mixer.Options {
	return mixer.Options{
		Gain: c.Change.Gain, Pan: c.Change.Pan, Pitch: c.Change.Pitch, Speed: c.Change.Speed,
		LowPass: c.Change.LowPass, HighPass: c.Change.HighPass, Sends: c.Sends,
		Base: base,
		Bus:  p.buses[c.Bus], Priority: c.Priority, Protect: c.Protect, Loop: c.Loop, Rounds: c.Rounds,
		Owner: c.owner, WhenFull: sound.WhenFull,
		From: c.From.Duration(rate), FadeIn: c.FadeIn.Duration(rate), FadeShape: c.Change.Shape,
		Tag: c.tag,
	}
}

// begin asks for a start.
func (p *Player) begin(frame int64, c *Cue, s *voice.Sound, o mixer.Options, tuned *tuned) error {
	if p.armed.on {
		o.Counts = p.countsOf(c)
	}
	if c.late {
		fold(s, &o)
	}
	if frame += c.delay.Frames(p.sheet.Rate); frame >= p.cut { // a layer that never comes must not be waited for
		p.follows.asked(c)
		return nil
	}
	h, err := p.moment(frame).Play(s, o)
	if err != nil {
		return err
	}
	p.asked++
	p.follows.asked(c)
	if c.Loop && !p.armed.on && p.follows.awaited[c.tag] {
		p.follows.loops = append(p.follows.loops, looping{c.tag, h})
	}
	if c.launch > 0 && p.options.Live {
		r := &p.follows.runs[c.launch-1]
		r.handles = append(slices.DeleteFunc(r.handles, func(h mixer.Handle) bool { return h.State().Over() }), h)
	}
	if tuned != nil {
		tuned.voices, tuned.starts = append(tuned.voices, h), append(tuned.starts, frame)
	}
	if !c.delay.IsZero() {
		p.waiting = append(p.waiting, waiting{frame: frame, tag: c.tag, bus: c.Bus, handle: h})
	}
	return nil
}

// countsOf returns the counts of a start of a cue.
func (p *Player) countsOf(c *Cue) (counts [2]*mixer.Count) {
	if c.launch > 0 {
		counts[0] = p.follows.runs[c.launch-1].count
	}
	if p.follows.awaited[c.tag] {
		counts[1] = p.tagged(c.tag)
	}
	return counts
}

// actLater has a cue act on the layers of its target that wait for their delay. What holds a bus or
// everything holds them as they start.
func (p *Player) actLater(at mixer.Moment, frame int64, c *Cue) error {
	if p.done == 1 { // the first call: on the next the list must be the same
		p.waiting = slices.DeleteFunc(p.waiting, func(w waiting) bool { return w.frame < frame })
	}
	for i := range p.waiting {
		w := &p.waiting[i]
		acts := c.Scope == OnID && c.tag == w.tag && c.Verb != Seek
		if c.Verb == Stop && c.Scope != OnID {
			acts = c.target() == "all" || p.sheet.isBelow(w.bus, c.Target)
		}
		if !acts || c.Change.Fields == 0 && (c.Verb == Set || c.Verb == Fade) {
			continue
		}
		if err := p.once(func() error { return p.act(at, c, mixer.TargetVoice(w.handle)) }); err != nil {
			return err
		}
		if c.Verb == Stop && !w.void {
			w.void = true
			p.voids = append(p.voids, w.frame)
		}
	}
	return nil
}

// toCome returns how many starts are still to come of those that were stopped before.
func (p *Player) toCome(st *mixer.Stats) int64 {
	p.voids = slices.DeleteFunc(p.voids, func(frame int64) bool { return frame < st.Frame })
	return int64(len(p.voids))
}

// isBelow reports whether a bus is another one, or goes into it.
func (s *Sheet) isBelow(bus, other string) bool {
	for parents := s.Parents(); bus != ""; bus = parents[bus] {
		if bus == other {
			return true
		}
	}
	return false
}

// together returns what a layer has with what it is a layer of, as far as a mixer goes.
func together(a, b mixer.Base) mixer.Base {
	return mixer.Base{
		Gain:  min(max(a.Gain+b.Gain, mixer.MinGain), mixer.MaxGain),
		Pitch: min(max(a.Pitch+b.Pitch, -mixer.MaxPitch), mixer.MaxPitch),
		Speed: min(max(a.Speed*b.Speed, mixer.MinSpeed), mixer.MaxSpeed),
	}
}
