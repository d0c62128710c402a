package mixer_test

import (
	"fmt"
	"math"
	"testing"
	"time"

	"voicepool/internal/longtest"
	"voicepool/mixer"
	"voicepool/pcm"
	"voicepool/sounds"
	"voicepool/sounds/library"
)

// joined renders commands on two halves that follow each other, and on the whole sound. join is the frame
// between the halves; both renderings begin at 0.
func joined(t *testing.T, streams, join, block int, do func(m *mixer.Mixer, hs ...mixer.Handle)) (got, want []pcm.Frame) {
	t.Helper()
	const size = 6000
	all := hiss(5, size)
	one := func(frames []pcm.Frame, streamed bool) *sounds.Sound {
		if streamed {
			return tape(t, frames, nil)
		}
		return loaded(t, frames, pcm.Loop{})
	}
	c := mixer.Config{Rate: 8000, Voices: 1, Overflow: mixer.Reject, NoLimiter: true}
	m := newMixer(t, c)
	do(m, play(t, m.Engine().At(0), one(all, false), mixer.Options{}))
	want = renderIn(m, size+200, 4096)
	m = newMixer(t, c)
	h := play(t, m.Engine().At(0), one(all[:join], streams&1 != 0), mixer.Options{})
	next, err := h.Then(one(all[join:], streams&2 != 0), mixer.Options{}, mixer.AtEnd)
	must(t, err)
	do(m, h, next)
	got = renderIn(m, size+200, block)
	m.Close()
	return got, want
}

// each calls do for all handles.
func each(t *testing.T, hs []mixer.Handle, do func(mixer.Handle) error) {
	t.Helper()
	for _, h := range hs {
		must(t, do(h))
	}
}

// TestThenMoves fades over the join of two halves of a sound and compares with the fade of the whole
// sound, with the call on both handles or on the first alone. If the join is on the grid of the segments,
// the bits must be equal. Otherwise the difference is at most the deviation of a segment from its curve.
func TestThenMoves(t *testing.T) {
	shapes := []sounds.Shape{sounds.InDecibels, sounds.InAmplitude, sounds.RaisedCosine, sounds.ConstantPower}
	type move struct {
		name string
		do   func(m *mixer.Mixer, hs []mixer.Handle)
		both bool // the second one needs the call, too
	}
	moves := []move{
		{"a pan", func(m *mixer.Mixer, hs []mixer.Handle) {
			for _, h := range hs {
				must(t, m.Engine().At(320).Set(mixer.TargetVoice(h), mixer.Change{Fields: mixer.FieldPan, Pan: -0.8}, 300*ms))
			}
		}, false},
		{"two fades", func(m *mixer.Mixer, hs []mixer.Handle) {
			for _, h := range hs {
				must(t, m.Engine().At(64).Set(mixer.TargetVoice(h), mixer.Change{Fields: mixer.FieldGain, Gain: -20, Shape: sounds.InAmplitude}, 100*ms))
				must(t, m.Engine().At(640).Set(mixer.TargetVoice(h), mixer.Change{Fields: mixer.FieldGain, Gain: -3, Shape: sounds.RaisedCosine}, time.Second))
			}
		}, false},
		{"two fields", func(m *mixer.Mixer, hs []mixer.Handle) {
			for _, h := range hs {
				c := mixer.Change{Fields: mixer.FieldPan | mixer.FieldGain, Pan: 1, Gain: -30}
				must(t, m.Engine().At(64).Set(mixer.TargetVoice(h), c, 200*ms))
			}
		}, false},
		{"a set just before", func(m *mixer.Mixer, hs []mixer.Handle) {
			for _, h := range hs {
				must(t, m.Engine().At(1010).SetGain(mixer.TargetVoice(h), -12))
			}
		}, true},
		{"a set long before", func(m *mixer.Mixer, hs []mixer.Handle) {
			for _, h := range hs {
				must(t, m.Engine().At(100).SetGain(mixer.TargetVoice(h), -12))
			}
		}, true},
		{"handles", func(m *mixer.Mixer, hs []mixer.Handle) {
			m.Render(nil)
			each(t, hs, func(h mixer.Handle) error {
				return m.Engine().At(mixer.Now).Set(mixer.TargetVoice(h), mixer.Change{Fields: mixer.FieldGain, Gain: -24, Shape: sounds.ConstantPower}, 250*ms)
			})
			each(t, hs, func(h mixer.Handle) error { return h.SetPan(0.5) })
		}, true},
	}
	for _, shape := range shapes {
		moves = append(moves, move{"a fade " + shape.String(), func(m *mixer.Mixer, hs []mixer.Handle) {
			for _, h := range hs {
				must(t, m.Engine().At(192).Set(mixer.TargetVoice(h), mixer.Change{Fields: mixer.FieldGain, Gain: -60, Shape: shape}, 400*ms))
			}
		}, false})
	}
	next := longtest.Every(2)
	for _, move := range moves {
		for _, join := range []int{1024, 1027} {
			for streams := range 4 {
				for told := 1; told <= 2; told++ {
					if told == 1 && move.both {
						continue
					}
					for _, block := range blockLengths {
						if block < 64 && (streams > 0 || join%64 == 0) || block >= 64 && !next() { // slow
							continue
						}
						what := fmt.Sprintf("%s, join at %d, streams %b, %d told, blocks of %d", move.name, join, streams, told, block)
						got, want := joined(t, streams, join, block, func(m *mixer.Mixer, hs ...mixer.Handle) {
							move.do(m, hs[:min(told, len(hs))])
						})
						for i := range want {
							off := math.Hypot(float64(got[i][0]-want[i][0]), float64(got[i][1]-want[i][1]))
							// A segment of h frames deviates by (h ln(10)/20 dB/frame)^2 / 8 of the
							// curve, at most 6e-4 here, and frames are at most 0.18.
							if limit := 1.1e-4; off > 0 && (join%64 == 0 || i < join || i >= join+64 || off > limit) {
								t.Fatalf("%s: frame %d is %v, want %v", what, i, got[i], want[i])
							}
						}
					}
				}
			}
		}
	}
}

