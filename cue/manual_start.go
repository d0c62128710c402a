package cue

import (
	"slices"
	"time"

	"voicepool/mixer"
	"voicepool/pcm"
)

// manualStart is a call of Player.Start in progress.
type manualStart struct {
	player     *Player
	start      *Start
	name       string
	rate       int
	cue        Cue    // the equivalent cue, without values that each layer sets itself
	frame      int64  // mixer.Now: the next frame
	number     uint64 // common number of the layers of one start
	handles    []mixer.Handle
	delayed    []delayedStart  // layers that are delayed
	parameters *parameterStart // nil: the sound has no parameters
}

// cueFor returns a cue that is equivalent to the start o by hand of sound w. It combines the values of o and of the
// sound. The loop and the position in the sound are left out, and so is a bus that o does not set. The method inherit
// fills them in later, for each layer.
func (w *soundTemplate) cueFor(o *Start) Cue {
	c := Cue{Verb: Play, Sound: w.index, Bus: o.Bus, Protect: o.Protect, Priority: o.Priority}
	c.Change.Gain, c.Change.Pan, c.Change.Pitch, c.Change.Speed = o.Gain, o.Pan, o.Pitch, o.Speed
	c.addSoundValues(w, o)
	return c
}

// addSoundValues combines the values of c with the values of sound w. It adds the pan and the priority of the sound to
// those in c and limits the sums to the ranges of the mixer. The cutoffs of c become those in the start o, or the
// sound's where o has nil. The sends of c become the sound's.
func (c *Cue) addSoundValues(w *soundTemplate, o *Start) {
	c.Change.LowPass, c.Change.HighPass, c.Sends = w.rules.LowPass, w.rules.HighPass, w.rules.Sends
	if o.LowPass != nil {
		c.Change.LowPass = *o.LowPass
	}
	if o.HighPass != nil {
		c.Change.HighPass = *o.HighPass
	}
	c.Change.Pan = min(max(c.Change.Pan+w.rules.Pan, -mixer.MaxPan), mixer.MaxPan)
	c.Priority = min(max(c.Priority+w.rules.Priority, -mixer.MaxPriority), mixer.MaxPriority)
}

// inherit sets the bus and the loop of c to the values of sound w, unless the start o sets them. A loop that o sets is
// endless. The beginning in the sound, c.From, becomes the sound's in any case. If the sound is protected from
// stealing, c becomes protected, too.
func (c *Cue) inherit(w *soundTemplate, o *Start) {
	if o.Bus == "" {
		c.Bus = w.rules.Bus
	}
	c.Protect = c.Protect || w.rules.Protect
	if c.Loop, c.Rounds = w.rules.Loop, w.rules.Rounds; o.Loop != nil {
		c.Loop, c.Rounds = *o.Loop, 0
	}
	c.From = w.rules.From
}

// playerStartBits is set in the start numbers of players. Games and banks use other numbers; see
// mixer.Options.Play.
const playerStartBits = 3 << 62

// play starts the sound w, or all its layers, with random choices, and appends the handles of the voices to h.handles.
// On success it counts the start in w.draws. If one voice fails, play stops the voices that it has started, before
// they sound, and takes back the file choices. The error is of fileOf or the mixer. The caller holds w.draws.mutex.
func (h *manualStart) play(w *soundTemplate) error {
	h.setFrame(w)
	if w.rules.Parameters != nil {
		h.parameters = new(parameterState).addStart(0, &h.cue, w.rules, true)
	}
	layers, err := 1, error(nil)
	d, seed := w.draws, h.player.manual.seed
	if draw := d.draw(w, seed); w.layers == nil {
		err = h.startOne(w, &h.cue, d.chooseFile(w, 0, draw), w.drawBase(draw))
	} else {
		h.number = playerStartBits | h.player.manual.numbers.Add(1)
		base := w.drawBase(draw)
		for layers = 0; layers < len(w.layers) && err == nil; layers++ {
			l, c := &w.layers[layers], h.cue
			c.Sound = l.index
			c.addSoundValues(l, h.start)
			draw := d.draw(l, seed)
			err = h.startOne(l, &c, d.chooseFile(l, layers, draw), combineBase(base, l.drawBase(draw)))
		}
	}
	if err == nil {
		d.starts++
		return nil
	}
	d.undo(layers)
	for _, voice := range h.handles {
		_ = voice.Stop() // before it sounds
	}
	return err
}

