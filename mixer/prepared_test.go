package mixer_test

import (
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"voicepool/internal/longtest"
	"voicepool/mixer"
	"voicepool/pcm"
	"voicepool/sounds"
	"voicepool/sounds/library"
	"voicepool/space"
)

// TestPreparedWhatIsSetBefore checks that Prepare computes versions for a pitch that was set for a later
// frame before the Play was called, and for sets with decreasing frames.
func TestPreparedWhatIsSetBefore(t *testing.T) {
	set := func(at mixer.Moment, target mixer.Target, c mixer.Change) {
		t.Helper()
		must(t, at.Set(target, c, 0))
	}
	up := mixer.Change{Fields: mixer.FieldPitch, Pitch: 30}
	fast := space.Spot{Position: space.Vector{1000}, Velocity: space.Vector{-300}}
	for name, ask := range map[string]func(m *mixer.Mixer, s *sounds.Sound){
		"a tag": func(m *mixer.Mixer, s *sounds.Sound) {
			set(m.Engine().At(5000), mixer.TargetTag(7), up)
			play(t, m.Engine().At(100), s, mixer.Options{EngineOptions: mixer.EngineOptions{Tag: 7}})
		},
		"a tag, after a block": func(m *mixer.Mixer, s *sounds.Sound) {
			set(m.Engine().At(5000), mixer.TargetTag(7), mixer.Change{Fields: mixer.FieldSpeed, Speed: 8})
			m.Render(make([]pcm.Frame, 1000))
			play(t, m.Engine().At(mixer.Now), s, mixer.Options{EngineOptions: mixer.EngineOptions{Tag: 7}})
		},
		"a tag that is set before a start": func(m *mixer.Mixer, s *sounds.Sound) {
			play(t, m.Engine().At(3000), s, mixer.Options{EngineOptions: mixer.EngineOptions{Tag: 7}, Bus: busOf(t, m, "b")})
			set(m.Engine().At(1000), mixer.TargetTag(7), mixer.Change{Fields: mixer.FieldPitch, Pitch: -40})
			m.Prepare()
			m.Render(make([]pcm.Frame, 4000))
			set(m.Engine().At(mixer.Now), mixer.TargetBus(busOf(t, m, "b")), mixer.Change{Fields: mixer.FieldPitch, Pitch: 30})
		},
		"a sound": func(m *mixer.Mixer, s *sounds.Sound) {
			set(m.Engine().At(5000), mixer.TargetSound(s), up)
			play(t, m.Engine().At(100), s, mixer.Options{})
		},
		"rounds": func(m *mixer.Mixer, s *sounds.Sound) {
			set(m.Engine().At(5000), mixer.TargetTag(7), mixer.Change{Fields: mixer.FieldRounds, Rounds: 1})
			play(t, m.Engine().At(100), s, mixer.Options{EngineOptions: mixer.EngineOptions{Tag: 7}, Loop: true, Pitch: 3})
		},
		"a batch before the start": func(m *mixer.Mixer, s *sounds.Sound) {
			batch := m.Engine().NewBatch()
			set(batch.At(0), mixer.TargetTag(7), up)
			m.Render(make([]pcm.Frame, 1000))
			play(t, m.Engine().At(mixer.Now), s, mixer.Options{EngineOptions: mixer.EngineOptions{Tag: 7}})
			must(t, m.Engine().At(5000).Fire(batch))
		},
		"a batch that was fired": func(m *mixer.Mixer, s *sounds.Sound) {
			batch := m.Engine().NewBatch()
			m.Render(make([]pcm.Frame, 1000))
			must(t, m.Engine().At(mixer.Now).Fire(batch))
			m.Render(make([]pcm.Frame, 1000))
			set(batch.At(1500), mixer.TargetSound(s), up) // at frame 2500
			play(t, m.Engine().At(mixer.Now), s, mixer.Options{})
		},
		"a batch for a later start": func(m *mixer.Mixer, s *sounds.Sound) {
			play(t, m.Engine().At(3000), s, mixer.Options{EngineOptions: mixer.EngineOptions{Tag: 7}})
			batch := m.Engine().NewBatch()
			set(batch.At(0), mixer.TargetTag(7), up)
			must(t, m.Engine().At(5000).Fire(batch))
		},
		"a batch for a voice, and its bus meanwhile": func(m *mixer.Mixer, s *sounds.Sound) {
			h := play(t, m.Engine().At(100), s, mixer.Options{Pitch: 24, Bus: busOf(t, m, "b")})
			batch := m.Engine().NewBatch()
			set(batch.At(0), mixer.TargetVoice(h), mixer.Change{Fields: mixer.FieldPitch})
			must(t, m.Engine().At(9000).Fire(batch))
			m.Prepare()
			m.Render(make([]pcm.Frame, 3000))
			set(m.Engine().At(mixer.Now), mixer.TargetBus(busOf(t, m, "b")), mixer.Change{Fields: mixer.FieldPitch, Pitch: 20})
		},
		"two sets of a voice": func(m *mixer.Mixer, s *sounds.Sound) {
			h := play(t, m.Engine().At(100), s, mixer.Options{})
			set(m.Engine().At(9000), mixer.TargetVoice(h), mixer.Change{Fields: mixer.FieldPitch, Pitch: 20})
			set(m.Engine().At(5000), mixer.TargetVoice(h), mixer.Change{Fields: mixer.FieldPitch, Pitch: 1})
			m.Prepare()
			m.Render(make([]pcm.Frame, 9500))
			set(m.Engine().At(9500), mixer.TargetVoice(h), mixer.Change{Fields: mixer.FieldSpeed, Speed: 3})
		},
		"a voice and its bus meanwhile": func(m *mixer.Mixer, s *sounds.Sound) {
			h := play(t, m.Engine().At(100), s, mixer.Options{Bus: busOf(t, m, "b")})
			set(m.Engine().At(2000), mixer.TargetVoice(h), mixer.Change{Fields: mixer.FieldPitch, Pitch: 24})
			set(m.Engine().At(9000), mixer.TargetVoice(h), mixer.Change{Fields: mixer.FieldPitch})
			set(m.Engine().At(1000), mixer.TargetBus(busOf(t, m, "b")), mixer.Change{Fields: mixer.FieldPitch, Pitch: 20})
			set(m.Engine().At(9000), mixer.TargetBus(busOf(t, m, "b")), mixer.Change{Fields: mixer.FieldPitch})
		},
		"Doppler at the start": func(m *mixer.Mixer, s *sounds.Sound) {
			must(t, m.SetListener(space.Listener{Doppler: 1}))
			play(t, m.Engine().At(100), s, mixer.Options{Emitter: &space.Emitter{Spot: fast}})
		},
		"Doppler of a voice that is moved": func(m *mixer.Mixer, s *sounds.Sound) {
			must(t, m.SetListener(space.Listener{Doppler: 1}))
			h := play(t, m.Engine().At(100), s, mixer.Options{Emitter: &space.Emitter{}})
			m.Prepare()
			m.Render(make([]pcm.Frame, 1000))
			must(t, m.SetPositions([]mixer.Handle{h}, []space.Spot{fast}))
		},
		"Doppler of a start that is moved": func(m *mixer.Mixer, s *sounds.Sound) {
			must(t, m.SetListener(space.Listener{Doppler: 1}))
			h := play(t, m.Engine().At(3000), s, mixer.Options{Emitter: &space.Emitter{}})
			must(t, m.SetPositions([]mixer.Handle{h}, []space.Spot{fast}))
		},
		"Doppler of a listener that is moved": func(m *mixer.Mixer, s *sounds.Sound) {
			play(t, m.Engine().At(100), s, mixer.Options{Emitter: &space.Emitter{Spot: space.Spot{Position: space.Vector{1000}}}})
			m.Render(make([]pcm.Frame, 1000))
			must(t, m.SetListener(space.Listener{Doppler: 40, Velocity: space.Vector{100}}))
		},
		"Doppler that goes while a pitch comes": func(m *mixer.Mixer, s *sounds.Sound) {
			must(t, m.SetListener(space.Listener{Doppler: 1}))
			h := play(t, m.Engine().At(100), s, mixer.Options{Emitter: &space.Emitter{Spot: fast}})
			m.Prepare()
			m.Render(make([]pcm.Frame, 1000))
			must(t, m.SetListener(space.Listener{}))
			must(t, h.SetPitch(12))
		},
	} {
		s := pitchable(t, library.Refine)
		m := newMixer(t, mixer.Config{Buses: []mixer.BusConfig{{Name: "b"}}})
		ask(m, s)
		for range 20 {
			m.Prepare()
			m.Render(make([]pcm.Frame, 1000))
		}
		if st := m.Stats(); st.MissingMipLevels != 0 || st.Asked != 1 {
			t.Errorf("%s: %d voices read something worse; %+v", name, st.MissingMipLevels, st)
		}
	}
}

