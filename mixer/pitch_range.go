package mixer

import (
	"slices"

	"voicepool/internal/hearing"
	"voicepool/mixer/internal/pitchrange"
	"voicepool/mixer/internal/refiner"
	"voicepool/pcm"
	"voicepool/pool"
	"voicepool/sounds"
	"voicepool/space"
)

// pitches tracks the pitches that starts may reach, and requests the mip levels that they then read. It belongs to the
// control side, under the mutex.
type pitches struct {
	m     *Mixer
	buses []pitchrange.Span
	ear   hearing.Ear // as set by SetListener

	// Sets of pitch, speed or rounds by tag or sound for later frames. They also apply to starts that are
	// requested after them.
	scheduledSets []command
}

// rememberSet keeps a copy of c, a set of pitch, speed or rounds, in p.scheduledSets. Starts that are requested
// later, but begin before the frame of c, are then prepared for c, see initPitchRange. It ignores a command for a
// past frame, or for a target other than a tag or a sound. If the list is full, it drops past commands and commands of
// dropped batches, and then grows the list if necessary. The parameter last is the last frame that c may be executed
// at, see command.frames, and now is the present frame. The caller holds m.mutex.
func (p *pitches) rememberSet(c *command, last, now int64) {
	if last < now || c.target.kind != taggedVoices && c.target.kind != soundVoices {
		return
	}
	if len(p.scheduledSets) == cap(p.scheduledSets) {
		p.scheduledSets = slices.DeleteFunc(p.scheduledSets, func(f command) bool {
			_, last := f.frames(now)
			return last < now || f.batch != nil && f.batch.Dropped()
		})
	}
	if p.scheduledSets == nil {
		p.scheduledSets = make([]command, 0, minCommands)
	}
	p.scheduledSets = append(p.scheduledSets, *c)
}

// initPitchRange prepares the record r of a new start for changes of its pitch. c is the command of the start. The
// pitches that r may reach follow from its options and from the sets already scheduled for later frames. For these
// pitches it requests band-limited versions of the sound, in the background. It also marks r as without a successor.
// The caller holds m.mutex.
func (p *pitches) initPitchRange(r *record, c *command) {
	m, now := p.m, p.m.Now()
	first, _ := c.frames(now)
	r.startFrame, r.hasPitchRange, r.hasSuccessor = max(first, now), false, false
	if !r.readsMips() { // its pitchRange is not used
		return
	}
	if r.isSpatial {
		p.pitchRangeOf(r)
	}
	for i := range p.scheduledSets {
		f := &p.scheduledSets[i]
		if first, last := f.frames(now); last > r.startFrame && m.selects(&f.target, r) {
			p.notePitchSet(r, &f.change, first, last, f.fadeFrames)
		}
	}
	p.requestMips(r)
}

// pitchRangeOf returns the range of the pitches that the start r may reach, stored in its record. On the first call for
// a start it allocates and initializes the range from the options and, for a start in space, from the Doppler shift.
// Most starts never need it. The caller holds m.mutex.
func (p *pitches) pitchRangeOf(r *record) *pitchrange.Range {
	t := &p.m.extraOf(r).pitchRange
	if !r.hasPitchRange {
		if r.hasPitchRange, *t = true, pitchrange.New(&r.options); r.isSpatial {
			t.StartVelocity(r.spatial.Source.Spot.Velocity, &p.ear)
		}
	}
	return t
}

// readsMips reports whether the start reads mip levels, the band-limited versions of its sound, when it is pitched.
// This is so if the quality of the start is Best and its sound can have mip levels. Without a sound the result is
// false.
func (r *record) readsMips() bool {
	s := r.sound.Load()
	return s != nil && r.options.Quality == sounds.Best && s.CanRefine()
}

