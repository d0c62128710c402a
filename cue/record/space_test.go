package record_test

import (
	"voicepool/mixer"
	"voicepool/pcm"
	"voicepool/space"
)

// table returns a random curve of points or of a function.
func (s *session) table() *space.Table {
	if s.random.IntN(2) == 0 {
		slope := s.between(-9, -0.5)
		t, err := space.NewTable(s.between(0, 2), s.between(5, 20), func(d float64) pcm.Decibels { return pcm.Decibels(slope * d) })
		if err != nil {
			s.t.Fatal(err)
		}
		return t
	}
	points := []space.Point{{Distance: s.between(0, 1)}}
	for range 1 + s.random.IntN(6) {
		last := points[len(points)-1].Distance
		points = append(points, space.Point{Distance: last + s.between(0.1, 5), Gain: pcm.Decibels(s.between(-90, 12))})
	}
	t, err := space.NewPointTable(points...)
	if err != nil {
		s.t.Fatal(err)
	}
	return t
}

// spot returns a random position, mostly with a velocity.
func (s *session) spot() (at space.Spot) {
	moves := s.random.IntN(4) > 0
	for i := range at.Position {
		at.Position[i], at.Forward[i] = s.between(-9, 9), s.between(-9, 9)
		if moves {
			at.Velocity[i] = s.between(-40, 40)
		}
	}
	if s.filters { // filter states passed to successors are not recorded
		at.Occlusion, at.Obstruction = max(s.between(-1, 1), 0), max(s.between(-1, 1), 0)
	}
	return at
}

// move moves voices in space, at once or at a moment, including voices that have not begun.
func (s *session) move(target mixer.Target) {
	if s.random.IntN(2) == 0 {
		s.moment().SetPosition(target, s.spot())
		return
	}
	last := s.handles[max(len(s.handles)-9, 0):]
	spots := make([]space.Spot, len(last))
	for i := range spots {
		spots[i] = s.spot()
	}
	if err := s.mixer.SetPositions(last, spots); err != nil {
		s.t.Fatal(err)
	}
}

// muffle adds random occlusion and a random send attenuation to an emitter.
func (s *session) muffle(e *space.Emitter) {
	if s.filters && s.random.IntN(2) == 0 {
		e.Air, e.Cone.LowPass = s.between(0, 9), s.between(20, 20000)
	}
	switch s.random.IntN(3) {
	case 0:
		e.SendAttenuation = space.Attenuation{Curve: space.Curve(s.random.IntN(4)), Min: s.between(0.1, 3), Max: 30}
	case 1:
		e.SendAttenuation.Table = s.table()
	}
}
