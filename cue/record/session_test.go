package record_test

import (
	"errors"
	"math/rand/v2"
	"testing"
	"time"

	"voicepool/effect"
	"voicepool/mixer"
	"voicepool/pcm"
	"voicepool/sounds"
	"voicepool/space"
)

// anyEffects returns random effects of a bus; one of them has unusual values.
func anyEffects(t *testing.T, r *rand.Rand) []effect.Effect {
	echo, err := effect.New("delay", effect.Values{"time": 0.01 + 0.1*r.Float64(), "feedback": r.Float64() / 2, "lowpass": 20 + 9000*r.Float64(), "mix": r.Float64()})
	if err != nil {
		t.Fatal(err)
	}
	echo.ID = "far off"
	calm, err := effect.New("compressor", effect.Values{"threshold": -30 * r.Float64(), "release": 0.3})
	if err != nil {
		t.Fatal(err)
	}
	calm.Key = "music"
	return []effect.Effect{echo, calm}
}

// session is a game that issues random commands.
type session struct {
	t       *testing.T
	random  *rand.Rand
	mixer   *mixer.Mixer
	sounds  []*sounds.Sound // once and looped, alternately
	files   map[*sounds.Sound]string
	groups  []*mixer.Group
	buses   []mixer.Bus
	handles []mixer.Handle
	filters bool // voices have cutoffs and no successors, because filter states passed to successors are not recorded
}

// between returns a random number in from..to.
func (s *session) between(from, to float64) float64 { return from + (to-from)*s.random.Float64() }

// time returns a random duration from 0 to less than most.
func (s *session) time(most time.Duration) time.Duration {
	return time.Duration(s.random.Int64N(int64(most)))
}

// handle returns the handle of a random start.
func (s *session) handle() mixer.Handle { return s.handles[s.random.IntN(len(s.handles))] }

// moment returns a random moment: now, a little late, or soon.
func (s *session) moment() mixer.Moment {
	switch s.random.IntN(4) {
	case 0:
		return s.mixer.Engine().At(mixer.Now)
	case 1: // late
		return s.mixer.Engine().At(max(s.mixer.Now()-s.random.Int64N(2000), 0))
	}
	return s.mixer.Engine().At(s.mixer.Now() + s.random.Int64N(6000))
}

// start returns a random sound and options.
func (s *session) start() (*sounds.Sound, mixer.Options) {
	k := s.random.IntN(len(s.sounds))
	o := mixer.Options{
		Gain: pcm.Decibels(s.between(-40, 0)), Pan: s.between(-1, 1), Bus: s.buses[s.random.IntN(len(s.buses))],
		Priority: s.random.IntN(3) - 1, EngineOptions: mixer.EngineOptions{Protect: s.random.IntN(12) == 0, Tag: mixer.Tag(s.random.IntN(4)), Owner: uint64(s.random.IntN(3)), WhenFull: mixer.WhenFull(s.random.IntN(3))}, Loop: k%2 == 1,
	}
	if k%2 == 1 { // a sheet cannot set Commands, which limits the number of waiting endless voices
		o.WhenFull = mixer.WhenFullEnd
	}
	if s.random.IntN(2) == 0 {
		o.Pitch, o.Base.Pitch, o.Speed = pcm.Semitones(s.between(-7, 7)), pcm.Semitones(s.between(-2, 2)), s.between(0.5, 2)
	}
	if s.random.IntN(2) == 0 {
		o.Base.Gain = pcm.Decibels(-3 * s.random.IntN(3))
		o.Base.Speed = 1.25
	}
	if s.random.IntN(4) == 0 {
		o.Sends = []mixer.Send{{To: "hall", Gain: pcm.Decibels(s.between(-40, 0))}}
	}
	if s.random.IntN(3) == 0 {
		o.Group = s.groups[s.random.IntN(len(s.groups))]
	}
	if o.Loop && s.random.IntN(2) == 0 {
		o.Rounds = 1 + s.random.IntN(3)
	}
	switch s.random.IntN(4) {
	case 0:
		o.From = s.time(300 * time.Millisecond)
	case 1:
		o.For = s.time(500*time.Millisecond) + 1
	case 2:
		o.FadeIn, o.FadeShape = s.time(80*time.Millisecond), sounds.Shape(s.random.IntN(5))
	}
	if s.random.IntN(3) == 0 {
		o.Emitter = &space.Emitter{Spot: s.spot(), Spread: float64(s.random.IntN(3)) / 2}
		if s.random.IntN(2) == 0 {
			o.Emitter.Attenuation = space.Attenuation{Curve: space.Curve(s.random.IntN(4)), Min: s.between(0.1, 3), Max: 20}
			o.Emitter.Cone = space.Cone{Inner: s.between(0, 90), Outer: 200, OuterGain: -12}
		} else if s.random.IntN(2) == 0 {
			o.Emitter.Attenuation = space.Attenuation{Table: s.table()}
		}
		s.muffle(o.Emitter)
	}
	if s.filters && s.random.IntN(3) > 0 {
		o.LowPass, o.HighPass = s.cutoff(), s.cutoff()
	}
	o.Quality = sounds.Cubic
	if s.random.IntN(5) == 0 {
		o.Quality = sounds.Linear
	}
	return s.sounds[k], o
}

// cutoff returns a random cutoff, sometimes off.
func (s *session) cutoff() float64 {
	return [...]float64{0, 20, 90, s.between(20, 20000), 20000}[s.random.IntN(5)]
}