// notePitchSet records that c sets the pitch, speed or rounds of the start r. The set begins within the frames
// first..last, see command.frames, and lasts fadeFrames frames. notePitchSet requests the mip levels, the band-limited
// versions of the sound, that r will then read. A fade longer than 5 ms may continue in successors of r, so their
// levels are requested, too. The caller holds m.mutex.
func (p *pitches) notePitchSet(r *record, c *Change, first, last, fadeFrames int64) {
	m := p.m
	if !r.readsMips() && !r.hasSuccessor && fadeFrames <= m.smooth { // a successor does not take it over either
		return
	}
	t, now := p.pitchRangeOf(r), m.Now()
	at, until := p.fadeSpan(first, last, fadeFrames, now)
	if c.Fields&FieldPitch != 0 {
		t.Pitch.FadeTo(float64(c.Pitch), now, at, until)
	}
	if c.Fields&FieldSpeed != 0 {
		t.Speed.FadeTo(float64(pcm.FromRatio(c.Speed)), now, at, until)
	}
	t.MayLeaveLoop = t.MayLeaveLoop || c.Fields&FieldRounds != 0
	p.requestMips(r)
	if fadeFrames > m.smooth {
		p.widenSuccessors(r)
	}
}

// setSuccessor records the start next as the successor of the start r. The successor may take over the pitch and the
// filter of r. So setSuccessor allocates a filter for it if r has a filter, and requests the band-limited versions of
// its sound for the pitches of r. The caller holds m.mutex.
func (p *pitches) setSuccessor(r *record, next pool.Handle) {
	m := p.m
	r.hasSuccessor, m.extraOf(r).successor = true, next
	if m.extraOf(r).filter.Load() != nil {
		m.allocateFilters(r) // and its successor
	}
	p.pitchRangeOf(r)
	p.widenSuccessors(r)
}

// widenSuccessors adds fades of the pitch of the start r to the pitch ranges of all its successors in turn, because a
// successor may continue a fade. It requests the mip levels, band-limited versions of sounds, that they may then
// read. It stops at a successor that is over. The caller holds m.mutex.
func (p *pitches) widenSuccessors(r *record) {
	m := p.m
	for r.hasSuccessor {
		next := m.recordOf(r.extra.Load().successor)
		if !m.alive(next) {
			return
		}
		p.pitchRangeOf(next).Widen(p.pitchRangeOf(r), m.Now())
		p.requestMips(next)
		r = next
	}
}

// fadeSpan returns when the fade of a command begins and ends. first and last are the frames of the command, see
// command.frames. fadeFrames is the length of the fade; a length below m.smooth counts as m.smooth. The parameter now
// is the present frame. The command is executed at the frame at or later. The fade has certainly ended at the frame
// until, even if a block that is being mixed delays the command. If last is never, so is until.
func (p *pitches) fadeSpan(first, last, fadeFrames, now int64) (at, until int64) {
	at = max(first, now)
	if last == never {
		return at, never
	}
	return at, max(at, now+p.m.longest.Load()) + max(fadeFrames, p.m.smooth)
}

// frames returns the first and the last frame that c may be executed at. They differ only if c waits for a Batch, which
// may be fired at the present frame now or at any later frame; last is then never. Frames before now, such as Now, mean
// at once.
func (c *command) frames(now int64) (first, last int64) {
	if c.batch == nil {
		return c.frame, c.frame
	}
	base, fired := c.batch.Base()
	if !fired {
		return now, never
	}
	return base + c.frame, base + c.frame
}

// mipLevels returns the lowest and the highest mip level (band-limited version of its sound) that the start r may
// read. This depends on the pitches of r and of its buses, and on its Doppler shift. If r reads only the original
// sound, both results are -1. The caller holds m.mutex.
func (p *pitches) mipLevels(r *record) (low, high int) {
	m := p.m
	var first pitchrange.Range
	t := &first
	if r.hasPitchRange {
		t = &r.extra.Load().pitchRange
	} else if r.options.Pitch != 0 || r.options.Speed != 0 { // otherwise all components are 0
		first = pitchrange.New(&r.options)
	}
	total := t.Total(float64(r.options.BasePitch), m.Now())
	for i := int(r.bus); i >= 0; i = m.tree.Nodes[i].Parent {
		total.Add(&p.buses[i])
	}
	return t.Levels(total, r.isSpatial && p.ear.Waves > 0)
}