// TestThenMovesPitch fades a pitch or a speed over the join: the successor must end where the whole sound
// does. The fraction of a step at the join is lost, at most a frame of the sound.
func TestThenMovesPitch(t *testing.T) {
	for _, c := range []mixer.Change{
		{Fields: mixer.FieldPitch, Pitch: 12}, {Fields: mixer.FieldPitch, Pitch: -20},
		{Fields: mixer.FieldSpeed, Speed: 3}, {Fields: mixer.FieldSpeed | mixer.FieldPitch, Speed: 0.25, Pitch: 7},
	} {
		block := make([]pcm.Frame, 1)
		end := func(do func(m *mixer.Mixer) (last mixer.Handle)) (at int) {
			m := newMixer(t, mixer.Config{Rate: 8000, Voices: 1, Overflow: mixer.Reject, NoLimiter: true})
			defer m.Close()
			last := do(m)
			for !last.State().Over() {
				m.Prepare()
				m.Render(block)
				at++
			}
			return at
		}
		o := mixer.Options{EngineOptions: mixer.EngineOptions{Quality: sounds.Cubic}}
		half := func(n int, streamed bool) *sounds.Sound {
			if streamed {
				return tape(t, hiss(1, n), nil)
			}
			return loaded(t, hiss(1, n), pcm.Loop{})
		}
		want := end(func(m *mixer.Mixer) mixer.Handle {
			h := play(t, m.Engine().At(0), half(6000, false), o)
			must(t, m.Engine().At(300).Set(mixer.TargetVoice(h), c, 500*ms))
			return h
		})
		for streams := range 4 {
			for told := 1; told <= 2; told++ {
				got := end(func(m *mixer.Mixer) mixer.Handle {
					h := play(t, m.Engine().At(0), half(1500, streams&1 != 0), o)
					next, err := h.Then(half(4500, streams&2 != 0), o, mixer.AtEnd)
					must(t, err)
					for _, one := range []mixer.Handle{h, next}[:told] {
						must(t, m.Engine().At(300).Set(mixer.TargetVoice(one), c, 500*ms))
					}
					return next
				})
				// At the lowest speed, the length of a frame of the sound in frames of the mix.
				step := 1 / math.Exp2(min(float64(c.Pitch), 0)/12) / min(max(c.Speed, 1e-9), 1)
				if c.Speed == 0 {
					step = 1 / math.Exp2(min(float64(c.Pitch), 0)/12)
				}
				if math.Abs(float64(got-want)) > step+1 {
					t.Errorf("%+v, streams %b, %d told: it ends at %d, want %d", c, streams, told, got, want)
				}
			}
		}
	}
}

