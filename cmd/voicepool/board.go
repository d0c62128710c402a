package main

import (
	"context"
	"sync"

	"voicepool/cue"
	"voicepool/mixer"
	"voicepool/pcm"
	"voicepool/sounds"
	"voicepool/voice"
)

// board knows which voices play, from the events of a player, and about where
// and how loud they are, from the sheet: the audio side is not asked. The
// goroutine of the player writes on it, another one looks at it.
type board struct {
	mutex sync.Mutex
	sheet *cue.Sheet
	bank  *sounds.Bank

	// What the sheet asks for, as far as the events have come.
	schedule *cue.Schedule
	asks     map[int][]cue.Action // by cue: starts of which no event has told yet
	moves    []cue.Action         // of frames whose events are not all there yet

	voices map[int]*playing // by slot
	recent []cue.Event      // since the last look
	history
}

// playing is a voice, as the board sees it.
type playing struct {
	slot   int
	number uint64
	sound  string
	cue    int
	loop   bool
	paused bool
	data   *voice.Sound

	frame    int64   // where the mixer was when position was right
	position float64 // in frames of the sound
	base     pcm.Decibels
	basePace float64 // the speed that the sound has of itself
	gain     motion
	pan      motion
	pitch    motion
	speed    motion

	victim *cue.Event // who lost this slot to it
}

func newBoard(sheet *cue.Sheet, bank *sounds.Bank) *board {
	return &board{sheet: sheet, bank: bank, schedule: sheet.Schedule(sheet.Rate, sheet.Seed), asks: map[int][]cue.Action{}, voices: map[int]*playing{}}
}

// data returns the sound that a start plays, which the player has put into the
// bank before; nil when it is not there.
func (b *board) data(c *cue.Cue, file int) *voice.Sound {
	f := b.sheet.Sounds[c.Sound].Files[file]
	source := sounds.Source{Loop: c.Loop}
	if f.Path == "" {
		source.Name = f.Name
	} else {
		source.File = soundPath(b.sheet, f)
	}
	loaded, err := b.bank.Load(context.Background(), source)
	if err != nil {
		return nil
	}
	return loaded[0]
}

// watch takes one event.
func (b *board) watch(e cue.Event) {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	b.advance(e.Frame)
	b.recent = append(b.recent, e)
	b.history.note(e)
	switch e.Kind {
	case mixer.Started:
		b.start(e)
	case mixer.Rejected, mixer.Limited:
		b.asked(e.Cue)
	case mixer.Ended, mixer.Stopped, mixer.Stolen:
		if v := b.voices[e.Slot]; v != nil && v.number == e.Voice {
			delete(b.voices, e.Slot)
		}
		if e.Kind == mixer.Stolen && e.By != 0 {
			// Its newcomer, which is not there yet, finds it under the slot.
			b.voices[e.Slot] = &playing{slot: e.Slot, victim: &e}
		}
	}
}

// asked returns the oldest start of a cue that no event has told of.
func (b *board) asked(index int) (a cue.Action, ok bool) {
	if queue := b.asks[index]; len(queue) > 0 {
		a, b.asks[index] = queue[0], queue[1:]
		return a, true
	}
	return cue.Action{}, false
}

func (b *board) start(e cue.Event) {
	a, ok := b.asked(e.Cue)
	if !ok {
		return
	}
	c := &b.sheet.Cues[e.Cue]
	v := &playing{
		slot: e.Slot, number: e.Voice, sound: e.Sound, cue: e.Cue, loop: c.Loop,
		data: b.data(c, a.File), frame: e.Frame, base: a.Gain, basePace: a.Pitch.Ratio(),
		gain: still(float64(c.Change.Gain)), pan: still(c.Change.Pan), pitch: still(float64(c.Change.Pitch)), speed: still(1),
	}
	v.position = float64(c.From.Frames(b.sheet.Rate))
	if c.Change.Speed > 0 {
		v.speed = still(c.Change.Speed)
	}
	if s := b.sheet.Sounds[c.Sound].Speed; s > 0 {
		v.basePace *= s
	}
	if before := b.voices[e.Slot]; before != nil && before.number == 0 {
		v.victim = before.victim
	}
	b.voices[e.Slot] = v
}

