package mixer

import (
	"fmt"

	"voicepool/internal/passfilter"
	"voicepool/internal/property"
	"voicepool/internal/spectrum"
	"voicepool/mixer/internal/busmix"
	"voicepool/mixer/internal/refiner"
	"voicepool/sounds"
	"voicepool/voice"
)

// A voice gets a filter when it first needs a cutoff. The control side allocates the filter and stores it
// in the record before it sends the command. The audio side attaches it to the voice.

// enableSpectral makes scores include filters and sends from now on. Scores are the audibilities that the choice of a
// victim compares. It allocates s.responses on the first call; later calls have no effect. With Config.IgnoreFilters
// it never has an effect. Control side, with the mutex held, or in New.
func (s *shared) enableSpectral() {
	if s.ignoreFilters || s.responses.Load() != nil {
		return
	}
	spectrum.Warp(s.rate).Prepare()
	s.responses.Store(busmix.NewResponses(len(s.tree.Nodes), len(s.playheads)+1)) // the last is the incoming start
}

// requestSpectrum requests the spectrum of the sound of the start r, so that its score can include filters. The
// refiner computes it in the background. If r may leave its loop, it requests the spectrum with and without the loop.
// With Config.IgnoreFilters, or without a sound, it has no effect. The caller holds m.mutex.
func (m *Mixer) requestSpectrum(r *record) {
	s := r.sound.Load()
	if s == nil || m.ignoreFilters {
		return
	}
	m.refiner.Request(refiner.Level{Sound: s, Level: sounds.SpectrumLevel, Looped: r.loop})
	if r.hasPitchRange && r.extra.Load().pitchRange.MayLeaveLoop || r.options.Rounds != 0 {
		m.refiner.Request(refiner.Level{Sound: s, Level: sounds.SpectrumLevel, Looped: !r.loop})
	}
}

// allocateFilters allocates a filter for the start of r and for each of its successors, which may take over its
// cutoffs. Filters that exist already stay. A start in space with sends also gets a filter for its direct path. For
// each of these starts it requests the spectrum of the sound in the background. On first use it creates m.filterBank.
// From now on, scores (the audibilities that the choice of a victim compares) include filters, unless
// Config.IgnoreFilters is set. The audio side later attaches the filters to the voices. The caller holds m.mutex.
func (m *Mixer) allocateFilters(r *record) {
	m.enableSpectral()
	if m.filterBank.Load() == nil {
		m.filterBank.Store(voice.NewFilterBatch(m.hop))
	}
	for {
		m.requestSpectrum(r)
		extra := m.extraOf(r)
		if extra.filter.Load() == nil {
			extra.filter.Store(m.filters.Next())
		}
		if r.isSpatial && r.sends > 0 && extra.screen.Load() == nil {
			extra.screen.Store(m.screens.Next())
		}
		if !r.hasSuccessor {
			return
		}
		if r = m.recordOf(extra.successor); !m.alive(r) {
			return
		}
	}
}

// allocateFiltersFor allocates filters for all starts that the command c may give a cutoff. If c is for one voice,
// these are the start of that voice and its successors. Otherwise they are all present starts that c selects. Starts
// that are requested later, but before c is executed, need filters, too. For them it raises m.filtersUntil to the
// frame of c, or without limit if c is in a batch, whose frame is unknown. The caller holds m.mutex.
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

// filter returns the filter that the control side allocated for the start, even if it is not attached to the voice
// yet. Without a filter it returns nil. Both sides may call it.
func (r *record) filter() *voice.Filter {
	if extra := r.extra.Load(); extra != nil {
		return extra.filter.Load()
	}
	return nil
}

// filters returns the filters that the start was requested with. Later changes are not included.
func (r *record) filters() Filters {
	if !r.filtered {
		return Filters{}
	}
	return r.extra.Load().filters
}

// attachFilters attaches to the voice v the filters that the start of r needs: the filter with the initial cutoffs,
// the low-pass of its place in space, and the output for pre-fader sends. For a start in space with sends, it also
// starts the low-pass on the direct path. now is the present frame of the mix. The control side must have allocated
// all of these. Audio side.
func (r *record) attachFilters(v *voice.Voice, now int64) {
	if r.filtered {
		filters, values := r.filters(), passfilter.Values{}
		for i, x := range filters.FilterFields() {
			values[i] = *x
		}
		v.AttachFilter(now, r.filter(), values)
	}
	if r.sendsPre {
		v.AttachFilter(now, r.filter(), passfilter.Values{}) // its cutoffs may both be 0
	}
	if r.isSpatial {
		lowPass, direct := r.spatial.LowPass()
		if f := r.filter(); lowPass != 0 && f != nil {
			v.AttachFilter(now, f, passfilter.Values{})
			v.SetSpatialLowPass(now, lowPass, 0)
		}
		if screen := r.screen(); screen != nil {
			screen.StartSpatial(v.Sound().Playable().Warped, direct)
		}
	}
	if r.sendsPre {
		v.AttachPrefader(now, r.extra.Load().pre)
	}
}

// screen returns the low-pass on the direct path of the voice that r starts. This filter muffles the direct sound, but
// not the sends. screen does not allocate it. The result is nil if the voice has no sends or no place in space, or if
// the filter was not allocated before.
func (r *record) screen() *passfilter.Filter {
	if !r.isSpatial || r.sends == 0 {
		return nil
	}
	return r.extra.Load().screen.Load()
}

// moveSpatialLowPass fades the low-passes of a voice's place in space to their cutoffs: for the whole voice, and for
// its direct path alone. The fades begin at the frame now of the mix and last fadeFrames frames. A filter that is not
// attached to the voice yet is attached first. A low-pass on the direct path that is not started yet begins switched
// off. A filter that was not allocated is left out.
func (s *slot) moveSpatialLowPass(now, fadeFrames int64) {
	lowPass, direct := s.record.spatial.LowPass()
	s.attachFilter(lowPass, now)
	s.voice.SetSpatialLowPass(now, lowPass, fadeFrames)
	screen := s.record.screen()
	if screen == nil {
		return
	}
	if !screen.Started() { // allocated after the start
		screen.StartSpatial(s.voice.Sound().Playable().Warped, 0)
	}
	screen.RampSpatial(now, direct, fadeFrames)
}

// resetScreen marks the state of the low-pass on the voice's direct path as stale, so that it is cleared before its
// next use. Call it when the voice begins again from silence. Without such a filter it has no effect.
func (s *slot) resetScreen() {
	if screen := s.record.screen(); screen != nil {
		screen.MarkStale()
	}
}

// attachFilter prepares the voice for the new cutoff hz. If hz is not 0, it attaches the filter that was allocated
// for the voice, with both cutoffs off, at the frame now of the mix. The caller then sets the cutoff. attachFilter
// has no effect if the voice already has a filter, or if no filter was allocated.
func (s *slot) attachFilter(hz float64, now int64) {
	if f := s.record.filter(); hz != 0 && f != nil {
		s.voice.AttachFilter(now, f, passfilter.Values{})
	}
}

// cutoffs checks the low-pass and the high-pass cutoffs of all buses: 0, which is off, or MinCutoff..MaxCutoff Hz. It
// records an error in c for the first wrong cutoff, unless c already has an error.
func (c *configCheck) cutoffs(buses []BusConfig) {
	for i := range buses {
		of := fmt.Sprintf("bus %q", buses[i].Name)
		c.requireProperty(of, property.LowPass, &buses[i].LowPass)
		c.requireProperty(of, property.HighPass, &buses[i].HighPass)
	}
}
