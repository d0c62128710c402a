package mixer

import (
	"slices"

	"voicepool/pcm"
	"voicepool/pool"
	"voicepool/space"
	"voicepool/voice"
)

// tuning is the pitch of a start as far as the control side knows: each of its parts, and
// what it may be until it rests. The control side's, under the mutex.
type tuning struct {
	pitch, speed pitchSpan    // its own, in semitones
	below, above pitchSpan    // how far its place may shift it, either way
	velocity     space.Vector // of its place
	out          bool         // it may leave its loop
}

// pitchSpan is a part of a pitch, in semitones: what it comes to, and what it may be until
// then. The control side's, under the mutex.
type pitchSpan struct {
	to          float64
	at          int64   // the frame of the set that takes it there
	least, most float64 // while until has not come
	until       int64
}

func pitchAt(x float64) pitchSpan { return pitchSpan{to: x, least: x, most: x} }

// turn notes that the pitch goes to another one from one frame until another.
func (p *pitchSpan) turn(to float64, now, at, until int64) {
	least, most := p.span(now)
	p.least, p.most, p.until = min(least, to), max(most, to), max(p.until, until)
	if at >= p.at { // else what was asked for before acts after it
		p.to, p.at = to, at
	}
}

// widen notes that it may be, at any time, what another one is on its way.
func (p *pitchSpan) widen(other *pitchSpan, now int64) {
	if now >= other.until { // a rest is not taken over
		return
	}
	least, most := p.span(now)
	from, to := other.span(now)
	p.least, p.most, p.until = min(least, from), max(most, to), never
}

// span returns what the pitch may be now or later.
func (p *pitchSpan) span(now int64) (least, most float64) {
	if now < p.until {
		return p.least, p.most
	}
	return p.to, p.to
}

// foretell keeps a set for the starts that come before it acts. The mutex is held.
func (m *Mixer) foretell(c *command) {
	now := m.Now()
	if c.frame < now || c.target.kind != taggedVoices && c.target.kind != soundVoices {
		return
	}
	if len(m.foretold) == cap(m.foretold) {
		m.foretold = slices.DeleteFunc(m.foretold, func(f command) bool { return f.frame < now })
	}
	if m.foretold == nil {
		m.foretold = make([]command, 0, leastCommands)
	}
	m.foretold = append(m.foretold, *c)
}

// tune notes how a start at a frame begins and what is going to be asked of it, and asks
// for what it is going to read. The mutex is held.
func (m *Mixer) tune(r *record, frame int64) {
	r.starts, r.tuned, r.followed = max(frame, m.Now()), false, false
	if !r.tunes() { // nobody asks for its tuning then
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

// firstTuning returns the tuning that options begin with.
func firstTuning(o *voice.Options) tuning {
	t := tuning{pitch: pitchAt(float64(o.Pitch)), out: o.Rounds != 0}
	if o.Speed != 0 && o.Speed != 1 {
		t.speed = pitchAt(float64(pcm.FromRatio(o.Speed)))
	}
	return t
}

// tuningOf returns the tuning of a start that tunes. It is written when it is first asked
// for: most starts are never retuned, and theirs follows from their options.
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
	return s != nil && r.options.Quality == voice.Best && s.Refines()
}

// retuneBy notes a set of the pitch or the loop, and asks for what the start reads then.
func (m *Mixer) retuneBy(r *record, c *Change, frame, over int64) {
	if !r.tunes() && !r.followed && over <= m.smooth { // nor does what follows it take that over
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

// follow notes that a start follows the one of a record, and what pitch it may take over from
// it. The mutex is held.
func (m *Mixer) follow(r *record, next pool.Handle) {
	r.followed, m.own(r).next = true, next
	if m.own(r).filter.Load() != nil {
		m.equip(r) // so is what follows
	}
	m.tuningOf(r)
	m.retuneNext(r)
}

// retuneNext asks for what those read that follow a start, where they take its pitch over.
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

// when returns the frame at which a set acts, and one at which it is over.
func (m *Mixer) when(frame, over, now int64) (at, until int64) {
	at = max(frame, now)
	return at, max(at, now+m.longest.Load()) + max(over, m.smooth)
}

// levelsOf returns the levels of the versions that a start reads at its pitch, and at
// that of its bus and its place; -1 for none.
func (m *Mixer) levelsOf(r *record) (low, high int) {
	var first tuning
	t := &first
	if r.tuned {
		t = &r.rare.Load().tuning
	} else if r.options.Pitch != 0 || r.options.Speed != 0 { // else all of it is 0
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
	case least != most || r.placed && m.hearing.Waves > 0: // it moves, and reads the first version at least
		return max(voice.LevelOf(pcm.Semitones(least)), 0), max(voice.LevelOf(pcm.Semitones(most)), 0)
	case least != 0:
		level := voice.LevelOf(pcm.Semitones(least))
		return level, level
	}
	return -1, -1
}

// refine asks for what a start reads, if it reads versions. The mutex is held.
func (m *Mixer) refine(r *record) {
	if !r.tunes() {
		return
	}
	s := r.sound.Load()
	from, to := m.levelsOf(r)
	for level := max(from, 0); level <= to; level++ { // none for -1
		m.refinery.ask(versionKey{s, level, r.loop})
		if r.tuned && r.rare.Load().tuning.out || r.options.Rounds != 0 {
			m.refinery.ask(versionKey{s, level, !r.loop})
		}
	}
}

// retuneAll notes what a command does to the pitch or the loop of starts.
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
		} else if r.starts <= max(c.frame, m.Now()) { // else it is not there yet
			m.retuneBy(r, &c.change, c.frame, c.over)
		}
	}
}

// lives reports whether a record is that of a start that is not over. The mutex is held.
func (m *Mixer) lives(r *record) bool {
	if r == nil {
		return false
	}
	id := pool.Handle(r.id.Load())
	return id != 0 && m.find(id) == r && !r.stands.state().Over()
}

// retunePlace asks for what a start reads at another velocity. The mutex is held.
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

// retuneListener asks for what starts read under another listener. The mutex is held.
func (m *Mixer) retuneListener(l *space.Ear) {
	same := l.Waves == m.hearing.Waves && l.Velocity == m.hearing.Velocity
	m.hearing = *l
	if same {
		return
	}
	for _, r := range m.allRecords() {
		if r.placed && r.tunes() && m.lives(r) {
			m.retunePlace(r, &m.tuningOf(r).velocity)
			m.refine(r) // also where it stands still
		}
	}
}
