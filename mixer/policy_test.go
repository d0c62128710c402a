package mixer

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"voicepool/internal/loudness"
	"voicepool/internal/panning"
	"voicepool/pcm"
	"voicepool/sounds"
	"voicepool/sounds/library"
	"voicepool/space"
)

// policySound is a sound with its loudness index by definition, in O(n^2).
type policySound struct {
	sound      *sounds.Sound
	once, loop []float64
}

const policyRate = 8000

// definedIndex returns, for each hop, the largest mean of three or more of the next ahead values of k, by definition.
func definedIndex(k []float64, hops, ahead int) []float64 {
	g := make([]float64, hops)
	for i := range g {
		sum := 0.0
		for j := i; j < min(len(k), i+ahead); j++ {
			sum += k[j]
			if n := j + 1 - i; n >= 3 {
				g[i] = max(g[i], sum/float64(n))
			}
		}
		if len(k)-i < 3 {
			g[i] = sum / 3
		}
	}
	return g
}

// policySounds returns eight sounds of noise with their indices by definition.
func policySounds(t testing.TB) (out []policySound) {
	const hop = policyRate / 50
	r := rand.New(rand.NewPCG(31, 7))
	for i := range 8 {
		n, channels := 900+r.IntN(4000), 1+i%2
		c := &library.Clip{Name: "s", Rate: policyRate, Channels: channels, Samples: make([]float32, n*channels)}
		if i%3 == 0 {
			c.Loop = &pcm.Loop{int64(n / 5), int64(n - n/7)}
		}
		for j := range c.Samples {
			decay := math.Exp2(-float64(j) / float64(len(c.Samples)) * float64(i))
			if j*5/len(c.Samples)%2 == 1 && i%2 == 0 {
				decay *= 0.01
			}
			c.Samples[j] = float32((r.Float64()*2 - 1) * decay)
		}
		s, err := library.Prepare(c, library.Options{Rate: policyRate})
		if err != nil {
			t.Fatal(err)
		}
		energy := func(frames int, at func(i int) int) []float64 {
			k := make([]float64, (frames+hop-1)/hop)
			filters := []loudness.Filter{loudness.NewFilter(policyRate), loudness.NewFilter(policyRate)}
			for i := range frames {
				for ch := range channels {
					y := filters[ch].Next(float64(c.Samples[at(i)*channels+ch]))
					k[i/hop] += y * y / float64(hop*channels)
				}
			}
			return k
		}
		region := s.Loop()
		from, to := region[0], region[1]
		once := energy(n, func(i int) int { return i })
		hops := (int(to) + hop - 1) / hop
		loop := energy((hops+100)*hop, func(i int) int {
			if i >= int(to) {
				return int(from) + (i-int(to))%int(to-from)
			}
			return i
		})
		out = append(out, policySound{s, definedIndex(once, len(once), len(once)), definedIndex(loop, hops, 100)})
	}
	return out
}

// defined returns the audibility of a voice by definition at this frame, with the buses as of another
// frame.
func (a *audio) defined(i int, since int64, known map[*sounds.Sound]policySound) float64 {
	s := a.mutable(i)
	left, right := s.voice.PeakGains(a.now, false)
	for b, first := int(s.bus), true; b >= 0; b, first = a.tree.Nodes[b].Parent, false {
		bus := &a.graph.Buses[b]
		if bus.Mute.To == 0 || first && bus.Solo.To == 0 {
			return 0
		}
		l, r := panning.Louder(panning.Stereo, &bus.Pan, since)
		g := math.Pow(10, math.Max(float64(pcm.FromLinear(bus.Gain.Gain(since))), bus.Gain.To)/20)
		left, right = left*l*g, right*r*g
	}
	sound := s.voice.Sound()
	index := 0.01
	if !sound.Streamed() {
		k := known[sound]
		table := k.once
		if s.voice.Looping() {
			table = k.loop
		}
		index = 0
		if hop := int(s.voice.Position() / (policyRate / 50)); hop < len(table) {
			index = table[hop]
		}
	}
	return (left*left + right*right) * index
}

