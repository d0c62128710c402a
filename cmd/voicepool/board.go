package main

import (
	"context"
	"maps"
	"slices"
	"sync"

	"voicepool/cue"
	"voicepool/cue/report"
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

	voices map[int]*playing    // by slot
	away   map[uint64]*playing // those that have none, by number
	recent []report.Event      // since the last look
	buses  map[string]busState
	history
}

// playing is a voice, as the board sees it.
type playing struct {
	slot   int
	number uint64
	sound  string
	cue    int
	bus    string
	loop   bool
	jumps  int64 // how often it still goes back in its loop; 0: without end
	paused bool
	data   *voice.Sound // nil: a stream, or not there
	stated float64      // the level that counts for a stream, in dB

	frame    int64   // where the mixer was when position was right
	position float64 // in frames of the sound
	base     pcm.Decibels
	basePace float64 // the speed that the sound has of itself
	gain     motion
	pan      motion
	pitch    motion
	speed    motion

	victim *report.Event // who lost this slot to it
}

func newBoard(sheet *cue.Sheet, bank *sounds.Bank) *board {
	b := &board{
		sheet: sheet, bank: bank, schedule: sheet.Schedule(sheet.Rate, sheet.Seed), asks: map[int][]cue.Action{},
		voices: map[int]*playing{}, away: map[uint64]*playing{}, buses: map[string]busState{},
	}
	for i := range sheet.Buses {
		s := &sheet.Buses[i]
		b.buses[s.Name] = busState{s.Parent, s.Mute, s.Solo}
	}
	return b
}

// living returns all voices, those without a slot too.
func (b *board) living() []*playing {
	all := slices.Collect(maps.Values(b.away))
	for _, v := range b.voices {
		if v.number != 0 {
			all = append(all, v)
		}
	}
	return all
}

// data returns the sound that a start plays, which the player has put into the
// bank before; nil when it is not there.
func (b *board) data(c *cue.Cue, file int) *voice.Sound {
	s := &b.sheet.Sounds[c.Sound]
	if s.Stream {
		return nil
	}
	loaded, err := b.bank.Load(context.Background(), b.sheet.Source(s, s.Files[file], c.Loop))
	if err != nil {
		return nil
	}
	return loaded[0]
}

// watch takes one event.
func (b *board) watch(e report.Event) {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	b.advance(e.Frame)
	b.recent = append(b.recent, e)
	b.history.note(e)
	switch e.Kind {
	case mixer.Started:
		b.start(e)
	case mixer.Rejected, mixer.Limited, mixer.Coalesced:
		b.asked(e.Cue)
	case mixer.Ended, mixer.Stopped, mixer.Stolen, mixer.BecameVirtual:
		v := b.take(e.Voice)
		if v == nil {
			return
		}
		if e.Kind == mixer.BecameVirtual {
			b.away[e.Voice] = v
		}
		if v.slot >= 0 && e.By != 0 {
			// Who took the slot, which is not there yet, finds it under it.
			b.voices[v.slot] = &playing{slot: v.slot, victim: &e}
		}
		v.slot, v.victim = -1, nil
	case mixer.BecameReal:
		if v := b.take(e.Voice); v != nil {
			v.slot = e.Slot
			b.put(v)
		}
	}
}

// take takes a voice off the board, by its number.
func (b *board) take(number uint64) *playing {
	if v := b.away[number]; v != nil {
		delete(b.away, number)
		return v
	}
	for slot, v := range b.voices {
		if v.number == number {
			delete(b.voices, slot)
			return v
		}
	}
	return nil
}

// put gives a voice its place on the board.
func (b *board) put(v *playing) {
	if v.slot < 0 {
		b.away[v.number] = v
		return
	}
	if before := b.voices[v.slot]; before != nil && before.number == 0 {
		v.victim = before.victim
	}
	b.voices[v.slot] = v
}

// asked returns the oldest start of a cue that no event has told of.
func (b *board) asked(index int) (a cue.Action, ok bool) {
	if queue := b.asks[index]; len(queue) > 0 {
		a, b.asks[index] = queue[0], queue[1:]
		return a, true
	}
	return cue.Action{}, false
}

func (b *board) start(e report.Event) {
	a, ok := b.asked(e.Cue)
	if !ok {
		return
	}
	c := &b.sheet.Cues[e.Cue]
	v := &playing{
		slot: e.Slot, number: e.Voice, sound: e.Sound, cue: e.Cue, bus: c.Bus,
		loop: c.Loop && c.Rounds != 1, jumps: max(int64(c.Rounds)-1, 0), stated: float64(b.sheet.Sounds[c.Sound].Level),
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
	if !b.sheet.Sounds[c.Sound].Stream {
		v.stated = barBottom
	} else if v.stated == 0 {
		v.stated = -20
	}
	b.put(v)
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
	if c.Scope == cue.OnBus && c.Verb == cue.Set {
		s := b.buses[c.Target]
		if c.Change.Fields&mixer.Mute != 0 {
			s.mute = c.Change.Mute
		}
		if c.Change.Fields&mixer.Solo != 0 {
			s.soloed = c.Change.Solo
		}
		b.buses[c.Target] = s
	}
	for _, v := range b.living() {
		if !b.reaches(c, &b.sheet.Cues[v.cue]) {
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
		case cue.Seek:
			v.position = float64(c.To.Frames(b.sheet.Rate))
		case cue.Set, cue.Fade:
			if c.Change.Fields&mixer.Rounds != 0 {
				v.loop, v.jumps = c.Change.Rounds != 0, max(int64(c.Change.Rounds), 0)
			}
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
func (b *board) reaches(c, started *cue.Cue) bool {
	switch c.Scope {
	case cue.OnID:
		return started.ID == c.Target
	case cue.OnBus:
		return c.Verb != cue.Set && c.Verb != cue.Fade && b.below(started.Bus, c.Target)
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
		back := int64((v.position - float64(from)) / length)
		if v.jumps > 0 {
			back = min(back, v.jumps)
			v.jumps -= back
			v.loop = v.jumps > 0
		}
		v.position -= length * float64(back)
	}
}

// level is how loud the voice is going to be from here on, in dB: what the pool
// compares, but for its bus.
func (v *playing) level() float64 {
	if v.paused || v.data == nil && v.stated <= barBottom {
		return barBottom
	}
	if v.data == nil {
		return v.stated + float64(v.base) + v.gain.at(v.frame)
	}
	envelope := v.data.Envelope()
	return float64(pcm.FromPower(envelope.At(int64(v.position), v.loop))) + float64(v.base) + v.gain.at(v.frame)
}
