package play

import (
	"errors"
	"slices"

	"voicepool/bank/rules"
	"voicepool/cue"
	"voicepool/cue/internal/runsheet"
	"voicepool/internal/sheet/scenes"
	"voicepool/mixer"
	"voicepool/pcm"
)

// commands is the maximum number of commands in flight: 200,000 a second if Run runs every 20 ms. A small
// live show and a short render use fewCommands, the default of the mixer.
const (
	commands    = 4096
	fewCommands = 1024
	shortSheet  = fewCommands / 8
)

// sender sends the actions of a show to the mixer, one after another. An action can need several commands, and the
// mixer can have room for some of them only. The action then stays the current one, and resume continues with the
// command that did not fit:
//
//	begin -> phaseCountdown -> phaseVoices ------------------------> phaseNone   starts
//	begin -> phaseTarget ----> phaseDelayed --> phaseParameters ---> phaseNone   other verbs
//
// Only the methods in this file change the phase.
type sender struct {
	*show
	stage         scenes.Stage
	current       transfer
	timeline      *cueBatch // receives the commands outside other batches; nil: a render, which has no batches
	countdowns    map[mixer.Tag]*mixer.Countdown
	delayed       []delayedStart
	stoppedFrames []int64 // frames of delayed starts that were stopped before they began
	requested     int64   // starts requested by the sheet
	sent          int64   // number of actions sent
}

// transfer is an action that is being sent.
type transfer struct {
	phase  phase
	next   int // number of commands of the phase that the mixer has accepted, or the index of the next delayed start
	action Action
	batch  *cueBatch       // the commands belong to it; nil: a render
	tuned  *parameterStart // phaseVoices: the state of the parameters; nil: no parameters
	moved  []*propertyLine // phaseParameters: gains and pitches that move
}

// phase selects the commands of an action that are sent next.
type phase uint8

const (
	phaseNone       phase = iota // no action
	phaseCountdown               // starts: a command that counts them, for actions that wait for their end
	phaseVoices                  // starts: a command for each voice
	phaseTarget                  // other verbs: the commands for the target
	phaseDelayed                 // other verbs: a command for each voice that the mixer does not find by the target yet
	phaseParameters              // set and fade: a move for each gain or pitch that parameters change
)

// busy reports whether an action is being sent.
func (d *sender) busy() bool { return d.current.phase != phaseNone }

// begin makes a the current action. Its commands belong to batch, or to the timeline if batch is nil. No action may be
// current. The caller calls resume next.
func (d *sender) begin(a Action, batch *cueBatch) {
	if batch == nil {
		batch = d.timeline
	}
	d.current = transfer{phase: phaseTarget, action: a, batch: batch}
	if c := d.cue(); c.Play != nil {
		d.current.phase = phaseCountdown
		d.current.tuned = d.parameters.newStart(c.Tag, c.Play.Gain, c.Play.Pitch, c.Play.Parameters, &d.sheet.Sounds[c.Sound])
	}
}

// resume sends the remaining commands of the current action, if there is one. On an error the action stays current, so
// that the next call can continue. The error mixer.ErrBusy means that the mixer's queue is full. Other errors are the
// mixer's, too; they have the file and line of the cue, if known.
func (d *sender) resume() error {
	if !d.busy() {
		return nil
	}
	for d.busy() {
		if err := d.sendPhase(); err != nil {
			return locateError(d.cue(), d.sheet.File, err)
		}
	}
	d.sent++
	return nil
}

// drop cancels the current action if it belongs to any of the given batches. Its remaining commands are not sent.
func (d *sender) drop(batches ...*cueBatch) {
	if d.busy() && slices.Contains(batches, d.current.batch) {
		d.current = transfer{}
	}
}

// cue returns the cue of the current action.
func (d *sender) cue() *runsheet.Cue { return &d.sheet.Cues[d.current.action.Cue] }

