package mixer_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"pgregory.net/rapid"

	"voicepool/internal/longtest"
	"voicepool/mixer"
	"voicepool/pcm"
	"voicepool/sounds"
	"voicepool/space"
)

// echo is an insert with an output that does not depend on blocks.
type echo struct {
	line []pcm.Frame
	at   int
}

func (e *echo) Process(block []pcm.Frame) {
	for i := range block {
		past := &e.line[e.at]
		for c := range 2 {
			block[i][c] += float32(past[c] * 0.4)
		}
		*past = block[i]
		e.at = (e.at + 1) % len(e.line)
	}
}

// noise returns decaying white noise with its loudness index.
func noise(r *rand.Rand, rate, channels, frames int) sounds.Samples {
	s := sounds.Samples{Rate: rate, Channels: channels, Data: make([]float32, frames*channels)}
	for i := range s.Data {
		s.Data[i] = float32((r.Float64() - 0.5) * (1 - float64(i)/float64(len(s.Data))))
	}
	s.Envelope.Hop = int64(rate / 50)
	for at := 0; at < frames; at += rate / 50 {
		fade := 1 - float64(at)/float64(frames)
		s.Envelope.Once = append(s.Envelope.Once, float32(0.08*fade*fade))
	}
	return s
}

// filled returns a stream that is completely decoded before it begins.
func filled(t testing.TB, rate, frames int) *sounds.Sound {
	wave := make([]pcm.Frame, frames)
	for i := range wave {
		wave[i] = pcm.Frame{float32(0.3 * math.Sin(float64(i)/9)), float32(0.3 * math.Cos(float64(i)/31))}
	}
	s, err := sounds.NewStream(sounds.Stream{Name: "stream", Rate: rate, Frames: int64(frames), Open: func(c sounds.PlayRange) (*sounds.StreamBuffer, error) {
		n := frames - int(c.From)
		if c.Loop[1] > 0 {
			n = 4 * frames
		}
		f := sounds.NewStreamBuffer(max(n, 1), c)
		data := make([]pcm.Frame, max(n, 0))
		for i := range data {
			data[i] = wave[c.FrameAt(int64(i))]
		}
		f.Write(data)
		f.End()
		return f, nil
	}})
	must(t, err)
	return s
}

const movingRate = 8000

// movingSounds returns seven sounds and a stream for a moving scene, drawn from a seed. In the short variant, eight
// lists serve all seeds.
func movingSounds(t testing.TB, seed uint64) []*sounds.Sound {
	if longtest.Enabled() {
		return newMovingSounds(t, seed)
	}
	made := &movingSoundsMade[seed%uint64(len(movingSoundsMade))]
	if *made == nil {
		*made = newMovingSounds(t, seed)
	}
	return *made
}

var movingSoundsMade [8][]*sounds.Sound

// newMovingSounds makes the sounds of movingSounds.
func newMovingSounds(t testing.TB, seed uint64) []*sounds.Sound {
	r := rand.New(rand.NewPCG(seed, 2))
	sounds := []*sounds.Sound{filled(t, movingRate, 3000)}
	for i := range 7 {
		s := noise(r, movingRate, 1+i%2, 100+r.IntN(4000))
		s.Name = fmt.Sprint("s", i)
		if from := len(s.Data) / 8; i%2 == 0 {
			s.Loop = [2]int64{int64(from), int64(from + 11 + r.IntN(300)%(len(s.Data)/4))}
		}
		sounds = append(sounds, sound(t, s))
	}
	return sounds
}

// movingScene plays a scene in which every property moves, drawn from a seed, and renders it in blocks.
func movingScene(t testing.TB, seed uint64, sounds []*sounds.Sound, limiter bool, block func() int) (out []pcm.Frame, events []modelEvent, st mixer.Stats) {
	return movingSceneFrom(t, seed, sounds, limiter, 0, block)
}

