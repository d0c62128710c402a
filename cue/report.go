package cue

import (
	"math"

	"voicepool/bank/rules"
	"voicepool/cue/report"
	"voicepool/mixer"
	"voicepool/pcm"
	"voicepool/voice"
)

// Report returns the statistics of the show and, with Options.Events, its events. It first processes the last events of
// the mixer, so Options.Watch may be called. The returned events share memory with the player. Control side, after the
// last Read, or after the device that calls Render has been closed.
func (p *Player) Report() *report.Report {
	p.poll()
	p.lossMeter.finish(p.events)
	st := p.mixer.Stats()
	if p.atCut != nil {
		st = *p.atCut
	}
	st.Missed += p.missed
	r := &report.Report{
		Version: 1, Rate: p.sheet.Rate, From: p.startFrom.frame, Frames: st.Frame, Voices: p.sheet.Voices, Virtual: p.sheet.Virtual, Overflow: p.sheet.Overflow.String(),
		Totals:   report.TotalsOf(&st),
		Peak:     report.Level(pcm.FromLinear(float64(p.meter.peak))),
		Loudness: report.Level(p.meter.meter.Integrated()),
		Outputs:  p.meter.outputs(p.sheet.Outputs),
		Seconds:  math.Round(p.seconds*1e6) / 1e6,
		Events:   p.events,
	}
	if p.rendering.isRender {
		r.Frames = p.startFrom.frame + p.rendering.frames
	}
	return r
}

// event converts m, an event of the mixer, to an event of a report, with the sound names and cue numbers of the sheet.
func (p *Player) event(m *mixer.Event) report.Event {
	e := report.EventOf(m)
	e.Cue, _ = splitRef(m.Ref)
	e.Ref, _ = splitManualRef(m.Ref)
	e.CueLabel, e.Cue = p.sheet.cueLabel(e.Cue), p.sheet.filePosition(e.Cue)
	e.Sound, e.BySound = p.soundName(m.Sound, m.Ref), p.soundName(m.BySound, m.ByRef)
	p.addRule(&e, m)
	return e
}

// addRule adds to e the limit or the cooldown in the sheet that caused a rejection or a loss. e must have been
// converted from m. Other kinds of events do not change.
func (p *Player) addRule(e *report.Event, m *mixer.Event) {
	ref := m.Ref
	if e.Loss() && m.By != 0 {
		ref = m.ByRef
	}
	sound := p.soundOfRef(ref)
	if !e.Loss() && !e.Refusal() || sound == nil {
		return
	}
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

// soundName returns the name in the sheet of s, the sound of a start. ref is the reference of the start in an event. If
// the start did not come from the sheet, the result is the name of s in the library. If s is nil, the result is "".
func (p *Player) soundName(s *voice.Sound, ref int64) string {
	if s == nil {
		return ""
	}
	if sound := p.soundOfRef(ref); sound != nil {
		return sound.Name
	}
	return s.Name() // played outside the sheet
}

// soundOfRef returns the sound that a start has played. ref is the reference of the start in an event of the mixer. It
// may refer to a cue, to a layer of a cue, or to a start by hand. For any other reference the result is nil. The result
// points into the sheet.
func (p *Player) soundOfRef(ref int64) *rules.Sound {
	i, number := splitRef(ref)
	_, sound := splitManualRef(ref)
	if i >= 0 && i < len(p.sheet.Cues) {
		switch c := &p.sheet.Cues[i]; {
		case number == 0:
			sound = c.Sound
		case number <= len(c.layers):
			sound = c.layers[number-1].Sound
		}
	}
	if sound < 0 || sound >= len(p.sheet.Sounds) {
		return nil
	}
	return &p.sheet.Sounds[sound]
}
