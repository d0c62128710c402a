package mixer

import (
	"slices"

	"voicepool/mixer/internal/refiner"
	"voicepool/pcm"
	"voicepool/pool"
	"voicepool/space"
	"voicepool/voice"
)

// pitchRange is the range of pitches that a start may reach, as known to the control side. Under the
// mutex.
type pitchRange struct {
	pitch, speed            pitchSpan    // its own, in semitones
	dopplerLow, dopplerHigh pitchSpan    // the limits of its Doppler shift
	velocity                space.Vector // of its place
	mayLeaveLoop            bool         // it may leave its loop
}

// pitchSpan is the range of one component of a pitch, in semitones: its final value, and its range during
// a fade.
type pitchSpan struct {
	target          float64 // the final value
	targetAt        int64   // the frame of the set to that value
	lowest, highest float64 // the range before until
	until           int64
}

// constantPitch returns the span of a pitch of x semitones that never changes.
func constantPitch(x float64) pitchSpan { return pitchSpan{target: x, lowest: x, highest: x} }

// fadeTo records that a set at the frame at fades the pitch to the value to, in semitones, and that the fade has
// ended by the frame until. Until then, the range covers the earlier range and to. A set with a later at keeps the
// final value. now is the present frame. All frames are of the mix.
func (p *pitchSpan) fadeTo(to float64, now, at, until int64) {
	least, most := p.bounds(now)
	p.lowest, p.highest, p.until = min(least, to), max(most, to), max(p.until, until)
	if at >= p.targetAt { // otherwise the earlier call applies later
		p.target, p.targetAt = to, at
	}
}

// widen extends the range of p for all time by the range of other, if a fade of other is still under way at the frame
// now. Otherwise it has no effect.
func (p *pitchSpan) widen(other *pitchSpan, now int64) {
	if now >= other.until { // a value at rest is not taken over
		return
	}
	least, most := p.bounds(now)
	from, to := other.bounds(now)
	p.lowest, p.highest, p.until = min(least, from), max(most, to), never
}

// bounds returns the lowest and the highest pitch, in semitones, that p may have from now, a frame of the mix, on.
func (p *pitchSpan) bounds(now int64) (least, most float64) {
	if now < p.until {
		return p.lowest, p.highest
	}
	return p.target, p.target
}

// rememberSet keeps c, a set of pitch, speed or rounds for the voices of a tag or sound at a later frame.
// initPitchRange then counts c for starts that begin before that frame. It ignores a command for a past frame or for
// another target. When the list is full, it first drops past commands, and grows the list if that frees no place. The
// caller holds the mutex.
func (m *Mixer) rememberSet(c *command) {
	now := m.Now()
	if c.frame < now || c.target.kind != taggedVoices && c.target.kind != soundVoices {
		return
	}
	if len(m.scheduledSets) == cap(m.scheduledSets) {
		m.scheduledSets = slices.DeleteFunc(m.scheduledSets, func(f command) bool { return f.frame < now })
	}
	if m.scheduledSets == nil {
		m.scheduledSets = make([]command, 0, minCommands)
	}
	m.scheduledSets = append(m.scheduledSets, *c)
}

// initPitchRange prepares the pitch range of r, a start requested for frame, or Now: its initial pitch together with
// the scheduled sets that will apply to r. It requests the mip levels that r will read. It also marks r as without a
// successor. The caller holds the mutex.
func (m *Mixer) initPitchRange(r *record, frame int64) {
	r.startFrame, r.hasPitchRange, r.hasSuccessor = max(frame, m.Now()), false, false
	if !r.readsMips() { // its pitchRange is not used
		return
	}
	if r.isSpatial {
		m.pitchRangeOf(r)
	}
	for i := range m.scheduledSets {
		f := &m.scheduledSets[i]
		if f.frame > r.startFrame && m.selects(&f.target, r) {
			m.notePitchSet(r, &f.change, f.frame, f.fadeFrames)
		}
	}
	m.requestMips(r)
}

// initialPitchRange returns the pitchRange that follows from the options o of a start alone, without the pitch of
// buses and the Doppler shift.
func initialPitchRange(o *voice.Options) pitchRange {
	t := pitchRange{pitch: constantPitch(float64(o.Pitch)), mayLeaveLoop: o.Rounds != 0}
	if o.Speed != 0 && o.Speed != 1 {
		t.speed = constantPitch(float64(pcm.FromRatio(o.Speed)))
	}
	return t
}