// movingSceneFrom is movingScene after a Skip to a frame. It has no inserts then.
func movingSceneFrom(t testing.TB, seed uint64, all []*sounds.Sound, limiter bool, from int, block func() int) (out []pcm.Frame, events []modelEvent, st mixer.Stats) {
	const rate, length = movingRate, 4500
	r := rand.New(rand.NewPCG(seed, 1))
	c := mixer.Config{
		Rate: rate, Voices: 3 + r.IntN(10), MaxVoices: 16, NoLimiter: !limiter, Commands: 1024, Overflow: mixer.Overflow(r.IntN(5)), Grow: mixer.Grow{Step: 2, Max: 15, Idle: 80 * time.Millisecond},
		Buses: []mixer.BusConfig{
			{Name: "top", Gain: -2, Insert: &echo{line: make([]pcm.Frame, 77)}},
			{Name: "left", Parent: "top", Pan: -0.4, Voices: 4, Pitch: 1},
			{Name: "right", Parent: "top", Duck: mixer.Duck{When: "left", By: 11, Attack: 9 * time.Millisecond, Hold: 35 * time.Millisecond, Release: 61 * time.Millisecond}},
			{Name: "music", Insert: &echo{line: make([]pcm.Frame, 3)}, Duck: mixer.Duck{When: "top", By: 6, Hold: 3 * time.Millisecond, Release: 200 * time.Millisecond}},
		},
	}
	if from > 0 {
		for i := range c.Buses {
			c.Buses[i].Insert = nil
		}
	}
	m := newMixer(t, c)
	defer m.Close()
	group, err := m.NewGroup("crowd", mixer.GroupOptions{Voices: 2, Coalesce: 25 * time.Millisecond})
	must(t, err)
	var handles []mixer.Handle
	theme := play(t, m.Engine().At(0), all[0], mixer.Options{Gain: -20, Loop: true, EngineOptions: mixer.EngineOptions{Protect: true, Tag: 9}, Priority: 9})
	ms := func(n int) time.Duration { return time.Duration(r.IntN(n*8)) * time.Millisecond / 8 }
	buses := []string{"master", "top", "left", "right", "music"}
	for i := range 100 {
		at := m.Engine().At(r.Int64N(length))
		target := mixer.TargetTag(mixer.Tag(1 + r.IntN(5)))
		if len(handles) > 0 && r.IntN(2) == 0 {
			target = mixer.TargetVoice(handles[r.IntN(len(handles))])
		}
		name := buses[r.IntN(len(buses))]
		bus, _ := m.Bus(name)
		switch r.IntN(17) {
		default:
			o := mixer.Options{
				Gain: pcm.Decibels(-r.Float64() * 30), Pan: r.Float64()*2 - 1, EngineOptions: mixer.EngineOptions{Tag: mixer.Tag(1 + r.IntN(5)), Ref: mixer.Ref(i), Quality: sounds.Quality(r.IntN(2))}, Bus: bus, Loop: r.IntN(3) == 0,
				Priority: r.IntN(3), FadeIn: ms(1 + r.IntN(2)*90), From: ms(1 + r.IntN(2)*60),
			}
			if r.IntN(2) == 0 {
				o.Pitch = pcm.Semitones(r.Float64()*24 - 12)
			}
			if r.IntN(4) == 0 {
				o.For = ms(300)
			}
			if r.IntN(5) == 0 {
				o.Group = group
			}
			if r.IntN(3) == 0 {
				o.Emitter = &space.Emitter{Spot: space.Spot{Position: space.Vector{r.Float64()*8 - 4, 1, 0}}}
				if from == 0 { // Skip does not run filters
					o.Emitter.Air, o.Emitter.Spot.Occlusion = float64(i%2)*50, float64(i%3)/2
				}
				if name == "left" && i%4 > 0 {
					o.Sends = []mixer.Send{{To: "music", Gain: -9}}
					if i%4 > 1 {
						o.Emitter.SendAttenuation = space.Attenuation{Curve: space.Linear, Min: 1, Max: 9}
					}
				}
			}
			if cutoff := []float64{0, 0, 60, 400, 3000}; from == 0 && r.IntN(3) == 0 { // Skip does not run filters
				o.LowPass, o.HighPass = cutoff[r.IntN(5)], cutoff[r.IntN(5)]
			}
			s := all[r.IntN(len(all))]
			if o.Loop && !s.Streamed() && s.Loop().Frames() > 0 && r.IntN(2) == 0 {
				o.Rounds = 1 + r.IntN(4)
			}
			handles = append(handles, play(t, at, s, o))
			for r.IntN(4) == 0 {
				follows := mixer.Options{Gain: -20, Loop: r.IntN(3) == 0, EngineOptions: mixer.EngineOptions{Tag: o.Tag, Ref: mixer.Ref(i)}, Bus: bus}
				next, err := handles[len(handles)-1].Then(all[r.IntN(len(all))], follows, []mixer.When{mixer.AtEnd, mixer.AtLoopEnd, mixer.AtLoopEnd}[r.IntN(3)])
				must(t, err)
				handles = append(handles, next)
			}
		case 0:
			must(t, at.Stop(target, ms(1+r.IntN(2)*100)))
		case 1:
			must(t, at.Pause(target))
		case 2:
			must(t, at.Resume(target))
		case 3:
			// Except streams, which may be over by then.
			must(t, at.Seek(mixer.TargetSound(all[1+r.IntN(len(all)-1)]), ms(300)))
			must(t, at.Seek(mixer.TargetVoice(theme), ms(300)))
		case 4, 5, 6:
			must(t, at.Set(target, mixer.Change{
				Fields: mixer.FieldGain | mixer.FieldPan<<r.IntN(3), Gain: pcm.Decibels(-r.Float64() * 90), Pan: r.Float64()*2 - 1,
				Pitch: pcm.Semitones(r.Float64()*10 - 5), Speed: 0.5 + r.Float64(), Shape: sounds.Shape(r.IntN(4)),
			}, ms(400)))
			if from == 0 && r.IntN(2) == 0 {
				cutoff := []float64{0, 0, 60, 400, 3000}
				must(t, at.Set(target, mixer.Change{Fields: mixer.FieldLowPass << r.IntN(2), Filters: mixer.Filters{LowPass: cutoff[r.IntN(5)], HighPass: cutoff[r.IntN(5)]}}, ms(400)))
			}
		case 7, 8:
			must(t, at.Set(mixer.TargetBus(bus), mixer.Change{
				Fields: mixer.FieldGain | mixer.FieldPan, Gain: pcm.Decibels(-r.Float64() * 30), Pan: r.Float64()*2 - 1, Shape: sounds.Shape(r.IntN(4)),
			}, ms(300)))
		case 9:
			if name != "master" {
				must(t, at.Set(mixer.TargetBus(bus), mixer.Change{Fields: mixer.FieldPitch, Pitch: pcm.Semitones(r.Float64() * 5)}, ms(300)))
			}
		case 10:
			must(t, at.Set(mixer.TargetBus(bus), mixer.Change{Fields: mixer.FieldMute | mixer.FieldSolo | mixer.FieldVolume, Volume: pcm.Decibels(-r.IntN(20)), Mute: r.IntN(3) == 0, Solo: r.IntN(2) == 0}, ms(90)))
		case 11:
			must(t, at.Resize(2+r.IntN(14)))
		case 12:
			rounds := 1 + r.IntN(4)
			if rounds == 4 {
				rounds = mixer.Forever
			}
			must(t, at.Set(mixer.TargetSound(all[1+r.IntN(len(all)-1)]), mixer.Change{Fields: mixer.FieldRounds, Rounds: rounds}, 0))
		}
	}
	buf, polled := make([]pcm.Frame, 4096), make([]mixer.Event, 256)
	positions := make([]space.Spot, len(handles))
	for now := 0; now < length; {
		// Positions change at frames of the scene, independent of the blocks.
		if now%1500 == 0 {
			for i := range positions {
				positions[i] = space.Spot{Position: space.Vector{float64((i*7+now/100)%9) - 4, 1, 0}, Velocity: space.Vector{float64(i%3) * 20, 0, 0}}
				if from == 0 {
					positions[i].Occlusion, positions[i].Obstruction = float64((i+now/1500)%3)/2, float64((i/3+now/1500)%2)
				}
			}
			must(t, m.SetPositions(handles, positions))
			must(t, m.SetListener(space.Listener{Position: space.Vector{0, 0, float64(now) / 2000}, Doppler: 1}))
		}
		n := min(block(), length-now, 1500-now%1500)
		if now < from {
			n = min(n, from-now)
			m.Engine().Skip(n)
			clear(buf[:n])
		} else {
			m.Render(buf[:n])
		}
		now += n
		out = append(out, buf[:n]...)
		for k := m.Events(polled); k > 0; k = m.Events(polled) {
			for _, e := range flatEvents(polled[:k]) {
				e.Sound, e.BySound, e.Group, e.ByGroup, e.Bus = nil, nil, nil, nil, mixer.Bus{}
				events = append(events, e)
			}
		}
	}
	return out, events, m.Stats()
}