// TestThenMovesOwn lists the fades that a successor takes over or not. The first voice has a gain of -6
// dB and ends at frame 100; the second one begins with -40 dB.
func TestThenMovesOwn(t *testing.T) {
	fade := func(m *mixer.Mixer, h mixer.Handle, at int64, gain pcm.Decibels, within time.Duration) {
		must(t, m.Engine().At(at).Fade(mixer.TargetVoice(h), gain, within))
	}
	for _, c := range []struct {
		name string
		do   func(m *mixer.Mixer, h, next mixer.Handle)
		at   map[int]float64 // dB at frames
	}{
		{"nothing", func(m *mixer.Mixer, h, next mixer.Handle) {}, map[int]float64{99: -6, 100: -40, 199: -40}},
		{"a fade of the first", func(m *mixer.Mixer, h, next mixer.Handle) {
			fade(m, h, 80, -46, 40*ms)
		}, map[int]float64{90: -16, 100: -26, 110: -36, 130: -46, 199: -46}},
		{"one that is over", func(m *mixer.Mixer, h, next mixer.Handle) {
			fade(m, h, 60, -26, 40*ms)
		}, map[int]float64{80: -16, 100: -40, 199: -40}},
		{"a set of the first", func(m *mixer.Mixer, h, next mixer.Handle) {
			must(t, m.Engine().At(98).SetGain(mixer.TargetVoice(h), -26))
		}, map[int]float64{98: -6, 100: -40, 199: -40}},
		{"a set of both", func(m *mixer.Mixer, h, next mixer.Handle) {
			must(t, m.Engine().At(98).SetGain(mixer.TargetVoice(h), -26))
			must(t, m.Engine().At(98).SetGain(mixer.TargetVoice(next), -26))
		}, map[int]float64{98: -6, 100: -14, 102: -22, 103: -26, 199: -26}},
		{"a fade of both", func(m *mixer.Mixer, h, next mixer.Handle) {
			fade(m, h, 80, -46, 40*ms)
			fade(m, next, 80, -46, 40*ms)
		}, map[int]float64{90: -16, 100: -26, 110: -36, 130: -46, 199: -46}},
		{"another one of each", func(m *mixer.Mixer, h, next mixer.Handle) {
			fade(m, h, 80, -46, 40*ms)
			fade(m, next, 80, -20, 40*ms)
		}, map[int]float64{90: -16, 100: -20, 199: -20}},
		{"another one when it has begun", func(m *mixer.Mixer, h, next mixer.Handle) {
			fade(m, h, 80, -46, 40*ms)
			fade(m, next, 110, -26, 20*ms)
		}, map[int]float64{100: -26, 110: -36, 120: -31, 130: -26}},
		{"silence", func(m *mixer.Mixer, h, next mixer.Handle) {
			fade(m, h, 60, -120, 74*ms)
			fade(m, next, 60, -120, 74*ms)
		}, map[int]float64{98: -44, 100: -46, 120: -66}},
		{"a pause on the way", func(m *mixer.Mixer, h, next mixer.Handle) {
			fade(m, h, 40, -80, 148*ms)
			must(t, m.Engine().At(50).Pause(mixer.TargetVoice(h)))
			must(t, m.Engine().At(70).Resume(mixer.TargetVoice(h)))
		}, map[int]float64{112: -42, 120: -46, 136: -54}},
	} {
		m := newMixer(t, mixer.Config{Rate: 1000, Voices: 1, Overflow: mixer.Reject, NoLimiter: true})
		h := play(t, m.Engine().At(0), level(t, 1000, 100, 0.5), mixer.Options{Gain: -6, Pan: -1})
		next, err := h.Then(level(t, 1000, 100, 0.5), mixer.Options{Gain: -40, Pan: -1}, mixer.AtEnd)
		must(t, err)
		c.do(m, h, next)
		got := left(m, 230)
		for i, want := range c.at {
			if db := 20 * math.Log10(float64(got[i])/0.5); math.Abs(db-want) > 0.05 {
				t.Errorf("%s: frame %d is at %.2f dB, want %v", c.name, i, db, want)
			}
		}
	}
}

