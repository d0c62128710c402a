package mixer

import (
	"slices"

	"voicepool/pcm"
	"voicepool/pool"
	"voicepool/space"
	"voicepool/voice"
)

// tuning is the range of pitches that a start may reach, as known to the control side. Under the mutex.
type tuning struct {
	pitch, speed pitchSpan    // its own, in semitones
	below, above pitchSpan    // the limits of its Doppler shift
	velocity     space.Vector // of its place
	out          bool         // it may leave its loop
}

// pitchSpan is the range of one component of a pitch, in semitones: its final value, and its range during
// a fade.
type pitchSpan struct {
	to          float64 // the final value
	at          int64   // the frame of the set to that value
	least, most float64 // the range before until
	until       int64
}

func pitchAt(x float64) pitchSpan { return pitchSpan{to: x, least: x, most: x} }

// turn records a fade to another pitch that is over at until.
func (p *pitchSpan) turn(to float64, now, at, until int64) {
	least, most := p.span(now)
	p.least, p.most, p.until = min(least, to), max(most, to), max(p.until, until)
	if at >= p.at { // otherwise the earlier call applies later
		p.to, p.at = to, at
	}
}

// widen extends the range for all time by the range of another fade under way.
func (p *pitchSpan) widen(other *pitchSpan, now int64) {
	if now >= other.until { // a value at rest is not taken over
		return
	}
	least, most := p.span(now)
	from, to := other.span(now)
	p.least, p.most, p.until = min(least, from), max(most, to), never
}

// span returns the range of the pitch from now on.
func (p *pitchSpan) span(now int64) (least, most float64) {
	if now < p.until {
		return p.least, p.most
	}
	return p.to, p.to
}

// foretell keeps a set for a later frame, for starts that begin before it. The mutex is held.
func (m *Mixer) foretell(c *command) {
	now := m.Now()
	if c.frame < now || c.target.kind != taggedVoices && c.target.kind != soundVoices {
		return
	}
	if len(m.foretold) == cap(m.foretold) {
		m.foretold = slices.DeleteFunc(m.foretold, func(f command) bool { return f.frame < now })
	}
	if m.foretold == nil {
		m.foretold = make([]command, 0, minCommands)
	}
	m.foretold = append(m.foretold, *c)
}

// tune records the initial pitch of a start at frame and the sets that will apply to it, and requests the
// versions that it will read. The mutex is held.
func (m *Mixer) tune(r *record, frame int64) {
	r.starts, r.tuned, r.followed = max(frame, m.Now()), false, false
	if !r.tunes() { // its tuning is not used
		return
	}
	if r.placed {
		m.tuningOf(r)
	}
	for i := range m.foretold {
		f := &m.foretold[i]
		if f.frame > r.starts && m.names(&f.target, r) {
			m.retuneBy(r, &f.change, f.frame, f.over)
		}
	}
	m.refine(r)
}

// firstTuning returns the tuning given by the options.
func firstTuning(o *voice.Options) tuning {
	t := tuning{pitch: pitchAt(float64(o.Pitch)), out: o.Rounds != 0}
	if o.Speed != 0 && o.Speed != 1 {
		t.speed = pitchAt(float64(pcm.FromRatio(o.Speed)))
	}
	return t
}

// tuningOf returns the tuning of a start and initializes it on first use. The tuning of most starts
// follows from their options and is never stored.
func (m *Mixer) tuningOf(r *record) *tuning {
	t := &m.own(r).tuning
	if !r.tuned {
		r.tuned, *t = true, firstTuning(&r.options)
		if r.placed {
			t.velocity = r.where.source.Spot.Velocity
			below, above := m.hearing.Shifts(&t.velocity)
			t.below, t.above = pitchAt(float64(below)), pitchAt(float64(above))
		}
	}
	return t
}

// tunes reports whether a start reads versions of its sound.
func (r *record) tunes() bool {
	s := r.sound.Load()
	return s != nil && r.options.Quality == voice.Best && s.CanRefine()
}

// retuneBy records a set of the pitch or the rounds, and requests the versions that the start will read.
func (m *Mixer) retuneBy(r *record, c *Change, frame, over int64) {
	if !r.tunes() && !r.followed && over <= m.smooth { // a successor does not take it over either
		return
	}
	t, now := m.tuningOf(r), m.Now()
	at, until := m.when(frame, over, now)
	if c.Fields&FieldPitch != 0 {
		t.pitch.turn(float64(c.Pitch), now, at, until)
	}
	if c.Fields&FieldSpeed != 0 {
		t.speed.turn(float64(pcm.FromRatio(c.Speed)), now, at, until)
	}
	t.out = t.out || c.Fields&FieldRounds != 0
	m.refine(r)
	if over > m.smooth {
		m.retuneNext(r)
	}
}

// follow records the successor of a start, which may take over its pitch. The mutex is held.
func (m *Mixer) follow(r *record, next pool.Handle) {
	r.followed, m.own(r).next = true, next
	if m.own(r).filter.Load() != nil {
		m.equip(r) // and its successor
	}
	m.tuningOf(r)
	m.retuneNext(r)
}

