package mixer_test

import (
	"voicepool/mixer"
	"voicepool/pcm"
	"voicepool/sounds"
)

// do executes a command.
func (x *model) do(c *modelCommand) {
	t := &c.target
	switch c.kind {
	case modelStart:
		x.start(c.play)
		return
	case modelWant:
		if v := c.play.voice; v != nil {
			over := x.smooth
			if !v.sounded {
				over = 0
			}
			x.apply(v, c.field, c.play.want[c.field], over)
			if c.field == wantProtect {
				x.shrink() // it may have been protected
			}
		} else {
			c.play.ahead[c.field] = nil
		}
		return
	case modelResize:
		if c.seq >= x.resized { // the later call counts
			x.resized = c.seq
			x.resize(int(c.over))
		}
		return
	case modelSet:
		if c.change.Fields&mixer.FieldProtect != 0 {
			defer x.shrink() // voices that were protected
		}
		if t.bus >= 0 {
			x.setBus(t.bus, c)
			return
		}
	case modelPause, modelResume:
		if t.all {
			x.paused = c.kind == modelPause
		} else if t.bus >= 0 {
			x.buses[t.bus].paused = c.kind == modelPause
			x.refresh()
		}
	}
	if t.one != nil {
		switch {
		case t.one.voice != nil:
			x.act(t.one.voice, c)
		case t.one.state == mixer.StatePending && c.kind == modelStop:
			t.one.cancel = true
		case t.one.state == mixer.StatePending:
			t.one.noteFutureValues(c)
		}
		return
	}
	found := false
	for _, v := range x.slots {
		if v != nil && t.names(v) {
			found = true
			x.act(v, c)
		}
	}
	if !found && t.tagged {
		x.stats.Missed++
		x.emit(nil, modelEvent{Kind: mixer.EventMissed, Slot: -1, Ref: mixer.Ref(c.ref)})
	}
}

// noteFutureValues applies a command to a start that has not begun.
func (p *modelPlay) noteFutureValues(c *modelCommand) {
	want := func(field int, value float64) { p.ahead[field] = &value }
	switch c.kind {
	case modelPause:
		want(wantPause, 1)
	case modelResume:
		want(wantPause, 0)
	case modelSeek:
		want(wantSeek, float64(c.over))
	case modelSet:
		for field, value := range changed(&c.change) {
			want(field, value)
		}
	}
}

// changed returns the new values in c by field.
func changed(c *mixer.Change) map[int]float64 {
	out := map[int]float64{}
	set := func(f mixer.Fields, field int, value float64) {
		if c.Fields&f != 0 {
			out[field] = value
		}
	}
	set(mixer.FieldGain, wantGain, float64(c.Gain))
	set(mixer.FieldPan, wantPan, c.Pan)
	set(mixer.FieldPitch, wantPitch, float64(c.Pitch))
	set(mixer.FieldSpeed, wantSpeed, c.Speed)
	set(mixer.FieldPriority, wantPriority, float64(c.Priority))
	set(mixer.FieldProtect, wantProtect, oneIf(c.Protect))
	set(mixer.FieldRounds, wantRounds, float64(c.Rounds))
	return out
}