// addHandle stores the handle of a start or successor.
func (s *session) addHandle(h mixer.Handle, err error) {
	if err == nil {
		s.handles = append(s.handles, h)
	} else if !errors.Is(err, mixer.ErrBusy) && !errors.Is(err, mixer.ErrGone) {
		s.t.Fatal(err)
	}
}

// act starts a random sound or changes a random target at a random moment.
func (s *session) act() {
	if len(s.handles) == 0 || s.random.IntN(3) == 0 {
		s.addHandle(s.moment().Play(s.start()))
		return
	}
	h, over := s.handle(), s.time(100*time.Millisecond)
	target := mixer.TargetVoice(h)
	switch s.random.IntN(4) {
	case 0:
		target = mixer.TargetTag(mixer.Tag(1 + s.random.IntN(3)))
	case 1:
		target = mixer.TargetSound(s.sounds[s.random.IntN(len(s.sounds))])
	}
	bus := mixer.TargetBus(s.buses[s.random.IntN(len(s.buses))])
	gain := pcm.Decibels(s.between(-60, 0))
	switch s.random.IntN(31) {
	case 0:
		h.Stop(0)
	case 1:
		h.Stop(over)
	case 2:
		h.Pause()
	case 3, 4:
		h.Resume()
	case 5:
		h.SetGain(gain)
		h.SetPan(s.between(-1, 1))
	case 6:
		h.SetPitch(pcm.Semitones(s.between(-12, 12)))
		h.SetSpeed(s.between(0.5, 2))
		if s.filters {
			h.SetLowPass(s.cutoff())
		}
	case 7:
		h.SetPriority(s.random.IntN(4) - 2)
		h.Protect(s.random.IntN(4) == 0)
	case 8:
		h.SetLoop([...]int{mixer.Forever, 1, 2}[s.random.IntN(3)])
	case 9:
		h.Seek(s.time(400 * time.Millisecond))
	case 10:
		s.mixer.Engine().At(mixer.Now).Set(mixer.TargetVoice(h), mixer.Change{Fields: mixer.FieldGain, Gain: gain, Shape: sounds.Shape(s.random.IntN(4))}, over)
	case 11:
		s.moment().FadeOut(target, over*time.Duration(s.random.IntN(2)), sounds.Shape(s.random.IntN(5)))
	case 12:
		s.moment().Set(target, mixer.Change{Fields: mixer.FieldGain | mixer.FieldPitch, Gain: gain, Pitch: 2}, over)
		if s.filters {
			s.moment().Set(target, mixer.Change{Fields: mixer.FieldLowPass | mixer.FieldHighPass, Filters: mixer.Filters{LowPass: s.cutoff(), HighPass: s.cutoff()}}, over)
		}
	case 13:
		s.moment().Seek(target, s.time(400*time.Millisecond))
	case 14:
		s.moment().Set(bus, mixer.Change{Fields: mixer.FieldGain | mixer.FieldPan | mixer.FieldMute, Gain: gain / 4, Pan: s.between(-1, 1), Mute: s.random.IntN(6) == 0}, over)
	case 15:
		s.moment().Pause(bus)
		s.moment().Resume(bus)
	case 16:
		s.moment().Resume(bus)
	case 17:
		s.moment().Pause(target)
		s.moment().Resume(target)
	case 18:
		s.moment().Pause(mixer.TargetAll())
		s.mixer.Engine().At(s.mixer.Now() + 7000).Resume(mixer.TargetAll())
	case 19:
		if s.random.IntN(8) == 0 {
			s.mixer.StopAll(over)
		}
	case 20, 21:
		next, o := s.start()
		if s.filters {
			break
		}
		s.addHandle(h.Then(next, o, mixer.When(s.random.IntN(2))))
	case 22:
		s.moment().Cut(target)
	case 23:
		s.moment().Resize(1 + s.random.IntN(12))
	case 24:
		d := mixer.Duck{When: "v1", By: pcm.Decibels(s.random.IntN(20)), Attack: over, Hold: over / 2, Release: 3 * over}
		if s.random.IntN(3) == 0 {
			d = mixer.Duck{}
		}
		if err := s.moment().SetDuck(s.buses[3*s.random.IntN(2)], d); err != nil && !errors.Is(err, mixer.ErrBusy) {
			s.t.Fatal(err)
		}
	case 25, 26:
		s.move(target)
	case 29:
		to := mixer.TargetBus(s.buses[2])
		if s.random.IntN(2) == 0 {
			to = target
		}
		if err := s.moment().SetSend(to, "hall", pcm.Decibels(s.between(-90, 0)), over); err != nil && !errors.Is(err, mixer.ErrBusy) {
			s.t.Fatal(err)
		}
	case 30:
		values := effect.Values{"feedback": s.between(0, 0.95), "time": s.between(0.001, 0.3), "bypass": float64(s.random.IntN(2))}
		if err := s.moment().SetEffect(s.buses[2], "far off", values, over); err != nil && !errors.Is(err, mixer.ErrBusy) {
			s.t.Fatal(err)
		}
	case 27, 28:
		l := space.Listener{Position: s.spot().Position, Forward: s.spot().Forward, Strength: s.between(0.1, 1)}
		if s.random.IntN(2) == 0 {
			l = space.Flat{Width: 12, Strength: space.NoPan * float64(s.random.IntN(2))}.Listener(s.between(-9, 9), s.between(-9, 9))
		}
		if s.random.IntN(3) > 0 {
			l.Doppler, l.SpeedOfSound, l.Velocity = s.between(0, 3), s.between(100, 400), s.spot().Velocity
		}
		if s.random.IntN(2) == 0 {
			s.mixer.SetListener(l)
		} else {
			s.moment().SetListener(l)
		}
	}
}
