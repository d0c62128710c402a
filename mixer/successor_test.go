package mixer_test

import (
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"voicepool/internal/longtest"
	"voicepool/mixer"
	"voicepool/pcm"
	"voicepool/sounds"
	"voicepool/sounds/library"
)

// taped reads the frames of a stream from memory.
type taped struct {
	frames []pcm.Frame
	at     int64
}

func (s *taped) Read(dst []pcm.Frame) (int, error) {
	n := copy(dst, s.frames[min(s.at, int64(len(s.frames))):])
	if s.at += int64(n); n == 0 {
		return 0, io.EOF
	}
	return n, nil
}

func (s *taped) SeekFrame(frame int64) error {
	s.at = frame
	return nil
}

// tape returns a stream of frames at 8 kHz, which may have a loop.
func tape(t testing.TB, frames []pcm.Frame, loop *pcm.Loop) *sounds.Sound {
	t.Helper()
	s, err := library.NewLibrary(library.Options{Rate: 8000}).StreamFrames(library.FrameSource{
		Name: "tape", Rate: 8000, Frames: int64(len(frames)), Loop: loop,
		Open: func() (library.FrameReader, error) { return &taped{frames: frames}, nil },
	}, library.StreamOptions{})
	must(t, err)
	return s
}

// hiss returns frames of noise, the same for the same seed.
func hiss(seed uint64, n int) []pcm.Frame {
	r := rand.New(rand.NewPCG(seed, 1))
	out := make([]pcm.Frame, n)
	for i := range out {
		out[i] = pcm.Frame{float32(r.Float64()-0.5) / 4, float32(r.Float64()-0.5) / 4}
	}
	return out
}

// loaded returns frames as a sound at 8 kHz.
func loaded(t testing.TB, frames []pcm.Frame, loop pcm.Loop) *sounds.Sound {
	t.Helper()
	data := make([]float32, 0, 2*len(frames))
	for _, f := range frames {
		data = append(data, f[0], f[1])
	}
	return sound(t, sounds.Samples{Name: "loaded", Rate: 8000, Channels: 2, Data: data, Loop: loop})
}

// renderIn renders n frames of a mixer with streams in blocks of a length.
func renderIn(m *mixer.Mixer, n, block int) []pcm.Frame {
	out := make([]pcm.Frame, n)
	for i := 0; i < n; {
		k := min(block, m.Prepare(), n-i)
		m.Render(out[i : i+k])
		i += k
	}
	return out
}

var blockLengths = []int{1, 7, 64, 480, 4096}

// TestThen compares a successor with two starts, the second at the frame at which the first ends: loaded
// or streamed, at any speed, in blocks of any length. The bits must be equal.
func TestThen(t *testing.T) {
	const size, from, to, begin = 1500, 300, 1100, 40
	first, second := hiss(1, size), hiss(2, 900)
	loop := pcm.Loop{from, to}
	for _, streamed := range []int{0, 1, 2, 3} {
		a, b := loaded(t, first, loop), loaded(t, second, pcm.Loop{})
		if streamed&1 != 0 {
			a = tape(t, first, &loop)
		}
		if streamed&2 != 0 {
			b = tape(t, second, nil)
		}
		for _, speed := range []float64{1, 0.37, 1.0001, 2.5, 16} {
			for _, when := range []mixer.When{mixer.AtEnd, mixer.AtLoopEnd} {
				// The expected frame: the first one that is not before the end.
				step := math.Floor(math.Exp2(float64(pcm.FromRatio(speed))/12)*(1<<32) + 0.5)
				length := size
				if when == mixer.AtLoopEnd {
					length = to
				}
				end := begin + int(math.Ceil(float64(length)*(1<<32)/step))
				o := mixer.Options{Speed: speed, Loop: when == mixer.AtLoopEnd, EngineOptions: mixer.EngineOptions{Quality: sounds.Cubic}}
				follows := mixer.Options{Gain: -3, Speed: 1.1, EngineOptions: mixer.EngineOptions{Quality: sounds.Cubic}}

				// Two starts. At a loop's end the first sound has no frames after it.
				m := newMixer(t, mixer.Config{Rate: 8000, NoLimiter: true})
				play(t, m.Engine().At(begin), a, o)
				want := renderIn(m, end, 4096)
				m = newMixer(t, mixer.Config{Rate: 8000, NoLimiter: true})
				play(t, m.Engine().At(int64(end)), b, follows)
				want = append(want, renderIn(m, end+1500, 4096)[end:]...)

				for _, block := range blockLengths {
					what := fmt.Sprintf("streams %b, speed %v, when %d, blocks of %d", streamed, speed, when, block)
					m := newMixer(t, mixer.Config{Rate: 8000, Voices: 1, Overflow: mixer.Reject, NoLimiter: true})
					h := play(t, m.Engine().At(begin), a, o)
					next, err := h.Then(b, follows, when)
					must(t, err)
					if s := next.State(); s != mixer.StatePending {
						t.Fatalf("%s: it waits as %v", what, s)
					}
					got := renderIn(m, len(want), block)
					for i := range want {
						if got[i] != want[i] {
							t.Fatalf("%s: frame %d is %v, want %v; the end is %d", what, i, got[i], want[i], end)
						}
					}
					last := end + int(math.Ceil(900/(math.Floor(math.Exp2(float64(pcm.FromRatio(1.1))/12)*(1<<32)+0.5)/(1<<32))))
					wantEvents(t, m, fmt.Sprintf("40 started 1, %d ended 1, %d started 2, %d ended 2", end, end, last))
					if st := m.Stats(); st.Pending != 0 {
						t.Fatalf("%s: %d commands are under way", what, st.Pending)
					}
					m.Close()
				}
			}
		}
	}
}

