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

// manualLoops records the loops that were started by hand or by a GO, for snapshots.
type manualLoops struct {
	mutex     sync.Mutex
	all       []manualLoop
	pruneSize int // at this size, add calls removeEnded
	start     int // number of the last start
}

// manualLoop is the record of one voice of such a loop.
type manualLoop struct {
	order      PlayRequest
	voice      mixer.Handle
	startFrame int64    // frame
	cue        *cue.Cue // the cue that started it; nil: started by hand or restored
	number     string   // number of its list cue, also after a restart; may be empty
	start      int      // common to all layers of a start
	paused     bool     // paused individually, as far as it is known during a pause of the show
	seeks      int      // number of seeks
}

// record stores the voices in handles for snapshots. The play request o has started them, and they begin at frame. All
// handles count as one start. record stores them only if the sound loops, because of o or of the sheet s, or has
// layers. If o sets Loop to false, or the sheet s lacks the sound, record has no effect.
func (l *manualLoops) record(o *PlayRequest, frame int64, handles []mixer.Handle, s *cue.Sheet) {
	i := slices.Index(soundNames(s), o.Sound)
	if i < 0 || o.Loop != nil && !*o.Loop || o.Loop == nil && !s.Sounds[i].Loop && s.Sounds[i].Layers == nil {
		return
	}
	one := manualLoop{order: *o, startFrame: frame}
	one.order.When, one.order.FadeIn = Moment{}, 0
	l.mutex.Lock()
	defer l.mutex.Unlock()
	l.start++
	for _, one.voice = range handles {
		l.add(one)
	}
}

// recordCue records the voice of the start event e, which the cue c of the playback st caused, for snapshots. It
// records only voices that loop without end or are layers, and have not ended. If the voice recorded last has the same
// cue and the same frame, both count as layers of one start.
func (l *manualLoops) recordCue(st *playback, c *cue.Cue, e *report.Event) {
	s := st.player.Sheet()
	p, is := c.Action.(*cue.Play)
	if !is || p.Sound >= len(s.Sounds) || !p.Loop && s.Sounds[p.Sound].Layers == nil || p.Rounds > 0 {
		return
	}
	found := st.find(strconv.FormatUint(e.Voice, 10))
	if len(found) == 0 {
		return // it has ended
	}
	sound := &s.Sounds[p.Sound]
	one := manualLoop{voice: found[0], startFrame: e.Frame, cue: c, number: e.ListCue, order: PlayRequest{
		Sound: sound.Name, Pitch: float64(p.Pitch), Speed: p.Speed, Bus: p.Bus, FilterOverrides: allFilters(&p.Filters),
		Priority: p.Priority - sound.Priority, Importance: float64(min(max(p.Importance-sound.Importance, -mixer.MaxImportance), mixer.MaxImportance)), Protect: p.Protect, Owner: p.Owner, ID: p.ID,
	}}
	if p.Loop {
		one.order.Loop = &p.Loop
	}
	if p.For != nil {
		one.order.For = p.For.Duration(s.Rate)
	}
	l.mutex.Lock()
	defer l.mutex.Unlock()
	if n := len(l.all); n == 0 || l.all[n-1].cue != c || l.all[n-1].startFrame != e.Frame { // otherwise another layer of the same start
		l.start++
	}
	l.add(one)
}

// allFilters returns overrides that replace all filters by the values in f.
func allFilters(f *mixer.Filters) (all mixer.FilterOverrides) {
	to := all.FilterFields()
	for i, x := range f.FilterFields() {
		*to[i] = x
	}
	return all
}

// add appends the voice one to l.all, with l.start as the number of its start. If the list has at least l.pruneSize
// entries, add first removes ended voices and sets l.pruneSize to twice the rest plus 16. The caller holds l.mutex.
func (l *manualLoops) add(one manualLoop) {
	one.start = l.start
	if len(l.all) >= l.pruneSize {
		l.removeEnded()
		l.pruneSize = 2*len(l.all) + 16
	}
	l.all = append(l.all, one)
}

// removeEnded removes the records of voices that have ended. The caller holds l.mutex.
func (l *manualLoops) removeEnded() {
	l.all = slices.DeleteFunc(l.all, func(one manualLoop) bool { return one.voice.State().Over() })
}

