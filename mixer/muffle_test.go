package mixer_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"voicepool/internal/hearing"
	"voicepool/internal/longtest"
	"voicepool/mixer"
	"voicepool/pcm"
	"voicepool/sounds"
	"voicepool/space"
)

// rain returns noise without an attack or a decay.
func rain(t testing.TB, rate, frames int) *sounds.Sound {
	r := rand.New(rand.NewPCG(3, 4))
	data := make([]float32, frames)
	for i := range data {
		data[i] = float32(r.Float64() - 0.5)
	}
	return sound(t, sounds.Samples{Rate: rate, Channels: 1, Data: data, Loop: [2]int64{0, int64(frames)}})
}

// muffled returns a random spot, usually occluded or obstructed.
func muffled(r *rand.Rand) space.Spot {
	at := func() float64 { return r.Float64()*60 - 30 }
	return space.Spot{
		Position: space.Vector{at(), at(), at()}, Forward: space.Vector{at(), at(), at()},
		Occlusion: max(r.Float64()*1.3-0.3, 0), Obstruction: max(r.Float64()*1.3-0.3, 0),
	}
}

// modelPlace is the effect of a place, fading from one spot to the next: gain and pan linearly, the
// cutoff linearly in its logarithm.
type modelPlace struct{ gain, pan, low modelRamp }

// fade moves the gain in decibels, the pan and the cutoff in Hz from frame f on.
func (p *modelPlace) fade(f int64, gain, pan, hz float64, frames int64) {
	goals := [...]float64{gain, pan, math.Log2(hz)}
	for i, g := range []*modelRamp{&p.gain, &p.pan, &p.low} {
		g.ramp(f, goals[i], frames)
	}
}

// TestMuffledModel compares a voice behind walls with a model in float64 that computes the weights at
// each frame. The mixer interpolates them.
func TestMuffledModel(t *testing.T) {
	const rate, hop, steps = 48000, 960, 40
	s := rain(t, rate, 5000)
	data := s.Samples()
	for seed := range uint64(6) {
		r := rand.New(rand.NewPCG(seed, 9))
		e := space.Emitter{Spot: muffled(r), Cone: space.Cone{Inner: 60, Outer: 200, OuterGain: -6, LowPass: 900}, Air: 3, Attenuation: space.Attenuation{Min: 5}}
		e.Spot.Occlusion = 0.5
		ear, err := hearing.NewEar(&space.Listener{})
		must(t, err)
		m := newMixer(t, mixer.Config{Rate: rate, NoLimiter: true})
		h := play(t, m.Engine().At(0), s, mixer.Options{Emitter: &e, Loop: true})
		var p modelPlace
		var state [2]float64
		at := 0.0 // the cutoff, which does not move by less than 1/64 of an octave
		worst := 0.0
		for step := range int64(steps) {
			if step > 0 {
				e.Spot = muffled(r)
				e.Spot.Occlusion = max(e.Spot.Occlusion, 0.05) // a low-pass that is switched on fades in
				must(t, m.SetPositions([]mixer.Handle{h}, []space.Spot{e.Spot}))
			}
			source, err := hearing.NewSource(&e)
			must(t, err)
			heard, behind := ear.Hear(&source)
			hz := behind.LowPass
			if behind.DirectLowPass > 0 {
				hz = behind.DirectLowPass
			}
			if at == 0 || math.Abs(math.Log2(hz/at)) > 1./64 {
				at = hz
			}
			over := int64(hop)
			if step == 0 {
				over = 0
			}
			p.fade(step*4*hop, heard.Gain*behind.Direct, heard.Pan, at, over)
			out := make([]pcm.Frame, 4*hop)
			m.Render(out)
			for i, got := range out {
				f := step*4*hop + int64(i)
				g := math.Tan(math.Pi * math.Exp2(p.low.at(f)) / rate)
				x := float64(data[int(f)%len(data)])
				high := (x - (math.Sqrt2+g)*state[0] - state[1]) / (1 + math.Sqrt2*g + g*g)
				band := g*high + state[0]
				low := g*band + state[1]
				state = [2]float64{g*high + band, g*band + low}
				pan := (p.pan.at(f) + 1) * math.Pi / 4
				for side, law := range [2]float64{math.Cos(pan), math.Sin(pan)} {
					worst = max(worst, math.Abs(float64(got[side])-low*p.gain.at(f)*law)/p.gain.at(f))
				}
			}
		}
		t.Logf("seed %d: at most %.1e of its gain away", seed, worst)
		if worst > 6e-4 {
			t.Errorf("seed %d: %.2e away from the model", seed, worst)
		}
	}
}