// TestThenMovesFar fades through a whole chain that includes an empty sound and a virtual voice. The
// journal must contain the part of each of them.
func TestThenMovesFar(t *testing.T) {
	m := newMixer(t, mixer.Config{Rate: 1000, Voices: 1, Virtual: 1, NoLimiter: true, Journal: 64})
	s := level(t, 1000, 50, 0.5)
	h := play(t, m.Engine().At(0), s, hardLeft)
	must(t, m.Engine().At(10).Fade(mixer.TargetVoice(h), -40, 200*ms))
	last := h
	for i := range 5 {
		next := s
		if i == 1 {
			next = sound(t, sounds.Samples{Rate: 1000, Channels: 1})
		}
		var err error
		last, err = last.Then(next, hardLeft, mixer.AtEnd)
		must(t, err)
	}
	play(t, m.Engine().At(110), level(t, 1000, 30, 0.5), mixer.Options{Priority: 1})
	got := left(m, 300)
	for _, i := range []int{20, 60, 109, 160, 190, 205, 230, 249} {
		want := max(-40, -40*float64(i-10)/200)
		if db := 20 * math.Log10(float64(got[i])/0.5); math.Abs(db-want) > 0.05 {
			t.Errorf("frame %d is at %.2f dB, want %.2f", i, db, want)
		}
	}
	entries := make([]mixer.Entry, 64)
	var told string
	for _, e := range entries[:m.Engine().Journal(entries)] {
		if e.Kind == mixer.EntrySet {
			told += fmt.Sprintf("%d %v over %d, ", e.Frame, e.Change.Gain, e.Frames)
		}
	}
	if want := "10 -40 over 200, 50 -8 over 0, 50 -40 over 160, 100 -18 over 0, 100 -40 over 110, " +
		"150 -28 over 0, 150 -40 over 60, 200 -38 over 0, 200 -40 over 10, "; told != want {
		t.Errorf("the journal has %s\nwant %s", told, want)
	}
}

// TestThenMovesPrepared checks that Prepare computes the versions for a successor that takes over the
// pitch of the first voice, in any order of the calls.
func TestThenMovesPrepared(t *testing.T) {
	for _, c := range []mixer.Change{{Fields: mixer.FieldPitch, Pitch: 30}, {Fields: mixer.FieldSpeed, Speed: 9}} {
		for early := range 4 { // from 2 on, the first one needs no versions itself
			s, second, third := pitchable(t, library.Refine), pitchable(t, library.Refine), pitchable(t, library.Refine)
			m := newMixer(t, mixer.Config{Voices: 1})
			h := play(t, m.Engine().At(100), s, mixer.Options{For: 50 * ms, EngineOptions: mixer.EngineOptions{Quality: []sounds.Quality{sounds.Best, sounds.Cubic}[early/2]}})
			set := func() { must(t, m.Engine().At(1000).Set(mixer.TargetVoice(h), c, 200*ms)) }
			if early&1 == 1 {
				set()
			}
			next, err := h.Then(second, mixer.Options{For: 50 * ms}, mixer.AtEnd)
			must(t, err)
			_, err = next.Then(third, mixer.Options{}, mixer.AtEnd)
			must(t, err)
			if early&1 == 0 {
				set()
			}
			for range 40 {
				m.Prepare()
				m.Render(make([]pcm.Frame, 500))
			}
			if st := m.Stats(); st.MissingMipLevels != 0 || st.Started != 3 {
				t.Errorf("%+v, early %d: %d voices read something worse; %+v", c, early, st.MissingMipLevels, st)
			}
		}
	}
}