// TestThenWhateverMoves sends all kinds of commands to the first voice. The second must start at the
// frame at which the first ends, in blocks of any length.
func TestThenWhateverMoves(t *testing.T) {
	loop := pcm.Loop{300, 1100}
	first := hiss(3, 4000)
	for name, move := range map[string]func(h mixer.Handle, m *mixer.Mixer){
		"pitch": func(h mixer.Handle, m *mixer.Mixer) {
			m.Engine().At(200).Set(mixer.TargetVoice(h), mixer.Change{Fields: mixer.FieldPitch, Pitch: 12}, 300*time.Millisecond)
		},
		"speed": func(h mixer.Handle, m *mixer.Mixer) {
			m.Engine().At(200).Set(mixer.TargetVoice(h), mixer.Change{Fields: mixer.FieldSpeed, Speed: 0.4}, 200*time.Millisecond)
		},
		"seek": func(h mixer.Handle, m *mixer.Mixer) {
			m.Engine().At(500).Seek(mixer.TargetVoice(h), 120*time.Millisecond)
		},
		"seek out": func(h mixer.Handle, m *mixer.Mixer) { m.Engine().At(500).Seek(mixer.TargetVoice(h), time.Hour) },
		"pause": func(h mixer.Handle, m *mixer.Mixer) {
			m.Engine().At(333).Pause(mixer.TargetVoice(h))
			m.Engine().At(2222).Resume(mixer.TargetVoice(h))
		},
		"fade": func(h mixer.Handle, m *mixer.Mixer) {
			m.Engine().At(333).Fade(mixer.TargetVoice(h), -80, 50*time.Millisecond)
		},
		"rounds": func(h mixer.Handle, m *mixer.Mixer) { m.Engine().At(700).SetPan(mixer.TargetVoice(h), 0.5) },
	} {
		for streamed := range 2 {
			for _, when := range []mixer.When{mixer.AtEnd, mixer.AtLoopEnd} {
				var want []pcm.Frame
				var events string
				for _, block := range blockLengths {
					a := loaded(t, first, loop)
					if streamed == 1 {
						a = tape(t, first, &loop)
					}
					m := newMixer(t, mixer.Config{Rate: 8000, Voices: 1, Overflow: mixer.Reject, NoLimiter: true})
					h := play(t, m.Engine().At(7), a, mixer.Options{Speed: 1.3, EngineOptions: mixer.EngineOptions{Quality: sounds.Cubic}, Loop: when == mixer.AtLoopEnd})
					next, err := h.Then(loaded(t, hiss(4, 500), pcm.Loop{}), mixer.Options{}, when)
					must(t, err)
					move(h, m)
					got := renderIn(m, 14000, block)
					happened := happened(m)
					if want == nil {
						want, events = got, happened
					}
					if !slices.Equal(got, want) || happened != events || next.State() != mixer.StateEnded {
						t.Errorf("%s, stream %d, when %d, blocks of %d: it is %v: %s, want %s", name, streamed, when, block, next.State(), happened, events)
					}
					var at, ended, started int
					fmt.Sscanf(happened, "%d started 1, %d ended 1, %d started 2", &at, &ended, &started)
					if ended == 0 || ended != started {
						t.Errorf("%s, stream %d, when %d: ended %d, started %d: %s", name, streamed, when, ended, started, happened)
					}
					m.Close()
				}
			}
		}
	}
}