// recordChange records the pitch, speed, cutoffs and pause that m has set, and counts a seek, for each recorded voice
// whose number is in voices. A 0 in voices selects all recorded voices without a number, such as voices that have not
// begun. Snapshots then contain these values.
func (l *manualLoops) recordChange(voices []uint64, m *VoiceChange) {
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
		filters := one.order.FilterFields()
		for i, x := range m.FilterFields() {
			*filters[i] = cmp.Or(*x, *filters[i])
		}
		if m.Pause != nil {
			one.paused = *m.Pause
		}
		if m.Seek != nil {
			one.seeks++
		}
	}
}

// running returns the recorded loops that still sound or are paused, one Loop per start, and drops the records of ended
// voices. Voices that have not begun, have left their loop or fade to silence are left out. frame is the current frame
// and rate the sample rate in Hz. The For of a loop is shortened by the time since its beginning, but is at least 1 ms.
//
// showPaused means that the whole show is paused: a voice then counts as paused only if it was paused on its own
// before. The result is never nil.
func (l *manualLoops) running(frame int64, rate int, showPaused bool) []Loop {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	l.removeEnded()
	all := []Loop{}
	last := 0 // start number of the last loop in all
	for i := range l.all {
		one := &l.all[i]
		h, o := one.voice, one.order
		gain, alive := h.Gain()
		state := h.State()
		if !alive || !h.Looping() && state != mixer.StatePaused || one.start == last || math.IsInf(float64(gain), -1) {
			continue // pending, leaving its loop, another layer, or fading to its end
		}
		if !showPaused { // during a pause of the show, the state of single voices is unknown
			one.paused = state == mixer.StatePaused
		}
		last = one.start
		if o.For > 0 {
			o.For = max(o.For-pcm.Duration(frame-one.startFrame, rate), time.Millisecond)
		}
		all = append(all, Loop{
			Order: o, Cue: one.number, Position: h.Position().Seconds(), Gain: max(float64(gain), silence), Pan: h.Pan(), Paused: one.paused, Seeks: one.seeks,
		})
	}
	return all
}

// markRestored marks the records of voices as loops that were restored from a snapshot. The parameter number is the
// number of the list cue that started them before the restart, or "" if they were started by hand. The method record
// must have stored the voices.
func (l *manualLoops) markRestored(voices []mixer.Handle, number string) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	for i := range l.all {
		if slices.Contains(voices, l.all[i].voice) {
			l.all[i].number = number
		}
	}
}

// clear drops all records. The voices continue.
func (l *manualLoops) clear() {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	l.all = nil
}

// restoreLoop starts the loop l of a snapshot again, with a fade-in of 10 ms, and records the new voices for snapshots.
// since is the time since the snapshot was taken: the loop continues as far into the sound as it would be now, or at
// its old position if it was paused. If the loop would have ended by now, restoreLoop returns nil and starts no voice.
// It does not wait for the start.
func (r *Room) restoreLoop(l *Loop, since time.Duration) error {
	o := l.Order
	o.Gain = l.Gain
	o.From = time.Duration(l.Position * float64(time.Second))
	if !l.Paused {
		o.From += time.Duration(float64(since) * o.speedFactor())
		if o.For > 0 {
			if o.For -= since; o.For <= 0 {
				return nil // it would have ended
			}
		}
	}
	o.When, o.FadeIn = Moment{}, 10*time.Millisecond
	st := r.current()
	checked := o
	checked.From = 0 // after days it exceeds the limit of an order; the player wraps it into the loop
	if err := checked.check(st.player.Sheet()); err != nil {
		return err
	}
	pending := r.eventLog.registerPlay()
	defer r.eventLog.unregisterPlay(pending)
	err := r.execute(func() (err error) {
		if pending.handles, err = o.start(st.player, mixer.Now, nil, pending.ref); err != nil {
			return err
		}
		for _, h := range pending.handles {
			m := VoiceChange{}
			if len(pending.handles) == 1 { // layers have their own pans
				m.Pan = &l.Pan
			}
			if l.Paused {
				m.Pause = &l.Paused
			}
			if err := m.apply(st.player.Mixer().Engine().At(mixer.Now), mixer.TargetVoice(h)); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	r.loops.record(&o, st.player.Mixer().Now(), pending.handles, st.player.Sheet())
	r.loops.markRestored(pending.handles, l.Cue)
	for _, h := range pending.handles {
		r.loops.recordChange([]uint64{h.Number()}, &VoiceChange{Pause: &l.Paused})
	}
	return nil
}
