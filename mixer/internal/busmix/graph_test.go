package busmix

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"voicepool/effect"
	"voicepool/internal/move"
	"voicepool/internal/passfilter"
	"voicepool/internal/property"
	"voicepool/internal/spectrum"
	"voicepool/mixer/internal/bustree"
	"voicepool/mixer/internal/master"
	"voicepool/pcm"
	"voicepool/sounds"
)

// The rate of the tests, and the lengths that follow from it: 20 ms, 5 ms and 10 ms.
const (
	rate   = 8000
	hop    = 160
	smooth = 40
	tail   = 80
)

// node is a bus of a test.
type node struct {
	name, parent string
	sends        []string
	pre          bool   // of the sends
	key          string // of the last effect
	BusConfig
}

// newGraph returns a graph of buses. The first is the master.
func newGraph(t *testing.T, c Config, buses ...node) *Graph {
	t.Helper()
	names := make([]bustree.Bus, len(buses))
	for i, b := range buses {
		names[i] = bustree.Bus{Name: b.name, Parent: b.parent, Sends: b.sends, Keys: make([]bustree.Key, len(b.Effects))}
		if b.key != "" {
			names[i].Keys[len(b.Effects)-1].Bus = b.key
		}
	}
	outputs := make([]string, len(c.Pairs))
	for i := range outputs {
		outputs[i] = []string{"main", "second"}[i]
	}
	tree, err := bustree.New(names, outputs)
	if err != nil {
		t.Fatal(err)
	}
	c.Rate, c.Hop, c.Smooth, c.Tail = rate, hop, smooth, tail
	for i, b := range buses {
		for _, to := range tree.Nodes[i].Sends {
			b.Sends = append(b.Sends, Send{Bus: to, Gain: move.Constant(-6), Pre: b.pre})
		}
		c.Buses = append(c.Buses, b.BusConfig)
	}
	if c.Stems != nil {
		c.Stems = NewStems(tree, hop, tail)
	}
	g := New(tree, &c)
	g.Refresh(0)
	g.FadeSolos(make([]bool, len(buses)), 0, 0)
	return g
}

