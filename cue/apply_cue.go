package cue

import (
	"time"

	"voicepool/internal/sheet/scenes"
	"voicepool/mixer"
)

// applyToBus sends the new effect values and send gains of the set cue c to the mixer. They begin to change at the
// moment at and reach their values after the time over. The effects are on the bus c.Target. The sends belong to the
// parameter target, a bus or voices. At the first error of the mixer it stops and returns that error.
func (p *Player) applyToBus(at mixer.Moment, c *Cue, target mixer.Target, over time.Duration) error {
	for i := range c.Effects {
		if err := at.SetEffect(p.buses[c.Target], c.Effects[i].Effect, c.Effects[i].Values, over); err != nil {
			return err
		}
	}
	for i := range c.Sends {
		if err := at.SetSend(target, c.Sends[i].To, c.Sends[i].Gain, over); err != nil {
			return err
		}
	}
	return nil
}

// applyCue sends the commands of cue c, such as a fade or a pause, to the mixer. The parameter at is the moment when
// they act. c must not start a sound or send an OSC message, and p.held must be the action of c. The parameter target
// is the voices or the bus to change: normally p.target(c), or one voice if a layer of a sound begins later. A move of
// voices ignores target and always acts on p.target(c). Cues for the pool, a scene, a duck or the listener ignore
// target, too. Cues for the pool or a scene ignore at and act at the frame of p.held. At the first error of the mixer,
// such as mixer.ErrBusy, applyCue returns it. Some commands may have been sent by then.
func (p *Player) applyCue(at mixer.Moment, c *Cue, target mixer.Target) error {
	rate := p.sheet.Rate
	over := c.Over.Duration(rate)
	switch c.Verb {
	case Stop:
		if c.Cut {
			return at.Cut(target)
		}
		return at.FadeOut(target, over, c.Change.Shape)
	case Pause:
		return at.Pause(target)
	case Resume:
		return at.Resume(target)
	case Seek:
		return at.Seek(target, c.To.Duration(rate))
	case Resize:
		return p.stage.Resize(p.held.Frame, c.Voices)
	case SetScene:
		return p.stage.Move(p.held.Frame, scenes.StateOf(&p.sheet.Rules, scenes.Find(&p.sheet.Rules, c.Scene)), over, nil)
	case SetDuck:
		return at.SetDuck(p.buses[c.Target], c.Duck.MixerDuck(rate))
	case Move:
		return at.SetPosition(p.target(c), c.spot())
	case SetListener:
		return at.SetListener(c.listener())
	}
	if err := p.applyToBus(at, c, target, over); err != nil {
		return err
	}
	if c.Change.Fields == 0 && (c.Effects != nil || c.Sends != nil) {
		return nil
	}
	if c.Change.Fields == 0 { // only parameters change
		return p.parameters.reportMissed(at, p.held.Frame, c)
	}
	return at.Set(target, c.Change, over)
}

// target returns the mixer target of cue c: all voices with the id of c, all voices of the mixer, or the bus that c
// names. A cue for the master targets all voices, unless it is a set or a fade.
func (p *Player) target(c *Cue) mixer.Target {
	switch {
	case c.Scope == OnID:
		return mixer.TargetTag(c.tag)
	case c.target() == "all":
		return mixer.TargetAll()
	}
	return mixer.TargetBus(p.buses[c.Target])
}
