package mixer_test

import (
	"math"
	"testing"
	"time"

	"voicepool/mixer"
	"voicepool/pcm"
	"voicepool/sounds"
)

const faultRate = 8000

// streamOf returns a stream that is completely decoded before it begins. Its frames are not checked.
func streamOf(t testing.TB, frames []pcm.Frame) *sounds.Sound {
	t.Helper()
	s, err := sounds.NewStream(sounds.Stream{Name: "stream", Rate: faultRate, Open: func(c sounds.PlayRange) (*sounds.StreamBuffer, error) {
		f := sounds.NewStreamBuffer(len(frames), c)
		f.Write(frames)
		f.End()
		return f, nil
	}})
	must(t, err)
	return s
}

// withOthers renders a misbehaving voice or insert among other voices, on the same buses and on others.
// It returns the output, the handle of the misbehaving voice, and the events.
func withOthers(t testing.TB, bad func(m *mixer.Mixer, bus mixer.Bus) mixer.Handle, block int, insert mixer.Insert) ([]pcm.Frame, mixer.Handle, []mixer.Event, *mixer.Mixer) {
	m := newMixer(t, mixer.Config{Rate: faultRate, NoLimiter: true, Buses: []mixer.BusConfig{{Name: "bus", Gain: -3}, {Name: "wet", Insert: insert}}})
	bus, _ := m.Bus("bus")
	wet, _ := m.Bus("wet")
	s := ramp(t, faultRate, 3000)
	play(t, m.Engine().At(0), s, mixer.Options{Pan: -0.3, Pitch: 1, Loop: true})
	play(t, m.Engine().At(10), s, mixer.Options{Pan: 0.3, Bus: bus})
	var h mixer.Handle
	if bad != nil {
		h = bad(m, bus)
	}
	play(t, m.Engine().At(100), s, mixer.Options{Bus: bus, FadeIn: 100 * time.Millisecond})
	play(t, m.Engine().At(110), s, mixer.Options{Bus: wet, Pitch: -3})
	out := make([]pcm.Frame, 2000)
	for at := 0; at < len(out); at += block {
		m.Render(out[at:min(at+block, len(out))])
	}
	events := make([]mixer.Event, 99)
	return out, h, events[:m.Events(events)], m
}

// TestFaultyStream checks that a stream with NaN, Inf or values out of range is ended and reported within
// its block, and is not heard from then on. The other voices must have the same bits as without it.
func TestFaultyStream(t *testing.T) {
	want, _, _, _ := withOthers(t, nil, 500, nil)
	for name, x := range map[string]float32{
		"NaN": float32(math.NaN()), "Inf": float32(math.Inf(1)), "-Inf": float32(math.Inf(-1)), "too loud": 65537, "too low": -65537,
	} {
		for _, at := range []int{0, 1, 700} {
			for channel := range 2 {
				frames := make([]pcm.Frame, 1500) // silent apart from the fault, so it adds 0 to the mix
				frames[at][channel] = x
				s := streamOf(t, frames)
				got, h, events, m := withOthers(t, func(m *mixer.Mixer, bus mixer.Bus) mixer.Handle {
					return play(t, m.Engine().At(0), s, mixer.Options{Bus: bus, EngineOptions: mixer.EngineOptions{Ref: 7}})
				}, 160, nil)
				for i := range got {
					if got[i] != want[i] {
						t.Fatalf("%s at %d: frame %d is %v, without the stream %v", name, at, i, got[i], want[i])
					}
				}
				faults := 0
				for _, e := range events {
					if e.Kind != mixer.EventFault {
						continue
					}
					faults++
					if e.Ref != 7 || e.Sound != s || e.Frame > int64(at) || e.Frame < int64(at)-600 {
						t.Errorf("%s at %d: %+v", name, at, e)
					}
				}
				st := m.Stats()
				if faults != 1 || st.Faults != 1 || h.State() != mixer.StateEnded || st.Started != st.Ended+st.Stopped+st.Stolen+st.Playing {
					t.Errorf("%s at %d: %d events, it is %v, %+v", name, at, faults, h.State(), st)
				}
			}
		}
	}
}

// TestLoudestStream checks that a stream may have the largest values that a sound may have.
func TestLoudestStream(t *testing.T) {
	m := newMixer(t, mixer.Config{Rate: faultRate, NoLimiter: true})
	play(t, m.Engine().At(0), streamOf(t, []pcm.Frame{{8, -8}, {1e-40, -1e-40}, {1, 0}}), mixer.Options{})
	out := make([]pcm.Frame, 5)
	m.Render(out)
	if out[0] != (pcm.Frame{8, -8}) || out[1] != (pcm.Frame{}) || out[2] != (pcm.Frame{1, 0}) || m.Stats().Faults != 0 {
		t.Errorf("%v, %+v", out, m.Stats())
	}
}