func oneIf(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// apply sets a property of a voice from its handle.
func (x *model) apply(v *modelVoice, field int, value float64, over int64) {
	v.play.dirty[field] = false
	x.move(v, field, value, over, sounds.InDecibels)
	if field == wantSeek {
		x.seek(v, int64(value))
	}
	x.rescore(v)
	switch {
	case field != wantPause:
	case value != 0:
		x.pause(v, &v.self)
	default:
		x.resume(v, &v.self)
	}
}

// move fades a field of v to value within over frames; a priority and similar fields change at once.
func (x *model) move(v *modelVoice, field int, value float64, over int64, shape sounds.Shape) {
	switch field {
	case wantGain:
		v.gain.rampGain(x.now, value, over, shape)
	case wantPan:
		v.pan.ramp(x.now, value, over)
	case wantPitch:
		v.pitch.ramp(x.now, value, over)
	case wantSpeed:
		v.speed.ramp(x.now, float64(pcm.FromRatio(value)), over)
	case wantPriority:
		v.prio = int(value)
	case wantProtect:
		v.protect = value != 0
	case wantRounds:
		v.rounds(int(value))
		return
	}
	if field <= wantSpeed {
		v.plan(x.now)
	}
}

// act executes c, a command for voices, on v.
func (x *model) act(v *modelVoice, c *modelCommand) {
	flag := &v.self
	if c.target.all {
		flag = &v.byAll
	} else if c.target.bus >= 0 {
		flag = &v.byBus
	}
	switch c.kind {
	case modelStop:
		x.stop(v, c.over, c.change.Shape)
	case modelPause:
		x.pause(v, flag)
	case modelResume:
		x.resume(v, flag)
	case modelSeek:
		x.seek(v, c.over)
		x.rescore(v)
	case modelSet:
		over := c.over
		if v.sounded {
			over = max(over, x.smooth)
		}
		for field := range numModelWants {
			if value, ok := changed(&c.change)[field]; ok {
				x.move(v, field, value, over, c.change.Shape)
			}
		}
		x.rescore(v)
	}
}

// stop fades v out within over frames along shape; with 0 frames, or if v is paused, v leaves a tail and ends at
// once.
func (x *model) stop(v *modelVoice, over int64, shape sounds.Shape) {
	if over > 0 && !v.paused() {
		v.dying = true
		before := v.out.first()
		if v.out = append(v.out, cosineFade{x.now, over, shape}); v.out.first() != before {
			v.plan(x.now)
		}
		x.rescore(v)
		return
	}
	x.leaveTail(v)
	x.finish(v, modelEvent{Kind: mixer.EventStopped})
}

// pause sets flag, a reason for a pause of v, with a tail; a voice that is fading out ends instead.
func (x *model) pause(v *modelVoice, flag *bool) {
	if v.dying {
		x.stop(v, 0, sounds.Natural)
		return
	}
	if !v.paused() {
		x.leaveTail(v)
		v.held = x.now
		v.play.state = mixer.StatePaused
	}
	*flag = true
}

// resume clears flag, a reason for the pause of v; without another reason v fades in. A paused bus keeps its voices
// paused.
func (x *model) resume(v *modelVoice, flag *bool) {
	if !v.paused() || flag == &v.byBus && x.held(v.play.bus) {
		return
	}
	if *flag = false; v.paused() {
		return
	}
	if v.endAt != 0 {
		v.endAt += x.now - v.held
	}
	if v.sounded {
		v.back = cosineFade{start: x.now, frames: x.smooth}
	} else { // it begins now, with a fade-in after a seek
		v.in.start, v.back.start = x.now, x.now
	}
	v.plan(x.now)
	v.play.state = mixer.StatePlaying
	x.rescore(v)
}

// seek moves v to frame to of its sound, with a tail and a fade-in.
func (x *model) seek(v *modelVoice, to int64) {
	x.leaveTail(v)
	v.pos = min(to, v.sound.Frames()) << 32
	v.fold()
	v.back = cosineFade{start: x.now, frames: x.smooth}
	v.plan(x.now)
}

// setBus executes c, which sets properties of the bus with index index.
func (x *model) setBus(index int, c *modelCommand) {
	b := &x.buses[index]
	over := c.over
	if x.heard(index) {
		over = max(over, x.smooth)
	}
	has := func(f mixer.Fields) bool { return c.change.Fields&f != 0 }
	if has(mixer.FieldGain) {
		b.gain.rampGain(x.now, float64(c.change.Gain), over, c.change.Shape)
	}
	if has(mixer.FieldPan) {
		b.pan.ramp(x.now, c.change.Pan, over)
	}
	if has(mixer.FieldPitch) {
		b.pitch.ramp(x.now, float64(c.change.Pitch), over)
	}
	if has(mixer.FieldMute) {
		b.muted = c.change.Mute
		b.mute.ramp(x.now, 1-oneIf(b.muted), over)
	}
	if has(mixer.FieldSolo) {
		b.soloed = c.change.Solo
	}
	if has(mixer.FieldVolume) {
		b.volume.ramp(x.now, factor(float64(c.change.Volume)), over)
	}
	x.refresh()
	if has(mixer.FieldSolo) {
		x.applySolo(c.over)
	}
	for _, v := range x.slots {
		if v == nil {
			continue
		}
		if has(mixer.FieldPitch) && x.below(v.play.bus, index) {
			v.shared = x.pitchOf(v.play.bus)
			v.plan(x.now)
		}
		if has(mixer.FieldSolo) || x.below(v.play.bus, index) {
			x.rescore(v)
		}
	}
}
