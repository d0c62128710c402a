package liveview

import (
	"voicepool/cue"
	"voicepool/cue/play"
)

// plan holds the upcoming actions of a sheet.
type plan struct {
	sheet    *cue.Sheet
	schedule *play.Schedule // nil: unknown
	ends     int64
	next     play.Action
	ahead    bool // next is valid
}

// Plan makes later pictures of p show the next action of its sheet and the end of the show. Call it before p starts,
// and only if p plays its sheet without an operator.
func (b *Board) Plan(p *play.Player) {
	s := p.Sheet()
	b.plan = plan{sheet: s, schedule: play.NewSchedule(s, s.Rate, s.Seed), ends: p.EstimatedEnd()}
}

// steps is the maximum number of actions skipped for one picture.
const steps = 4096

// addTo adds the plan of the playing sheet s to the new picture now. It sets now.Ends, the end of the show, and
// now.Next and now.NextAt, the first action after the frame of the picture. If the sheet has changed since the last
// call, the end is unknown. Before Board.Plan, addTo has no effect. One call skips at most 4,096 past actions; if more
// remain, the picture has no next action.
func (l *plan) addTo(now *Picture, s *cue.Sheet) {
	if l.schedule == nil {
		return
	}
	if s != l.sheet {
		*l = plan{sheet: s, schedule: play.NewSchedule(s, s.Rate, s.Seed)}
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

// levels returns the peak level in dB of each bus in the sheet of p, in the order of the sheet. The master is not a
// part of the result, and neither is a bus that the mixer lacks.
func levels(p *play.Player) (all []Bus) {
	sheet := p.Sheet()
	for i := range sheet.Buses {
		if b, err := p.Mixer().Bus(sheet.Buses[i].Name); err == nil {
			all = append(all, Bus{sheet.Buses[i].Name, float64(b.Levels().Peak)})
		}
	}
	return all
}
