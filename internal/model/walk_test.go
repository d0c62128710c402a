package model

import (
	"math"
	"math/rand/v2"
	"slices"

	"voicepool/mixer"
)

// The clock of a walk. A stretch is longer than all effects of a command, which take 5 ms, or 10 ms for the
// tail of a voice, even if a voice ends in its middle.
const (
	rate    = 1000
	stretch = 40 // frames
)

// walk is a path through the model by whole calls and whole blocks, with its visible effects. A mixer can
// follow it.
type walk struct {
	config  config
	state   state
	starts  []start
	last    *deed
	stats   mixer.Stats
	events  []outcome
	stretch int64 // number of mixed stretches
}

// start is an accepted Play.
type start struct {
	h      handle
	seen   mixer.State
	number uint64
	began  int64 // stretch of its begin
	ends   int64 // stretch of its end; -1: it does not end
}

// deed is a whole call or a whole block (kind none), with its visible effects.
type deed struct {
	before    *deed
	kind      kind
	start     int // start of the call; for a Play the new one
	value     uint8
	stretches int64 // number in a block
	states    []mixer.State
	numbers   []uint64
	events    []outcome
	stats     mixer.Stats
	full      bool    // the ring is full
	loud      float64 // level of a block's last frame
	loose     bool    // ... and whether the model leaves its level open
}

func newWalk(c config) walk {
	return walk{config: c, state: first(c), stats: mixer.Stats{Voices: int64(c.voices)}}
}

// fork returns an independent copy of the walk.
func (w *walk) fork() *walk {
	v := *w
	v.starts, v.events = slices.Clone(w.starts), slices.Clone(w.events)
	return &v
}

func (w *walk) machine() *machine {
	return &machine{config: w.config, state: &w.state, ended: w.recordEnd}
}

// find returns the number of the start of a handle, or -1.
func (w *walk) find(h handle) int {
	return slices.IndexFunc(w.starts, func(s start) bool { return s.h == h })
}

// outcome holds the fields of a mixer.Event that the model predicts.
type outcome struct {
	Frame     int64
	Kind      mixer.EventKind
	Voice, By uint64
	Ref       mixer.Ref
}

// recordEnd records the fate of a start in events and counters.
func (w *walk) recordEnd(h handle, f fate) {
	i := w.find(h)
	s := &w.starts[i]
	event := func(k mixer.EventKind) {
		w.events = append(w.events, outcome{Frame: w.stretch * stretch, Kind: k, Voice: s.number, Ref: mixer.Ref(i + 1)})
	}
	st := &w.stats
	switch f {
	case begun, cancelled:
		st.Asked++
		st.Started++
		s.number, s.seen, s.began = uint64(st.Started), mixer.StatePlaying, w.stretch
		event(mixer.EventStarted)
		if f == cancelled {
			st.Stopped++
			s.seen = mixer.StateStopped
			event(mixer.EventStopped)
			return
		}
		st.Playing++
		st.HighWater = max(st.HighWater, st.Playing)
		return
	case ended:
		st.Ended++
		s.seen, s.ends = mixer.StateEnded, w.stretch
		event(mixer.EventEnded)
		w.events[len(w.events)-1].Frame += stretch / 2
	case stopped:
		st.Stopped++
		s.seen = mixer.StateStopped
		event(mixer.EventStopped)
	case stolen:
		st.Stolen++
		s.seen = mixer.StateStolen
		event(mixer.EventStolen)
		w.events[len(w.events)-1].By = uint64(st.Started) + 1
	}
	st.Playing--
}

// call makes a whole call, and reports whether it is a call of the model: rejected calls are not.
func (w *walk) call(k kind, caller int) bool {
	m := w.machine()
	h := w.state.held[caller]
	if !m.begin(k, caller, 0) {
		return false
	}
	d := deed{kind: k, start: w.find(h)}
	if k == play || k == playLater {
		d.start = len(w.starts)
		w.starts = append(w.starts, start{h: m.call.h, seen: mixer.StatePending, ends: -1})
	}
	for m.call.kind != none {
		d.value = m.call.value
		m.control()
	}
	if k == fade {
		d.value = w.state.ring[w.state.nring-1].value
	}
	w.stats.Busy += m.refused
	w.saw(d)
	return true
}

// render makes a whole block, in all ways with different visible effects, and calls each for every one.
func (w *walk) render(each func(*walk)) {
	w.block(w.stretch, 0, each)
}

// block continues a block that began at a stretch. after is the slot after the last one whose voice has ended
// in the present stretch.
func (w *walk) block(from int64, after int, each func(*walk)) {
	m, a := w.machine(), &w.state.audio
	for {
		way := 0
		switch a.pc {
		case arrive:
			if m.ways() > 1 {
				way = w.oldest()
			}
		case mix:
			n := 0
			for i := range w.state.slots {
				if w.state.slots[i].h == 0 {
					continue
				}
				if n++; i >= after { // in the order of slots: other orders have the same effects
					v := w.fork()
					v.machine().step(n)
					v.block(from, i+1, each)
				}
			}
		case mixed:
			if m.ways() > 1 {
				v := w.fork()
				v.stretch++
				v.machine().step(1)
				v.block(from, 0, each)
			}
			w.stretch++
		}
		second := a.second
		m.step(way)
		if a.pc != idle {
			continue
		}
		if second {
			w.stretch++
		}
		w.stats.Frame = w.stretch * stretch
		w.saw(deed{stretches: w.stretch - from})
		each(w)
		return
	}
}

// oldest returns the slot of the voice that started first.
func (w *walk) oldest() (slot int) {
	least := uint64(math.MaxUint64)
	for i := range w.config.voices {
		if n := w.starts[w.find(w.state.slots[i].h)].number; n < least {
			slot, least = i, n
		}
	}
	return slot
}

// saw records a deed and its visible effects.
func (w *walk) saw(d deed) {
	m := w.machine()
	w.stats.Pending = int64(w.state.underWay)
	d.stats, d.events, d.full = w.stats, w.events, int(w.state.underWay) >= w.config.commands
	w.events = nil
	for i := range w.starts {
		s := &w.starts[i]
		d.states, d.numbers = append(d.states, s.seen), append(d.numbers, s.number)
	}
	for i := range w.config.voices {
		if s := &w.state.slots[i]; s.h != 0 {
			d.loud += loudness(w.find(s.h)) * gains[s.gain].Linear()
			d.loose = d.loose || m.record(s.h).loose
		}
	}
	d.before, w.last = w.last, &d
}

// deeds returns all deeds in order.
func (w *walk) deeds() (all []*deed) {
	for d := w.last; d != nil; d = d.before {
		all = append(all, d)
	}
	slices.Reverse(all)
	return all
}

// next calls each for every walk with one more deed.
func (w *walk) next(each func(*walk)) {
	for _, k := range w.config.calls {
		for caller := range uint8(callers) {
			if !distinct(&w.state, k, caller) {
				continue
			}
			if v := w.fork(); v.call(k, int(caller)) {
				each(v)
			}
		}
	}
	w.fork().render(each)
}

// some returns a walk with one more random deed.
func (w *walk) some(random *rand.Rand) (next *walk) {
	k := append([]kind{none}, w.config.calls...)[random.IntN(len(w.config.calls)+1)]
	if k != none {
		if v := w.fork(); v.call(k, random.IntN(callers)) {
			return v
		}
	}
	n := 0
	w.fork().render(func(v *walk) {
		if n++; random.IntN(n) == 0 {
			next = v
		}
	})
	return next
}