func newEffect(t *testing.T, kind string, values effect.Values) effect.Effect {
	t.Helper()
	e, err := effect.New(kind, values)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// insertFunc is an Insert.
type insertFunc func(block []pcm.Frame)

func (f insertFunc) Process(block []pcm.Frame) { f(block) }

// smoother returns an insert with a state, so that it depends on all earlier frames.
func smoother() Insert {
	var state pcm.Frame
	return insertFunc(func(block []pcm.Frame) {
		for i := range block {
			for c := range state {
				state[c] += float32((block[i][c] - state[c]) * 0.25)
				block[i][c] = state[c]
			}
		}
	})
}

// render mixes frames with the sound of each bus. Blocks have the lengths of next, but end at hops and before commands,
// which are called at their frames.
func render(g *Graph, frames int64, next func() int64, sound func(bus int, frame int64) pcm.Frame, commands map[int64]func()) (out []pcm.Frame, faults []uint16) {
	out = make([]pcm.Frame, frames*int64(g.Pairs()))
	for now := int64(0); now < frames; {
		if command := commands[now]; command != nil {
			command()
			g.Refresh(now)
		}
		n := min(next(), hop-now%hop, frames-now)
		for k := int64(1); k < n; k++ {
			if commands[now+k] != nil {
				n = k
			}
		}
		dst := out[now*int64(g.Pairs()):][:n*int64(g.Pairs())]
		g.Begin(dst, now)
		for bus := range g.Buses {
			for i := range n {
				if x := sound(bus, now+i); x != (pcm.Frame{}) {
					f := &g.Buses[bus].Block(n)[i]
					f[0], f[1] = f[0]+x[0], f[1]+x[1]
				}
			}
		}
		g.Mix(dst, now, n)
		faults = append(faults, g.Faults...)
		now += n
	}
	return out, faults
}

// noise is a sound that is silent now and then, and different on each bus.
func noise(bus int, frame int64) pcm.Frame {
	if (frame/700+int64(bus))%3 == 0 {
		return pcm.Frame{}
	}
	x := uint32(frame*31+int64(bus)*977) * 2654435761
	return pcm.Frame{float32(x>>16)/65536 - 0.5, float32(x&0xffff)/65536 - 0.5}
}

// TestBlocks checks that blocks of any length give the same bits, while properties, ducks, sends, effects and inserts
// of buses change.
func TestBlocks(t *testing.T) {
	build := func() (*Graph, map[int64]func()) {
		delay := newEffect(t, "delay", effect.Values{"time": 0.05, "feedback": 0.5})
		compressor := newEffect(t, "compressor", nil)
		g := newGraph(t, Config{Pairs: []int{0, 1}, DCGuard: true},
			node{name: "master", BusConfig: BusConfig{Gain: -3, LowPass: 3000}},
			node{name: "a", sends: []string{"hall"}, BusConfig: BusConfig{Pan: 0.3, Insert: smoother()}},
			node{name: "b", parent: "a", sends: []string{"hall"}, pre: true, BusConfig: BusConfig{Effects: []effect.Effect{delay}, HighPass: 200}},
			node{name: "hall", key: "a", BusConfig: BusConfig{Effects: []effect.Effect{delay, compressor}, Duck: &DuckRules{Trigger: 1, By: 9, Attack: 50, Hold: 33, Release: 77}}},
			node{name: "c", parent: "second"}, node{name: "second", BusConfig: BusConfig{Gain: -1}},
		)
		silent := []bool{false, false, false, false, false, false}
		chain := func(keys []int, effects ...effect.Effect) *Chain { return NewChain(effects, keys, g.order, rate, hop) }
		tailed := func(bus int, frame int64) {
			g.Buses[bus].AddTail([]pcm.Frame{{0.5, 0.5}, {0.4, 0.1}, {0.2, 0.3}}, frame)
		}
		return g, map[int64]func(){
			100: func() { g.Set(1, []Set{{property.Gain, -9}, {property.Pan, -1}}, 100, 333, sounds.Natural) },
			150: func() { g.Set(2, []Set{{property.Mute, 1}}, 150, 50, sounds.Natural); tailed(2, 161) },
			301: func() { g.Set(2, []Set{{property.Mute, 0}, {property.LowPass, 1500}}, 301, 250, sounds.Natural) },
			407: func() { g.SetInsert(1, NewInsert(smoother(), hop), 407); g.SetSend(2, 3, -20, 407, 90) },
			420: func() { g.SetInsert(1, NewInsert(nil, hop), 420) },
			500: func() {
				g.Set(4, []Set{{property.Solo, 1}}, 500, 0, sounds.Natural)
				g.Refresh(500)
				g.FadeSolos(silent, 500, 60)
			},
			811: func() {
				g.Set(4, []Set{{property.Solo, 0}}, 811, 0, sounds.Natural)
				g.Refresh(811)
				g.FadeSolos(silent, 811, 60)
			},
			900: func() { g.Buses[3].Duck.Update(true, 900); tailed(4, 930) },
			999: func() { g.Buses[3].Duck.Update(false, 999) },
			1400: func() {
				g.Buses[3].Duck.Update(true, 1400)
				g.SetEffect(2, "delay", delay.Kind(), []EffectValue{{Index: delay.Kind().Find("feedback"), Value: 0.8}}, 1400, 100)
			},
			1500: func() { g.Buses[3].Duck.Change(nil, 1500) },
			1600: func() { g.SetEffects(3, chain([]int{2, -1}, compressor, delay), 1600) },
			1603: func() { g.SetEffects(3, chain(nil), 1603) }, // never heard
			1607: func() { g.SetEffects(3, chain([]int{-1}, compressor), 1607) },
			1630: func() { g.SetEffects(2, chain(nil), 1630) },
			2222: func() { g.SetEffects(2, chain([]int{-1}, delay), 2222) },
		}
	}
	g, commands := build()
	want, _ := render(g, 3000, func() int64 { return hop }, noise, commands)
	for seed := range uint64(5) {
		r := rand.New(rand.NewPCG(seed, 0))
		g, commands := build()
		got, _ := render(g, 3000, func() int64 { return 1 + r.Int64N(hop) }, noise, commands)
		if i := slices.IndexFunc(got, func(x pcm.Frame) bool { return x != x }); i >= 0 {
			t.Fatalf("frame %d is not a number", i)
		}
		for i := range got {
			if got[i] != want[i] {
				t.Fatalf("seed %d: frame %d is %v, in blocks of a hop %v", seed, i, got[i], want[i])
			}
		}
	}
}

// TestOutputs checks that buses reach the pair of their output, and that unused pairs are silent.
func TestOutputs(t *testing.T) {
	buses := []node{{name: "master"}, {name: "a"}, {name: "b", parent: "second"}, {name: "second"}}
	sound := func(bus int, frame int64) (x pcm.Frame) {
		if bus == 1 || bus == 2 {
			x[0] = float32(bus) / 4
		}
		return x
	}
	g := newGraph(t, Config{Pairs: []int{2, 0}, NoLimiter: true}, buses...)
	if g.Outputs() != 2 || g.Pairs() != 3 || g.Latency() != 0 {
		t.Errorf("%d outputs on %d pairs after %d frames", g.Outputs(), g.Pairs(), g.Latency())
	}
	out, _ := render(g, 10, func() int64 { return 4 }, sound, nil)
	for i := range 10 {
		if got, want := [3]pcm.Frame(out[3*i:]), [3]pcm.Frame{{0.5}, {}, {0.25}}; got != want {
			t.Fatalf("frame %d is %v, want %v", i, got, want)
		}
	}
	dst := slices.Repeat([]pcm.Frame{{1, 1}}, 8)
	if got := g.CompleteFrames(dst); len(got) != 6 || dst[6] != (pcm.Frame{}) || dst[5] != (pcm.Frame{1, 1}) {
		t.Errorf("%d frames are complete of %v", len(got), dst)
	}
	g = newGraph(t, Config{Pairs: []int{2, 0}, NoLimiter: true, Fold: true}, buses...)
	out, _ = render(g, 10, func() int64 { return 4 }, sound, nil)
	if g.Outputs() != 1 || out[3] != (pcm.Frame{0.75}) {
		t.Errorf("%d outputs give %v, want the sum on one", g.Outputs(), out[3])
	}
}

// TestInsertFault checks that an insert that panics or leaves NaN is removed, its block is kept, and its bus is named.
func TestInsertFault(t *testing.T) {
	for name, process := range map[string]insertFunc{
		"panic": func(block []pcm.Frame) { block[0] = pcm.Frame{9, 9}; panic("a fault") },
		"NaN":   func(block []pcm.Frame) { block[0][0] = float32(math.NaN()) },
	} {
		g := newGraph(t, Config{NoLimiter: true}, node{name: "master"}, node{name: "a", BusConfig: BusConfig{Insert: process}})
		out, faults := render(g, 40, func() int64 { return 8 }, func(bus int, frame int64) pcm.Frame { return pcm.Frame{0.25, 0.25} }, nil)
		if !slices.Equal(faults, []uint16{1}) || g.Buses[1].insert != nil {
			t.Errorf("%s: the faults are %v, the insert %v", name, faults, g.Buses[1].insert)
		}
		for i, x := range out {
			if x != (pcm.Frame{0.5, 0.5}) {
				t.Fatalf("%s: frame %d is %v", name, i, x)
			}
		}
	}
}

// TestDuck follows the gain of a duck from trigger to release.
func TestDuck(t *testing.T) {
	g := newGraph(t, Config{NoLimiter: true},
		node{name: "master"}, node{name: "speech"}, node{name: "music", BusConfig: BusConfig{Duck: &DuckRules{Trigger: 1, By: 20, Attack: 10, Hold: 30, Release: 20}}},
	)
	d := &g.Buses[2].Duck
	out, _ := render(g, 300, func() int64 { return hop }, func(bus int, frame int64) pcm.Frame { return pcm.Frame{float32(bus / 2), 0} }, map[int64]func(){
		20:  func() { d.Update(true, 20) },
		60:  func() { d.Update(false, 60) },
		80:  func() { d.Update(true, 80) },
		100: func() { d.Update(false, 100); d.Update(false, 100) },
		200: func() {
			if d.Update(true, 200); !d.Lowers() {
				t.Error("a triggered duck does not wait for its release")
			}
			d.HoldFrom(205)
		},
		260: func() { d.Update(true, 260) },
		265: func() { d.Change(nil, 265) },
	})
	for frame, want := range map[int]float64{19: 1, 30: 0.1, 129: 0.1, 150: 1, 199: 1, 210: 0.1, 234: 0.1, 255: 1, 299: 1} {
		if got := float64(out[frame][0]); math.Abs(got-want) > 1e-3 {
			t.Errorf("frame %d is %v, want %v", frame, got, want)
		}
	}
	if d.Rules() != nil || d.Lowers() {
		t.Errorf("the duck that was turned off is %+v", d)
	}
}

// TestTails checks how long tails may last: along parents and sends, behind closed gains, and for voices from before a
// gain was closed.
func TestTails(t *testing.T) {
	echo := newEffect(t, "delay", effect.Values{"time": 0.05, "feedback": 0.5})
	length := echo.NewProcessor(rate, hop).Tail()
	g := newGraph(t, Config{NoLimiter: true},
		node{name: "master"}, node{name: "hall", BusConfig: BusConfig{Effects: []effect.Effect{echo}}},
		node{name: "a", parent: "hall", BusConfig: BusConfig{Effects: []effect.Effect{echo}}}, node{name: "b", sends: []string{"hall"}}, node{name: "dry"},
	)
	want := func(bus int, frame, tail int64) {
		t.Helper()
		if tail > 0 {
			tail += frame
		}
		if got := g.TailUntil(bus, frame); got != tail {
			t.Errorf("the tail of %q at %d lasts until %d, want %d", g.tree.Nodes[bus].Name, frame, got, tail)
		}
	}
	for bus, lengths := range []int64{0, length, 2 * length, length, 0} {
		want(bus, 10, lengths)
	}
	g.AddPlaying(2, 1)
	if got, end := g.Set(2, []Set{{property.Gain, float64(pcm.Silence)}}, 100, 50, sounds.Natural), 150+2*length; got != end {
		t.Errorf("closing the gain of a bus with a voice gives a tail until %d, want %d", got, end)
	}
	want(2, 100, 2*length) // still open
	want(2, 150, length)
	if got := g.VoiceTail(2, nil, 50, 200); got != 150+2*length {
		t.Errorf("a voice from before the gain was closed has a tail until %d, want %d", got, 150+2*length)
	}
	if got := g.VoiceTail(2, nil, 160, 200); got != 200+length {
		t.Errorf("a voice behind a closed gain has a tail until %d, want %d", got, 200+length)
	}
	if got := g.VoiceTail(4, []Send{{Bus: 1}}, 160, 200); got != 200+length {
		t.Errorf("a voice with a send has a tail until %d, want %d", got, 200+length)
	}
	if got := g.VoiceTail(4, []Send{{Bus: 1, Gain: move.Constant(float64(pcm.Silence))}}, 160, 200); got != 0 {
		t.Errorf("a voice with a closed send has a tail until %d", got)
	}
	if got := g.SetSend(3, 1, pcm.Silence, 300, 0); got != 0 {
		t.Errorf("closing the send of a bus without voices gives a tail until %d", got)
	}
	want(3, 300, 0)
}

// TestLimits checks the counts of voices on a bus and below it, and the sums of pitches.
func TestLimits(t *testing.T) {
	g := newGraph(t, Config{}, node{name: "master", BusConfig: BusConfig{Voices: 3}}, node{name: "a", BusConfig: BusConfig{Voices: 2, Pitch: 3}}, node{name: "b", parent: "a", BusConfig: BusConfig{Pitch: -1}})
	g.AddPlaying(2, 1)
	if g.FullBus(2) != -1 || !g.HasVoices(1) {
		t.Errorf("with a voice on b, bus %d is full", g.FullBus(2))
	}
	g.AddPlaying(1, 1)
	if g.FullBus(2) != 1 || g.FullBus(0) != -1 {
		t.Errorf("with 2 voices on a, the full buses are %d and %d", g.FullBus(2), g.FullBus(0))
	}
	g.AddPlaying(0, 1)
	g.AddPlaying(2, -1)
	g.AddPlaying(0, 1)
	if g.FullBus(2) != 0 {
		t.Errorf("with 3 voices, bus %d is full", g.FullBus(2))
	}
	g.Set(1, []Set{{property.Pitch, 0}}, 100, 50, sounds.Natural)
	if p := g.PitchOf(2, 100); p.From != 2 || p.To != -1 || p.Start != 100 || p.Frames != 50 || !g.HasPitch(1) || g.HasPitch(0) {
		t.Errorf("the pitch of b is %+v", p)
	}
}

// TestStems checks that stems add up to the mix, with tails, solos and gains.
func TestStems(t *testing.T) {
	g := newGraph(t, Config{NoLimiter: true, Stems: &Stems{}}, node{name: "master", BusConfig: BusConfig{Gain: -6}}, node{name: "a", BusConfig: BusConfig{Pan: 0.5}}, node{name: "b", parent: "a"})
	one, two := g.stems.Add(StemName{Name: "one"}, 2), g.stems.Add(StemName{Name: "two"}, 1)
	if g.stems.Add(StemName{Name: "one"}, 1) != one || g.stems.First() != two || two.Next() != one || one.Next() != nil {
		t.Error("the stems are not those that were added")
	}
	voices := []struct {
		stem *Stem
		bus  int
	}{{one, 2}, {two, 1}, {one, 1}}
	part := make([]pcm.Frame, hop)
	for block := range int64(6) {
		now, dst := block*hop, make([]pcm.Frame, hop)
		if block == 2 {
			g.Set(2, []Set{{property.Solo, 1}}, now, 0, sounds.Natural)
			g.Refresh(now)
			g.FadeSolos([]bool{true, true, true}, now, 70)
		}
		g.Begin(dst, now)
		for _, v := range voices {
			d := g.BeginVoice(v.bus)
			for i := range g.Buses[v.bus].Block(hop) {
				x := noise(v.bus, now+int64(i))
				g.Buses[v.bus].Block(hop)[i] = x
			}
			g.AddVoice(v.bus, d, v.stem, hop)
		}
		g.Buses[1].AddTail([]pcm.Frame{{0.5, 0.5}}, now+3)
		two.AddTail(1, []pcm.Frame{{0.5, 0.5}}, now+3)
		g.Mix(dst, now, hop)
		for s := g.stems.First(); s != nil; s = s.Next() {
			s.CopyTo(part, now+hop)
			for i := range dst {
				dst[i][0], dst[i][1] = dst[i][0]-part[i][0], dst[i][1]-part[i][1]
			}
		}
		for i, x := range dst {
			if math.Abs(float64(x[0])) > 1e-6 || math.Abs(float64(x[1])) > 1e-6 {
				t.Fatalf("frame %d of the mix and its stems differ by %v", now+int64(i), x)
			}
		}
	}
}

// TestSentDuringSolo checks that the solo of another bus silences the voices of a bus, but not the sends to it.
func TestSentDuringSolo(t *testing.T) {
	g := newGraph(t, Config{NoLimiter: true}, node{name: "master"}, node{name: "a"}, node{name: "hall"})
	b := NewSendBuffers(3, rate, hop)
	send := Send{Bus: 2, Gain: move.Constant(0)}
	b.Prepare([]Send{send})
	g.Set(1, []Set{{property.Solo, 1}}, 0, 0, sounds.Natural)
	g.Refresh(0)
	g.FadeSolos([]bool{false, true, true}, 0, 100)
	for _, from := range []int64{0, 60, 120} {
		dst := make([]pcm.Frame, 60)
		n := g.Begin(dst, from)
		for i := range n {
			g.Buses[2].Block(n)[i] = pcm.Frame{0.25, 0}
		}
		if _, steady := g.SteadyShare(VoiceSend{Send: &send, Home: 1}, from); steady {
			t.Error("a send is steady while its bus is silenced")
		}
		g.AddSent(VoiceSend{Send: &send, Home: 1}, b, slices.Repeat([]pcm.Frame{{0, 0.5}}, 60), from, n)
		g.Mix(dst, from, n)
		for i, x := range dst {
			if own := max(0, 1-float64(from+int64(i))/100) / 4; math.Abs(float64(x[0])-own) > 1e-6 || x[1] != 0.5 {
				t.Fatalf("frame %d is %v, want %v, 0.5", from+int64(i), x, own)
			}
		}
	}
}

// TestDirectPath checks that a direct path changes only the own bus of a voice, and that a tail keeps its filter.
func TestDirectPath(t *testing.T) {
	b := NewSendBuffers(1, rate, hop)
	b.Prepare([]Send{{}})
	src := slices.Repeat([]pcm.Frame{{1, 1}}, 50)
	if got := b.Direct(DirectPath{}, src, 0); &got[0] != &src[0] {
		t.Error("a neutral path copies its signal")
	}
	half := move.Constant(0.5)
	if got := b.Direct(DirectPath{Gain: &half}, src, 0); got[9] != (pcm.Frame{0.5, 0.5}) || src[9] != (pcm.Frame{1, 1}) {
		t.Errorf("the signal becomes %v, from %v", got[9], src[9])
	}
	var screen passfilter.Filter
	screen.StartSpatial(spectrum.Warp(rate), 500)
	path := DirectPath{Screen: &screen}
	first := slices.Clone(b.DirectTail(path, src, 0))
	if second := b.DirectTail(path, src, 0); !slices.Equal(first, second) || first[0] == src[0] {
		t.Errorf("a tail begins with %v, and again with %v", first[0], second[0])
	}
	b.Direct(path, src, 0)
	if third := b.Direct(path, src, 50); third[0] == first[0] {
		t.Error("the state of the filter does not advance")
	}
}

// TestSkip checks which frames need not be mixed, and that skipped frames change nothing.
func TestSkip(t *testing.T) {
	meters := func() []*master.Meter { return []*master.Meter{master.NewMeter(rate), master.NewMeter(rate)} }
	g := newGraph(t, Config{Meters: meters()}, node{name: "master"}, node{name: "a", BusConfig: BusConfig{LowPass: 1000}})
	out, _ := render(g, hop, func() int64 { return hop }, noise, nil)
	if len(out) != hop || g.SkippableFrames(hop, 10*hop) != 0 {
		t.Error("frames can be skipped behind a sound")
	}
	silence := func(int, int64) pcm.Frame { return pcm.Frame{} }
	g = newGraph(t, Config{Meters: meters()}, node{name: "master"}, node{name: "a", BusConfig: BusConfig{LowPass: 1000, Duck: &DuckRules{By: 6, Attack: 9, Hold: 250, Release: 9}}})
	render(g, 40*hop, func() int64 { return hop }, silence, nil)
	for _, test := range [][3]int64{{40 * hop, 3*hop + 5, 3 * hop}, {40*hop + 1, 3 * hop, 0}, {40 * hop, hop - 1, 0}} {
		if got := g.SkippableFrames(test[0], test[1]); got != test[2] {
			t.Errorf("at %d, %d of %d frames can be skipped, want %d", test[0], got, test[1], test[2])
		}
	}
	d := &g.Buses[1].Duck
	if d.Update(true, 40*hop); g.SkippableFrames(40*hop, 9*hop) != 0 {
		t.Error("frames can be skipped while the end of a duck is unknown")
	}
	if d.Update(false, 40*hop); g.SkippableFrames(40*hop, 9*hop) != hop {
		t.Errorf("%d frames can be skipped before a release", g.SkippableFrames(40*hop, 9*hop))
	}
	g.Skip(40*hop, hop)
	if !g.StaysSilent(41 * hop) {
		t.Error("a bus sounds after skipped frames")
	}
	g.Buses[1].AddTail([]pcm.Frame{{1, 1}}, 41*hop)
	if g.StaysSilent(41*hop) || !g.MayHaveOutput(0, false, []bool{false, false}, 41*hop) || g.MayHaveOutput(0, true, []bool{false, false}, 41*hop) {
		t.Error("a tail counts wrong")
	}
}

// TestMixAllocatesNothing checks that the audio side does not allocate.
func TestMixAllocatesNothing(t *testing.T) {
	g := newGraph(t, Config{DCGuard: true}, node{name: "master"},
		node{name: "a", sends: []string{"hall"}, BusConfig: BusConfig{Insert: smoother(), HighPass: 100}},
		node{name: "hall", BusConfig: BusConfig{Effects: []effect.Effect{newEffect(t, "reverb", nil)}}},
	)
	r := NewResponses(3, 1)
	dst, now := make([]pcm.Frame, hop), int64(0)
	if n := testing.AllocsPerRun(100, func() {
		g.Set(1, []Set{{property.Gain, float64(-now % 7)}}, now, 50, sounds.Natural)
		g.Refresh(now)
		g.RefreshResponses(r, now)
		g.Begin(dst, now)
		for i := range g.Buses[1].Block(hop) {
			g.Buses[1].Block(hop)[i] = noise(1, now+int64(i))
		}
		g.Mix(dst, now, hop)
		now += hop
	}); n > 0 {
		t.Errorf("a block allocates %v times", n)
	}
}