// walls returns a mixer with a reverb bus on its own output, and noise that sends to it.
func walls(t testing.TB, e *space.Emitter) (*mixer.Mixer, mixer.Handle) {
	m := newMixer(t, mixer.Config{
		Rate: 48000, NoLimiter: true, Outputs: []mixer.Output{{Name: "main", Channel: 1}, {Name: "wet", Channel: 3}},
		Buses: []mixer.BusConfig{{Name: "hall", Output: "wet"}, {Name: "sfx"}},
	})
	h := play(t, m.Engine().At(0), rain(t, 48000, 5000), mixer.Options{Emitter: e, Loop: true, Bus: busOf(t, m, "sfx"), EngineOptions: mixer.EngineOptions{Sends: []mixer.Send{{To: "hall", Gain: -6}}}})
	return m, h
}

// power returns the mean power of one of two channel pairs, from a frame on.
func power(out []pcm.Frame, pair, from int) (sum float64) {
	for i := 2*from + pair; i < len(out); i += 2 {
		sum += float64(out[i][0]*out[i][0] + out[i][1]*out[i][1])
	}
	return sum / float64(len(out)/2-from)
}

// TestObstructionLeavesSends checks that an obstruction does not change the sends, to the bit, and an
// occlusion does. A voice with sends must sound on its bus like a voice without.
func TestObstructionLeavesSends(t *testing.T) {
	in := func(occlusion, obstruction float64) *space.Emitter {
		return &space.Emitter{Spot: space.Spot{Position: space.Vector{0, 0, -2}, Occlusion: occlusion, Obstruction: obstruction}}
	}
	render := func(e *space.Emitter) []pcm.Frame {
		m, _ := walls(t, e)
		return inBlocks(m, 2*9600, 2*480)
	}
	free, pillar, wall := render(in(0, 0)), render(in(0, 1)), render(in(1, 0))
	for i := 1; i < len(free); i += 2 {
		if free[i] != pillar[i] {
			t.Fatalf("frame %d of the hall is %v behind a pillar, want %v", i/2, pillar[i], free[i])
		}
	}
	for i := range wall[:len(wall)/2] { // as half of it
		if a, b := float64(wall[2*i][0])*pcm.Decibels(-6).Linear(), float64(wall[2*i+1][0]); math.Abs(a-b) > 1e-6 {
			t.Fatalf("frame %d behind a wall is %v, and %v in the hall", i, wall[2*i][0], wall[2*i+1][0])
		}
	}
	m := newMixer(t, mixer.Config{Rate: 48000, NoLimiter: true})
	play(t, m.Engine().At(0), rain(t, 48000, 5000), mixer.Options{Emitter: in(0, 1), Loop: true})
	alone := inBlocks(m, 9600, 480)
	for i, x := range alone {
		if math.Abs(float64(x[0]-pillar[2*i][0])) > 1e-6 {
			t.Fatalf("behind a pillar frame %d is %v, and with a send %v", i, x[0], pillar[2*i][0])
		}
	}
	db := func(a, b float64) float64 { return 10 * math.Log10(a/b) }
	// White noise through two poles: 1.11 times the cutoff remains, of half of the rate.
	if got, want := db(power(wall, 0, 2000), power(free, 0, 2000)), -24+10*math.Log10(1.11*800/24000); math.Abs(got-want) > 1 {
		t.Errorf("behind a wall it is %.1f dB softer, want %.1f", got, want)
	}
	if got, want := db(power(pillar, 0, 2000), power(free, 0, 2000)), -12+10*math.Log10(1.11*2000/24000); math.Abs(got-want) > 1 {
		t.Errorf("behind a pillar it is %.1f dB softer, want %.1f", got, want)
	}
}

