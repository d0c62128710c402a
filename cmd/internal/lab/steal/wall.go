package steal

import (
	"slices"
	"strconv"
)

// Wall is a low-pass between an emitter and the listener that can appear and disappear.
type Wall struct {
	Behind  bool    // present at the start
	Changes []int64 // frames at which it appears or disappears
}

const (
	wallCutoff = 400       // Hz
	wallFrames = Rate / 20 // time to appear or disappear
)

// within returns the frames between two frames when the wall appears or disappears: after the parameter from and
// before the parameter to. The result is a part of w.Changes and shares its memory.
func (w *Wall) within(from, to int64) []int64 {
	i, _ := slices.BinarySearch(w.Changes, from+1)
	k, _ := slices.BinarySearch(w.Changes, to)
	return w.Changes[min(i, k):k]
}

// from returns the wall for an event that begins at the given frame. The result begins with the state of w at that
// frame and has only the later changes. It shares memory with w.
func (w *Wall) from(frame int64) Wall {
	i, _ := slices.BinarySearch(w.Changes, frame+1)
	return Wall{w.Behind != (i%2 == 1), w.Changes[i:]}
}

// hertz returns the cutoff frequency of the wall, which acts as a low-pass, in Hz. The parameter changes counts how
// often the wall has appeared or disappeared. If the wall is absent then, the result is 0.
func (w *Wall) hertz(changes int) float64 {
	if w.Behind != (changes%2 == 1) {
		return wallCutoff
	}
	return 0
}

// cutoff returns the cutoff frequency of the wall, which acts as a low-pass, in Hz as text for a cue sheet. The
// parameter changes counts how often the wall has appeared or disappeared. If the wall is absent then, the result is
// "off".
func (w *Wall) cutoff(changes int) string {
	if hz := w.hertz(changes); hz > 0 {
		return strconv.FormatFloat(hz, 'g', -1, 64)
	}
	return "off"
}

// walls adds to the scene the events of a fight in a house. There are 24 emitters at 2 to 20 m. Half of them have
// walls that appear and disappear.
func (s *sceneBuilder) walls() {
	for emitter := range 24 {
		metres, pan, gun := s.between(2, 20), s.randomPan(), s.any(Gun, Laser)
		var wall Wall
		if emitter%2 == 0 {
			wall.Behind = s.unit() < 0.5
			for at := s.between(0.3, 2); at < sceneSeconds; at += s.between(0.5, 2.5) {
				wall.Changes = append(wall.Changes, frames(at))
			}
		}
		behind := func(e *Event) { e.Wall = wall.from(e.At) }
		for at := s.between(0, 1); at < sceneSeconds; at += s.between(0.5, 2) {
			for range 2 + s.n(5) {
				behind(s.start(at, gun, distant(weapon, metres), pan))
				at += s.between(0.1, 0.2)
			}
		}
		s.eachRandomTime(0.28, 0.36, func(at float64) { behind(s.start(at, s.any(Step), distant(footstep, metres), pan)) })
		s.eachRandomTime(1, 4, func(at float64) { behind(s.start(at, s.any(Speech), distant(shout, metres), pan)) })
		s.eachRandomTime(1, 3, func(at float64) { behind(s.start(at, s.any(Clang, Bell), distant(impact, metres), pan)) })
		if emitter%3 == 0 {
			e := s.start(0, s.any(Engine, Wind), distant(ambience, metres), pan)
			e.Stop = s.Frames
			behind(e)
		}
	}
	s.eachRandomTime(0.5, 1.5, func(at float64) { s.start(at, s.any(Explosion), distant(impact, s.between(5, 30)), s.randomPan()) })
}