// sendPhase sends the commands of the current phase and enters the next one. On an error the phase stays, and the next
// call continues there. The commands of a cue with several effects or sends are one step, so some of them may be sent
// again.
func (d *sender) sendPhase() error {
	t, c := &d.current, d.cue()
	frame := t.action.Frame
	switch t.phase {
	case phaseCountdown:
		if c.Launch == 0 && d.timeline != nil && d.follows.awaited[c.Tag] {
			if err := d.moment(frame).Add(d.countdownOf(c.Tag), clampToInt(c.StartCount()/c.Times)); err != nil {
				return err
			}
		}
		d.enter(phaseVoices)
	case phaseVoices:
		if err := d.startVoices(t, c); err != nil {
			return err
		}
		if t.tuned != nil {
			d.parameters.register(t.tuned, frame)
		}
		d.enter(phaseNone)
	case phaseTarget:
		if m, is := c.Action.(*cue.Message); is {
			d.queueMessage(t, m)
			d.enter(phaseNone)
			break
		}
		if err := d.apply(c, frame, d.target(c)); err != nil {
			return err
		}
		d.delayed = slices.DeleteFunc(d.delayed, func(w delayedStart) bool { return w.frame < frame })
		d.enter(phaseDelayed)
	case phaseDelayed:
		if err := d.applyToDelayed(t, c); err != nil {
			return err
		}
		d.enter(phaseParameters)
		if set, is := c.Action.(*cue.Set); is {
			t.moved = d.parameters.apply(set, c.Tag, d.sheet.Sounds, frame)
		}
	case phaseParameters:
		for ; t.next < len(t.moved); t.next++ {
			if err := t.moved[t.next].sendFade(d.moment, frame, d.parameters.rate); err != nil {
				return err
			}
		}
		d.enter(phaseNone)
	}
	return nil
}

// queueMessage puts the OSC message m into the outbox. It will be sent once the frame of t, the action with m, has been
// mixed. In a render, and without Options.Send, queueMessage has no effect.
func (d *sender) queueMessage(t *transfer, m *cue.Message) {
	if d.options.Send == nil || d.isRender {
		return
	}
	l := queuedMessage{message: m, frame: t.action.Frame, batch: t.batch}
	if l.batch != nil {
		l.frame -= l.batch.firstFrame
	}
	d.outbox = append(d.outbox, l)
}

// enter begins the given phase of the current action.
func (d *sender) enter(p phase) { d.current.phase, d.current.next = p, 0 }

// startVoices starts the sound of cue c, or its layers from number t.next on, with the random choices of the action.
func (d *sender) startVoices(t *transfer, c *runsheet.Cue) error {
	a, sound := &t.action, &d.sheet.Sounds[c.Sound]
	base := mixer.Base{Gain: a.Gain, Pitch: a.Pitch, Speed: sound.Speed}
	for i, one := range c.Starts() {
		if i < t.next {
			continue
		}
		file, base, number := a.File, base, 0
		if c.Layers != nil {
			choice := &a.layerChoices[i]
			file, number = choice.file, i+1
			base = combineBase(base, mixer.Base{Gain: choice.gain, Pitch: choice.pitch, Speed: d.sheet.Sounds[one.Sound].Speed})
		}
		o := d.voiceOptions(a, one, base, number)
		if t.tuned != nil {
			o.Gain, o.Pitch = pcm.Decibels(t.tuned.gain.at(a.Frame)), pcm.Semitones(t.tuned.pitch.at(a.Frame))
		}
		if err := d.startVoice(a.Frame, one, d.sounds.of(one, file), o, t.tuned); err != nil {
			return err
		}
		t.next++
	}
	return nil
}