// TestSendDistance checks that sends have their own attenuation, even if the voice itself is inaudible.
func TestSendDistance(t *testing.T) {
	e := &space.Emitter{
		Spot:            space.Spot{Position: space.Vector{0, 0, -2}},
		Attenuation:     space.Attenuation{Curve: space.Linear, Min: 1, Max: 11},
		SendAttenuation: space.Attenuation{Curve: space.Linear, Min: 1, Max: 21},
	}
	m, h := walls(t, e)
	full := power(inBlocks(m, 2*5000, 2*480), 0, 0)
	for _, c := range []struct{ distance, main, wet float64 }{{2, 0.9, 0.95}, {6, 0.5, 0.75}, {11, 0, 0.5}, {16, 0, 0.25}, {21, 0, 0}} {
		must(t, m.SetPositions([]mixer.Handle{h}, []space.Spot{{Position: space.Vector{0, 0, -c.distance}}}))
		inBlocks(m, 2*5000, 2*480)
		out := inBlocks(m, 2*5000, 2*480)
		main, wet := math.Sqrt(power(out, 0, 0)/full)*0.9, math.Sqrt(power(out, 1, 0)/full)*0.9/pcm.Decibels(-6).Linear()
		if math.Abs(main-c.main) > 0.002 || math.Abs(wet-c.wet) > 0.002 {
			t.Errorf("%v away: %.3f and %.3f in the hall, want %v and %v", c.distance, main, wet, c.main, c.wet)
		}
	}
}

// TestMuffledBlocks moves walls around voices with sends, pauses, seeks and too few slots. The bits must
// be equal in blocks of any length, and with stems.
func TestMuffledBlocks(t *testing.T) {
	const frames = 12000
	render := func(wind *sounds.Sound, seed uint64, block int, stems bool) []pcm.Frame {
		r := rand.New(rand.NewPCG(seed, 5))
		m := newMixer(t, mixer.Config{
			Rate: 8000, Voices: 4, Virtual: 4, NoLimiter: true, Stems: stems,
			Buses: []mixer.BusConfig{{Name: "hall"}, {Name: "sfx"}},
		})
		var voices []mixer.Handle
		for i := range 9 {
			e := &space.Emitter{Spot: muffled(r), Air: float64(r.IntN(3)), Attenuation: space.Attenuation{Min: 10}}
			if r.IntN(2) == 0 {
				e.SendAttenuation = space.Attenuation{Min: 5, Rolloff: 0.3}
			}
			o := mixer.Options{EngineOptions: mixer.EngineOptions{Tag: mixer.Tag(1 + i%3)}, Bus: busOf(t, m, "sfx"), Emitter: e}
			if i%3 > 0 {
				o.Sends = []mixer.Send{{To: "hall", Gain: -3}}
			}
			voices = append(voices, play(t, m.Engine().At(int64(r.IntN(3000))), wind, o))
		}
		for range 40 {
			at := m.Engine().At(int64(r.IntN(frames)))
			target := []mixer.Target{mixer.TargetTag(mixer.Tag(1 + r.IntN(3))), mixer.TargetVoice(voices[r.IntN(9)])}[r.IntN(2)]
			switch r.IntN(6) {
			case 0:
				must(t, at.Pause(target))
			case 1:
				must(t, at.Resume(target))
			case 2:
				must(t, at.Seek(target, ms))
			case 3:
				must(t, at.Stop(mixer.TargetVoice(voices[r.IntN(9)]), 0))
			default:
				must(t, at.SetPosition(target, muffled(r)))
			}
		}
		return inBlocks(m, frames, block)
	}
	for seed := range uint64(longtest.Amount(5, 8)) {
		wind := sound(t, noise(rand.New(rand.NewPCG(seed, 6)), 8000, 1, frames))
		want := render(wind, seed, frames, false)
		if slices.Max(func() (all []float32) {
			for _, f := range want {
				all = append(all, f[0])
			}
			return all
		}()) == 0 {
			t.Fatal("nothing is heard")
		}
		for _, block := range []int{1, 33, 160, 777} {
			if i := differ(render(wind, seed, block, block == 160), want); i >= 0 {
				t.Fatalf("seed %d, blocks of %d: other bits at frame %d", seed, block, i)
			}
		}
	}
}

