package main

// motion is a value on its way.
type motion struct {
	from, goal  float64
	start, over int64 // frames
}

func still(x float64) motion { return motion{from: x, goal: x} }

func (m *motion) at(frame int64) float64 {
	if frame >= m.start+m.over || m.over == 0 {
		return m.goal
	}
	return m.from + (m.goal-m.from)*float64(max(frame-m.start, 0))/float64(m.over)
}

func (m *motion) to(goal float64, frame, over int64) {
	*m = motion{from: m.at(frame), goal: goal, start: frame, over: over}
}