// pitchRangeOf returns the stored pitchRange of the start r, and initializes it on first use. Most starts do not need
// it, because their pitchRange follows from their options. The caller holds the mutex.
func (m *Mixer) pitchRangeOf(r *record) *pitchRange {
	t := &m.extraOf(r).pitchRange
	if !r.hasPitchRange {
		r.hasPitchRange, *t = true, initialPitchRange(&r.options)
		if r.isSpatial {
			t.velocity = r.spatial.source.Spot.Velocity
			below, above := m.ear.Shifts(&t.velocity)
			t.dopplerLow, t.dopplerHigh = constantPitch(float64(below)), constantPitch(float64(above))
		}
	}
	return t
}

// readsMips reports whether a start reads mip levels of its sound when it is pitched: its quality is Best and
// the sound can have mip levels.
func (r *record) readsMips() bool {
	s := r.sound.Load()
	return s != nil && r.options.Quality == voice.Best && s.CanRefine()
}

// notePitchSet records that c sets the pitch, speed or rounds of the start of r at frame, or Now, within fadeFrames
// frames. It requests the mip levels that r and, after a long fade, its successors will read. The caller holds the
// mutex.
func (m *Mixer) notePitchSet(r *record, c *Change, frame, fadeFrames int64) {
	if !r.readsMips() && !r.hasSuccessor && fadeFrames <= m.smooth { // a successor does not take it over either
		return
	}
	t, now := m.pitchRangeOf(r), m.Now()
	at, until := m.fadeSpan(frame, fadeFrames, now)
	if c.Fields&FieldPitch != 0 {
		t.pitch.fadeTo(float64(c.Pitch), now, at, until)
	}
	if c.Fields&FieldSpeed != 0 {
		t.speed.fadeTo(float64(pcm.FromRatio(c.Speed)), now, at, until)
	}
	t.mayLeaveLoop = t.mayLeaveLoop || c.Fields&FieldRounds != 0
	m.requestMips(r)
	if fadeFrames > m.smooth {
		m.widenSuccessors(r)
	}
}

// setSuccessor records next as the successor of the start r. The successor may take over the pitch and the filter of
// r, so setSuccessor prepares both for it. The caller holds the mutex.
func (m *Mixer) setSuccessor(r *record, next pool.Handle) {
	r.hasSuccessor, m.extraOf(r).successor = true, next
	if m.extraOf(r).filter.Load() != nil {
		m.allocateFilters(r) // and its successor
	}
	m.pitchRangeOf(r)
	m.widenSuccessors(r)
}

// widenSuccessors widens the pitch ranges of all successors of the start r, because each may take over the pitch of
// its predecessor, and requests the mip levels that they may read. The caller holds the mutex.
func (m *Mixer) widenSuccessors(r *record) {
	for r.hasSuccessor {
		next := m.recordOf(r.extra.Load().successor)
		if !m.alive(next) {
			return
		}
		t, now := m.pitchRangeOf(next), m.Now()
		was := m.pitchRangeOf(r)
		t.pitch.widen(&was.pitch, now)
		t.speed.widen(&was.speed, now)
		m.requestMips(next)
		r = next
	}
}

// fadeSpan returns the frame at when a set for frame, or Now, is executed, and a frame until when a fade of
// fadeFrames frames from at on has certainly ended. now is the present frame.
func (m *Mixer) fadeSpan(frame, fadeFrames, now int64) (at, until int64) {
	at = max(frame, now)
	return at, max(at, now+m.longest.Load()) + max(fadeFrames, m.smooth)
}

// mipLevels returns the lowest and the highest mip level that the start r may read, with the pitch of its buses and
// its Doppler shift. It returns -1, -1 if r reads only the original. The caller holds the mutex.
func (m *Mixer) mipLevels(r *record) (low, high int) {
	var first pitchRange
	t := &first
	if r.hasPitchRange {
		t = &r.extra.Load().pitchRange
	} else if r.options.Pitch != 0 || r.options.Speed != 0 { // otherwise all components are 0
		first = initialPitchRange(&r.options)
	}
	least := float64(r.options.BasePitch)
	most, now := least, m.Now()
	add := func(down, up *pitchSpan) {
		from, _ := down.bounds(now)
		_, to := up.bounds(now)
		least, most = least+from, most+to
	}
	add(&t.pitch, &t.pitch)
	add(&t.speed, &t.speed)
	for i := int(r.bus); i >= 0; i = m.tree[i].parent {
		add(&m.busPitch[i], &m.busPitch[i])
	}
	add(&t.dopplerLow, &t.dopplerHigh)
	switch {
	case least != most || r.isSpatial && m.ear.Waves > 0: // a moving pitch reads at least the first mip level
		return max(voice.LevelOf(pcm.Semitones(least)), 0), max(voice.LevelOf(pcm.Semitones(most)), 0)
	case least != 0:
		level := voice.LevelOf(pcm.Semitones(least))
		return level, level
	}
	return -1, -1
}

