package mixer

import "voicepool/voice"

// A voice gets a filter when it first needs a cutoff. The control side allocates the filter and stores it
// in the record before it sends the command. The audio side attaches it to the voice.

// allocateFilters allocates filters for the start of r and its successors, which may take over a cutoff, requests the
// spectra of their sounds, and makes scores include filters. Existing filters stay. The caller holds the mutex.
func (m *Mixer) allocateFilters(r *record) {
	m.enableSpectral()
	if m.filterBank.Load() == nil {
		m.filterBank.Store(voice.NewFilterBatch(m.hop))
	}
	for {
		m.requestSpectrum(r)
		extra := m.extraOf(r)
		if extra.filter.Load() == nil {
			extra.filter.Store(m.filters.next())
		}
		if r.isSpatial && r.sends > 0 && extra.screen.Load() == nil {
			extra.screen.Store(m.screens.next())
		}
		if !r.hasSuccessor {
			return
		}
		if r = m.recordOf(extra.successor); !m.alive(r) {
			return
		}
	}
}

// allocateFiltersFor allocates filters for all starts that c may set a cutoff of: the present ones, and, by
// m.filtersUntil, starts that are requested before c is executed. The caller holds the mutex.
func (m *Mixer) allocateFiltersFor(c *command) {
	if c.target.kind == oneVoice {
		if r := m.recordOf(c.target.id); r != nil {
			m.allocateFilters(r)
		}
		return
	}
	until := c.frame
	if c.batch != nil { // the frame is unknown
		until = never
	}
	m.filtersUntil = max(m.filtersUntil, until)
	for _, r := range m.allRecords() {
		if m.alive(r) && m.selects(&c.target, r) {
			m.allocateFilters(r)
		}
	}
}

// filter returns the filter allocated for the start, whether attached to the voice or not; nil without one. Both
// sides.
func (r *record) filter() *voice.Filter {
	if extra := r.extra.Load(); extra != nil {
		return extra.filter.Load()
	}
	return nil
}

// cutoffs returns the initial cutoffs of the start in Hz; 0: off.
func (r *record) cutoffs() (lowPass, highPass float64) {
	if !r.filtered {
		return 0, 0
	}
	extra := r.extra.Load()
	return extra.lowPass, extra.highPass
}

// attachFilters attaches the filters and the pre-fader output that the start of r needs to its voice v, at now, a
// frame of the mix. The control side must have allocated them. Audio side.
func (r *record) attachFilters(v *voice.Voice, now int64) {
	if r.filtered {
		lowPass, highPass := r.cutoffs()
		v.AttachFilter(now, r.filter(), lowPass, highPass)
	}
	if r.sendsPre {
		v.AttachFilter(now, r.filter(), 0, 0) // its cutoffs may both be 0
	}
	if r.isSpatial {
		p := &r.spatial.spatialState
		if f := r.filter(); p.lowPass != 0 && f != nil {
			v.AttachFilter(now, f, 0, 0)
			v.SetSpatialLowPass(now, p.lowPass, 0)
		}
		if screen := r.screen(); screen != nil {
			screen.Start(v.Sound().Rate(), p.directLowPass)
		}
	}
	if r.sendsPre {
		v.AttachPrefader(now, r.extra.Load().pre)
	}
}

// screen returns the low-pass on the direct path of the start; nil without sends, without a place in space, or if no
// filter was allocated.
func (r *record) screen() *voice.DirectFilter {
	if !r.isSpatial || r.sends == 0 {
		return nil
	}
	return r.extra.Load().screen.Load()
}

// moveSpatialLowPass fades the low-passes of a voice's spatial position to the cutoffs in p, over fadeFrames frames
// from now, a frame of the mix, on.
func (s *slot) moveSpatialLowPass(p *spatialState, now, fadeFrames int64) {
	s.attachFilter(p.lowPass, now)
	s.voice.SetSpatialLowPass(now, p.lowPass, fadeFrames)
	screen := s.record.screen()
	if screen == nil {
		return
	}
	if !screen.Started() { // allocated after the start
		screen.Start(s.voice.Sound().Rate(), 0)
	}
	screen.Set(now, p.directLowPass, fadeFrames)
}

// resetScreen clears the state of the filter of the direct path before its next use, because the voice begins from
// silence. Without such a filter it has no effect.
func (s *slot) resetScreen() {
	if screen := s.record.screen(); screen != nil {
		screen.MarkStale()
	}
}

// attachFilter attaches the filter that was allocated for the voice, switched off, at now, a frame of the mix, if the
// new cutoff hz is not 0. It has no effect if the voice has a filter or no filter was allocated.
func (s *slot) attachFilter(hz float64, now int64) {
	if f := s.record.filter(); hz != 0 && f != nil {
		s.voice.AttachFilter(now, f, 0, 0)
	}
}

// cutoffs records the first error of the cutoffs of buses.
func (c *configCheck) cutoffs(buses []BusConfig) {
	for i := range buses {
		b := &buses[i]
		low, high := propLowPass.normalize(&b.LowPass), propHighPass.normalize(&b.HighPass)
		c.require(low, "bus %q has a low-pass of %v Hz, which is not in %v..%v; 0 is off", b.Name, b.LowPass, MinCutoff, MaxCutoff)
		c.require(high, "bus %q has a high-pass of %v Hz, which is not in %v..%v; 0 is off", b.Name, b.HighPass, MinCutoff, MaxCutoff)
	}
}
