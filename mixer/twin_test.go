package mixer_test

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"voicepool/mixer"
	"voicepool/pcm"
	"voicepool/sounds"
	"voicepool/sounds/library"
)

// hardRight keeps a mono sound out of the left channel, to the bit.
var hardRight = mixer.Options{Pan: 1}

// A twin is played by two mixers: one with room for all voices, and one whose only slot is stolen by
// another sound from frame taken to frame given.
type twin struct {
	name   string
	sound  *sounds.Sound
	play   mixer.Options
	script func(m *mixer.Mixer, h mixer.Handle) error // while it is virtual
	rate   int                                        // 0: 8,000
	slack  float64                                    // maximum difference of samples
}

const twinTaken, twinGiven = 3000, 9190

// run renders both and returns their left channels, and the events of both.
func (w *twin) run(t *testing.T, rate int, block func(i int) int) (stolen, whole []float32, events [2][]modelEvent) {
	t.Helper()
	blocker := level(t, rate, twinGiven-twinTaken, 0.5)
	for i, out := range []*[]float32{&stolen, &whole} {
		c := mixer.Config{Rate: rate, Voices: 1 + i, Virtual: 2, NoLimiter: true, Buses: []mixer.BusConfig{{Name: "bus"}}}
		m := newMixer(t, c)
		o := w.play
		o.Pan, o.Gain, o.Tag = -1, o.Gain-20, 1
		o.Bus = busOf(t, m, "bus")
		h := play(t, m.Engine().At(100), w.sound, o)
		o = hardRight
		o.Gain = 6
		play(t, m.Engine().At(twinTaken), blocker, o)
		if w.script != nil {
			must(t, w.script(m, h))
		}
		for n := 0; len(*out) < 20000; n++ {
			m.Prepare()
			*out = append(*out, left(m, block(n))...)
			polled := make([]mixer.Event, 64)
			events[i] = append(events[i], flatEvents(polled[:m.Events(polled)])...)
		}
		m.Close()
	}
	return stolen[:20000], whole[:20000], events
}

// eventOf returns the first event of kind k of the voice with number 1, and its frame; -1 without one.
func eventOf(events []modelEvent, k mixer.EventKind) (frame int64, e modelEvent) {
	for _, e := range events {
		if e.Kind == k && e.Voice == 1 {
			return e.Frame, e
		}
	}
	return -1, modelEvent{}
}

// noisy returns a sound of noise with a loop and a Refiner.
func noisy(t testing.TB, rate, channels, frames int, loop [2]int64, refine sounds.Refiner) *sounds.Sound {
	s := noise(rand.New(rand.NewPCG(3, uint64(frames))), rate, channels, frames)
	s.Loop, s.Refine = loop, refine
	return sound(t, s)
}