// TestScores moves all inputs of scores at random and compares the packed scores with the definition. On
// the grid all scores are compared. After a command those that it changed are compared. Otherwise scores
// must stay the same until a choice. The victim must be the least at its frame.
func TestScores(t *testing.T) {
	all := policySounds(t)
	known := map[*sounds.Sound]policySound{}
	for _, s := range all {
		known[s.sound] = s
	}
	stream, err := sounds.NewStream(sounds.Stream{Rate: policyRate, Frames: 4000, Open: func(c sounds.PlayRange) (*sounds.StreamBuffer, error) {
		f := sounds.NewStreamBuffer(4096, c)
		f.Write(make([]pcm.Frame, 4000))
		f.End()
		return f, nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	near := func(got, want float64) bool { return math.Abs(got-want) <= 1e-5*want+1e-30 }
	steals, changes, older := 0, 0, 0
	for seed := range uint64(12) {
		r := rand.New(rand.NewPCG(seed, 1))
		m, err := New(Config{Rate: policyRate, Voices: 6, MasterGain: -3, NoLimiter: true, Buses: []BusConfig{{Name: "a", Gain: -2, Pan: 0.3}, {Name: "b", Parent: "a", Pitch: 1}}})
		if err != nil {
			t.Fatal(err)
		}
		var buses [3]Bus
		for i, name := range []string{"master", "a", "b"} {
			buses[i], _ = m.Bus(name)
		}
		var handles []Handle
		check := func(err error) {
			if err != nil {
				t.Fatal(err)
			}
		}
		time := func() time.Duration { return time.Duration(r.IntN(200)) * time.Millisecond }
		a := m.audio.(*audio)
		block := make([]pcm.Frame, 400)
		events := make([]Event, 64)
		since, prio := int64(0), int32(0) // of the buses, of the incoming start
		for range 400 {
			m.Render(block[:1+r.IntN(200)])
			before := a.now
			m.Render(nil) // the grid, if this frame is on it
			m.Events(events)
			if a.now != before {
				t.Fatal("time goes on")
			}
			onGrid := a.now%a.hop == 0
			since = max(since, a.now/a.hop*a.hop)
			type score struct {
				number         uint64
				prio           int32
				stored, really float64
				fresh          float64 // with the present buses
			}
			var living []score
			for i := a.voices.Next(0); i >= 0; i = a.voices.Next(i + 1) {
				s := a.mutable(i)
				x := score{s.number(), a.scores.Prio(i), float64(a.scores.Audibility(i)), a.defined(i, since, known), a.defined(i, a.now, known)}
				if onGrid && !near(x.stored, x.really) {
					t.Fatalf("seed %d, frame %d: voice %d has %v, by definition %v", seed, a.now, s.number(), x.stored, x.really)
				}
				living = append(living, x)
			}
			h := Handle{}
			if len(handles) > 0 {
				h = handles[r.IntN(len(handles))]
			}
			at := m.Engine().At(Now)
			switch r.IntN(9) {
			case 0, 1, 2, 3:
				s := all[r.IntN(len(all))].sound
				if r.IntN(8) == 0 {
					s = stream
				}
				o := Options{
					Gain: pcm.Decibels(-r.Float64() * 30), Pan: r.Float64()*2 - 1, Pitch: pcm.Semitones(r.IntN(13) - 6), Loop: r.IntN(3) == 0,
					Priority: r.IntN(2), EngineOptions: EngineOptions{Protect: r.IntN(9) == 0}, FadeIn: time(), Bus: buses[r.IntN(3)],
				}
				if o.Loop { // otherwise target values would not be all that counts
					o.WhenFull = WhenFullEnd
				}
				if r.IntN(3) == 0 {
					o.Emitter = &space.Emitter{Spot: space.Spot{Position: space.Vector{r.Float64() * 9, 1, 0}}}
				}
				prio = int32(o.Priority)
				h, err := at.Play(s, o)
				check(err)
				handles = append(handles, h)
			case 4:
				at.Set(TargetVoice(h), Change{Fields: FieldGain, Gain: pcm.Decibels(-r.Float64() * 40)}, time()) // the voice may be gone
			case 5:
				at.Set(TargetVoice(h), Change{Fields: FieldPan | FieldPitch, Pan: r.Float64()*2 - 1, Pitch: 3}, time()) // the voice may be gone
			case 6:
				since = a.now
				check(at.Set(TargetBus(buses[r.IntN(3)]), Change{Fields: FieldGain | FieldPan, Pan: r.Float64() - 0.5, Gain: pcm.Decibels(-r.Float64() * 9)}, time()))
			case 7:
				since = a.now
				check(at.Set(TargetBus(buses[1+r.IntN(2)]), Change{Fields: []Fields{FieldMute, FieldSolo}[r.IntN(2)], Mute: r.IntN(2) == 0, Solo: r.IntN(3) == 0}, time()))
			case 8:
				h.Stop(time())
			}
			m.Render(nil)
			for _, e := range events[:m.Events(events)] {
				if e.Kind != EventStolen {
					continue
				}
				steals++
				var least, victim *score
				for i := range living {
					x := &living[i]
					if x.number == e.Voice {
						victim = x
					}
					if x.prio <= prio && (least == nil || x.prio < least.prio || x.prio == least.prio && x.fresh < least.fresh) {
						least = x
					}
				}
				if victim == nil || victim.prio != least.prio || victim.fresh > least.fresh*(1+1e-5) || !near(math.Pow(10, float64(e.Steal.Audibility)/10), victim.fresh) {
					t.Fatalf("seed %d, frame %d: voice %d gives way with %v, the least are %+v", seed, a.now, e.Voice, e.Steal.Audibility, living)
				}
				if victim.fresh < victim.stored*0.99 {
					older++
				}
			}
			since = max(since, a.scores.scoredAt)
			for i := a.voices.Next(0); i >= 0; i = a.voices.Next(i + 1) {
				stored, really, fresh := float64(a.scores.Audibility(i)), a.defined(i, since, known), a.defined(i, a.now, known)
				was := score{}
				for _, x := range living {
					if x.number == a.mutable(i).number() {
						was = x
					}
				}
				switch {
				case near(stored, really), near(stored, fresh):
				case was.number != 0 && (near(was.really, really) || near(was.fresh, fresh)) && stored == was.stored: // unchanged by commands
				default:
					t.Fatalf("seed %d, frame %d: voice %d has %v, by definition %v; before the command %+v", seed, a.now, a.mutable(i).number(), stored, really, was)
				}
				if was.number != 0 && !near(was.really, really) {
					changes++
				}
			}
		}
		m.Close()
	}
	if steals < 300 || changes < 300 || older < 30 {
		t.Errorf("%d steals, %d changes, %d that decayed since the grid: they prove too little", steals, changes, older)
	}
}
