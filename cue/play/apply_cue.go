package play

import (
	"voicepool/cue"
	"voicepool/cue/internal/runsheet"
	"voicepool/internal/sheet/scenes"
	"voicepool/mixer"
)

// apply sends the commands of cue c, such as a fade or a pause, to the mixer. They act at frame of the show. c must be
// the cue of the current action, and neither start a sound nor send an OSC message. The parameter target is the voices
// or the bus to change: normally d.target(c), or one voice if a layer of a sound begins later. A move of voices ignores
// target and always acts on d.target(c). Cues for the pool, a scene, a duck or the listener ignore target, too. At the
// first error of the mixer, such as mixer.ErrBusy, apply returns it. Some commands may have been sent by then.
func (d *sender) apply(c *runsheet.Cue, frame int64, target mixer.Target) error {
	at := d.moment(frame).WithRef(mixer.Ref(d.current.action.Cue))
	rate := d.sheet.Rate
	switch a := c.Action.(type) {
	case *cue.Stop:
		if a.Cut {
			return at.Cut(target)
		}
		return at.FadeOut(target, a.Over.Duration(rate), a.Shape)
	case *cue.Set:
		return d.applySet(c, a, at, frame, target)
	case *cue.Pause:
		return at.Pause(target)
	case *cue.Resume:
		return at.Resume(target)
	case *cue.Seek:
		return at.Seek(target, a.To.Duration(rate))
	case *cue.Resize:
		return d.stage.Resize(frame, a.Voices)
	case *cue.SetScene:
		return d.stage.Move(frame, scenes.NewFile(&d.sheet.Rules).With(scenes.Find(&d.sheet.Rules, a.Scene)), a.Over.Duration(rate), nil)
	case *cue.SetDuck:
		return at.SetDuck(d.buses[a.Target.Name], a.Duck.MixerDuck(rate))
	case *cue.Move:
		return at.SetPosition(d.target(c), a.Spot)
	case *cue.SetListener:
		return at.SetListener(a.Listener)
	}
	return nil
}

// applySet sends the commands of set, the action of cue c, to the mixer: new values of effects and gains of sends, and
// then the properties. They act at the moment at, which is frame of the show. The effects are on the bus of the set;
// the sends and properties belong to the parameter target, a bus or voices.
func (d *sender) applySet(c *runsheet.Cue, set *cue.Set, at mixer.Moment, frame int64, target mixer.Target) error {
	over := set.Over.Duration(d.sheet.Rate)
	for i := range set.Effects {
		if err := at.SetEffect(d.buses[set.Target.Name], set.Effects[i].Effect, set.Effects[i].Values, over); err != nil {
			return err
		}
	}
	for i := range set.Sends {
		if err := at.SetSend(target, set.Sends[i].To, set.Sends[i].Gain, over); err != nil {
			return err
		}
	}
	switch {
	case set.Change.Fields != 0:
		return at.Set(target, set.Change, over)
	case set.Effects == nil && set.Sends == nil: // only parameters change
		return d.parameters.reportMissed(at, frame, c)
	}
	return nil
}

// target returns the mixer target of cue c: all voices with the id of c, all voices of the mixer, or the bus that c
// names. A cue for the master targets all voices, unless it is a set or a fade.
func (d *sender) target(c *runsheet.Cue) mixer.Target {
	switch t := c.Target(); {
	case t.Scope == cue.OnID:
		return mixer.TargetTag(c.Tag)
	case c.VoiceTarget() == "all":
		return mixer.TargetAll()
	default:
		return mixer.TargetBus(d.buses[t.Name])
	}
}
