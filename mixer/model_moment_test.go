package mixer_test

import (
	"fmt"
	"math/rand/v2"

	"voicepool/mixer"
	"voicepool/pcm"
	"voicepool/sounds"
)

// target draws the target of a command.
func (d *modelTest) target(r *rand.Rand) (modelTarget, string) {
	t := modelTarget{bus: -1, names: anyVoice}
	switch n := r.IntN(10); {
	case n < 4 && len(d.plays) > 0:
		p, i := d.some(r)
		t.Target, t.one = mixer.TargetVoice(p.h), p
		return t, fmt.Sprint("#", i)
	case n < 6:
		tag := mixer.Tag(1 + r.IntN(4))
		t.Target, t.tagged = mixer.TargetTag(tag), true
		t.names = func(v *modelVoice) bool { return v.play.o.Tag == tag }
		return t, fmt.Sprint("tag ", tag)
	case n < 7:
		s := d.sounds[r.IntN(len(d.sounds))]
		t.Target = mixer.TargetSound(s)
		t.names = func(v *modelVoice) bool { return v.sound == s }
		return t, s.Name()
	case n < 9:
		buses := []string{"master", "top", "left", "right", "music"}
		t.bus = r.IntN(len(buses))
		ref, _ := d.m.Bus(buses[t.bus])
		t.Target = mixer.TargetBus(ref)
		t.names = func(v *modelVoice) bool { return d.model.below(v.play.bus, t.bus) }
		return t, buses[t.bus]
	}
	t.Target, t.all = mixer.TargetAll(), true
	return t, "everything"
}

// moment sends a random command for a frame.
func (d *modelTest) moment(r *rand.Rand) {
	t, name := d.target(r)
	at := d.when(r)
	ref := int64(1000 + len(d.log))
	moment := d.m.Engine().At(at).WithRef(mixer.Ref(ref))
	c := modelCommand{frame: at, target: t, ref: ref}
	kind := pick(r, modelStop, modelPause, modelResume, modelResume, modelSet, modelSet, modelSet, modelSeek)
	if (kind == modelStop || kind == modelPause) && t.one == nil && r.IntN(3) > 0 { // otherwise too few voices remain
		kind = modelResume
	}
	if kind != modelSet && t.bus == 0 { // the master selects all voices
		c.target.all, c.target.bus = true, -1
	}
	switch c.kind = kind; kind {
	case modelStop:
		over := d.time(r)
		c.change.Shape = sounds.Shape(r.IntN(5))
		d.say("At(%d).FadeOut %s %v %v", at, name, over, c.change.Shape)
		d.check(moment.FadeOut(t.Target, over, c.change.Shape))
		c.over = d.model.frames(over)
	case modelPause:
		d.say("At(%d).Pause %s", at, name)
		d.check(moment.Pause(t.Target))
	case modelResume:
		d.say("At(%d).Resume %s", at, name)
		d.check(moment.Resume(t.Target))
	case modelSeek:
		if !d.seeks {
			return
		}
		to := d.time(r) / 3
		d.say("At(%d).Seek %s %v", at, name, to)
		d.check(moment.Seek(t.Target, to))
		c.over = d.model.frames(to)
	case modelSet:
		if t.all {
			return
		}
		over := d.time(r)
		c.change = d.change(r, &t)
		d.say("At(%d).Set %s %+v %v", at, name, c.change, over)
		d.check(moment.Set(t.Target, c.change, over))
		c.over = d.model.frames(over)
	}
	d.model.send(c)
}

// change draws new values for fields that t can have.
func (d *modelTest) change(r *rand.Rand, t *modelTarget) mixer.Change {
	c := mixer.Change{
		Gain: d.gain(r), Pan: d.pan(r), Pitch: pick[pcm.Semitones](r, 0, 0, 3, -5.5), Speed: pick(r, 1, 1, 1.3), Shape: sounds.Shape(r.IntN(4)),
		Volume: d.gain(r), Mute: r.IntN(3) == 0, Solo: r.IntN(3) == 0, Priority: r.IntN(3), Protect: r.IntN(4) == 0, Rounds: pick(r, 0, mixer.Forever, 1, 3),
	}
	if t.bus >= 0 {
		fields := []mixer.Fields{mixer.FieldGain, mixer.FieldPan, mixer.FieldMute, mixer.FieldSolo, mixer.FieldVolume, mixer.FieldGain | mixer.FieldPan, mixer.FieldGain | mixer.FieldVolume}
		if t.bus > 0 {
			fields = append(fields, mixer.FieldPitch)
		}
		c.Fields = pick(r, fields...)
		return c
	}
	c.Fields = pick(r, mixer.FieldGain, mixer.FieldGain, mixer.FieldPan, mixer.FieldPan|mixer.FieldGain, mixer.FieldPitch, mixer.FieldSpeed, mixer.FieldPitch|mixer.FieldSpeed, mixer.FieldPriority, mixer.FieldProtect)
	if d.counts && r.IntN(8) == 0 {
		c.Fields, c.Rounds = mixer.FieldRounds, pick(r, 1, 1, 2, mixer.Forever)
	}
	return c
}