// setFrame sets h.frame, the frame when the start acts. If h.start has a batch, the frame is relative to the batch. If
// h.start has a frame, it is that frame. Otherwise a sound without delayed layers gets mixer.Now, the next frame.
// Delayed layers need a known frame, so a sound with them gets the first frame that the mixer can reach in time.
func (h *manualStart) setFrame(w *soundTemplate) {
	switch o := h.start; {
	case o.Batch != nil:
		h.frame = max(o.Frame, 0)
	case o.Frame > 0:
		h.frame = o.Frame
	case slices.ContainsFunc(w.layers, func(l soundTemplate) bool { return l.delay > 0 }):
		m := h.player.mixer
		h.frame = m.Next() + pcm.Frames(m.Latency().Block+time.Millisecond, h.rate)
	default:
		h.frame = mixer.Now
	}
}

// startOne starts one voice, for a sound or for a layer of a sound, and appends its handle to h.handles. w is the
// template of the sound or layer, and file is the index of its file. c is the equivalent cue; startOne fills in its
// bus, loop and position. base has the sound's own values with the random choices. If startOne returns an error, of
// fileOf or the mixer, no voice was started.
func (h *manualStart) startOne(w *soundTemplate, c *Cue, file int, base mixer.Base) error {
	p, o := h.player, h.start
	c.inherit(w, o)
	sound, err := p.fileOf(w, c.Loop, file)
	if err != nil {
		return err
	}
	m := p.commonOptions(c, w.rules, base, h.rate)
	m.Group, m.Quality = w.group, w.quality
	m.Name, m.Play, m.Ref = h.name, h.number, manualRef(o.Ref, w.index)
	if m.FadeIn = o.FadeIn; o.For > 0 {
		m.For = max(o.For, pcm.Duration(1, h.rate))
	}
	if o.From > 0 {
		m.From = o.From
		wrapIntoLoop(sound, &m)
	}
	if t := h.parameters; t != nil {
		m.Gain, m.Pitch = pcm.Decibels(t.gain.at(0)), pcm.Semitones(t.pitch.at(0))
	}
	frame := h.frame
	if w.delay > 0 {
		frame += w.delay
	}
	at := p.mixer.At(frame)
	if o.Batch != nil {
		at = o.Batch.At(frame)
	}
	p.manual.requested.Add(1)
	voice, err := at.Play(sound, m)
	if err != nil {
		p.manual.requested.Add(-1)
		return err
	}
	h.handles = append(h.handles, voice)
	if w.delay > 0 && o.Batch == nil {
		h.delayed = append(h.delayed, delayedStart{frame: frame, tag: c.tag, bus: c.Bus, handle: voice})
	}
	return nil
}

// registerDelayed registers the delayed layers and the parameters of the start with the player, so that later cues can
// change them. It queues this for the goroutine of Feed and returns at once. Without delayed layers and parameters it
// has no effect.
func (h *manualStart) registerDelayed() {
	if h.delayed == nil && h.parameters == nil {
		return
	}
	p := h.player
	p.live.enqueue(func() {
		now := p.nextFrame()
		if p.held == nil { // while an action is held, its list must not change
			p.delayed = slices.DeleteFunc(p.delayed, func(w delayedStart) bool { return w.frame < now })
		}
		p.delayed = append(p.delayed, h.delayed...)
		if h.parameters != nil {
			h.parameters.voices, h.parameters.starts = h.handles, make([]int64, len(h.handles))
			p.applyGlobalParameters(h.parameters, now)
		}
	})
}

// applyGlobalParameters registers start, a start by hand of a sound with parameters. Parameters that cues have set for
// all sounds replace its own values, from the given frame of the show on. The resulting fades of gain and pitch are
// sent to the mixer; errors are ignored. It runs on the goroutine of Feed.
func (p *Player) applyGlobalParameters(start *parameterStart, frame int64) {
	t := &p.parameters
	t.starts = append(slices.DeleteFunc(t.starts, (*parameterStart).ended), start)
	for i := range start.values {
		if x, all := t.values[start.rules.Parameters[i].Name]; all {
			start.values[i] = x
		}
	}
	t.findCorners(frame, start)
	_ = start.forEachLine(func(l *propertyLine) error { return l.sendFade(p.moment, frame, t.rate) }) // on an error it continues from the next corner
}
