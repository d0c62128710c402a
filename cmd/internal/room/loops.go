package room

import (
	"slices"
	"sync"
	"time"

	"voicepool/cue"
	"voicepool/mixer"
)

// loops are the loops that were started by hand: a snapshot has them.
type loops struct {
	mutex sync.Mutex
	all   []looping
	most  int // of all, before those that are over are forgotten
}

// looping is a loop that was started by hand.
type looping struct {
	order  Order
	voice  mixer.Handle
	pan    float64 // as it was moved to; that of the sound is in it
	paused bool
}

// note takes a start, if it is a loop.
func (l *loops) note(o *Order, handles []mixer.Handle, s *cue.Sheet) {
	if len(handles) != 1 {
		return
	}
	i := slices.IndexFunc(soundsOf(s), func(name string) bool { return name == o.Sound })
	if i < 0 || o.Loop != nil && !*o.Loop || o.Loop == nil && !s.Sounds[i].Loop {
		return
	}
	one := looping{order: *o, voice: handles[0], pan: min(max(s.Sounds[i].Pan+o.Pan, -mixer.MaxPan), mixer.MaxPan)}
	one.order.When, one.order.FadeIn = Moment{}, 0
	l.mutex.Lock()
	defer l.mutex.Unlock()
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
		}{{&one.order.Gain, m.Gain}, {&one.pan, m.Pan}, {&one.order.Pitch, m.Pitch}, {&one.order.Speed, m.Speed}} {
			if v.from != nil {
				*v.to = *v.from
			}
		}
		if m.Pause != nil {
			one.paused = *m.Pause
		}
	}
}

// running returns those that run.
func (l *loops) running() []Loop {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	l.tidy()
	all := []Loop{}
	for _, one := range l.all {
		if one.voice.State() == mixer.StatePending || !one.voice.Looping() && one.voice.State() != mixer.StatePaused {
			continue
		}
		all = append(all, Loop{
			Order: one.order, Position: one.voice.Position().Seconds(), Gain: one.order.Gain, Pan: one.pan, Paused: one.paused,
		})
	}
	return all
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
	}
	o.When, o.FadeIn = Moment{}, 10*time.Millisecond
	st := r.on()
	if err := o.check(st.player.Sheet()); err != nil {
		return err
	}
	ask := r.log.ask()
	defer r.log.forget(ask)
	err := r.settle(func() (err error) {
		if ask.handles, err = o.start(st.player, mixer.Now, nil, ask.ref); err != nil {
			return err
		}
		m := Move{Pan: &l.Pan}
		if l.Paused {
			m.Pause = &l.Paused
		}
		return m.act(st.player.Mixer().At(mixer.Now), mixer.TargetVoice(ask.handles[0]))
	})
	if err != nil {
		return err
	}
	st.call(o.ID)
	r.loops.note(&o, ask.handles, st.player.Sheet())
	r.loops.move([]uint64{ask.handles[0].Number()}, &Move{Pan: &l.Pan, Pause: &l.Paused})
	return nil
}
