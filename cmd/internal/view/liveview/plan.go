package liveview

import (
	"voicepool/cue"
)

// plan holds the upcoming actions of a sheet.
type plan struct {
	sheet    *cue.Sheet
	schedule *cue.Schedule // nil: unknown
	ends     int64
	next     cue.Action
	ahead    bool // next is valid
}

// Plan makes later pictures of p contain the next action of its sheet and the end of the show. Call it before p
// starts, and only if p follows its sheet without an operator.
func (b *Board) Plan(p *cue.Player) {
	s := p.Sheet()
	b.plan = plan{sheet: s, schedule: s.Schedule(s.Rate, s.Seed), ends: p.EstimatedEnd()}
}

// steps is the maximum number of actions skipped for one picture.
const steps = 4096

// addTo sets Ends, Next and NextAt of now, a new picture, for the sheet s that is playing. NextAt is the frame of the
// first action after the frame of now. After a change of the sheet, the end is unknown. Without Board.Plan it has no
// effect. It skips at most 4,096 past actions per call; if more remain, now lacks the action.
func (l *plan) addTo(now *Picture, s *cue.Sheet) {
	if l.schedule == nil {
		return
	}
	if s != l.sheet {
		*l = plan{sheet: s, schedule: s.Schedule(s.Rate, s.Seed)}
	}
	now.Ends = l.ends
	for range steps {
		if l.ahead && l.next.Frame > now.Stats.Frame && !l.next.Skipped {
			now.Next, now.NextAt = l.schedule.Describe(&l.next), l.next.Frame
			return
		}
		if l.next, l.ahead = l.schedule.Next(); !l.ahead {
			return
		}
	}
}

// levels returns the peak level in dB of each bus of p's sheet, in the order of the sheet, without the master. Buses
// that the mixer lacks are left out.
func levels(p *cue.Player) (all []Bus) {
	sheet := p.Sheet()
	for i := range sheet.Buses {
		if b, err := p.Mixer().Bus(sheet.Buses[i].Name); err == nil {
			all = append(all, Bus{sheet.Buses[i].Name, float64(b.Levels().Peak)})
		}
	}
	return all
}