// TestMuffledLater occludes a voice after its start, or before it begins, in every way.
func TestMuffledLater(t *testing.T) {
	wall := space.Spot{Position: space.Vector{0, 0, -1}, Occlusion: 1}
	for name, tell := range map[string]func(m *mixer.Mixer, h mixer.Handle) error{
		"now": func(m *mixer.Mixer, h mixer.Handle) error {
			return m.SetPositions([]mixer.Handle{h}, []space.Spot{wall})
		},
		"at a frame": func(m *mixer.Mixer, h mixer.Handle) error {
			return m.Engine().At(50).SetPosition(mixer.TargetVoice(h), wall)
		},
		"by its tag": func(m *mixer.Mixer, h mixer.Handle) error {
			return m.Engine().At(150).SetPosition(mixer.TargetTag(7), wall)
		},
		"when it has begun": func(m *mixer.Mixer, h mixer.Handle) error {
			return m.Engine().At(1000).SetPosition(mixer.TargetTag(7), wall)
		},
		"before it was made": nil,
	} {
		m := newMixer(t, mixer.Config{Rate: 48000, NoLimiter: true})
		start := func() mixer.Handle {
			return play(t, m.Engine().At(100), rain(t, 48000, 5000), mixer.Options{Loop: true, EngineOptions: mixer.EngineOptions{Tag: 7}, Emitter: at(0, 0, -1)})
		}
		if tell == nil {
			must(t, m.Engine().At(150).SetPosition(mixer.TargetTag(7), wall))
			start()
		} else {
			must(t, tell(m, start()))
		}
		out := inBlocks(m, 9600, 480)
		var sum float64
		for _, f := range out[4800:] {
			sum += float64(f[0]*f[0]+f[1]*f[1]) / 4800
		}
		if got, want := 10*math.Log10(sum*12), -24+10*math.Log10(1.11*800/24000); math.Abs(got-want) > 1 {
			t.Errorf("%s: %.1f dB, want %.1f", name, got, want)
		}
	}
}

// TestMuffledIsStolenFirst checks that the gain of a wall counts in the audibility, with sends and
// without. A voice that became virtual behind a wall must be restored when the wall is removed.
func TestMuffledIsStolenFirst(t *testing.T) {
	for _, spot := range []space.Spot{{Occlusion: 1}, {Obstruction: 1}, {Occlusion: 1, Obstruction: 1}} {
		for _, sends := range [][]mixer.Send{nil, {{To: "hall"}}} {
			// Filters count too, see TestWallsHide. Here only the gain matters.
			m := newMixer(t, mixer.Config{Rate: 1000, Voices: 2, Virtual: 2, IgnoreFilters: true, Buses: []mixer.BusConfig{{Name: "hall"}}})
			s := steady(t, 0.25)
			walled := play(t, m.Engine().At(0), s, mixer.Options{Emitter: &space.Emitter{Spot: spot}, EngineOptions: mixer.EngineOptions{Sends: sends}})
			free := play(t, m.Engine().At(0), s, mixer.Options{Gain: -10, Emitter: &space.Emitter{}})
			left(m, 20)
			want := free.Audibility() + 10 - pcm.Decibels(24*spot.Occlusion+12*spot.Obstruction)
			if got := walled.Audibility(); math.Abs(float64(got-want)) > 0.01 {
				t.Errorf("%+v: the audibility is %v dB, want %v", spot, got, want)
			}
			play(t, m.Engine().At(30), s, mixer.Options{})
			left(m, 20)
			if walled.State() != mixer.StateVirtual || free.State() != mixer.StatePlaying {
				t.Errorf("%+v: the one behind the wall is %v, the other %v", spot, walled.State(), free.State())
			}
			must(t, m.SetPositions([]mixer.Handle{walled}, []space.Spot{{}}))
			left(m, 60)
			if walled.State() != mixer.StatePlaying || free.State() != mixer.StateVirtual {
				t.Errorf("%+v gone: the one behind the wall is %v, the other %v", spot, walled.State(), free.State())
			}
		}
	}
}