// advance goes through what the sheet asks for up to a frame. What moves voices
// waits until all events of its own frame are there.
func (b *board) advance(frame int64) {
	for {
		next, ok := b.schedule.Peek()
		if !ok || next > frame {
			break
		}
		a, _ := b.schedule.Next()
		if b.sheet.Cues[a.Cue].Verb == cue.Play {
			b.asks[a.Cue] = append(b.asks[a.Cue], a)
		} else {
			b.moves = append(b.moves, a)
		}
	}
	for len(b.moves) > 0 && b.moves[0].Frame < frame {
		b.move(b.moves[0])
		b.moves = b.moves[1:]
	}
}

// move does to the voices what a cue says.
func (b *board) move(a cue.Action) {
	c := &b.sheet.Cues[a.Cue]
	over := c.Over.Frames(b.sheet.Rate)
	for _, v := range b.voices {
		if v.number == 0 {
			continue
		}
		if !reaches(c, &b.sheet.Cues[v.cue]) {
			continue
		}
		v.advance(a.Frame)
		switch c.Verb {
		case cue.Pause:
			v.paused = true
		case cue.Resume:
			v.paused = false
		case cue.Stop:
			v.gain.to(float64(pcm.Silence), a.Frame, over)
		case cue.Set, cue.Fade:
			for _, m := range [...]struct {
				field mixer.Fields
				move  *motion
				value float64
			}{
				{mixer.Gain, &v.gain, float64(c.Change.Gain)}, {mixer.Pan, &v.pan, c.Change.Pan},
				{mixer.Pitch, &v.pitch, float64(c.Change.Pitch)}, {mixer.Speed, &v.speed, c.Change.Speed},
			} {
				if c.Change.Fields&m.field != 0 {
					m.move.to(m.value, a.Frame, over)
				}
			}
		}
	}
}

// reaches reports whether a cue moves the voices that another one has started.
// What is set on a bus moves the bus, which the board leaves out.
func reaches(c, started *cue.Cue) bool {
	switch c.Scope {
	case cue.OnID:
		return started.ID == c.Target
	case cue.OnBus:
		return c.Verb != cue.Set && c.Verb != cue.Fade && (started.Bus == c.Target || c.Target == "master")
	}
	return true
}

// advance moves the place of the voice on to a frame.
func (v *playing) advance(frame int64) {
	if frame <= v.frame {
		return
	}
	if !v.paused {
		pace := v.basePace * v.speed.at(frame) * pcm.Semitones(v.pitch.at(frame)).Ratio()
		v.position += float64(frame-v.frame) * pace
	}
	v.frame = frame
	if v.data == nil {
		return
	}
	from, to := v.data.Loop()
	if length := float64(to - from); v.loop && v.position >= float64(to) && length > 0 {
		v.position -= length * float64(int64((v.position-float64(from))/length))
	}
}

// level is how loud the voice is going to be from here on, in dB: what the pool
// compares, but for its bus.
func (v *playing) level() float64 {
	if v.paused || v.data == nil {
		return barBottom
	}
	envelope := v.data.Envelope()
	return float64(pcm.FromPower(envelope.At(int64(v.position), v.loop))) + float64(v.base) + v.gain.at(v.frame)
}

// motion is a value on its way.
type motion struct {
	from, goal  float64
	start, over int64 // frames
}

func still(x float64) motion { return motion{from: x, goal: x} }

func (m *motion) at(frame int64) float64 {
	if frame >= m.start+m.over || m.over == 0 {
		return m.goal
	}
	return m.from + (m.goal-m.from)*float64(max(frame-m.start, 0))/float64(m.over)
}

func (m *motion) to(goal float64, frame, over int64) {
	*m = motion{from: m.at(frame), goal: goal, start: frame, over: over}
}