// TestThenNothingFollows checks that a voice that does not end by itself stops its successor and all
// further ones.
func TestThenNothingFollows(t *testing.T) {
	for name, c := range map[string]struct {
		end  func(m *mixer.Mixer, h mixer.Handle)
		want string
	}{
		"stopped": {
			end:  func(m *mixer.Mixer, h mixer.Handle) { h.Stop(0) },
			want: "0 started 1, 50 stopped 1, 50 started 2, 50 stopped 2, 50 started 3, 50 stopped 3",
		},
		"faded out": {
			end:  func(m *mixer.Mixer, h mixer.Handle) { h.Stop(20 * time.Millisecond) },
			want: "0 started 1, 50 started 2, 50 stopped 2, 50 started 3, 50 stopped 3, 70 stopped 1",
		},
		"faded out beyond its end": {
			end:  func(m *mixer.Mixer, h mixer.Handle) { h.Stop(time.Second) },
			want: "0 started 1, 50 started 2, 50 stopped 2, 50 started 3, 50 stopped 3, 100 ended 1",
		},
		"stolen": {
			end: func(m *mixer.Mixer, h mixer.Handle) {
				m.Play(level(t, 1000, 60, 0.5), mixer.Options{Priority: 1})
			},
			want: "0 started 1, 50 stolen 1 by 2 (pool), 50 started 2, 50 started 3, 50 stopped 3, 50 started 4, 50 stopped 4, 110 ended 2",
		},
		"all are stopped": {
			end:  func(m *mixer.Mixer, h mixer.Handle) { m.StopAll(0) },
			want: "0 started 1, 50 stopped 1, 50 started 2, 50 stopped 2, 50 started 3, 50 stopped 3",
		},
	} {
		m := newMixer(t, mixer.Config{Rate: 1000, Voices: 1, NoLimiter: true})
		s := level(t, 1000, 100, 0.5)
		h := play(t, m.Engine().At(0), s, hardLeft)
		next, err := h.Then(s, hardLeft, mixer.AtEnd)
		must(t, err)
		last, err := next.Then(s, hardLeft, mixer.AtEnd)
		must(t, err)
		left(m, 50)
		c.end(m, h)
		left(m, 1)
		if next.State() != mixer.StateStopped || last.State() != mixer.StateStopped {
			t.Errorf("%s: the next is %v, the last %v", name, next.State(), last.State())
		}
		left(m, 200)
		if got := happened(m); got != c.want {
			t.Errorf("%s: what happened is\n%s, want\n%s", name, got, c.want)
		}
		if st := m.Stats(); st.Pending != 0 || st.Asked != st.Started+st.Rejected {
			t.Errorf("%s: %+v", name, st)
		}
	}
}

