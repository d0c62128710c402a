package cue

import "voicepool/mixer"

// maxMissed limits the number of actions checked after the last sound, because a cue can repeat a billion
// times.
const maxMissed = 100000

// reportUnreached reports the remaining actions on ids of a finished show as missed, because no voice is left for
// them, and removes them from the schedule. It reports at most maxMissed scheduled ones, and only before the sheet's
// length.
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