// TestMuffledIsHeard checks that scores include the low-pass of a place like the low-pass of a voice, and
// that filters of the direct path do not affect the sends.
func TestMuffledIsHeard(t *testing.T) {
	level := func(o mixer.Options) float64 {
		m := newMixer(t, mixer.Config{Voices: 2, Buses: []mixer.BusConfig{{Name: "hall"}}})
		play(t, m.Engine().At(0), rainy(t), mixer.Options{Filters: mixer.Filters{LowPass: 5000}, Gain: -60}) // enables filters in scores
		h := play(t, m.Engine().At(0), rainy(t), o)
		m.Render(make([]pcm.Frame, 1000))
		return float64(h.Audibility())
	}
	sends, in := []mixer.Send{{To: "hall"}}, func(occlusion, obstruction float64) *space.Emitter {
		return &space.Emitter{Spot: space.Spot{Occlusion: occlusion, Obstruction: obstruction}}
	}
	for name, c := range map[string][2]mixer.Options{
		"a wall":           {{Emitter: in(1, 0)}, {Gain: -24, Filters: mixer.Filters{LowPass: 800}}},
		"a wall, and less": {{Emitter: in(0.5, 0), Filters: mixer.Filters{LowPass: 1000}}, {Gain: -12, Filters: mixer.Filters{LowPass: 1000}}},
		"a pillar":         {{Emitter: in(0, 1)}, {Gain: -12, Filters: mixer.Filters{LowPass: 2000}}},
		"both":             {{Emitter: in(1, 1)}, {Gain: -36, Filters: mixer.Filters{LowPass: 800}}},
		"a wall, sent":     {{Emitter: in(1, 0), EngineOptions: mixer.EngineOptions{Sends: sends}}, {Gain: -24, Filters: mixer.Filters{LowPass: 800}, EngineOptions: mixer.EngineOptions{Sends: sends}}},
	} {
		if got, want := level(c[0]), level(c[1]); math.Abs(got-want) > 0.01 {
			t.Errorf("%s: %.2f dB, want %.2f", name, got, want)
		}
	}
	free, pillar := level(mixer.Options{}), level(mixer.Options{Emitter: in(0, 1), EngineOptions: mixer.EngineOptions{Sends: sends}})
	if pillar < free || pillar > free+0.3 { // the reverb gets all of it, and a little passes the pillar
		t.Errorf("behind a pillar it is %.2f dB with its send, and %.2f in the open without", pillar, free)
	}
	far := &space.Emitter{
		Spot:        space.Spot{Position: space.Vector{0, 0, -50}},
		Attenuation: space.Attenuation{Curve: space.Linear, Min: 1, Max: 20}, SendAttenuation: space.Attenuation{Curve: space.Constant},
	}
	if hall := level(mixer.Options{Emitter: far, EngineOptions: mixer.EngineOptions{Sends: sends}}); math.Abs(hall-free) > 0.1 {
		t.Errorf("of what is heard in the hall alone the audibility is %.2f dB, want %.2f", hall, free)
	}
}

// TestMuffledRenderDoesNotAllocate moves walls around voices with sends.
func TestMuffledRenderDoesNotAllocate(t *testing.T) {
	m, h := walls(t, &space.Emitter{Spot: space.Spot{Position: space.Vector{0, 0, -1}}, SendAttenuation: space.Attenuation{Rolloff: 0.5}})
	block, n := make([]pcm.Frame, 2*960), 0
	spots := []space.Spot{{}}
	step := func() {
		n++
		spots[0] = space.Spot{Position: space.Vector{0, 0, -float64(1 + n%9)}, Occlusion: float64(n%3) / 2, Obstruction: float64(n % 2)}
		if m.SetPositions([]mixer.Handle{h}, spots) != nil {
			t.Fatal("it fails")
		}
		m.Render(block)
	}
	step()
	if got := testing.AllocsPerRun(200, step); got != 0 {
		t.Errorf("%v allocations", got)
	}
}

// TestSmallTurns checks that inaudibly small changes of a place do not move its cutoff, and that many of
// them do.
func TestSmallTurns(t *testing.T) {
	render := func(step float64, steps int) []pcm.Frame {
		e := &space.Emitter{Spot: space.Spot{Position: space.Vector{0, 0, -100}}, Air: 1, Attenuation: space.Attenuation{Curve: space.Constant}}
		m := newMixer(t, mixer.Config{Rate: 48000, NoLimiter: true})
		h := play(t, m.Engine().At(0), rain(t, 48000, 5000), mixer.Options{Emitter: e, Loop: true})
		m.Render(make([]pcm.Frame, 960))
		for range steps {
			e.Spot.Position[2] -= step
			must(t, m.SetPositions([]mixer.Handle{h}, []space.Spot{e.Spot}))
			m.Render(make([]pcm.Frame, 960))
		}
		return inBlocks(m, 9600, 480)
	}
	still := render(0, 200)
	if i := differ(render(0.005, 200), still); i >= 0 {
		t.Errorf("a metre in 200 steps moves the cutoff: frame %d", i)
	}
	if db := 10 * math.Log10(power(still, 0, 0)/power(render(0.5, 200), 0, 0)); math.Abs(db-1.8) > 0.2 {
		t.Errorf("100 m in 200 steps take %.2f dB, want 1.80", db) // by the ratio of the cutoffs, 4,026 and 2,659 Hz
	}
}