// TestTwin checks that a restored voice has the same bits as a voice that was never virtual, after its
// fade-in, and the same end.
func TestTwin(t *testing.T) {
	const rate = 8000
	noisy := func(channels, frames int, loop [2]int64) *sounds.Sound {
		return noisy(t, rate, channels, frames, loop, nil)
	}
	noisy48 := sound(t, noise(rand.New(rand.NewPCG(9, 9)), 48000, 1, 5000))
	looped := noisy(1, 5000, [2]int64{700, 4321})
	refined := sound(t, func() sounds.Samples {
		s := noise(rand.New(rand.NewPCG(4, 4)), rate, 1, 5000)
		s.Refine = library.Refine
		return s
	}())
	stream, err := sounds.NewStream(sounds.Stream{Rate: rate, Frames: 30000, Level: -20, Open: func(c sounds.PlayRange) (*sounds.StreamBuffer, error) {
		f := sounds.NewStreamBuffer(32768, c)
		r := rand.New(rand.NewPCG(1, 1))
		block := make([]pcm.Frame, 30000)
		for i := range block {
			block[i] = pcm.Frame{float32(r.Float64() - 0.5), 0}
		}
		f.Write(block)
		f.End()
		return f, nil
	}})
	must(t, err)
	loop := mixer.Options{Loop: true}
	with := func(f func(o *mixer.Options)) mixer.Options { o := loop; f(&o); return o }
	set := func(frame int64, c mixer.Change, over time.Duration) func(m *mixer.Mixer, h mixer.Handle) error {
		return func(m *mixer.Mixer, h mixer.Handle) error {
			return m.Engine().At(frame).Set(mixer.TargetVoice(h), c, over)
		}
	}
	for _, w := range []twin{
		{name: "loop", sound: looped, play: loop},
		{name: "stereo", sound: noisy(2, 4999, [2]int64{}), play: loop},
		{name: "pitched", sound: looped, play: with(func(o *mixer.Options) { o.Pitch = 5.3 })},
		{name: "refined", sound: refined, play: with(func(o *mixer.Options) { o.Pitch = 5.3 })},
		{name: "linear", sound: looped, play: with(func(o *mixer.Options) { o.Pitch, o.Quality = -7.1, sounds.Linear })},
		{name: "short loop", sound: noisy(1, 900, [2]int64{800, 837}), play: with(func(o *mixer.Options) { o.Pitch = 0.2 })},
		{name: "rounds", sound: noisy(1, 1500, [2]int64{100, 1100}), play: with(func(o *mixer.Options) { o.Rounds = 14 })},
		{name: "rounds of a short loop", sound: noisy(1, 9000, [2]int64{100, 137}), play: with(func(o *mixer.Options) { o.Rounds, o.Pitch = 180, 0.3 })},
		{name: "fade in", sound: looped, play: with(func(o *mixer.Options) { o.FadeIn = time.Second })},
		{name: "one-shot", sound: noisy(1, 14000, [2]int64{}), play: mixer.Options{}},
		{name: "stream", sound: stream, play: mixer.Options{}},
		{name: "pitched stream", sound: stream, play: mixer.Options{Pitch: 1.1}},
		{name: "emitter", sound: looped, play: with(func(o *mixer.Options) { o.Emitter = at(-1, 0, 0) })},
		{name: "pitch moves meanwhile", sound: looped, play: loop, script: set(3500, mixer.Change{Fields: mixer.FieldPitch, Pitch: 9}, 300*time.Millisecond)},
		{name: "speed jumps meanwhile", sound: looped, play: loop, script: set(5001, mixer.Change{Fields: mixer.FieldSpeed, Speed: 1.7}, 0)},
		// During the fade-in of 5 ms the fades are sampled more often. The sum of steps differs by some
		// ten-thousandths of a frame if the 20 ms grid is a multiple of 64 frames.
		{name: "pitch moves still", rate: 48000, sound: noisy48, play: loop, script: set(3500, mixer.Change{Fields: mixer.FieldPitch, Pitch: 9}, time.Second), slack: 1e-5},
		{name: "gain moves still", sound: looped, play: loop, script: set(3500, mixer.Change{Fields: mixer.FieldGain, Gain: -30}, time.Second), slack: 1e-6},
		{name: "bus pitch", sound: looped, play: loop, script: func(m *mixer.Mixer, h mixer.Handle) error {
			bus, _ := m.Bus("bus")
			return m.Engine().At(4001).Set(mixer.TargetBus(bus), mixer.Change{Fields: mixer.FieldPitch, Pitch: 2}, 100*time.Millisecond)
		}},
		{name: "seek", sound: looped, play: loop, script: func(m *mixer.Mixer, h mixer.Handle) error {
			return m.Engine().At(5003).Seek(mixer.TargetVoice(h), 123*time.Millisecond)
		}},
		{name: "pause", sound: looped, play: with(func(o *mixer.Options) { o.For = 1800 * time.Millisecond }), script: func(m *mixer.Mixer, h mixer.Handle) error {
			if err := m.Engine().At(4003).Pause(mixer.TargetVoice(h)); err != nil {
				return err
			}
			return m.Engine().At(5717).Resume(mixer.TargetVoice(h))
		}},
		{name: "released", sound: noisy(1, 6000, [2]int64{0, 700}), play: loop, script: set(8000, mixer.Change{Fields: mixer.FieldRounds, Rounds: 3}, 0)},
		{name: "for", sound: looped, play: with(func(o *mixer.Options) { o.For = 1500 * time.Millisecond })},
		{name: "stop over", sound: looped, play: loop, script: func(m *mixer.Mixer, h mixer.Handle) error {
			return m.Engine().At(12000).Stop(mixer.TargetVoice(h), 300*time.Millisecond)
		}},
	} {
		for name, block := range map[string]func(int) int{"whole": func(int) int { return 4000 }, "small": func(i int) int { return 1 + i*7%97 }} {
			t.Run(w.name+"/"+name, func(t *testing.T) {
				rate, hop := rate, int64(160)
				if w.rate != 0 {
					rate, hop = w.rate, int64(w.rate/50)
				}
				got, want, events := w.run(t, rate, block)
				gone, e := eventOf(events[0], mixer.EventVirtual)
				back, _ := eventOf(events[0], mixer.EventReal)
				if gone != twinTaken || e.By != 2 || e.Reason != mixer.ReasonPoolFull || e.Slot != -1 || back < twinGiven || back >= twinGiven+hop/2 || back%(hop/2) != 0 {
					t.Fatalf("it is virtual from %d (%+v) to %d", gone, e, back)
				}
				for _, k := range []mixer.EventKind{mixer.EventEnded, mixer.EventStopped} {
					a, _ := eventOf(events[0], k)
					if b, _ := eventOf(events[1], k); a != b {
						t.Errorf("%v at %d, its twin at %d", k, a, b)
					}
				}
				heard := 0.0
				for i := range got {
					x := float64(got[i])
					switch i := int64(i); {
					case i < gone || i >= back+hop/4:
						if math.Abs(x-float64(want[i])) > w.slack {
							t.Fatalf("frame %d is %v, of its twin %v", i, x, want[i])
						}
						if i >= back {
							heard = max(heard, math.Abs(x))
						}
					case i >= gone+hop/2 && i <= back && x != 0:
						t.Fatalf("frame %d is %v while it is virtual", i, x)
					case math.Abs(x) > math.Abs(float64(want[i]))+1e-3+2*w.slack:
						t.Fatalf("frame %d is %v on the way, of its twin %v", i, x, want[i])
					}
				}
				if heard == 0 {
					t.Error("it never comes back")
				}
			})
		}
	}
}