// thinned is a fast Refiner: every frame of a version is a frame of the sound.
func thinned(s *sounds.Sound, level int, looped bool, first, frames int64) []float32 {
	samples, channels := s.Samples(), int64(s.Channels())
	dst := make([]float32, frames*channels)
	loop := s.Loop()
	from, to := loop[0], loop[1]
	for i := range frames {
		at := int64(math.Floor(float64(first+i) * math.Pow(1.5, float64(level))))
		if looped && at >= to {
			at = from + (at-to)%(to-from)
		}
		for c := range channels {
			if at >= 0 && at < s.Frames() {
				dst[i*channels+c] = samples[at*channels+c]
			}
		}
	}
	return dst
}

// tune is an endless stream of a sine.
type tune struct{ at int64 }

func (s *tune) Read(dst []pcm.Frame) (int, error) {
	for i := range dst {
		dst[i] = wave[s.at%int64(len(wave))]
		s.at++
	}
	if s.at > 1<<22 {
		return len(dst), io.EOF
	}
	return len(dst), nil
}

// preparedScene renders a scene that needs Prepare, drawn from a seed, in blocks. It has pitches up to
// 256 times the speed, set before and after the Play, Doppler, streams, seeks, loops, pauses, virtual
// voices, the DC guard and a lead. Calls are made at frames of the scene, independent of the blocks.
func preparedScene(t testing.TB, seed uint64, used bool, block func() int) ([]pcm.Frame, mixer.Stats) {
	const rate, length, step = 8000, 9000, 300
	r := rand.New(rand.NewPCG(seed, 3))
	var clock time.Duration
	c := mixer.Config{
		Rate: rate, Voices: 2 + r.IntN(4), Virtual: r.IntN(2) * 4, DCGuard: r.IntN(2) == 0, NoLimiter: r.IntN(2) == 0, Commands: 2048,
		Lead: time.Duration(r.IntN(2)) * 20 * time.Millisecond, Clock: func() time.Duration { return clock },
		Buses: []mixer.BusConfig{{Name: "a", Pitch: pcm.Semitones(r.IntN(3) * 4)}, {Name: "b", Parent: "a"}},
	}
	m := newMixer(t, c)
	defer m.Close()
	lib := library.NewLibrary(library.Options{Rate: rate})
	stream, err := lib.StreamFrames(library.FrameSource{Name: "stream", Rate: rate, Open: func() (library.FrameReader, error) { return &tune{}, nil }},
		library.StreamOptions{Ahead: time.Duration(1+r.IntN(3000)) * time.Millisecond})
	must(t, err)
	list := []*sounds.Sound{stream}
	for i := range 3 {
		n := noise(r, rate, 1+i%2, 2000+r.IntN(4000))
		for k := range n.Data {
			n.Data[k] = n.Data[k]/4 + 0.1
		}
		n.Name, n.Refine = fmt.Sprint("s", i), thinned
		if i == 0 {
			n.Loop = [2]int64{100, 1500}
		}
		list = append(list, sound(t, n))
		if used { // as if played in all pitches before
			for level := range sounds.Levels {
				list[i+1].Refine(level, false)
				list[i+1].Refine(level, true)
			}
		}
	}
	pitch := func() pcm.Semitones { return pcm.Semitones(r.Float64()*96 - 48) }
	ms := func(n int) time.Duration { return time.Duration(r.IntN(n)) * time.Millisecond }
	var handles []mixer.Handle
	var out []pcm.Frame
	buf := make([]pcm.Frame, 1<<14)
	for now := int64(0); now < length; {
		clock = pcm.Duration(now, rate)
		for range r.IntN(4) {
			at := m.Engine().At(mixer.Now)
			if r.IntN(3) > 0 {
				at = m.Engine().At(now + c.Lead.Milliseconds()*8 + r.Int64N(3000))
			}
			target := []mixer.Target{mixer.TargetTag(mixer.Tag(1 + r.IntN(2))), mixer.TargetSound(list[1+r.IntN(3)])}[r.IntN(2)]
			if len(handles) > 0 && r.IntN(2) == 0 {
				target = mixer.TargetVoice(handles[r.IntN(len(handles))])
			}
			switch r.IntN(9) {
			default:
				o := mixer.Options{
					Gain: pcm.Decibels(-6 - r.Float64()*20), EngineOptions: mixer.EngineOptions{Tag: mixer.Tag(1 + r.IntN(2))}, Loop: r.IntN(2) == 0, Bus: busOf(t, m, []string{"a", "b", "master"}[r.IntN(3)]), From: ms(200),
				}
				switch r.IntN(3) {
				case 0:
					o.Pitch, o.Speed = pitch(), pcm.Exp2(r.Float64()*8-4)
				case 1:
					o.Base = mixer.Base{Pitch: 48, Speed: 16}
				}
				if r.IntN(2) == 0 {
					o.Emitter = &space.Emitter{Spot: space.Spot{Position: space.Vector{r.Float64()*100 - 50, 3}, Velocity: space.Vector{r.Float64()*600 - 300}}}
				}
				s := list[r.IntN(len(list))]
				if s.Streamed() {
					o.Loop = false
				}
				handles = append(handles, play(t, at, s, o))
			case 0, 1, 2:
				must(t, at.Set(target, mixer.Change{Fields: mixer.FieldPitch | mixer.FieldSpeed, Pitch: pitch(), Speed: pcm.Exp2(r.Float64()*8 - 4)}, ms(400)))
			case 3:
				must(t, at.Set(mixer.TargetBus(busOf(t, m, []string{"a", "b"}[r.IntN(2)])), mixer.Change{Fields: mixer.FieldPitch, Pitch: pitch()}, ms(400)))
			case 4:
				must(t, at.Pause(target))
				must(t, m.Engine().At(now+c.Lead.Milliseconds()*8+3000).Resume(target))
			case 5:
				if len(handles) > 0 {
					h := handles[r.IntN(len(handles))]
					h.SetPitch(pitch())
					h.Seek(ms(300))
					h.SetLoop([]int{mixer.Forever, 1, 2}[r.IntN(3)])
				}
			}
		}
		var spots []space.Spot
		for i := range handles {
			spots = append(spots, space.Spot{Position: space.Vector{float64((int64(i)*7+now/100)%90) - 40, 1}, Velocity: space.Vector{r.Float64()*600 - 300}})
		}
		must(t, m.SetPositions(handles, spots))
		must(t, m.SetListener(space.Listener{Doppler: float64(r.IntN(3)) / 2, Velocity: space.Vector{r.Float64()*300 - 150}}))
		for end := min(now+step, length); now < end; {
			for n := int(min(int64(block()), end-now)); n > 0; {
				k := min(n, m.Prepare())
				m.Render(buf[:k])
				out, n, now = append(out, buf[:k]...), n-k, now+int64(k)
			}
		}
	}
	st := m.Stats()
	st.Late, st.Busy = 0, 0
	return out, st
}

