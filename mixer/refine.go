package mixer

import (
	"sync"

	"voicepool/pcm"
	"voicepool/pool"
	"voicepool/voice"
)

// refinery makes the versions of sounds that pitched voices read, one after the
// other, in a goroutine that ends when there is nothing to do.
type refinery struct {
	mutex   sync.Mutex
	idle    sync.Cond
	waiting []versionKey // in the order of asking, the one under way first
	asked   map[versionKey]bool
}

type versionKey struct {
	sound  *voice.Sound
	level  int
	looped bool
}

// ask sees to it that a version will be there.
func (y *refinery) ask(k versionKey) {
	if k.sound.Refined(k.level, k.looped) {
		return
	}
	y.mutex.Lock()
	defer y.mutex.Unlock()
	if y.asked[k] {
		return
	}
	if y.asked == nil {
		y.asked = map[versionKey]bool{}
		y.idle.L = &y.mutex
	}
	y.asked[k] = true
	y.waiting = append(y.waiting, k)
	if len(y.waiting) == 1 {
		go y.run()
	}
}

func (y *refinery) run() {
	y.mutex.Lock()
	defer y.mutex.Unlock()
	for len(y.waiting) > 0 {
		k := y.waiting[0]
		y.mutex.Unlock()
		k.sound.Refine(k.level, k.looped)
		y.mutex.Lock()
		delete(y.asked, k)
		y.waiting[0] = versionKey{}
		y.waiting = y.waiting[1:]
	}
	y.waiting = nil
	y.idle.Broadcast()
}

// wait returns when there is nothing to do.
func (y *refinery) wait() {
	y.mutex.Lock()
	defer y.mutex.Unlock()
	for len(y.waiting) > 0 {
		y.idle.Wait()
	}
}

// leave gives up what has not been begun.
func (y *refinery) leave() {
	y.mutex.Lock()
	defer y.mutex.Unlock()
	if len(y.waiting) == 0 {
		return
	}
	for _, k := range y.waiting[1:] {
		delete(y.asked, k)
	}
	y.waiting = y.waiting[:1]
}

// tuning is the pitch that was asked of a start, as far as the control side
// knows. The control side's, under the mutex.
type tuning struct {
	pitch, speed float64 // its own parts, in semitones
	level        int     // of the version that it was going to read last; -1: none
	out          bool    // it may leave its loop
}

// tune notes how a start begins, and asks for what it is going to read. The mutex
// is held.
func (m *Mixer) tune(r *record) {
	o := &r.options
	r.tuning = tuning{pitch: float64(o.Pitch), level: -1, out: o.Rounds != 0}
	if o.Speed != 0 && o.Speed != 1 {
		r.tuning.speed = float64(pcm.FromRatio(o.Speed))
	}
	if s := r.sound.Load(); s != nil && o.Quality == voice.Best && s.Refines() {
		level := m.levelOf(r)
		r.tuning.level = level
		m.refine(r, s, level, level)
	}
}

// retune asks for what a start reads on its way to another pitch. The mutex is
// held.
func (m *Mixer) retune(r *record) {
	s := r.sound.Load()
	if s == nil || r.options.Quality != voice.Best || !s.Refines() {
		return
	}
	from, to := r.tuning.level, m.levelOf(r)
	r.tuning.level = to
	m.refine(r, s, max(min(from, to), 0), max(from, to))
}

// levelOf returns the level of the version that a start reads at its pitch, and at
// that of its bus; -1 for none.
func (m *Mixer) levelOf(r *record) int {
	pitch := float64(r.options.BasePitch) + r.tuning.pitch + r.tuning.speed
	for i := int(r.bus); i >= 0; i = m.audio.buses[i].parent { // the tree never changes
		pitch += m.busPitch[i]
	}
	level := -1
	if pitch != 0 {
		level = voice.LevelOf(pcm.Semitones(pitch))
	}
	if r.placed && m.doppler {
		level = max(level, 0)
	}
	return level
}

// refine asks for the versions of some levels.
func (m *Mixer) refine(r *record, s *voice.Sound, from, to int) {
	for level := max(from, 0); level <= to; level++ {
		m.refinery.ask(versionKey{s, level, r.loop})
		if r.tuning.out && r.loop {
			m.refinery.ask(versionKey{s, level, false})
		} else if r.tuning.out {
			m.refinery.ask(versionKey{s, level, true})
		}
	}
}

// retuneAll looks at a command that was sent for what it does to the pitch or the
// loop of starts. The mutex is held.
func (m *Mixer) retuneAll(c *command) {
	if c.kind != cmdSet || c.change.Fields&(Pitch|Speed|Rounds) == 0 {
		return
	}
	if c.target.kind == oneVoice {
		if r := m.records.Get(c.target.voice.id); r != nil {
			m.retuneBy(r, &c.change)
		}
		return
	}
	bus := c.target.kind == busVoices
	if bus {
		m.busPitch[c.target.bus] = float64(c.change.Pitch)
	}
	for _, r := range m.allRecords {
		h := Handle{m, pool.Handle(r.id.Load())}
		if h.id == 0 || m.records.Get(h.id) != r || State(r.state.Load()).Over() || !c.target.means(m, h, r) {
			continue
		}
		if bus {
			m.retune(r)
		} else {
			m.retuneBy(r, &c.change)
		}
	}
}

func (m *Mixer) retuneBy(r *record, c *Change) {
	if c.Fields&Pitch != 0 {
		r.tuning.pitch = float64(c.Pitch)
	}
	if c.Fields&Speed != 0 {
		r.tuning.speed = float64(pcm.FromRatio(c.Speed))
	}
	if c.Fields&Rounds != 0 {
		r.tuning.out = true
	}
	m.retune(r)
}

// retuneDoppler asks for what places may need. The mutex is held.
func (m *Mixer) retuneDoppler() {
	for _, r := range m.allRecords {
		if r.placed && r.id.Load() != 0 && !State(r.state.Load()).Over() {
			m.retune(r)
		}
	}
}

// refineNeeds asks for what voices have missed.
func (m *Mixer) refineNeeds() {
	if !m.needs.Load() || !m.needs.Swap(false) {
		return
	}
	m.mutex.Lock()
	defer m.mutex.Unlock()
	for _, r := range m.allRecords {
		s := r.sound.Load()
		if s == nil {
			continue
		}
		for _, looped := range [...]bool{false, true} {
			for levels, level := s.Needed(looped), 0; levels != 0; levels, level = levels>>1, level+1 {
				if levels&1 != 0 {
					m.refinery.ask(versionKey{s, level, looped})
				}
			}
		}
	}
}