// TestEndsVirtual checks that a voice that ends while it is virtual ends at the same frame, and is not
// heard afterwards.
func TestEndsVirtual(t *testing.T) {
	const rate = 8000
	stop := func(over time.Duration) func(m *mixer.Mixer, h mixer.Handle) error {
		return func(m *mixer.Mixer, h mixer.Handle) error {
			return m.Engine().At(5003).Stop(mixer.TargetVoice(h), over)
		}
	}
	for _, w := range []twin{
		{name: "one-shot", sound: noisy(t, rate, 1, 5000, [2]int64{}, nil)},
		{name: "pitched", sound: noisy(t, rate, 1, 5000, [2]int64{}, nil), play: mixer.Options{Pitch: -3.3}},
		{name: "for", sound: noisy(t, rate, 1, 500, [2]int64{}, nil), play: mixer.Options{Loop: true, For: 777 * time.Millisecond}},
		{name: "rounds", sound: noisy(t, rate, 1, 500, [2]int64{}, nil), play: mixer.Options{Loop: true, EngineOptions: mixer.EngineOptions{Rounds: 9}}},
		{name: "stop", sound: noisy(t, rate, 1, 500, [2]int64{}, nil), play: mixer.Options{Loop: true}, script: stop(0)},
		{name: "stop over", sound: noisy(t, rate, 1, 500, [2]int64{}, nil), play: mixer.Options{Loop: true}, script: stop(123 * time.Millisecond)},
		{name: "seek to the end", sound: noisy(t, rate, 1, 9000, [2]int64{}, nil), script: func(m *mixer.Mixer, h mixer.Handle) error {
			return m.Engine().At(5003).Seek(mixer.TargetVoice(h), time.Second)
		}},
	} {
		t.Run(w.name, func(t *testing.T) {
			got, _, events := w.run(t, rate, func(int) int { return 333 })
			for _, k := range []mixer.EventKind{mixer.EventEnded, mixer.EventStopped} {
				a, e := eventOf(events[0], k)
				if b, _ := eventOf(events[1], k); a != b {
					t.Errorf("%v at %d, its twin at %d", k, a, b)
				} else if b >= 0 && (b <= twinTaken || b >= twinGiven || e.Slot != -1) {
					t.Errorf("%v at %d in slot %d, which proves nothing", k, b, e.Slot)
				}
			}
			for i := twinTaken + 80; i < len(got); i++ {
				if got[i] != 0 {
					t.Fatalf("frame %d is %v", i, got[i])
				}
			}
		})
	}
}

// TestTwinOfARefused checks that fades of a start that never had a slot progress as if it were heard.
func TestTwinOfARefused(t *testing.T) {
	const rate = 8000
	s := noisy(t, rate, 1, 5000, [2]int64{}, nil)
	var outs [2][]float32
	for i := range outs {
		m := newMixer(t, mixer.Config{Rate: rate, Voices: 1 + i, Virtual: 2, Overflow: mixer.Reject, NoLimiter: true})
		play(t, m.Engine().At(0), level(t, rate, 6000, 0.5), hardRight)
		h := play(t, m.Engine().At(100), s, mixer.Options{Gain: -30, Pan: -1, Loop: true, FadeIn: 200 * ms})
		must(t, m.Engine().At(3000).Set(mixer.TargetVoice(h), mixer.Change{Fields: mixer.FieldSpeed, Speed: 1.5}, 0))
		must(t, m.Engine().At(4000).Pause(mixer.TargetVoice(h)))
		must(t, m.Engine().At(4500).Resume(mixer.TargetVoice(h)))
		outs[i] = left(m, 9000)
	}
	for i, x := range outs[0] {
		if i < 6000 && x != 0 || i >= 6160+40 && x != outs[1][i] {
			t.Fatalf("frame %d is %v, of its twin %v", i, x, outs[1][i])
		}
	}
}
