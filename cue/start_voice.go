package cue

import (
	"slices"

	"voicepool/bank/rules"
	"voicepool/mixer"
	"voicepool/pcm"
	"voicepool/voice"
)

// refBits is the number of bits of the cue index in an event reference. The bits above hold the layer
// number.
const refBits = 32

// refOf returns a reference: the number that identifies a start in the events about it. cue is the index of the cue.
// number is the number of the layer, from 1, or 0 for the cue itself. splitRef is the inverse.
func refOf(cue, number int) int64 { return int64(number)<<refBits | int64(cue) }

// splitRef returns the cue and the layer of a start from its reference ref in an event. cue is the index of the cue.
// number is the number of the layer, from 1, or 0 for the cue itself. For a start by hand it returns -1 and 0.
func splitRef(ref int64) (cue, number int) {
	if ref < 0 {
		return -1, 0
	}
	return int(ref & (1<<refBits - 1)), int(ref >> refBits)
}

const (
	// manualBits is the number of bits of the sound index in the reference of a start by hand. The bits
	// above hold the caller's value.
	manualBits = 24

	// MaxRef is the largest value of Start.Ref.
	MaxRef = 1<<(63-manualBits) - 1
)

// manualRef returns the reference in events of a start by hand, which is negative. ref is the caller's value,
// 0..MaxRef. sound is an index in Player.sheet.Sounds; an index that does not fit is replaced by the largest index that
// fits.
func manualRef(ref int64, sound int) int64 {
	return ^(ref<<manualBits | int64(min(sound, 1<<manualBits-1)))
}

// splitManualRef returns the parts of ref, the reference in events of a start by hand. value is the caller's value, and
// sound an index in Player.sheet.Sounds. For other references it returns 0 and -1.
func splitManualRef(ref int64) (value int64, sound int) {
	if ref >= 0 {
		return 0, -1
	}
	return ^ref >> manualBits, int(^ref & (1<<manualBits - 1))
}

// delayedStart is a delayed layer of a start. The mixer does not yet find it by its tag.
type delayedStart struct {
	frame   int64
	tag     uint64
	bus     string
	handle  mixer.Handle
	stopped bool // it was stopped before it began
}

// startCue starts the sound of cue c, or all its layers, at the frame of its action a and with the random choices of a.
// If the mixer is full, the error is mixer.ErrBusy, and a repeated call continues with the layer that failed. Other
// errors are the mixer's, too.
func (p *Player) startCue(a *Action, c *Cue) error {
	sound := &p.sheet.Sounds[c.Sound]
	tuned := p.parameters.addStart(a.Frame, c, sound, p.acceptedCommands == 0)
	if c.launch == 0 && p.lookahead.on && p.follows.awaited[c.tag] {
		if err := p.sendOnce(func() error { return p.moment(a.Frame).Add(p.countdownOf(c.tag), clampToInt(c.startCount()/c.Times)) }); err != nil {
			return err
		}
	}
	base := mixer.Base{Gain: a.Gain, Pitch: a.Pitch, Speed: sound.Speed}
	for i, one := range c.starts() {
		file, base, number := a.File, base, 0
		if c.layers != nil {
			choice := &a.layerChoices[i]
			file, number = choice.file, i+1
			base = combineBase(base, mixer.Base{Gain: choice.gain, Pitch: choice.pitch, Speed: p.sheet.Sounds[one.Sound].Speed})
		}
		o := p.voiceOptions(a, one, base, number)
		if tuned != nil {
			o.Gain, o.Pitch = pcm.Decibels(tuned.gain.at(a.Frame)), pcm.Semitones(tuned.pitch.at(a.Frame))
		}
		if err := p.sendOnce(func() error { return p.startVoice(a.Frame, one, p.soundOf(one, file), o, tuned) }); err != nil {
			return err
		}
	}
	if tuned != nil {
		p.parameters.findCorners(a.Frame, tuned)
	}
	return nil
}

// voiceOptions returns the mixer options for a voice of the action a. c is the cue or the layer to start. number is the
// number of the layer, from 1, or 0 without layers. base has the sound's own values and the random choices; the values
// of c are added as separate fields.
func (p *Player) voiceOptions(a *Action, c *Cue, base mixer.Base, number int) mixer.Options {
	rate, sound := p.sheet.Rate, &p.sheet.Sounds[c.Sound]
	o := p.commonOptions(c, sound, base, rate)
	o.Group, o.Quality, o.Ref = p.groups[c.Sound], p.sheet.QualityOf(sound), refOf(a.Cue, number)
	if c.Position != nil {
		e := sound.Emitter
		e.Spot = c.spot()
		o.Emitter = &e
	}
	if c.For != nil {
		// Shorter times are rounded up to one frame, because 0 means the whole sound.
		o.For = max(c.For.Duration(rate), pcm.Duration(1, rate))
	}
	return o
}

