package cue

import (
	"math"

	"voicepool/cue/report"
	"voicepool/mixer"
	"voicepool/pcm"
	"voicepool/voice"
)

// Report says how it went. Control side, after the last Read, or when the device
// that calls Render is closed.
func (p *Player) Report() *report.Report {
	p.poll()
	p.beneath.finish(p.events)
	st := p.mixer.Stats()
	if p.atCut != nil {
		st = *p.atCut
	}
	st.Missed += p.missed
	r := &report.Report{
		Version: 1, Rate: p.sheet.Rate, From: p.begins.frame, Frames: st.Frame, Voices: p.sheet.Voices, Virtual: p.sheet.Virtual, Overflow: p.sheet.Overflow.String(),
		Totals:   report.TotalsOf(&st),
		Peak:     report.Level(pcm.FromLinear(float64(p.heard.peak))),
		Loudness: report.Level(p.heard.meter.Integrated()),
		Outputs:  p.heard.outputs(p.sheet.Outputs),
		Seconds:  math.Round(p.seconds*1e6) / 1e6,
		Events:   p.events,
	}
	if p.file.read {
		r.Frames = p.begins.frame + p.file.frames
	}
	return r
}

// event puts one of the mixer's events into the words of the sheet.
func (p *Player) event(m *mixer.Event) report.Event {
	e := report.EventOf(m)
	e.Cue, _ = ofRef(m.Ref)
	e.Called, e.Cue = p.sheet.called(e.Cue), p.sheet.place(e.Cue)
	e.Sound, e.BySound = p.name(m.Sound, m.Ref), p.name(m.BySound, m.ByRef)
	p.ruled(&e, m)
	return e
}

// ruled adds what the sheet says about why a start was refused, or took a slot.
func (p *Player) ruled(e *report.Event, m *mixer.Event) {
	ref := m.Ref
	if e.Loss() && m.By != 0 {
		ref = m.ByRef
	}
	c := p.asker(ref)
	if !e.Loss() && !e.Refusal() || c == nil {
		return
	}
	sound := &p.sheet.Sounds[c.Sound]
	switch m.Reason {
	case mixer.ReasonGroupLimit:
		e.Limit, e.PerOwner = sound.Limit.Voices, sound.Limit.PerOwner
	case mixer.ReasonCooldown:
		if !sound.Cooldown.IsZero() {
			e.Cooldown = sound.Cooldown.String()
		}
	case mixer.ReasonBusLimit:
		e.Bus = m.Bus.Name()
		for i := range p.sheet.Buses {
			if p.sheet.Buses[i].Name == e.Bus {
				e.Limit = p.sheet.Buses[i].Voices
			}
		}
	}
}

// name returns what the sheet calls a sound.
func (p *Player) name(s *voice.Sound, ref int64) string {
	c := p.asker(ref)
	switch {
	case s == nil:
		return ""
	case c == nil:
		return s.Name() // played by somebody else
	}
	return p.sheet.Sounds[c.Sound].Name
}

// asker returns what asked for a start, or a command: a cue, or a layer of one; nil: none.
func (p *Player) asker(ref int64) *Cue {
	i, number := ofRef(ref)
	if i < 0 || i >= len(p.sheet.Cues) {
		return nil
	}
	if c := &p.sheet.Cues[i]; number == 0 {
		return c
	} else if number <= len(c.layers) {
		return &c.layers[number-1]
	}
	return nil
}
