package cue

import "voicepool/mixer"

// maxMissed limits the number of actions checked after the last sound, because a cue can repeat a billion
// times.
const maxMissed = 100000

// reportUnreached reports the remaining actions on ids as missed, because the show is finished and no voice is left for
// them. Only actions before the sheet's length are reported. The scheduled actions before that length are removed from
// the schedule, at most maxMissed actions on ids. p.missed counts the reports.
func (p *Player) reportUnreached() {
	report := func(a *Action) {
		if p.sheet.Cues[a.Cue].Scope == OnID && a.Frame < p.cut {
			p.missed++
			p.reportEvent(p.event(&mixer.Event{Frame: a.Frame, Kind: mixer.EventMissed, Slot: -1, Ref: int64(a.Cue)}))
		}
	}
	if p.held != nil {
		report(p.held)
		p.held = nil
	}
	for n := 0; n < maxMissed; {
		t, _, ok := p.schedule.first()
		if !ok || t.frame >= p.cut {
			return
		}
		if p.sheet.Cues[t.index].Scope != OnID {
			p.schedule.drop()
			continue
		}
		if a, _ := p.schedule.Next(); !a.Skipped {
			report(&a)
		}
		n++
	}
}
