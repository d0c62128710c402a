package room

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"sync"
	"time"

	"voicepool/cue"
	"voicepool/cue/report"
	"voicepool/mixer"
	"voicepool/pcm"
)

// loops are the loops that were started by hand or by a GO: a snapshot has them.
type loops struct {
	mutex sync.Mutex
	all   []looping
	most  int // of all, before those that are over are forgotten
	start int // of the last
}

// looping is a loop that was started by hand or by a GO.
type looping struct {
	order  Order
	voice  mixer.Handle
	began  int64    // frame
	cue    *cue.Cue // that began it; nil: it was started by hand
	number string   // of that in the list, before a restart too; empty: it has none
	start  int      // layers of one have the same
	paused bool     // by itself, as far as is known while all is paused
	sought int      // seeks
}

// note takes a start by hand at a frame, if it is a loop.
func (l *loops) note(o *Order, frame int64, handles []mixer.Handle, s *cue.Sheet) {
	i := slices.IndexFunc(soundsOf(s), func(name string) bool { return name == o.Sound })
	if i < 0 || o.Loop != nil && !*o.Loop || o.Loop == nil && !s.Sounds[i].Loop && s.Sounds[i].Layers == nil {
		return
	}
	one := looping{order: *o, began: frame}
	one.order.When, one.order.FadeIn = Moment{}, 0
	l.mutex.Lock()
	defer l.mutex.Unlock()
	l.start++
	for _, one.voice = range handles {
		l.add(one)
	}
}

// fired takes a start of a cue, if it may be a loop.
func (l *loops) fired(st *stage, c *cue.Cue, e *report.Event) {
	s := st.player.Sheet()
	if c.Verb != cue.Play || c.Sound >= len(s.Sounds) || !c.Loop && s.Sounds[c.Sound].Layers == nil || c.Rounds > 0 {
		return
	}
	found := st.find(strconv.FormatUint(e.Voice, 10))
	if len(found) == 0 {
		return // it is over
	}
	sound := &s.Sounds[c.Sound]
	one := looping{voice: found[0], began: e.Frame, cue: c, number: e.ListCue, order: Order{
		Sound: sound.Name, Pitch: float64(c.Change.Pitch), Speed: c.Change.Speed, Bus: c.Bus, LowPass: &c.Change.LowPass, HighPass: &c.Change.HighPass,
		Priority: c.Priority - sound.Priority, Protect: c.Protect, Owner: c.Owner, ID: c.ID,
	}}
	if c.Loop {
		one.order.Loop = &c.Loop
	}
	if c.For != nil {
		one.order.For = c.For.Duration(s.Rate)
	}
	l.mutex.Lock()
	defer l.mutex.Unlock()
	if n := len(l.all); n == 0 || l.all[n-1].cue != c || l.all[n-1].began != e.Frame { // else it is another layer
		l.start++
	}
	l.add(one)
}

// add takes a voice of the last start. The mutex is held.
func (l *loops) add(one looping) {
	one.start = l.start
	if len(l.all) >= l.most {
		l.tidy()
		l.most = 2*len(l.all) + 16
	}
	l.all = append(l.all, one)
}

// tidy forgets those that are over. The mutex is held.
func (l *loops) tidy() {
	l.all = slices.DeleteFunc(l.all, func(one looping) bool { return one.voice.State().Over() })
}

// move takes what was moved in voices.
func (l *loops) move(voices []uint64, m *Move) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	for i := range l.all {
		one := &l.all[i]
		if !slices.Contains(voices, one.voice.Number()) {
			continue
		}
		for _, v := range []struct {
			to   *float64
			from *float64
		}{{&one.order.Pitch, m.Pitch}, {&one.order.Speed, m.Speed}} {
			if v.from != nil {
				*v.to = *v.from
			}
		}
		one.order.LowPass, one.order.HighPass = cmp.Or(m.LowPass, one.order.LowPass), cmp.Or(m.HighPass, one.order.HighPass)
		if m.Pause != nil {
			one.paused = *m.Pause
		}
		if m.Seek != nil {
			one.sought++
		}
	}
}

// running returns those that run, at a frame; held: all is paused, so that orders wait.
func (l *loops) running(frame int64, rate int, held bool) []Loop {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	l.tidy()
	all := []Loop{}
	last := 0 // that is in it
	for i := range l.all {
		one := &l.all[i]
		h, o := one.voice, one.order
		gain := float64(h.Gain())
		state := h.State()
		if state == mixer.StatePending || !h.Looping() && state != mixer.StatePaused || one.start == last || math.IsInf(gain, -1) {
			continue // the last: it is on its way to its end
		}
		if !held { // a show's pause of a target is not told here
			one.paused = state == mixer.StatePaused
		}
		last = one.start
		if o.For > 0 {
			o.For = max(o.For-pcm.Duration(frame-one.began, rate), time.Millisecond)
		}
		all = append(all, Loop{
			Order: o, Cue: one.number, Position: h.Position().Seconds(), Gain: max(gain, silence), Pan: h.Pan(), Paused: one.paused, Sought: one.sought,
		})
	}
	return all
}

// revive says which cue of the list has begun voices before a restart.
func (l *loops) revive(voices []mixer.Handle, number string) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	for i := range l.all {
		if slices.Contains(voices, l.all[i].voice) {
			l.all[i].number = number
		}
	}
}

// clear forgets all.
func (l *loops) clear() {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	l.all = nil
}

// resume has a loop of a snapshot go on where it would be after a time.
func (r *Room) resume(l *Loop, since time.Duration) error {
	o := l.Order
	o.Gain = l.Gain
	o.From = time.Duration(l.Position * float64(time.Second))
	if !l.Paused {
		o.From += time.Duration(float64(since) * o.ratio())
		if o.For > 0 {
			if o.For -= since; o.For <= 0 {
				return nil // it is over by now
			}
		}
	}
	o.When, o.FadeIn = Moment{}, 10*time.Millisecond
	st := r.on()
	checked := o
	checked.From = 0 // after days it is longer than what may be asked for; the player folds it into the loop
	if err := checked.check(st.player.Sheet()); err != nil {
		return err
	}
	ask := r.log.ask()
	defer r.log.forget(ask)
	err := r.settle(func() (err error) {
		if ask.handles, err = o.start(st.player, mixer.Now, nil, ask.ref); err != nil {
			return err
		}
		for _, h := range ask.handles {
			m := Move{}
			if len(ask.handles) == 1 { // layers have places of their own
				m.Pan = &l.Pan
			}
			if l.Paused {
				m.Pause = &l.Paused
			}
			if err := m.act(st.player.Mixer().At(mixer.Now), mixer.TargetVoice(h)); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	r.loops.note(&o, st.player.Mixer().Now(), ask.handles, st.player.Sheet())
	r.loops.revive(ask.handles, l.Cue)
	for _, h := range ask.handles {
		r.loops.move([]uint64{h.Number()}, &Move{Pause: &l.Paused})
	}
	return nil
}
