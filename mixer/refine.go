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
	for y.make() {
	}
}

// make makes the first version that waits, and reports whether others do.
func (y *refinery) make() (more bool) {
	y.mutex.Lock()
	k := y.waiting[0]
	y.mutex.Unlock()
	k.sound.Refine(k.level, k.looped)
	y.mutex.Lock()
	defer y.mutex.Unlock()
	delete(y.asked, k)
	y.waiting[0] = versionKey{}
	if y.waiting = y.waiting[1:]; len(y.waiting) > 0 {
		return true
	}
	y.waiting = nil
	y.idle.Broadcast()
	return false
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
	low, high    int     // of the versions that it was going to read last; -1: none
	out          bool    // it may leave its loop
}

// busPitch is the pitch of a bus, in semitones, as far as the control side knows: what
// it comes to, and what it may be until then. The control side's, under the mutex.
type busPitch struct {
	to          float64
	at          int64   // the frame of the set that takes it there
	least, most float64 // while until has not come
	until       int64
}

func pitchAt(x float64) busPitch { return busPitch{to: x, least: x, most: x} }

// turn notes that the pitch goes to another one from a frame on, until a later one. now
// is the first that is not mixed.
func (b *busPitch) turn(to float64, now, at, until int64) {
	least, most := b.span(now)
	b.least, b.most, b.until = min(least, to), max(most, to), max(b.until, until)
	if at >= b.at { // else what was asked for before acts after it
		b.to, b.at = to, at
	}
}

// span returns what the pitch may be for a start that comes now or later.
func (b *busPitch) span(now int64) (least, most float64) {
	if now < b.until {
		return b.least, b.most
	}
	return b.to, b.to
}

// tune notes how a start begins, and asks for what it is going to read. The mutex
// is held.
func (m *Mixer) tune(r *record) {
	o := &r.options
	r.tuning = tuning{pitch: float64(o.Pitch), low: -1, high: -1, out: o.Rounds != 0}
	if o.Speed != 0 && o.Speed != 1 {
		r.tuning.speed = float64(pcm.FromRatio(o.Speed))
	}
	if s := r.sound.Load(); s != nil && o.Quality == voice.Best && s.Refines() {
		r.tuning.low, r.tuning.high = m.levelsOf(r)
		m.refine(r, s, r.tuning.low, r.tuning.high)
	}
}

// retune asks for what a start reads on its way to another pitch. The mutex is
// held.
func (m *Mixer) retune(r *record) {
	s := r.sound.Load()
	if s == nil || r.options.Quality != voice.Best || !s.Refines() {
		return
	}
	low, high := m.levelsOf(r)
	m.refine(r, s, min(low, r.tuning.low), max(high, r.tuning.high))
	r.tuning.low, r.tuning.high = low, high
}

// levelsOf returns the levels of the versions that a start reads at its pitch, and at
// that of its bus; -1 for none.
func (m *Mixer) levelsOf(r *record) (low, high int) {
	least := float64(r.options.BasePitch) + r.tuning.pitch + r.tuning.speed
	most, now := least, m.Now()
	for i := int(r.bus); i >= 0; i = m.audio.buses[i].parent { // the tree never changes
		from, to := m.busPitch[i].span(now)
		least, most = least+from, most+to
	}
	low, high = -1, -1
	if least != 0 {
		low = voice.LevelOf(pcm.Semitones(least))
	}
	if most != 0 {
		high = voice.LevelOf(pcm.Semitones(most))
	}
	if least != most || r.placed && m.doppler {
		low, high = max(low, 0), max(high, 0)
	}
	return low, high
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
		now := m.Now()
		at := max(c.frame, now)
		m.busPitch[c.target.bus].turn(float64(c.change.Pitch), now, at, max(at, now+m.longest.Load())+max(c.over, m.smooth))
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