// bursting is an insert that fails at its nth block.
type bursting struct {
	n    int
	fail func(block []pcm.Frame)
}

func (b *bursting) Process(block []pcm.Frame) {
	if b.n--; b.n == 0 {
		b.fail(block)
	}
	if b.n < 0 {
		block[0][0] += 1e6 // must not be called again
	}
}

// TestFaultyInsert checks that an insert that panics or leaves invalid samples is removed within its
// block, and that the block keeps its input.
func TestFaultyInsert(t *testing.T) {
	want, _, _, _ := withOthers(t, nil, 500, nil)
	nan, inf := float32(math.NaN()), float32(math.Inf(-1))
	for name, fail := range map[string]func(block []pcm.Frame){
		"panic":            func([]pcm.Frame) { panic("insert") },
		"panic halfway":    func(b []pcm.Frame) { b[0][0] = 5; panic("insert") },
		"index":            func(b []pcm.Frame) { b[len(b)][0] = 1 },
		"NaN at first":     func(b []pcm.Frame) { b[0][1] = nan },
		"NaN at last":      func(b []pcm.Frame) { b[len(b)-1][0] = nan },
		"-Inf":             func(b []pcm.Frame) { b[len(b)/2][0] = inf },
		"beyond all bound": func(b []pcm.Frame) { b[0][0] = math.MaxFloat32 },
	} {
		got, _, events, m := withOthers(t, nil, 100, &bursting{n: 4, fail: fail})
		for i := range got {
			if got[i] != want[i] {
				t.Fatalf("%s: frame %d is %v, without the insert %v", name, i, got[i], want[i])
			}
		}
		wet, _ := m.Bus("wet")
		faults := 0
		for _, e := range events {
			if e.Kind == mixer.EventFault {
				faults++
				if e.Bus != wet || e.Voice != 0 || e.Slot != -1 {
					t.Errorf("%s: %+v", name, e)
				}
			}
		}
		if faults != 1 || m.Stats().Faults != 1 {
			t.Errorf("%s: %d events, %+v", name, faults, m.Stats())
		}
	}
}

// TestPanickingVoice checks that a voice that panics is ended and reported in its block. Other voices,
// also on the same bus and in later slots, must have the same bits as without it.
func TestPanickingVoice(t *testing.T) {
	want, _, _, _ := withOthers(t, nil, 500, nil)
	got, h, events, m := withOthers(t, func(m *mixer.Mixer, bus mixer.Bus) mixer.Handle {
		return play(t, m.Engine().At(20), sound(t, sounds.Samples{Name: "broken", Rate: faultRate, Channels: 1, Data: make([]float32, 900)}), mixer.Options{Bus: bus})
	}, 100, nil)
	if h.State() != mixer.StateEnded || m.Stats().Faults != 0 || len(events) == 0 {
		t.Fatalf("unbroken it is %v", h.State())
	}
	for i := range got {
		if got[i] != want[i] {
			t.Fatalf("silence changes frame %d", i)
		}
	}
	for _, steadily := range []bool{false, true} {
		m = newMixer(t, mixer.Config{Rate: faultRate, NoLimiter: true, Voices: 4})
		s := ramp(t, faultRate, 3000)
		before := play(t, m.Engine().At(0), s, mixer.Options{Pan: -1})
		broken := play(t, m.Engine().At(0), sound(t, sounds.Samples{Name: "broken", Rate: faultRate, Channels: 1, Data: make([]float32, 900)}), mixer.Options{EngineOptions: mixer.EngineOptions{Ref: 9}})
		after := play(t, m.Engine().At(0), s, mixer.Options{Pan: 1})
		out := make([]pcm.Frame, 400)
		m.Render(out[:100])
		if !mixer.BreakVoice(m, broken, steadily) {
			t.Fatal("there is no voice to break")
		}
		m.Render(out[100:])
		for i, f := range out {
			if x := float32(i+1) / 1024; f != (pcm.Frame{x, x}) {
				t.Fatalf("frame %d is %v, want %v", i, f, x)
			}
		}
		ev := make([]mixer.Event, 9)
		ev = ev[:m.Events(ev)]
		if len(ev) != 5 || ev[3].Kind != mixer.EventFault || ev[4].Kind != mixer.EventEnded || ev[3].Frame != 100 || ev[4].Frame != 100 || ev[3].Ref != 9 {
			t.Errorf("events %+v", ev)
		}
		if a, b, c := before.State(), broken.State(), after.State(); a != mixer.StatePlaying || b != mixer.StateEnded || c != mixer.StatePlaying || m.Stats().Faults != 1 {
			t.Errorf("they are %v, %v, %v; %+v", a, b, c, m.Stats())
		}
	}
}
