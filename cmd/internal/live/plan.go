package live

import (
	"voicepool/cue"
)

// plan is what a sheet is going to do.
type plan struct {
	sheet    *cue.Sheet
	schedule *cue.Schedule // nil: nobody knows
	ends     int64
	next     cue.Action
	ahead    bool // next is one
}

// Plan has pictures tell what comes next, and when it ends. It is for a player that goes by
// its sheet alone, before it begins.
func (b *Board) Plan(p *cue.Player) {
	s := p.Sheet()
	b.plan = plan{sheet: s, schedule: s.Schedule(s.Rate, s.Seed), ends: p.Ends()}
}

// steps bounds how many actions are passed over for one picture.
const steps = 4096

// tell tells what comes after the frame of a picture, by the sheet that plays by now. When another one
// ends nobody knows.
func (l *plan) tell(now *Picture, s *cue.Sheet) {
	if l.schedule == nil {
		return
	}
	if s != l.sheet {
		*l = plan{sheet: s, schedule: s.Schedule(s.Rate, s.Seed)}
	}
	now.Ends = l.ends
	for range steps {
		if l.ahead && l.next.Frame > now.Stats.Frame && !l.next.Passed {
			now.Next, now.NextAt = l.schedule.Says(&l.next), l.next.Frame
			return
		}
		if l.next, l.ahead = l.schedule.Next(); !l.ahead {
			return
		}
	}
}

// levels returns those of the buses of a player.
func levels(p *cue.Player) (all []Bus) {
	sheet := p.Sheet()
	for i := range sheet.Buses {
		if b, err := p.Mixer().Bus(sheet.Buses[i].Name); err == nil {
			all = append(all, Bus{sheet.Buses[i].Name, float64(b.Levels().Peak)})
		}
	}
	return all
}
