package play

import (
	"slices"

	"voicepool/cue/internal/runsheet"
	"voicepool/mixer"
	"voicepool/pcm"
	"voicepool/sounds"
)

// delayedStart is a delayed layer of a start. The mixer does not yet find it by its tag.
type delayedStart struct {
	frame   int64
	tag     mixer.Tag
	bus     string
	handle  mixer.Handle
	stopped bool // it was stopped before it began
}

// voiceOptions returns the mixer options for a voice of the action a. c is the cue or the layer to start. number is the
// number of the layer, from 1, or 0 without layers. base has the sound's own values and the random choices; the values
// of c are added as separate fields.
func (d *sender) voiceOptions(a *Action, c *runsheet.Cue, base mixer.Base, number int) mixer.Options {
	p, rate, sound := c.Play, d.rate, &d.sheet.Sounds[c.Sound]
	o := mixer.Options{
		Gain: p.Gain, Pan: p.Pan, Pitch: p.Pitch, Speed: p.Speed, Filters: p.Filters,
		Bus: d.buses[p.Bus], Priority: p.Priority, Importance: p.Importance, Loop: p.Loop, Group: d.groups[c.Sound],
		From: p.From.Duration(rate), FadeIn: p.FadeIn.Duration(rate),
		EngineOptions: mixer.EngineOptions{
			Base: base, Protect: p.Protect, Rounds: p.Rounds, WhenFull: sound.WhenFull, Sends: p.Sends, FadeShape: p.FadeShape,
			Quality: d.sheet.QualityOf(sound), Owner: c.OwnerNumber, Tag: c.Tag, Ref: refOf(a.Cue, number),
		},
	}
	if p.Spot != nil {
		e := sound.Emitter
		e.Spot = *p.Spot
		o.Emitter = &e
	}
	if p.For != nil {
		// Shorter times are rounded up to one frame, because 0 means the whole sound.
		o.For = max(p.For.Duration(rate), pcm.Duration(1, rate))
	}
	return o
}

// startVoice starts one voice of s with the options o. c is its cue or layer; the voice starts at frame plus the delay
// of c. The start is counted for actions that wait for the voice. If tuned is not nil, the handle of the voice is added
// to it. At or after the sheet's length no voice is started. The error is the mixer's.
func (d *sender) startVoice(frame int64, c *runsheet.Cue, s *sounds.Sound, o mixer.Options, tuned *parameterStart) error {
	if d.timeline != nil {
		o.Countdowns = d.countdownsOf(c)
	}
	if c.MidSound {
		wrapIntoLoop(s, &o)
	}
	if frame += c.Delay.Frames(d.sheet.Rate); frame >= d.cut { // after the cut: it must not be waited for
		d.follows.countStart(c)
		return nil
	}
	h, err := d.moment(frame).Play(s, o)
	if err != nil {
		return err
	}
	d.requested++
	d.follows.countStart(c)
	if c.Play.Loop && d.timeline == nil && d.follows.awaited[c.Tag] {
		d.follows.loopingStarts = append(d.follows.loopingStarts, loopingStart{c.Tag, h})
	}
	if c.Launch > 0 && d.options.Live {
		r := &d.follows.progress[c.Launch-1]
		r.handles = append(slices.DeleteFunc(r.handles, func(h mixer.Handle) bool { return h.State().Over() }), h)
	}
	if tuned != nil {
		tuned.voices, tuned.starts = append(tuned.voices, h), append(tuned.starts, frame)
	}
	if !c.Delay.IsZero() {
		d.delayed = append(d.delayed, delayedStart{frame: frame, tag: c.Tag, bus: c.Play.Bus, handle: h})
	}
	return nil
}

// countdownsOf returns the countdowns that a voice of cue c decrements when it ends. counts[0] belongs to the launch of
// c, the run of its list cue, and counts[1] to the id of c. An entry is nil if c has no launch, or if no action waits
// for the id.
func (d *sender) countdownsOf(c *runsheet.Cue) (counts [2]*mixer.Countdown) {
	if c.Launch > 0 {
		counts[0] = d.follows.progress[c.Launch-1].countdown
	}
	if d.follows.awaited[c.Tag] {
		counts[1] = d.countdownOf(c.Tag)
	}
	return counts
}

// countdownOf returns the countdown of one id. It counts the pending and living starts of that id, for actions that
// wait for the end of the id. The parameter tag is the number of the id. The first call for a tag creates the
// countdown, at 0.
func (d *sender) countdownOf(tag mixer.Tag) *mixer.Countdown {
	c := d.countdowns[tag]
	if c == nil {
		c = d.mixer.Engine().NewLoopCountdown()
		d.countdowns[tag] = c
	}
	return c
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

// wrapIntoLoop moves o.From, the position of a start in the sound s, back into the loop if it is behind the end of the
// loop. Completed rounds are subtracted from o.Rounds. In the last round it clears o.Loop and o.Rounds. A start that
// does not loop, or begins before the end of the loop, does not change.
func wrapIntoLoop(s *sounds.Sound, o *mixer.Options) {
	loop := s.Loop()
	from := pcm.Frames(o.From, s.Rate())
	if !o.Loop || loop.Frames() <= 0 || from < loop[1] {
		return
	}
	rounds := (from - loop[0]) / loop.Frames()
	if o.Rounds > 0 {
		if rounds = min(rounds, int64(o.Rounds-1)); rounds == int64(o.Rounds-1) {
			o.Loop = false
		}
		o.Rounds -= int(rounds)
		if !o.Loop {
			o.Rounds = 0
		}
	}
	o.From = pcm.Duration(from-rounds*loop.Frames(), s.Rate())
}