// requestMips requests the mip levels that a start may read. These are band-limited versions of its sound. The
// parameter r is the record of the start. A refiner computes the levels in the background, and requestMips does not
// wait. If the start may leave its loop, the levels are requested for playing with and without the loop. If it never
// reads mip levels, requestMips has no effect. The caller holds m.mutex.
func (p *pitches) requestMips(r *record) {
	m := p.m
	if !r.readsMips() {
		return
	}
	s := r.sound.Load()
	from, to := p.mipLevels(r)
	for level := max(from, 0); level <= to; level++ { // empty for -1
		m.refiner.Request(refiner.Level{Sound: s, Level: level, Looped: r.loop})
		if r.hasPitchRange && r.extra.Load().pitchRange.MayLeaveLoop || r.options.Rounds != 0 {
			m.refiner.Request(refiner.Level{Sound: s, Level: level, Looped: !r.loop})
		}
	}
}

// notePitchCommand records how the command c changes the pitch, speed or rounds of the starts or the bus that it
// selects. It requests the mip levels, the band-limited versions of sounds, that these starts will then read. A
// command that sets only other properties has no effect. A command for a tag or sound at a later frame is also kept
// for starts that are requested later. The caller holds m.mutex.
func (p *pitches) notePitchCommand(c *command) {
	m := p.m
	if c.kind != cmdSet || c.change.Fields&(FieldPitch|FieldSpeed|FieldRounds) == 0 {
		return
	}
	now := m.Now()
	first, last := c.frames(now)
	if c.target.kind == oneVoice {
		if r := m.recordOf(c.target.id); r != nil {
			p.notePitchSet(r, &c.change, first, last, c.fadeFrames)
		}
		return
	}
	p.rememberSet(c, last, now)
	bus := c.target.kind == busVoices
	if bus {
		at, until := p.fadeSpan(first, last, c.fadeFrames, now)
		p.buses[c.target.bus].FadeTo(float64(c.change.Pitch), now, at, until)
	}
	for _, r := range m.allRecords() {
		if !m.alive(r) || !m.selects(&c.target, r) {
			continue
		}
		if bus {
			p.requestMips(r)
		} else if r.startFrame <= max(last, now) { // otherwise it has not started by then
			p.notePitchSet(r, &c.change, first, last, c.fadeFrames)
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
func (p *pitches) noteVelocity(r *record, velocity space.Vector) {
	m := p.m
	if !r.readsMips() {
		return
	}
	now := m.Now()
	at, until := p.fadeSpan(now, now, m.hop, now)
	if p.pitchRangeOf(r).SetVelocity(velocity, &p.ear, now, at, until) {
		p.requestMips(r)
	}
}

// noteListener stores l in p.ear, the listener as the control side last set it. A new velocity or speed of sound
// changes the Doppler shifts of starts in space. noteListener then requests the mip levels, the band-limited versions
// of sounds, that these starts will read. The caller holds m.mutex.
func (p *pitches) noteListener(l *hearing.Ear) {
	m := p.m
	same := l.Waves == p.ear.Waves && l.Velocity == p.ear.Velocity
	p.ear = *l
	if same {
		return
	}
	for _, r := range m.allRecords() {
		if r.isSpatial && r.readsMips() && m.alive(r) {
			p.noteVelocity(r, p.pitchRangeOf(r).Velocity())
			p.requestMips(r) // even if the voice does not move
		}
	}
}

// requestMissingMips requests the mip levels (band-limited versions of sounds) and spectra that voices lacked while
// they were mixed. Without a report by the audio side in m.missingMips, it returns at once. Otherwise it clears the
// report and locks m.mutex. A refiner computes the levels in the background.
func (p *pitches) requestMissingMips() {
	m := p.m
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
