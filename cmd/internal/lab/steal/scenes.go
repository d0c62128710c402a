package steal

import (
	"math"
	"slices"

	"voicepool/pcm"
)

// fire adds to the scene the events of a fight: 16 soldiers at 4 to 60 m and the player's own weapon. About 160 sounds
// start in a second, and 120 play at once.
func (s *sceneBuilder) fire() {
	for soldier := range 17 {
		metres, pan, gun := s.between(4, 60), s.randomPan(), s.any(Gun)
		if soldier == 16 {
			metres, pan = 0.3, 0
		}
		for at := s.between(0, 1); at < sceneSeconds; at += s.between(0.3, 2) {
			gap := s.between(0.08, 0.13)
			for range 3 + s.n(8) {
				s.start(at, gun, distant(weapon, metres), pan)
				if s.unit() < 0.7 {
					s.start(at+s.between(0.02, 0.25), s.any(Clang), distant(impact, s.between(4, 60)), s.randomPan())
				}
				at += gap
			}
		}
		s.eachRandomTime(0.28, 0.36, func(at float64) { s.start(at, s.any(Step), distant(footstep, metres), pan) })
		s.eachRandomTime(2, 6, func(at float64) { s.start(at, s.any(Speech), distant(shout, metres), pan) })
	}
	s.eachRandomTime(0.2, 0.8, func(at float64) { s.start(at, s.any(Explosion), distant(impact, s.between(10, 60)), s.randomPan()) })
	for range 8 {
		s.loop(0, sceneSeconds, distant(ambience, s.between(2, 40)))
	}
}

// plat adds to the scene the events of a platform game with jumps and coins. About 36 sounds start in a second, and 30
// play at once.
func (s *sceneBuilder) plat() {
	s.eachRandomTime(0.28, 0.34, func(at float64) { s.start(at, s.any(Step), distant(footstep, 1), 0) })
	s.eachRandomTime(0.7, 1.5, func(at float64) { s.start(at, s.any(Laser), distant(menu, 1), 0) })
	s.eachRandomTime(0.7, 1.3, func(at float64) {
		coin, pan := s.any(Pickup, Bell), s.randomPan()
		for n := range 5 + s.n(12) {
			s.start(at+float64(float64(n)*0.07), coin, distant(menu, s.between(1, 2)), pan)
		}
	})
	for range 10 {
		metres, pan := s.between(3, 30), s.randomPan()
		s.eachRandomTime(0.5, 0.8, func(at float64) { s.start(at, s.any(Step), distant(footstep, metres), pan) })
		s.eachRandomTime(1, 4, func(at float64) { s.start(at, s.any(Laser, Gun), distant(weapon, metres), pan) })
		s.eachRandomTime(3, 8, func(at float64) { s.start(at, s.any(Speech), distant(shout, metres), pan) })
		s.eachRandomTime(3, 8, func(at float64) { s.start(at, s.any(Clang), distant(impact, metres), pan) })
	}
	for range 6 {
		s.loop(0, sceneSeconds, distant(ambience, s.between(1, 20)))
	}
}

// rts adds to the scene the events of a battle seen from above, in waves. About 330 sounds of any kind start in a
// second, and 280 play at once.
func (s *sceneBuilder) rts() {
	for at := 0.0; ; {
		rate := float64(300 * (1 + float64(0.7*pcm.SinPi(2*at/5))))
		at += -float64(pcm.Log2(1-s.unit())*math.Ln2) / rate
		if at >= sceneSeconds {
			break
		}
		sound := s.any(Gun, Gun, Laser, Laser, Explosion, Clang, Step, Step, Speech, Bell, Pickup)
		s.start(at, sound, pcm.Decibels(s.between(-36, 0)), s.randomPan())
	}
	for range 10 {
		s.loop(0, sceneSeconds, pcm.Decibels(s.between(-36, 0)))
	}
}

// amb adds to the scene the events of a landscape: 70 loops, and a few effects, some of them in clusters.
func (s *sceneBuilder) amb() {
	for range 70 {
		from := s.between(0, 6)
		s.loop(from, from+s.between(3, 8), pcm.Decibels(s.between(-30, 0)))
	}
	effect := func(at float64) {
		s.start(at, s.any(Bell, Clang, Speech, Step, Explosion), distant(impact, s.between(1, 30)), s.randomPan())
	}
	s.eachRandomTime(0.2, 0.6, func(at float64) {
		effect(at)
		if s.unit() < 0.25 {
			for range 5 {
				effect(at + s.between(0, 0.15))
			}
		}
	})
}

