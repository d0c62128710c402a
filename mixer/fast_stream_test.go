package mixer_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"voicepool/internal/longtest"
	"voicepool/mixer"
	"voicepool/pcm"
	"voicepool/sounds"
)

// wave is repeated by the streams.
var wave = func() []pcm.Frame {
	frames := make([]pcm.Frame, 1<<16)
	for i := range frames {
		x := float64(i) / float64(len(frames)) * 2 * math.Pi
		frames[i] = pcm.Frame{float32(0.4 * math.Sin(11*x)), float32(0.4 * math.Cos(3*x))}
	}
	return frames
}()

// supplied is a stream with feeds that are filled by hand.
type supplied struct {
	sound *sounds.Sound
	feeds []*sounds.StreamBuffer
	given []int64
}

// newSupplied returns a stream whose buffers, of size frames, the test fills itself.
func newSupplied(t testing.TB, rate, size int) *supplied {
	s := &supplied{}
	var err error
	s.sound, err = sounds.NewStream(sounds.Stream{Name: "supplied", Rate: rate, Open: func(c sounds.PlayRange) (*sounds.StreamBuffer, error) {
		s.feeds, s.given = append(s.feeds, sounds.NewStreamBuffer(size, c)), append(s.given, c.From)
		return s.feeds[len(s.feeds)-1], nil
	}})
	must(t, err)
	return s
}

// fill writes to each feed until the given room is left.
func (s *supplied) fill(free func(f *sounds.StreamBuffer) int) {
	for i, f := range s.feeds {
		n := f.Free() - free(f)
		if f.Closed() || n <= 0 {
			continue
		}
		for n > 0 {
			k := f.Write(wave[s.given[i]%int64(len(wave)):][:min(int64(n), int64(len(wave))-s.given[i]%int64(len(wave)))])
			s.given[i] += int64(k)
			n -= k
		}
	}
}

// TestFastStreams checks that at speeds up to 256, streams that are stolen, stopped, paused and moved
// sound the same however much more than Prepare requires was decoded, and never run dry.
func TestFastStreams(t *testing.T) {
	for _, rate := range []int{8000, 48000} {
		for _, size := range []int{1, 1 << 17} {
			run := func(seed uint64, free func(f *sounds.StreamBuffer) int) []pcm.Frame {
				r := rand.New(rand.NewPCG(seed, 7))
				m := newMixer(t, mixer.Config{Rate: rate, Voices: 2, Virtual: 2, NoLimiter: true, Buses: []mixer.BusConfig{{Name: "b"}}})
				defer m.Close()
				bus := busOf(t, m, "b")
				s := newSupplied(t, rate, size)
				o := func() mixer.Options {
					o := mixer.Options{Bus: bus, Speed: pcm.Exp2(r.Float64()*8 - 4), Pitch: pcm.Semitones(r.Float64()*96 - 48), Gain: pcm.Decibels(-r.Float64() * 20)}
					if r.IntN(2) == 0 {
						o.Speed, o.Pitch = 16, 48
					}
					return o
				}
				var out []pcm.Frame
				var handles []mixer.Handle
				for range longtest.Amount(100, 150) {
					switch r.IntN(7) {
					case 0, 1:
						handles = append(handles, play(t, m.Engine().At(mixer.Now), s.sound, o()))
					case 2:
						m.Engine().At(mixer.Now).Set(mixer.TargetBus(bus), mixer.Change{Fields: mixer.FieldPitch, Pitch: pcm.Semitones(r.Float64()*96 - 48)}, time.Duration(r.IntN(40))*time.Millisecond)
					case 3:
						if len(handles) > 0 {
							handles[r.IntN(len(handles))].Stop(time.Duration(r.IntN(2)*r.IntN(20)) * time.Millisecond)
						}
					case 4, 5:
						if len(handles) > 0 {
							h := handles[r.IntN(len(handles))]
							[]func() error{h.Pause, h.Resume, h.Resume, func() error { return h.Seek(time.Duration(r.IntN(5)) * time.Second) }}[r.IntN(4)]()
						}
					case 6:
						if len(handles) > 0 {
							handles[r.IntN(len(handles))].SetPitch(pcm.Semitones(r.Float64()*96 - 48))
						}
					}
					for left := 1 + r.IntN(rate/100); left > 0; {
						s.fill(free)
						b := make([]pcm.Frame, min(left, m.Prepare()))
						m.Render(b)
						out = append(out, b...)
						left -= len(b)
					}
				}
				if st := m.Stats(); st.Underruns != 0 || st.Faults != 0 || st.Playing == 0 {
					t.Errorf("%d Hz, feeds of %d: %+v", rate, size, st)
				}
				return out
			}
			for seed := range uint64(longtest.Amount(1, 3)) {
				want := run(seed, func(f *sounds.StreamBuffer) int { return f.Capacity() / 4 })
				r := rand.New(rand.NewPCG(seed, 8))
				for name, free := range map[string]func(f *sounds.StreamBuffer) int{
					"all":    func(*sounds.StreamBuffer) int { return 0 },
					"chance": func(f *sounds.StreamBuffer) int { return r.IntN(f.Capacity()/4 + 1) },
				} {
					got := run(seed, free)
					for i := range want {
						if got[i] != want[i] {
							t.Errorf("%d Hz, feeds of %d, seed %d, filled by %s: frame %d is %v, want %v", rate, size, seed, name, i, got[i], want[i])
							break
						}
					}
				}
				if !slices.ContainsFunc(want, func(x pcm.Frame) bool { return x != pcm.Frame{} }) {
					t.Error("nothing is heard")
				}
			}
		}
	}
}
