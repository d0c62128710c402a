package play

import (
	"time"

	"voicepool/cue"
	"voicepool/cue/internal/runsheet"
	"voicepool/internal/sheet/scenes"
	"voicepool/mixer"
)

// applyToBus sends the new effect values and send gains of the set cue c to the mixer. They begin to change at the
// moment at and reach their values after the time over. The effects are on the bus c.Target. The sends belong to the
// parameter target, a bus or voices. At the first error of the mixer it stops and returns that error.
func (d *sender) applyToBus(at mixer.Moment, c *runsheet.Cue, target mixer.Target, over time.Duration) error {
	for i := range c.Effects {
		if err := at.SetEffect(d.buses[c.Target], c.Effects[i].Effect, c.Effects[i].Values, over); err != nil {
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

// apply sends the commands of cue c, such as a fade or a pause, to the mixer. They act at frame of the show. c must be
// the cue of the current action, and neither start a sound nor send an OSC message. The parameter target is the voices
// or the bus to change: normally d.target(c), or one voice if a layer of a sound begins later. A move of voices ignores
// target and always acts on d.target(c). Cues for the pool, a scene, a duck or the listener ignore target, too. At the
// first error of the mixer, such as mixer.ErrBusy, apply returns it. Some commands may have been sent by then.
func (d *sender) apply(c *runsheet.Cue, frame int64, target mixer.Target) error {
	at := d.moment(frame).WithRef(int64(d.current.action.Cue))
	rate := d.sheet.Rate
	over := c.Over.Duration(rate)
	switch c.Verb {
	case cue.Stop:
		if c.Cut {
			return at.Cut(target)
		}
		return at.FadeOut(target, over, c.Change.Shape)
	case cue.Pause:
		return at.Pause(target)
	case cue.Resume:
		return at.Resume(target)
	case cue.Seek:
		return at.Seek(target, c.To.Duration(rate))
	case cue.Resize:
		return d.stage.Resize(frame, c.Voices)
	case cue.SetScene:
		return d.stage.Move(frame, scenes.StateOf(&d.sheet.Rules, scenes.Find(&d.sheet.Rules, c.Scene)), over, nil)
	case cue.SetDuck:
		return at.SetDuck(d.buses[c.Target], c.Duck.MixerDuck(rate))
	case cue.Move:
		return at.SetPosition(d.target(c), c.Spot())
	case cue.SetListener:
		return at.SetListener(c.Listener())
	}
	if err := d.applyToBus(at, c, target, over); err != nil {
		return err
	}
	if c.Change.Fields == 0 && (c.Effects != nil || c.Sends != nil) {
		return nil
	}
	if c.Change.Fields == 0 { // only parameters change
		return d.parameters.reportMissed(at, frame, c)
	}
	return at.Set(target, c.Change, over)
}

// target returns the mixer target of cue c: all voices with the id of c, all voices of the mixer, or the bus that c
// names. A cue for the master targets all voices, unless it is a set or a fade.
func (d *sender) target(c *runsheet.Cue) mixer.Target {
	switch {
	case c.Scope == cue.OnID:
		return mixer.TargetTag(c.Tag)
	case c.VoiceTarget() == "all":
		return mixer.TargetAll()
	}
	return mixer.TargetBus(d.buses[c.Target])
}