// rhythm adds to the scene the events of music at 140 bpm: chords of four, drums and bass on a grid of sixteenths, and
// four new loops in each bar.
func (s *sceneBuilder) rhythm() {
	const sixteenth = 60.0 / 140 / 4
	chord, bass := s.any(Bell, Pickup), s.any(Laser)
	for step := 0; ; step++ {
		at := float64(float64(step) * sixteenth)
		if at >= sceneSeconds {
			return
		}
		if step%16 == 0 {
			chord, bass = s.any(Bell, Pickup), s.any(Laser)
			for range 4 {
				s.loop(at, at+float64(16*sixteenth), pcm.Decibels(s.between(-24, -6)))
			}
		}
		if step%4 != 1 {
			for range 4 {
				s.start(at, chord, pcm.Decibels(s.between(-24, -6)), s.randomPan())
			}
		}
		s.start(at, s.any(Step), pcm.Decibels(s.between(-20, -8)), 0.3)
		if step%4 == 0 {
			s.start(at, s.kinds[Explosion][0], -6, 0)
		}
		if step%8 == 4 {
			s.start(at, s.kinds[Gun][0], -5, 0)
		}
		if step%2 == 0 {
			s.start(at, bass, pcm.Decibels(s.between(-14, -8)), 0)
		}
		if step%16 == 14 {
			s.start(at, s.any(Clang), -10, -0.3)
		}
	}
}

// engines adds to the scene the events of a race: 300 loops that pass the listener, and 10 shots in a second.
func (s *sceneBuilder) engines() {
	for range 300 {
		nearest, speed, passes := s.between(2, 40), s.between(-25, 25), s.between(0, sceneSeconds)
		where := func(at float64) (pcm.Decibels, float64) {
			x := float64(speed * (at - passes))
			metres := math.Sqrt(float64(nearest*nearest) + float64(x*x))
			return pcm.Decibels(hundredths(float64(distant(ambience, metres)))), hundredths(float64(0.8*x) / metres)
		}
		gain, pan := where(0)
		e := s.start(0, s.any(Engine), gain, pan)
		e.Stop = s.Frames
		for at := int64(0); at+moveFrames < s.Frames; at += moveFrames {
			gain, pan := where(float64(at+moveFrames) / Rate)
			e.Moves = append(e.Moves, Move{at + 1, gain, pan})
		}
	}
	s.eachRandomTime(0.05, 0.15, func(at float64) { s.start(at, s.any(Gun), distant(weapon, s.between(1, 40)), s.randomPan()) })
}

// crowd adds to the scene the events of a market: 90 people who speak and walk at 1 to 25 m. About 55 sounds start in a
// second.
func (s *sceneBuilder) crowd() {
	for range 90 {
		metres, pan := s.between(1, 25), s.randomPan()
		s.eachRandomTime(1, 4, func(at float64) { s.start(at, s.any(Speech), distant(shout, metres), pan) })
	}
	for range 10 {
		metres, pan := s.between(1, 25), s.randomPan()
		s.eachRandomTime(0.4, 0.5, func(at float64) { s.start(at, s.any(Step), distant(footstep, metres), pan) })
	}
	s.loop(0, sceneSeconds, distant(ambience, 10))
}

// music adds to the scene the events of music at 120 bpm, of four chord notes, a bass, drums and a pad of three loops,
// under the effects of a small fight.
func (s *sceneBuilder) music() {
	for range 3 {
		s.loop(0, sceneSeconds, pcm.Decibels(s.between(-24, -14)))
	}
	chord := s.any(Bell)
	for step := range sceneSeconds * 8 {
		at := float64(float64(step) * 0.125)
		if step%16 == 0 {
			chord = s.any(Bell)
		}
		if step%8 == 0 {
			for range 4 {
				s.start(at, chord, pcm.Decibels(s.between(-16, -10)), s.randomPan())
			}
		}
		if step%4 == 0 {
			s.start(at, s.kinds[Explosion][0], -10, 0)
		}
		if step%2 == 1 {
			s.start(at, s.any(Step), -14, 0.3)
		}
	}
	for range 8 {
		metres, pan, gun := s.between(2, 40), s.randomPan(), s.any(Gun, Laser)
		s.eachRandomTime(0.1, 0.6, func(at float64) { s.start(at, gun, distant(weapon, metres), pan) })
		s.eachRandomTime(0.5, 2, func(at float64) { s.start(at, s.any(Clang, Explosion), distant(impact, metres), pan) })
		s.eachRandomTime(2, 5, func(at float64) { s.start(at, s.any(Speech), distant(shout, metres), pan) })
	}
}

// menu adds to the scene the events of a fight that is paused from 2 to 5 s. During the pause a menu plays clicks,
// jingles and a loop. All sounds have the same priority.
func (s *sceneBuilder) menu() {
	s.fire()
	for i := range s.Events {
		s.Events[i].Bus = "game"
	}
	const from, to = 2, 5
	s.Pause = Pause{"game", from * Rate, to * Rate}
	s.Events = slices.DeleteFunc(s.Events, func(e Event) bool { return e.At >= s.Pause.From && e.At < s.Pause.To })
	s.loop(from, to, distant(menu, 1))
	s.eachRandomTime(0.1, 0.3, func(at float64) {
		if at > from && at < to {
			s.start(at, s.any(Pickup, Step, Bell), distant(menu, s.between(0, 2)), s.randomPan())
		}
	})
}