// TestThenBefore sets, stops, replaces and follows a successor before it starts.
func TestThenBefore(t *testing.T) {
	m := newMixer(t, mixer.Config{Rate: 1000, Voices: 1, NoLimiter: true})
	s := level(t, 1000, 100, 0.5)
	then := func(h mixer.Handle) mixer.Handle {
		next, err := h.Then(s, hardLeft, mixer.AtEnd)
		must(t, err)
		return next
	}
	h := play(t, m.Engine().At(0), s, hardLeft)
	old := then(h)
	next := then(h)
	left(m, 10)
	if old.State() != mixer.StateStopped || next.State() != mixer.StatePending {
		t.Errorf("the first successor is %v, the second %v", old.State(), next.State())
	}
	must(t, next.SetGain(-20))
	last := then(next)
	must(t, m.Engine().At(50).SetGain(mixer.TargetVoice(last), -40))
	spare := then(last)
	left(m, 50)
	must(t, spare.Stop(0))
	left(m, 1)
	if spare.State() != mixer.StateStopped {
		t.Errorf("what was stopped as it waited is %v", spare.State())
	}
	got := left(m, 300)
	wantAbout(t, "the first", got[38], 0.5)
	wantAbout(t, "the second", got[39], 0.05)
	wantAbout(t, "the third", got[139], 0.005)
	wantAbout(t, "what is behind it", got[239], 0)
	wantEvents(t, m, "0 started 1, 0 started 2, 0 stopped 2, 60 started 3, 60 stopped 3, 100 ended 1, 100 started 4, "+
		"200 ended 4, 200 started 5, 300 ended 5")
	if _, err := h.Then(s, hardLeft, mixer.AtEnd); err != mixer.ErrGone {
		t.Errorf("one that is over has a successor: %v", err)
	}
	if _, err := (mixer.Handle{}).Then(s, hardLeft, mixer.AtEnd); err != mixer.ErrGone {
		t.Errorf("nothing has a successor: %v", err)
	}
	if _, err := play(t, m.Engine().At(mixer.Now), s, hardLeft).Then(s, hardLeft, 2); err == nil {
		t.Error("a third When is taken")
	}
}

// TestThenVirtual checks that a virtual voice is followed at its end.
func TestThenVirtual(t *testing.T) {
	m := newMixer(t, mixer.Config{Rate: 1000, Voices: 1, Virtual: 2, NoLimiter: true})
	h := play(t, m.Engine().At(0), level(t, 1000, 133, 0.1), mixer.Options{})
	_, err := h.Then(level(t, 1000, 100, 0.9), mixer.Options{Priority: 2}, mixer.AtEnd)
	must(t, err)
	play(t, m.Engine().At(50), level(t, 1000, 500, 0.5), mixer.Options{Priority: 1})
	left(m, 400)
	wantEvents(t, m, "0 started 1, 50 virtual 1 by 2 (pool), 50 started 2, 133 ended 1, 133 virtual 2 by 3 (pool), "+
		"133 started 3, 233 ended 3, 240 real 2")
}

// TestThenFor checks that successors follow the end of a For, and a start that is over as it begins.
func TestThenFor(t *testing.T) {
	m := newMixer(t, mixer.Config{Rate: 1000, Voices: 1, NoLimiter: true})
	empty := sound(t, sounds.Samples{Rate: 1000, Channels: 1})
	h := play(t, m.Engine().At(3), level(t, 1000, 500, 0.1), mixer.Options{For: 47 * time.Millisecond})
	for range 3 {
		next, err := h.Then(empty, mixer.Options{}, mixer.AtEnd)
		must(t, err)
		h = next
	}
	_, err := h.Then(level(t, 1000, 20, 0.5), mixer.Options{}, mixer.AtEnd)
	must(t, err)
	left(m, 100)
	wantEvents(t, m, "3 started 1, 50 ended 1, 50 started 2, 50 ended 2, 50 started 3, 50 ended 3, 50 started 4, 50 ended 4, "+
		"50 started 5, 70 ended 5")
}

// TestThenInAJournal checks that a successor is recorded as a start at its frame. If the voice leaves its
// loop for it, a cut is recorded, because otherwise a replay would continue the loop.
func TestThenInAJournal(t *testing.T) {
	m := newMixer(t, mixer.Config{Rate: 1000, Journal: 16})
	s := level(t, 1000, 100, 0.1)
	h := play(t, m.Engine().At(0), s, mixer.Options{})
	body, err := h.Then(s, mixer.Options{Loop: true}, mixer.AtEnd)
	must(t, err)
	_, err = body.Then(s, mixer.Options{}, mixer.AtLoopEnd)
	must(t, err)
	left(m, 400)
	entries := make([]mixer.Entry, 16)
	var got string
	for _, e := range entries[:m.Engine().Journal(entries)] {
		got += fmt.Sprint(e.Frame, " ", e.Kind, " over ", e.Frames, ", ")
	}
	if want := fmt.Sprintf("0 %d over 0, 100 %d over 0, 200 %d over -1, 200 %d over 0, ",
		mixer.EntryPlay, mixer.EntryPlay, mixer.EntryStop, mixer.EntryPlay); got != want {
		t.Errorf("the journal has %s, want %s", got, want)
	}
}