// commonOptions returns the mixer options that starts of cues and starts by hand have in common; the caller adds the
// others. c is the cue or the layer to start, and sound its sound. base has the sound's own values and the random
// choices. rate is the sheet's sample rate in Hz. Any goroutine.
func (p *Player) commonOptions(c *Cue, sound *rules.Sound, base mixer.Base, rate int) mixer.Options {
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

// startVoice starts one voice of s with the options o. c is its cue or layer; the voice starts at frame plus the delay
// of c. The start is counted for actions that wait for the voice. If tuned is not nil, the handle of the voice is added
// to it. At or after the sheet's length no voice is started. The error is the mixer's.
func (p *Player) startVoice(frame int64, c *Cue, s *voice.Sound, o mixer.Options, tuned *parameterStart) error {
	if p.lookahead.on {
		o.Countdowns = p.countdownsOf(c)
	}
	if c.midSound {
		wrapIntoLoop(s, &o)
	}
	if frame += c.delay.Frames(p.sheet.Rate); frame >= p.cut { // after the cut: it must not be waited for
		p.follows.countStart(c)
		return nil
	}
	h, err := p.moment(frame).Play(s, o)
	if err != nil {
		return err
	}
	p.requested++
	p.follows.countStart(c)
	if c.Loop && !p.lookahead.on && p.follows.awaited[c.tag] {
		p.follows.loopingStarts = append(p.follows.loopingStarts, loopingStart{c.tag, h})
	}
	if c.launch > 0 && p.options.Live {
		r := &p.follows.progress[c.launch-1]
		r.handles = append(slices.DeleteFunc(r.handles, func(h mixer.Handle) bool { return h.State().Over() }), h)
	}
	if tuned != nil {
		tuned.voices, tuned.starts = append(tuned.voices, h), append(tuned.starts, frame)
	}
	if !c.delay.IsZero() {
		p.delayed = append(p.delayed, delayedStart{frame: frame, tag: c.tag, bus: c.Bus, handle: h})
	}
	return nil
}

// countdownsOf returns the countdowns that a voice of cue c decrements when it ends. counts[0] belongs to the launch of
// c, the run of its list cue, and counts[1] to the id of c. An entry is nil if c has no launch, or if no action waits
// for the id.
func (p *Player) countdownsOf(c *Cue) (counts [2]*mixer.Countdown) {
	if c.launch > 0 {
		counts[0] = p.follows.progress[c.launch-1].countdown
	}
	if p.follows.awaited[c.tag] {
		counts[1] = p.countdownOf(c.tag)
	}
	return counts
}

// applyToDelayed applies cue c to delayed layers, which the mixer does not find by their target yet. It selects the
// layers of c's target that begin at frame or later. at is the moment of c at that frame. Of the cues for a bus or all
// voices only stops are applied. A seek is never applied. Pauses of a bus or of all voices need no command, because the
// mixer holds the layers when they start. The error is the mixer's. After mixer.ErrBusy a repeated call sends the rest.
func (p *Player) applyToDelayed(at mixer.Moment, frame int64, c *Cue) error {
	if p.acceptedCommands == 1 { // the first attempt; a retry needs the same list
		p.delayed = slices.DeleteFunc(p.delayed, func(w delayedStart) bool { return w.frame < frame })
	}
	for i := range p.delayed {
		w := &p.delayed[i]
		applies := c.Scope == OnID && c.tag == w.tag && c.Verb != Seek
		if c.Verb == Stop && c.Scope != OnID {
			applies = c.target() == "all" || p.sheet.isBelow(w.bus, c.Target)
		}
		if !applies || c.Change.Fields == 0 && (c.Verb == Set || c.Verb == Fade) {
			continue
		}
		if err := p.sendOnce(func() error { return p.applyCue(at, c, mixer.TargetVoice(w.handle)) }); err != nil {
			return err
		}
		if c.Verb == Stop && !w.stopped {
			w.stopped = true
			p.stoppedFrames = append(p.stoppedFrames, w.frame)
		}
	}
	return nil
}

// stoppedDelayed returns the number of delayed starts that were stopped before they began and whose frames are not
// before stats.Frame. Earlier ones are removed from the list. stats must therefore not be older than in the last call.
func (p *Player) stoppedDelayed(stats *mixer.Stats) int64 {
	p.stoppedFrames = slices.DeleteFunc(p.stoppedFrames, func(frame int64) bool { return frame < stats.Frame })
	return int64(len(p.stoppedFrames))
}

// isBelow reports whether bus feeds into the bus called other, directly or through its parents. It is also true if both
// are the same bus. It is false for an empty or unknown bus.
func (s *Sheet) isBelow(bus, other string) bool {
	for parents := s.Parents(); bus != ""; bus = parents[bus] {
		if bus == other {
			return true
		}
	}
	return false
}

// combineBase returns the base values of a layer. It adds the gains and pitches of a, the layered sound, and b, the
// layer, and multiplies their speeds. The results are limited to the ranges of the mixer.
func combineBase(a, b mixer.Base) mixer.Base {
	return mixer.Base{
		Gain:  min(max(a.Gain+b.Gain, mixer.MinGain), mixer.MaxGain),
		Pitch: min(max(a.Pitch+b.Pitch, -mixer.MaxPitch), mixer.MaxPitch),
		Speed: min(max(a.Speed*b.Speed, mixer.MinSpeed), mixer.MaxSpeed),
	}
}