// retuneNext requests versions for the successors of a start, which may take over its pitch.
func (m *Mixer) retuneNext(r *record) {
	for r.followed {
		next := m.find(r.rare.Load().next)
		if !m.lives(next) {
			return
		}
		t, now := m.tuningOf(next), m.Now()
		was := m.tuningOf(r)
		t.pitch.widen(&was.pitch, now)
		t.speed.widen(&was.speed, now)
		m.refine(next)
		r = next
	}
}

// when returns the frame at which a set is executed and a frame at which its fade is over.
func (m *Mixer) when(frame, over, now int64) (at, until int64) {
	at = max(frame, now)
	return at, max(at, now+m.longest.Load()) + max(over, m.smooth)
}

// levelsOf returns the range of version levels that a start reads at its pitch and the pitch of its bus
// and its place; -1, -1 if it reads the original.
func (m *Mixer) levelsOf(r *record) (low, high int) {
	var first tuning
	t := &first
	if r.tuned {
		t = &r.rare.Load().tuning
	} else if r.options.Pitch != 0 || r.options.Speed != 0 { // otherwise all components are 0
		first = firstTuning(&r.options)
	}
	least := float64(r.options.BasePitch)
	most, now := least, m.Now()
	add := func(down, up *pitchSpan) {
		from, _ := down.span(now)
		_, to := up.span(now)
		least, most = least+from, most+to
	}
	add(&t.pitch, &t.pitch)
	add(&t.speed, &t.speed)
	for i := int(r.bus); i >= 0; i = m.tree[i].parent {
		add(&m.busPitch[i], &m.busPitch[i])
	}
	add(&t.below, &t.above)
	switch {
	case least != most || r.placed && m.hearing.Waves > 0: // a moving pitch reads at least the first version
		return max(voice.LevelOf(pcm.Semitones(least)), 0), max(voice.LevelOf(pcm.Semitones(most)), 0)
	case least != 0:
		level := voice.LevelOf(pcm.Semitones(least))
		return level, level
	}
	return -1, -1
}

// refine requests the versions that a start reads. The mutex is held.
func (m *Mixer) refine(r *record) {
	if !r.tunes() {
		return
	}
	s := r.sound.Load()
	from, to := m.levelsOf(r)
	for level := max(from, 0); level <= to; level++ { // empty for -1
		m.refinery.ask(versionKey{s, level, r.loop})
		if r.tuned && r.rare.Load().tuning.out || r.options.Rounds != 0 {
			m.refinery.ask(versionKey{s, level, !r.loop})
		}
	}
}

// retuneAll records the effect of a command on the pitch or the rounds of starts.
func (m *Mixer) retuneAll(c *command) {
	if c.kind != cmdSet || c.change.Fields&(FieldPitch|FieldSpeed|FieldRounds) == 0 {
		return
	}
	if c.target.kind == oneVoice {
		if r := m.find(c.target.id); r != nil {
			m.retuneBy(r, &c.change, c.frame, c.over)
		}
		return
	}
	m.foretell(c)
	bus := c.target.kind == busVoices
	if bus {
		now := m.Now()
		at, until := m.when(c.frame, c.over, now)
		m.busPitch[c.target.bus].turn(float64(c.change.Pitch), now, at, until)
	}
	for _, r := range m.allRecords() {
		if !m.lives(r) || !m.names(&c.target, r) {
			continue
		}
		if bus {
			m.refine(r)
		} else if r.starts <= max(c.frame, m.Now()) { // otherwise it has not started by then
			m.retuneBy(r, &c.change, c.frame, c.over)
		}
	}
}

// lives reports whether the start of a record is not over. The mutex is held.
func (m *Mixer) lives(r *record) bool {
	if r == nil {
		return false
	}
	id := pool.Handle(r.id.Load())
	return id != 0 && m.find(id) == r && !r.status.state().Over()
}

// retunePlace requests the versions that a start reads at another velocity. The mutex is held.
func (m *Mixer) retunePlace(r *record, velocity *space.Vector) {
	if !r.tunes() {
		return
	}
	t := m.tuningOf(r)
	t.velocity = *velocity
	low, high := m.hearing.Shifts(velocity)
	below, above := float64(low), float64(high)
	if below == t.below.to && above == t.above.to {
		return
	}
	now := m.Now()
	at, until := m.when(now, m.hop, now)
	t.below.turn(below, now, at, until)
	t.above.turn(above, now, at, until)
	m.refine(r)
}

// retuneListener requests the versions that starts read with another listener. The mutex is held.
func (m *Mixer) retuneListener(l *space.Ear) {
	same := l.Waves == m.hearing.Waves && l.Velocity == m.hearing.Velocity
	m.hearing = *l
	if same {
		return
	}
	for _, r := range m.allRecords() {
		if r.placed && r.tunes() && m.lives(r) {
			m.retunePlace(r, &m.tuningOf(r).velocity)
			m.refine(r) // even if the voice does not move
		}
	}
}