// TestThenAtLoopEnd checks that AtLoopEnd is the same frame in all blocks: the next end of the loop, also
// in the last round. If the voice does not loop or is past its loop, it is the voice's end. A loop count
// must reach 0 at the same frame.
func TestThenAtLoopEnd(t *testing.T) {
	const begin = 77
	cases, next := 0, loaded(t, hiss(2, 50), pcm.Loop{})
	for _, size := range []int64{100, 1000, 3000} {
		loop := pcm.Loop{size / 4, size * 3 / 4}
		for streamed, s := range []*sounds.Sound{loaded(t, hiss(1, int(size)), loop), tape(t, hiss(1, int(size)), &loop)} {
			for _, speed := range []float64{1, 1.3} {
				for rounds := -1; rounds < 4; rounds++ { // -1: no loop
					o := mixer.Options{Loop: rounds >= 0, EngineOptions: mixer.EngineOptions{Rounds: max(rounds, 0)}, Speed: speed}
					for _, asked := range []int64{0, begin + 1, begin + size*4/5, begin + size} { // when Then is called
						step := int64(math.Floor(math.Exp2(float64(pcm.FromRatio(speed))/12)*(1<<32) + 0.5))
						frameOf := func(position int64) int64 { return begin + (position<<32+step-1)/step }
						last := loop[1] + int64(max(rounds-1, 0))*loop.Frames() // the end of the last round
						end, want := frameOf(last-loop[1]+size), int64(0)
						if want = frameOf(loop[1]); rounds < 0 {
							want = end
						}
						for k := int64(1); want < asked && (want < end || rounds == 0); k++ {
							if want = frameOf(loop[1] + k*loop.Frames()); rounds > 0 && k >= int64(rounds) {
								want = end
							}
						}
						if rounds != 0 && asked >= end {
							continue
						}
						for _, block := range blockLengths {
							if cases++; !longtest.Enabled() && cases%3 != 0 {
								continue
							}
							m := newMixer(t, mixer.Config{Rate: 8000, NoLimiter: true})
							h := play(t, m.Engine().At(begin), s, o)
							renderIn(m, int(asked), block)
							_, err := h.Then(next, mixer.Options{}, mixer.AtLoopEnd)
							must(t, err)
							renderIn(m, int(max(want, end)+200-asked), block)
							wantEvents(t, m, fmt.Sprintf("%d started 1, %d ended 1, %d started 2, %d ended 2", begin, want, want, want+50))

							m.Close()
							m = newMixer(t, mixer.Config{Rate: 8000, NoLimiter: true})
							count, batch := m.Engine().NewLoopCountdown(), m.Engine().NewBatch()
							must(t, m.Engine().At(mixer.Now).Add(count, 1))
							o.Countdowns = [2]*mixer.Countdown{count}
							play(t, m.Engine().At(begin), s, o)
							play(t, batch.At(0), next, mixer.Options{})
							must(t, m.Engine().At(mixer.Now).FireAt(batch, count))
							renderIn(m, int(end+200), block)
							switch left := frameOf(last); {
							case rounds < 0:
								wantEvents(t, m, fmt.Sprintf("%d started 1, %d ended 1, %d started 2, %d ended 2", begin, end, end, end+50))
							case rounds == 0:
								wantEvents(t, m, fmt.Sprintf("%d started 1", begin))
							case left+50 < end:
								wantEvents(t, m, fmt.Sprintf("%d started 1, %d started 2, %d ended 2, %d ended 1", begin, left, left+50, end))
							default:
								wantEvents(t, m, fmt.Sprintf("%d started 1, %d started 2, %d ended 1, %d ended 2", begin, left, end, left+50))
							}
							o.Countdowns = [2]*mixer.Countdown{}
							m.Close()
							if t.Failed() {
								t.Fatalf("size %d, stream %d, speed %v, rounds %d, asked at %d, blocks of %d", size, streamed, speed, rounds, asked, block)
							}
						}
					}
				}
			}
		}
	}
}