// applyToDelayed applies cue c to delayed layers, which the mixer does not find by their target yet. It selects the
// layers of c's target that begin at the frame of the action or later. Of the cues for a bus or all voices only stops
// are applied. A seek is never applied. Pauses of a bus or of all voices need no command, because the mixer holds the
// layers when they start.
func (d *sender) applyToDelayed(t *transfer, c *runsheet.Cue) error {
	target, stops := c.Target(), false
	switch a := c.Action.(type) {
	case *cue.Stop:
		stops = true
	case *cue.Seek:
		return nil
	case *cue.Set:
		if a.Change.Fields == 0 {
			return nil
		}
	}
	for ; t.next < len(d.delayed); t.next++ {
		w := &d.delayed[t.next]
		applies := target.Scope == cue.OnID && c.Tag == w.tag
		if stops && target.Scope != cue.OnID {
			applies = c.VoiceTarget() == "all" || isBelow(&d.sheet.Rules, w.bus, target.Name)
		}
		if !applies || w.frame < t.action.Frame {
			continue
		}
		if err := d.apply(c, t.action.Frame, mixer.TargetVoice(w.handle)); err != nil {
			return err
		}
		if stops && !w.stopped {
			w.stopped = true
			d.stoppedFrames = append(d.stoppedFrames, w.frame)
		}
	}
	return nil
}

// addDelayed adds starts by hand to the delayed starts. Starts before frame now are removed, unless an action is being
// sent, because its list must not change.
func (d *sender) addDelayed(more []delayedStart, now int64) {
	if !d.busy() {
		d.delayed = slices.DeleteFunc(d.delayed, func(w delayedStart) bool { return w.frame < now })
	}
	d.delayed = append(d.delayed, more...)
}

// send hands the next actions to the mixer, up to the frame of the show given by the parameter before, but without that
// frame and never after the sheet's length. It also sends the moves of gain and pitch that follow parameters. If the
// mixer's queue is full, the error is mixer.ErrBusy, and blocked is the frame of the action or move that did not fit.
// The next call continues there. Other errors of the mixer are returned in the same way. Without an error blocked is 0.
func (d *sender) send(before int64) (blocked int64, err error) {
	before = min(before, d.cut)
	for {
		if err := d.resume(); err != nil {
			return d.current.action.Frame, err
		}
		frame, ok := d.schedule.Peek()
		next := d.parameters.nextCorner()
		switch {
		case next < before && (!ok || next < frame):
			if err := d.parameters.passCorners(d.moment, next); err != nil {
				return next, err
			}
			d.sent++
		case !ok || frame >= before:
			return 0, nil
		default:
			a, _ := d.schedule.Next()
			if d.follows.subtractSkipped(&a); !a.Skipped {
				d.begin(a, nil)
			}
		}
	}
}

// requestedStarts returns the number of starts requested so far, by the sheet and by hand.
func (d *sender) requestedStarts() int64 { return d.requested + d.manual.requested.Load() }

// isQuiet reports whether no voice plays and the mixer has carried out every requested start. A delayed start that was
// stopped before it began counts as carried out. stats are the current counters of the mixer, and must not be older
// than in the last call, because isQuiet drops the delayed starts before stats.Frame. If the result is true, all voices
// and their tails end at stats.SilentFrom or before. Tails of effects may still sound, see endOfSound.
func (d *sender) isQuiet(stats *mixer.Stats) bool { return stats.Playing == 0 && d.allBegun(stats) }

// allBegun reports whether the mixer has carried out every requested start, as isQuiet does.
func (d *sender) allBegun(stats *mixer.Stats) bool {
	d.stoppedFrames = slices.DeleteFunc(d.stoppedFrames, func(frame int64) bool { return frame < stats.Frame })
	return stats.Asked+int64(len(d.stoppedFrames)) >= d.requestedStarts()
}

// locateError adds the position of cue c to err: it returns a rules.Errors with the text of err, the name file, and the
// line and column of c. The result does not wrap err. mixer.ErrBusy is returned unchanged, and so is any error if c has
// no line.
func locateError(c *runsheet.Cue, file string, err error) error {
	if c.Line == 0 || errors.Is(err, mixer.ErrBusy) {
		return err
	}
	return rules.Errors{&rules.Error{File: file, Line: c.Line, Column: c.Column, Msg: err.Error()}}
}

// isBelow reports whether bus feeds into the bus called other, directly or through its parents. The master does not
// count as a parent. The result is also true if both names are the same, even if no bus has that name. It is false if
// bus is empty, or if it is unknown and other is another name.
func isBelow(r *rules.Rules, bus, other string) bool {
	for parents := r.Parents(); bus != ""; bus = parents[bus] {
		if bus == other {
			return true
		}
	}
	return false
}