// TestBlocksDoNotShowWhateverMoves renders moving scenes in blocks of one frame, of 4,096 frames and of
// random lengths. Bits, events and counters must be equal.
func TestBlocksDoNotShowWhateverMoves(t *testing.T) {
	defer longtest.Checks(16)()
	kinds := map[mixer.EventKind]int{}
	rapid.Check(t, func(rt *rapid.T) {
		seed, limiter := rapid.Uint64().Draw(rt, "seed"), rapid.Bool().Draw(rt, "limiter")
		lengths := rapid.SliceOfN(rapid.IntRange(1, 4096), 1, 20).Draw(rt, "blocks")
		sounds := movingSounds(t, seed)
		bits, events, st := movingScene(t, seed, sounds, limiter, func() int { return 4096 })
		for _, e := range events {
			kinds[e.Kind]++
		}
		i := 0
		for name, block := range map[string]func() int{
			"of one frame": func() int { return 1 },
			"drawn":        func() int { i++; return lengths[i%len(lengths)] },
		} {
			b, e, s := movingScene(t, seed, sounds, limiter, block)
			for k := range min(len(e), len(events)) {
				if e[k] != events[k] {
					rt.Fatalf("blocks %s: event %d is\n%+v, not\n%+v", name, k, e[k], events[k])
				}
			}
			if len(e) != len(events) {
				rt.Fatalf("blocks %s: %d events, not %d", name, len(e), len(events))
			}
			for k := range b {
				if b[k] != bits[k] {
					rt.Fatalf("blocks %s: frame %d is %v, not %v", name, k, b[k], bits[k])
				}
			}
			if s != st {
				rt.Fatalf("blocks %s: %+v, not %+v", name, s, st)
			}
		}
	})
	t.Log(kinds)
	for _, k := range []mixer.EventKind{mixer.EventStarted, mixer.EventEnded, mixer.EventStopped, mixer.EventStolen, mixer.EventCoalesced} {
		if kinds[k] == 0 && !t.Failed() && longtest.Enabled() {
			t.Errorf("nothing is ever %v: it proves too little", k)
		}
	}
}