// requestMips requests the mip levels that the start r may read. If r may leave its loop, it also requests the levels
// for the other loop mode. The caller holds the mutex.
func (m *Mixer) requestMips(r *record) {
	if !r.readsMips() {
		return
	}
	s := r.sound.Load()
	from, to := m.mipLevels(r)
	for level := max(from, 0); level <= to; level++ { // empty for -1
		m.refiner.Request(refiner.Level{Sound: s, Level: level, Looped: r.loop})
		if r.hasPitchRange && r.extra.Load().pitchRange.mayLeaveLoop || r.options.Rounds != 0 {
			m.refiner.Request(refiner.Level{Sound: s, Level: level, Looped: !r.loop})
		}
	}
}

// notePitchCommand records how command c changes the pitch or the rounds of starts, and requests the mip levels that
// these starts will read. A command that sets neither has no effect. The caller holds the mutex.
func (m *Mixer) notePitchCommand(c *command) {
	if c.kind != cmdSet || c.change.Fields&(FieldPitch|FieldSpeed|FieldRounds) == 0 {
		return
	}
	if c.target.kind == oneVoice {
		if r := m.recordOf(c.target.id); r != nil {
			m.notePitchSet(r, &c.change, c.frame, c.fadeFrames)
		}
		return
	}
	m.rememberSet(c)
	bus := c.target.kind == busVoices
	if bus {
		now := m.Now()
		at, until := m.fadeSpan(c.frame, c.fadeFrames, now)
		m.busPitch[c.target.bus].fadeTo(float64(c.change.Pitch), now, at, until)
	}
	for _, r := range m.allRecords() {
		if !m.alive(r) || !m.selects(&c.target, r) {
			continue
		}
		if bus {
			m.requestMips(r)
		} else if r.startFrame <= max(c.frame, m.Now()) { // otherwise it has not started by then
			m.notePitchSet(r, &c.change, c.frame, c.fadeFrames)
		}
	}
}

// alive reports whether r is the record of a start that is not over; false for nil. The caller holds the mutex.
func (m *Mixer) alive(r *record) bool {
	if r == nil {
		return false
	}
	id := pool.Handle(r.id.Load())
	return id != 0 && m.recordOf(id) == r && !r.status.State().Over()
}

// noteVelocity records velocity as the new velocity of the spatial start r, and requests the mip levels that r reads
// with the resulting Doppler shift. The caller holds the mutex.
func (m *Mixer) noteVelocity(r *record, velocity *space.Vector) {
	if !r.readsMips() {
		return
	}
	t := m.pitchRangeOf(r)
	t.velocity = *velocity
	low, high := m.ear.Shifts(velocity)
	below, above := float64(low), float64(high)
	if below == t.dopplerLow.target && above == t.dopplerHigh.target {
		return
	}
	now := m.Now()
	at, until := m.fadeSpan(now, m.hop, now)
	t.dopplerLow.fadeTo(below, now, at, until)
	t.dopplerHigh.fadeTo(above, now, at, until)
	m.requestMips(r)
}

// noteListener stores l as the listener of the control side. If that changes Doppler shifts, it requests the mip
// levels that spatial starts then read. The caller holds the mutex.
func (m *Mixer) noteListener(l *space.Ear) {
	same := l.Waves == m.ear.Waves && l.Velocity == m.ear.Velocity
	m.ear = *l
	if same {
		return
	}
	for _, r := range m.allRecords() {
		if r.isSpatial && r.readsMips() && m.alive(r) {
			m.noteVelocity(r, &m.pitchRangeOf(r).velocity)
			m.requestMips(r) // even if the voice does not move
		}
	}
}

// requestMissingMips requests the mip levels and spectra that voices lacked while they were mixed. If there are any,
// it locks the mutex.
func (m *Mixer) requestMissingMips() {
	if !m.missingMips.Load() || !m.missingMips.Swap(false) {
		return
	}
	m.mutex.Lock()
	defer m.mutex.Unlock()
	for _, r := range m.allRecords() {
		s := r.sound.Load()
		if s == nil {
			continue
		}
		for _, looped := range [...]bool{false, true} {
			for levels, level := s.DrainMissing(looped), 0; levels != 0; levels, level = levels>>1, level+1 {
				if levels&1 != 0 {
					m.refiner.Request(refiner.Level{Sound: s, Level: level, Looped: looped})
				}
			}
		}
	}
}
