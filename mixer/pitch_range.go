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

// fadeTo records in p that the pitch fades to the value to, in semitones. at is the frame where the fade is set, and
// until is a frame where it has ended. Before until, the range of p covers the earlier range and to. Afterwards the
// pitch is to. But if an earlier call set another value at a frame after at, that value stays the final one. now is
// the present frame.
func (p *pitchSpan) fadeTo(to float64, now, at, until int64) {
	least, most := p.bounds(now)
	p.lowest, p.highest, p.until = min(least, to), max(most, to), max(p.until, until)
	if at >= p.targetAt { // otherwise the earlier call applies later
		p.target, p.targetAt = to, at
	}
}

// widen extends the range of p, without an end in time, by the range of other. It is for a successor, which may take
// over a fade of its predecessor. It has no effect if no fade of other is under way at the frame now.
func (p *pitchSpan) widen(other *pitchSpan, now int64) {
	if now >= other.until { // a value at rest is not taken over
		return
	}
	least, most := p.bounds(now)
	from, to := other.bounds(now)
	p.lowest, p.highest, p.until = min(least, from), max(most, to), never
}

// bounds returns the lowest and the highest pitch, in semitones, that p may have at the frame now or later. After the
// end of all fades both are the final value.
func (p *pitchSpan) bounds(now int64) (least, most float64) {
	if now < p.until {
		return p.lowest, p.highest
	}
	return p.target, p.target
}

// rememberSet keeps a copy of c, a set of pitch, speed or rounds, in m.scheduledSets. Starts that are requested
// later, but begin before the frame of c, are then prepared for c, see initPitchRange. It ignores a command for a
// past frame, or for a target other than a tag or a sound. If the list is full, it drops past commands, and then
// grows the list if necessary. The caller holds m.mutex.
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

// initPitchRange prepares the record r of a new start for changes of its pitch. frame is the frame of the start, or
// Now. The pitches that r may reach follow from its options and from the sets already scheduled for later frames. For
// these pitches it requests band-limited versions of the sound, in the background. It also marks r as without a
// successor. The caller holds m.mutex.
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

// initialPitchRange returns the pitchRange that follows from the options o of a start alone. It contains the pitch,
// the speed and whether the start may leave its loop, but not the pitch of buses or a Doppler shift.
func initialPitchRange(o *voice.Options) pitchRange {
	t := pitchRange{pitch: constantPitch(float64(o.Pitch)), mayLeaveLoop: o.Rounds != 0}
	if o.Speed != 0 && o.Speed != 1 {
		t.speed = constantPitch(float64(pcm.FromRatio(o.Speed)))
	}
	return t
}

// pitchRangeOf returns the pitchRange of the start r, stored in its record. On the first call for a start it
// allocates and initializes the pitchRange from the options and, for a start in space, from the Doppler shift. Most
// starts never need it. The caller holds m.mutex.
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

// readsMips reports whether the start reads mip levels, the band-limited versions of its sound, when it is pitched.
// This is so if the quality of the start is Best and its sound can have mip levels. Without a sound the result is
// false.
func (r *record) readsMips() bool {
	s := r.sound.Load()
	return s != nil && r.options.Quality == voice.Best && s.CanRefine()
}

// notePitchSet records that c sets the pitch, speed or rounds of the start r. The set begins at frame, or Now, and
// lasts fadeFrames frames. notePitchSet requests the mip levels, the band-limited versions of the sound, that r will
// then read. A fade longer than 5 ms may continue in successors of r, so their levels are requested, too. The caller
// holds m.mutex.
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

// setSuccessor records the start next as the successor of the start r. The successor may take over the pitch and the
// filter of r. So setSuccessor allocates a filter for it if r has a filter, and requests the band-limited versions of
// its sound for the pitches of r. The caller holds m.mutex.
func (m *Mixer) setSuccessor(r *record, next pool.Handle) {
	r.hasSuccessor, m.extraOf(r).successor = true, next
	if m.extraOf(r).filter.Load() != nil {
		m.allocateFilters(r) // and its successor
	}
	m.pitchRangeOf(r)
	m.widenSuccessors(r)
}

// widenSuccessors adds fades of the pitch of the start r to the pitch ranges of all its successors in turn, because a
// successor may continue a fade. It requests the mip levels, band-limited versions of sounds, that they may then
// read. It stops at a successor that is over. The caller holds m.mutex.
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

// fadeSpan returns when the fade of a command begins and ends. The parameter frame is the frame of the command, or Now.
// fadeFrames is the length of the fade; a length below m.smooth counts as m.smooth. The parameter now is the present
// frame. The command is executed at the frame at. The fade has certainly ended at the frame until, even
// if a block that is being mixed delays the command.
func (m *Mixer) fadeSpan(frame, fadeFrames, now int64) (at, until int64) {
	at = max(frame, now)
	return at, max(at, now+m.longest.Load()) + max(fadeFrames, m.smooth)
}

// mipLevels returns the lowest and the highest mip level (band-limited version of its sound) that the start r may
// read. This depends on the pitches of r and of its buses, and on its Doppler shift. If r reads only the original
// sound, both results are -1. The caller holds m.mutex.
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
	for i := int(r.bus); i >= 0; i = m.tree.Nodes[i].Parent {
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

// requestMips requests the mip levels that a start may read. These are band-limited versions of its sound. The
// parameter r is the record of the start. A refiner computes the levels in the background, and requestMips does not
// wait. If the start may leave its loop, the levels are requested for playing with and without the loop. If it never
// reads mip levels, requestMips has no effect. The caller holds m.mutex.
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

// notePitchCommand records how the command c changes the pitch, speed or rounds of the starts or the bus that it
// selects. It requests the mip levels, the band-limited versions of sounds, that these starts will then read. A
// command that sets only other properties has no effect. A command for a tag or sound at a later frame is also kept
// for starts that are requested later. The caller holds m.mutex.
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

// alive reports whether r is the record of a start that is not over. It is false for nil and for an unused record.
// The caller holds m.mutex.
func (m *Mixer) alive(r *record) bool {
	if r == nil {
		return false
	}
	id := pool.Handle(r.id.Load())
	return id != 0 && m.recordOf(id) == r && !r.status.State().Over()
}

// noteVelocity records velocity as the new velocity of the start r, which has a place in space. If this changes its
// Doppler shift, it requests the mip levels, the band-limited versions of the sound, that r will then read. It has no
// effect if r never reads mip levels. The caller holds m.mutex.
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

// noteListener stores l in m.ear, the listener as the control side last set it. A new velocity or speed of sound
// changes the Doppler shifts of starts in space. noteListener then requests the mip levels, the band-limited versions
// of sounds, that these starts will read. The caller holds m.mutex.
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

// requestMissingMips requests the mip levels (band-limited versions of sounds) and spectra that voices lacked while
// they were mixed. Without a report by the audio side in m.missingMips, it returns at once. Otherwise it clears the
// report and locks m.mutex. A refiner computes the levels in the background.
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
