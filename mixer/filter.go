package mixer

import "voicepool/voice"

// A voice has a filter only where it was asked for a cutoff. The control side makes it before it sends
// what asks, for the record, which keeps it for ever; the audio side gives it to the voice.

// equip gives a start a filter, and those that follow it, which may take a cutoff over. The mutex is
// held.
func (m *Mixer) equip(r *record) {
	m.hearSpectra()
	if m.filterBank.Load() == nil {
		m.filterBank.Store(voice.NewBank(m.hop))
	}
	for {
		m.measure(r)
		rare := m.own(r)
		if rare.filter.Load() == nil {
			rare.filter.Store(m.filters.next())
		}
		if r.placed && r.sends > 0 && rare.screen.Load() == nil {
			rare.screen.Store(m.screens.next())
		}
		if !r.followed {
			return
		}
		if r = m.find(rare.next); !m.lives(r) {
			return
		}
	}
}

// equipAll gives a filter to all that a command may set a cutoff of: the starts that are there, and
// those that are asked for before it acts. The mutex is held.
func (m *Mixer) equipAll(c *command) {
	if c.target.kind == oneVoice {
		if r := m.find(c.target.id); r != nil {
			m.equip(r)
		}
		return
	}
	until := c.frame
	if c.salvo != nil { // nobody knows when
		until = never
	}
	m.filtersUntil = max(m.filtersUntil, until)
	for _, r := range m.allRecords() {
		if m.lives(r) && m.names(&c.target, r) {
			m.equip(r)
		}
	}
}

// filter returns what was made for the start; nil: nothing was.
func (r *record) filter() *voice.Filter {
	if rare := r.rare.Load(); rare != nil {
		return rare.filter.Load()
	}
	return nil
}

// cutoffs returns those that the start begins with.
func (r *record) cutoffs() (lowPass, highPass float64) {
	if !r.filtered {
		return 0, 0
	}
	rare := r.rare.Load()
	return rare.lowPass, rare.highPass
}

// begin gives the voice of a start the filter that it begins with, and what it sends before its fader.
func (r *record) begin(v *voice.Voice, now int64) {
	if r.filtered {
		lowPass, highPass := r.cutoffs()
		v.LendFilter(now, r.filter(), lowPass, highPass)
	}
	if r.sendsPre {
		v.LendFilter(now, r.filter(), 0, 0) // it may be off
	}
	if r.placed {
		p := &r.where.placed
		if f := r.filter(); p.lowPass != 0 && f != nil {
			v.LendFilter(now, f, 0, 0)
			v.SetPlaceLowPass(now, p.lowPass, 0)
		}
		if screen := r.screen(); screen != nil {
			screen.Begin(v.Sound().Rate(), p.directLowPass)
		}
	}
	if r.sendsPre {
		v.LendPre(now, r.rare.Load().pre)
	}
}

// screen returns the low-pass on the direct way of a start that sends; nil: none was made.
func (r *record) screen() *voice.Screen {
	if !r.placed || r.sends == 0 {
		return nil
	}
	return r.rare.Load().screen.Load()
}

// muffle moves the low-passes of a voice's place.
func (s *slot) muffle(p *placed, now, over int64) {
	s.filter(p.lowPass, now)
	s.voice.SetPlaceLowPass(now, p.lowPass, over)
	screen := s.record.screen()
	if screen == nil {
		return
	}
	if !screen.Begun() { // it was made after the start
		screen.Begin(s.voice.Sound().Rate(), 0)
	}
	screen.Set(now, p.directLowPass, over)
}

// restScreen has the direct way of a voice begin from silence, as its filter does.
func (s *slot) restScreen() {
	if screen := s.record.screen(); screen != nil {
		screen.Rest()
	}
}

// filter gives the voice a filter for a cutoff that is not off.
func (s *slot) filter(hz float64, now int64) {
	if f := s.record.filter(); hz != 0 && f != nil {
		s.voice.LendFilter(now, f, 0, 0)
	}
}

// cutoffs looks for what is wrong with those of the buses.
func (c *complaint) cutoffs(buses []BusConfig) {
	for i := range buses {
		b := &buses[i]
		low, high := setLowPass.takes(&b.LowPass), setHighPass.takes(&b.HighPass)
		c.need(low, "bus %q has a low-pass of %v Hz, which is not in %v..%v; 0 is off", b.Name, b.LowPass, MinCutoff, MaxCutoff)
		c.need(high, "bus %q has a high-pass of %v Hz, which is not in %v..%v; 0 is off", b.Name, b.HighPass, MinCutoff, MaxCutoff)
	}
}
