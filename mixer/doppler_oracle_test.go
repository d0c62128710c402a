package mixer_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"voicepool/internal/longtest"
	"voicepool/mixer"
	"voicepool/pcm"
	"voicepool/sounds"
	"voicepool/space"
)

// straight is a value that moves linearly to its target.
type straight struct {
	from, to        float64
	begin, duration int64
}

// at returns the value of the linear fade at frame.
func (s *straight) at(frame int64) float64 {
	if frame-s.begin >= s.duration {
		return s.to
	}
	return s.from + (s.to-s.from)*float64(frame-s.begin)/float64(s.duration)
}

// fade begins a fade at frame to the value to within duration frames.
func (s *straight) fade(frame int64, to float64, duration int64) {
	*s = straight{s.at(frame), to, frame, duration}
}

// TestDopplerAgainstFormula plays a sine of an emitter that flies past a listener, at random places,
// speeds and block lengths. Its phase must follow the sum of (c-vl)/(c-vs), with the shift moving within
// 20 ms and linearly in semitones. Its level must follow distance and direction.
//
// A moving pitch is a staircase with steps of g = 8 to 64 frames. 16 g² times the change in semitones is
// at most the length of the move in frames, or g is 8. Each step has the ratio of its first frame. So one
// move shifts the phase by at most g/2 times the change of the ratio, in frames of the sound.
func TestDopplerAgainstFormula(t *testing.T) {
	still, moving := math.Inf(-1), 0.0
	for seed := range uint64(longtest.Amount(20, 40)) {
		r := rand.New(rand.NewPCG(5, seed))
		rate := []int{22050, 44100, 48000}[r.IntN(3)]
		seconds := func(frame int64) float64 { return float64(frame) / float64(rate) }
		vector := func(most float64) (v space.Vector) {
			for i := range v {
				v[i] = most * (2*r.Float64() - 1)
			}
			return v
		}
		place, velocity, ear, earSpeed := vector(100), vector(80), vector(20), vector(30)
		speed, doppler, rests := 200+300*r.Float64(), 0.25+r.Float64(), r.IntN(3) == 0
		period := 100.0 // frames of the sine, before the shift
		length := 20000
		samples := make([]float32, length)
		for i := range samples {
			samples[i] = float32(math.Sin(2 * math.Pi * float64(i) / period))
		}
		m := newMixer(t, mixer.Config{Rate: rate, NoLimiter: true, Quality: sounds.Cubic})
		listener := space.Listener{Position: ear, Velocity: earSpeed, Doppler: doppler, SpeedOfSound: speed, Strength: 1}
		must(t, m.SetListener(listener))
		spot := space.Spot{Position: place, Velocity: velocity}
		h := play(t, m.Engine().At(0), sound(t, sounds.Samples{Name: "sine", Rate: rate, Channels: 1, Data: samples}), mixer.Options{
			Loop: true, Emitter: &space.Emitter{Spot: spot},
		})
		// heard returns gain, pan and semitones by the documented formulas.
		heard := func(s space.Spot, l space.Listener) (gain, pan, shift float64) {
			var way space.Vector
			distance := 0.0
			for i := range way {
				way[i] = s.Position[i] - l.Position[i]
				distance += way[i] * way[i]
			}
			distance = math.Sqrt(distance)
			vl, vs := 0.0, 0.0 // along the line from the voice to the listener
			for i := range way {
				vl -= way[i] / distance * l.Velocity[i]
				vs -= way[i] / distance * s.Velocity[i]
			}
			c := speed / doppler
			return 1 / max(distance, 1), way[0] / distance, 12 * math.Log2((c-vl)/(c-vs)) // the right is +x
		}
		var gain, pan, shift straight
		drift := 0.0 // maximum phase shift by all moves, in frames of the sound
		set := func(frame int64, duration int64) {
			g, p, s := heard(spot, listener)
			stair, way := 64.0, math.Abs(s-shift.at(frame))
			for stair > 8 && 16*stair*stair*way > float64(duration) {
				stair /= 2
			}
			if duration > 0 {
				drift += stair / 2 * math.Abs(math.Exp2(s/12)-math.Exp2(shift.at(frame)/12))
			}
			gain.fade(frame, g, duration)
			pan.fade(frame, p, duration)
			shift.fade(frame, s, duration)
		}
		set(0, 0)
		hop := int64(rate) / 50
		var got []pcm.Frame
		phase := 0.0
		for frame := int64(0); frame < 24000; {
			n := 1 + r.Int64N(2000)
			if !rests && frame > 0 {
				for i := range spot.Position {
					spot.Position[i] = place[i] + velocity[i]*seconds(frame)
					listener.Position[i] = ear[i] + earSpeed[i]*seconds(frame)
				}
				must(t, m.Engine().At(frame).SetPosition(mixer.TargetVoice(h), spot))
				must(t, m.Engine().At(frame).SetListener(listener))
				set(frame, hop)
			}
			got = append(got[:0], make([]pcm.Frame, n)...)
			m.Render(got)
			for i, y := range got {
				at := frame + int64(i)
				g, p := gain.at(at), pan.at(at)
				was := phase
				phase += 2 * math.Pi / period * math.Exp2(shift.at(at)/12)
				if was < 4*math.Pi/period { // interpolation with the silence before the sound
					continue
				}
				x := math.Sin(was)
				angle := (p + 1) * math.Pi / 4
				want := [2]float64{g * x * math.Cos(angle), g * x * math.Sin(angle)}
				for c := range want {
					e, level := math.Abs(float64(y[c])-want[c]), max(g, 1e-3)
					if bound := level * (2*math.Pi/period*drift + 1e-4); e > bound {
						t.Fatalf("seed %d, %d Hz, %v at %v to %v at %v: frame %d is %v, want %v within %.2g", seed, rate, place, velocity, ear, earSpeed, at, y, want, bound)
					}
					if drift == 0 {
						still = max(still, 20*math.Log10(e/g+1e-12))
					} else {
						moving = max(moving, e/g/(2*math.Pi/period))
					}
				}
			}
			frame += n
		}
	}
	t.Logf("off by at most %.1f dB at rest; by %.2f frames of the sound in flight", still, moving)
}