// TestPreparedBlocks checks that prepared blocks of any length have the same bits, whether the sounds
// were used before or not, and that no voice reads a worse version.
func TestPreparedBlocks(t *testing.T) {
	seeds := uint64(40)
	if !longtest.Enabled() || raceDetector {
		seeds = 4
	}
	for seed := range seeds {
		want, wantStats := preparedScene(t, seed, true, func() int { return 1 << 14 })
		loud := float32(0)
		for _, x := range want {
			loud = max(loud, float32(math.Abs(float64(x[0]))))
		}
		if loud < 0.01 {
			t.Errorf("seed %d: it is silent", seed)
		}
		r := rand.New(rand.NewPCG(seed, 4))
		for _, size := range []int{1 << 14, 1, 7, 64, 512, 4096, 0} {
			block := func() int {
				if size == 0 {
					return 1 + r.IntN(300)
				}
				return size
			}
			if size > 0 && size < 64 && seed%8 != 1 { // slow
				continue
			}
			got, st := preparedScene(t, seed, false, block)
			if st.MissingMipLevels != 0 || st.Underruns != 0 || st.Faults != 0 {
				t.Errorf("seed %d, blocks of %d: %d voices read something worse, %d ran dry, %d faults", seed, size, st.MissingMipLevels, st.Underruns, st.Faults)
			}
			if st != wantStats {
				t.Errorf("seed %d, blocks of %d: %+v, want %+v", seed, size, st, wantStats)
			}
			for i := range want {
				if got[i] != want[i] {
					t.Errorf("seed %d, blocks of %d: frame %d is %v, want %v", seed, size, i, got[i], want[i])
					break
				}
			}
		}
	}
}
