package play

import (
	"math"

	"voicepool/bank/rules"
	"voicepool/cue"
	"voicepool/cue/record"
	"voicepool/cue/report"
	"voicepool/mixer"
	"voicepool/pcm"
	"voicepool/sounds"
)

// reporter takes the events of the mixer and reports them.
type reporter struct {
	*show
	recorder  *record.Recorder // nil: not recording
	polled    []mixer.Event
	events    []report.Event
	missed    int64        // missed actions that were not passed to the mixer
	atCut     *mixer.Stats // statistics of the mixer at the sheet's length
	lossMeter lossMeter
}

// Report returns the statistics of the show and, with Options.Events, its events. It first processes the last events of
// the mixer, so Options.Watch may be called. The returned events share memory with the player. Control side, after the
// last Read, or after the device that calls Render has been closed.
func (p *Player) Report() *report.Report {
	q, meter := &p.reporter, &p.output.meter
	q.poll()
	q.lossMeter.finish(q.events)
	st := p.mixer.Stats()
	if q.atCut != nil {
		st = *q.atCut
	}
	st.Missed += q.missed
	r := &report.Report{
		Version: 1, Rate: p.rate, From: p.startFrame, Frames: st.Frame, Voices: p.sheet.Voices, Virtual: p.sheet.Virtual, Overflow: p.sheet.Overflow.String(),
		Totals:   report.TotalsOf(&st),
		Peak:     report.Level(pcm.FromLinear(float64(meter.peak))),
		Loudness: report.Level(meter.meter.Integrated()),
		Outputs:  meter.outputs(p.sheet.Outputs),
		Seconds:  math.Round(p.renderer.seconds*1e6) / 1e6,
		Events:   q.events,
	}
	if p.isRender {
		r.Frames = p.startFrame + p.renderer.frames
	}
	return r
}

// Recorder returns the recording until now. Its method WriteTo writes it as a sheet with absolute file paths. Without
// Options.Record it returns nil and no error. If the error is not nil, it wraps record.ErrRecord, and the sheet is
// incomplete. There are two causes. A sheet could not express a command: this command and all later ones are missing.
// Or commands came too fast to be recorded: some of them are missing. Control side, at the same times as Report.
func (p *Player) Recorder() (*record.Recorder, error) {
	r := p.reporter.recorder
	if r == nil {
		return nil, nil
	}
	err := r.ReadJournal(p.mixer)
	if p.cut != never {
		r.End(p.cut)
	}
	return r, err
}

// poll takes the new events of the mixer. It passes each event to p.follows, which counts the ends that other actions
// wait for, and to the method add, which reports it and calls Options.Watch. With Options.Record, poll also records the
// journal of the mixer. In a render, events are dropped once the sheet's length has been mixed.
func (p *reporter) poll() {
	if p.recorder != nil {
		_ = p.recorder.ReadJournal(p.mixer) // Recorder returns the error
	}
	for {
		n := p.mixer.Events(p.polled)
		if p.atCut != nil {
			n = 0
		}
		for i := range p.polled[:n] {
			p.follows.processEvent(&p.polled[i])
			p.add(p.event(&p.polled[i]))
		}
		if n < len(p.polled) {
			return
		}
	}
}

// add passes e to Options.Watch, if it is set. With Options.Events, it also adds e to the report and prepares the
// measurement of a stolen voice.
func (p *reporter) add(e report.Event) {
	if p.options.Events {
		p.lossMeter.addVictim(len(p.events), &e)
		p.events = append(p.events, e)
	}
	if p.options.Watch != nil {
		p.options.Watch(e)
	}
}

// maxMissed limits the number of actions checked after the last sound, because a cue can repeat a billion
// times.
const maxMissed = 100000

// addMissed reports action a as missed if it is on an id and before the sheet's length, because the show is finished
// and no voice is left for it.
func (p *reporter) addMissed(a *Action) {
	if p.sheet.Cues[a.Cue].Target().Scope == cue.OnID && a.Frame < p.cut {
		p.missed++
		p.add(p.event(&mixer.Event{Frame: a.Frame, Kind: mixer.EventMissed, Slot: -1, Ref: mixer.Ref(a.Cue)}))
	}
}

// addUnreached reports the remaining actions on ids as missed, first the action that d is sending. The scheduled
// actions before the sheet's length are removed from the schedule, at most maxMissed actions on ids.
func (p *reporter) addUnreached(d *sender) {
	if d.busy() {
		p.addMissed(&d.current.action)
		d.drop(d.current.batch)
	}
	for n := 0; n < maxMissed; {
		t, _, ok := p.schedule.first()
		if !ok || t.Frame >= p.cut {
			return
		}
		if p.sheet.Cues[t.Index].Target().Scope != cue.OnID {
			p.schedule.drop()
			continue
		}
		if a, _ := p.schedule.Next(); !a.Skipped {
			p.addMissed(&a)
		}
		n++
	}
}

// event converts m, an event of the mixer, to an event of a report, with the sound names and cue numbers of the sheet.
func (p *reporter) event(m *mixer.Event) report.Event {
	e := report.EventOf(m)
	e.Cue, _ = splitRef(m.Ref)
	e.Ref, _ = splitManualRef(m.Ref)
	e.CueLabel, e.Cue = p.sheet.CueLabel(e.Cue), p.sheet.FilePosition(e.Cue)
	e.Sound = p.soundName(m.Sound, m.Ref)
	e.BySound = p.soundName(m.Steal.BySound, m.Steal.ByRef)
	p.addRule(&e, m)
	return e
}

// addRule adds to e the limit or the cooldown in the sheet that caused a rejection or a loss. e must have been
// converted from m. Other kinds of events do not change.
func (p *reporter) addRule(e *report.Event, m *mixer.Event) {
	ref := m.Ref
	if e.Outranking() {
		ref = m.Steal.ByRef
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
func (p *reporter) soundName(s *sounds.Sound, ref mixer.Ref) string {
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
func (p *reporter) soundOfRef(ref mixer.Ref) *rules.Sound {
	i, number := splitRef(ref)
	_, sound := splitManualRef(ref)
	if i >= 0 && i < len(p.sheet.Cues) {
		switch c := &p.sheet.Cues[i]; {
		case number == 0:
			sound = c.Sound
		case number <= len(c.Layers):
			sound = c.Layers[number-1].Sound
		}
	}
	if sound < 0 || sound >= len(p.sheet.Sounds) {
		return nil
	}
	return &p.sheet.Sounds[sound]
}
