package mixer_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"voicepool/internal/longtest"
	"voicepool/mixer"
	"voicepool/pcm"
	"voicepool/sounds"
)

const outRate, outLength = 8000, 14000

// part is a mixer that runs a script: all outputs, or a single one.
type part struct {
	*mixer.Mixer
	of      int // the output, or everything
	handles map[int]mixer.Handle
}

const everything = -1

// bus returns a bus by name. In a mixer with a single output, the bus of that output is the master.
func (p *part) bus(t testing.TB, name string) mixer.Bus {
	if p.of != everything && name == outName(p.of) {
		name = "master"
	}
	return busOf(t, p.Mixer, name)
}

func outName(k int) string { return fmt.Sprint("out", k) }

// step is a command of a script, for the mixers of an output or for all.
type step struct {
	of int
	do func(p *part)
}

// outScript is a configuration with several outputs, and a list of commands.
type outScript struct {
	config mixer.Config
	buses  [][]string // by output
	steps  []step
}

// fresh returns the configuration with its own inserts.
func (s *outScript) fresh() mixer.Config {
	c := s.config
	c.Buses = slices.Clone(c.Buses)
	for i := range c.Buses {
		if c.Buses[i].Insert != nil {
			c.Buses[i].Insert = &echo{line: make([]pcm.Frame, 5+i)}
		}
	}
	c.Outputs = slices.Clone(c.Outputs)
	for k := range c.Outputs {
		if c.Outputs[k].Insert != nil {
			c.Outputs[k].Insert = &echo{line: make([]pcm.Frame, 31+k)}
		}
	}
	return c
}

// alone returns the configuration of a mixer with the buses of one output, without Outputs.
func (s *outScript) alone(k int) mixer.Config {
	c := s.fresh()
	c.MasterGain, c.Insert = c.Outputs[k].Gain, c.Outputs[k].Insert
	c.Outputs = nil
	c.Buses = slices.DeleteFunc(c.Buses, func(b mixer.BusConfig) bool { return !slices.Contains(s.buses[k], b.Name) })
	for i := range c.Buses {
		b := &c.Buses[i]
		b.Output = ""
		if b.Parent == outName(k) {
			b.Parent = ""
		}
	}
	return c
}

// run runs the script in blocks, and returns the frames of all pairs, interleaved.
func (s *outScript) run(t testing.TB, c mixer.Config, of int, block func() int) (*mixer.Mixer, []pcm.Frame) {
	m := newMixer(t, c)
	p := &part{m, of, map[int]mixer.Handle{}}
	for _, step := range s.steps {
		if of == everything || step.of == everything || step.of == of {
			step.do(p)
		}
	}
	n := m.Outputs()
	out := make([]pcm.Frame, outLength*n)
	for at := 0; at < outLength; {
		k := min(block(), outLength-at)
		m.Render(out[at*n : (at+k)*n])
		at += k
	}
	return m, out
}

// newOutScript draws a script.
func newOutScript(t testing.TB, seed uint64) *outScript {
	r := rand.New(rand.NewPCG(seed, 40))
	s := &outScript{config: mixer.Config{
		Rate: outRate, Voices: 80, Commands: 1024, NoLimiter: r.IntN(3) == 0, DCGuard: r.IntN(2) == 0, Meters: r.IntN(2) == 0,
	}}
	s.config.SoftClip = s.config.NoLimiter
	outputs := 2 + r.IntN(3)
	for k := range outputs {
		o := mixer.Output{Name: outName(k), Gain: pcm.Decibels(r.IntN(9) - 4)}
		if r.IntN(3) == 0 {
			o.Channel = 1 + 2*k + 8*(k%2)
		}
		if r.IntN(3) == 0 {
			o.Insert = &echo{}
		}
		s.config.Outputs = append(s.config.Outputs, o)
		s.buses = append(s.buses, nil)
	}
	for i := range 2 * outputs {
		k := r.IntN(outputs)
		b := mixer.BusConfig{Name: fmt.Sprint("b", i), Gain: pcm.Decibels(r.IntN(7) - 3), Pan: r.Float64() - 0.5, Pitch: pcm.Semitones(r.IntN(2))}
		own := s.buses[k]
		switch r.IntN(3) {
		case 0:
			b.Parent = outName(k)
		case 1:
			b.Output = outName(k)
		default:
			if b.Output = outName(k); len(own) > 0 {
				b.Parent = own[r.IntN(len(own))]
				b.Duck = mixer.Duck{When: own[0], By: 9, Attack: 5 * ms, Hold: 20 * ms, Release: 50 * ms}
			}
		}
		if b.Duck.When != "" && b.Duck.When == b.Parent {
			b.Duck = mixer.Duck{}
		}
		if r.IntN(4) == 0 {
			b.Insert = &echo{}
		}
		s.config.Buses = append(s.config.Buses, b)
		s.buses[k] = append(own, b.Name)
	}
	s.draw(t, r)
	return s
}

// draw draws the commands.
func (s *outScript) draw(t testing.TB, r *rand.Rand) {
	sounds := []*sounds.Sound{level(t, outRate, 11000, 0.2)}
	for i := range 5 {
		n := noise(r, outRate, 1+i%2, 200+r.IntN(5000))
		n.Name = fmt.Sprint("s", i)
		if i%2 == 0 {
			n.Loop = [2]int64{20, int64(150 + r.IntN(40))}
		}
		sounds = append(sounds, sound(t, n))
	}
	over := func() time.Duration { return time.Duration(r.IntN(2)*r.IntN(60)) * ms }
	of, started := map[int]int{}, []int{}
	for i := range 150 {
		k := r.IntN(len(s.buses))
		names := append([]string{outName(k)}, s.buses[k]...)
		name, at, within := names[r.IntN(len(names))], r.Int64N(outLength), over()
		// Several at the same frame: voices that end together free their slots together.
		if r.IntN(2) == 0 {
			at = at / 2000 * 2000
		}
		change := mixer.Change{Fields: mixer.FieldGain, Gain: pcm.Decibels(r.IntN(20) - 14)}
		do := func(of int, command func(p *part, at mixer.Moment) error) {
			s.steps = append(s.steps, step{of, func(p *part) {
				if err := command(p, p.Engine().At(at)); err != nil {
					panic(err)
				}
			}})
		}
		switch kind := r.IntN(20); {
		case kind < 8:
			o := mixer.Options{Gain: pcm.Decibels(-r.IntN(20)), Pan: r.Float64()*2 - 1, EngineOptions: mixer.EngineOptions{Tag: mixer.Tag(1 + r.IntN(3))}, Loop: r.IntN(3) == 0}
			if r.IntN(3) == 0 {
				o.For = time.Duration(10+10*r.IntN(30)) * ms
			}
			if r.IntN(3) == 0 {
				o.Pitch = pcm.Semitones(r.Float64()*8 - 4)
			}
			snd := sounds[r.IntN(len(sounds))]
			of[i], started = k, append(started, i)
			do(k, func(p *part, at mixer.Moment) error {
				o.Bus = p.bus(t, name)
				h, err := at.Play(snd, o)
				p.handles[i] = h
				return err
			})
		case kind < 12 && len(started) > 0:
			h := started[r.IntN(len(started))]
			do(of[h], func(p *part, at mixer.Moment) error {
				switch target := mixer.TargetVoice(p.handles[h]); kind {
				case 8:
					return at.Stop(target, within)
				case 9:
					return at.Pause(target)
				case 10:
					return at.Resume(target)
				default:
					return at.Set(target, change, within)
				}
			})
		case kind < 14:
			do(everything, func(p *part, at mixer.Moment) error { return at.Stop(mixer.TargetTag(mixer.Tag(1+kind%3)), within) })
		case kind == 14 && i%4 == 0:
			do(everything, func(p *part, at mixer.Moment) error { return at.Stop(mixer.TargetAll(), within) })
		case kind < 17:
			do(k, func(p *part, at mixer.Moment) error { return at.Set(mixer.TargetBus(p.bus(t, name)), change, within) })
		case kind == 17:
			change = mixer.Change{Fields: mixer.FieldPan | mixer.FieldMute, Pan: r.Float64() - 0.5, Mute: r.IntN(3) == 0}
			do(k, func(p *part, at mixer.Moment) error { return at.Set(mixer.TargetBus(p.bus(t, name)), change, within) })
		case name != outName(k): // the bus of the first output carries all voices
			do(k, func(p *part, at mixer.Moment) error {
				switch target := mixer.TargetBus(p.bus(t, name)); i % 3 {
				case 0:
					return at.Stop(target, within)
				case 1:
					return at.Pause(target)
				default:
					return at.Resume(target)
				}
			})
		}
	}
}

// pairOf returns the frames of one pair.
func pairOf(frames []pcm.Frame, outputs, pair int) (out []pcm.Frame) {
	for i := pair; i < len(frames); i += outputs {
		out = append(out, frames[i])
	}
	return out
}

// TestOutputsAreMixersOfTheirOwn checks that each output of a mixer with enough voices has the same bits
// as a mixer with its buses alone. Unused pairs must be silent.
func TestOutputsAreMixersOfTheirOwn(t *testing.T) {
	heard := 0
	for seed := range uint64(longtest.Amount(12, 60)) {
		r := rand.New(rand.NewPCG(seed, 41))
		lengths := func() int { return 1 + r.IntN(400) }
		s := newOutScript(t, seed)
		m, got := s.run(t, s.fresh(), everything, lengths)
		if st := m.Stats(); st.Stolen+st.Rejected > 0 || st.Started < 20 {
			t.Fatalf("seed %d: %+v", seed, st)
		}
		named := map[int]bool{}
		channel := 1
		for k, o := range s.config.Outputs {
			if o.Channel != 0 {
				channel = o.Channel
			}
			pair := (channel - 1) / 2
			channel += 2
			named[pair] = true
			one, want := s.run(t, s.alone(k), k, lengths)
			if i, same := firstDifference(pairOf(got, m.Outputs(), pair), want); !same {
				t.Fatalf("seed %d, output %d of %d: frame %d differs", seed, k, len(s.config.Outputs), i)
			}
			if want[len(want)/2] != (pcm.Frame{}) {
				heard++
			}
			if a, b := busOf(t, m, o.Name).Levels(), busOf(t, one, "master").Levels(); a != b {
				t.Fatalf("seed %d, output %d: the meter shows %v, want %v", seed, k, a, b)
			}
		}
		for pair := range m.Outputs() {
			if silence := pairOf(got, m.Outputs(), pair); !named[pair] && slices.ContainsFunc(silence, func(f pcm.Frame) bool { return f != pcm.Frame{} }) {
				t.Fatalf("seed %d: pair %d is nobody's, and is not silent", seed, pair)
			}
		}
	}
	if heard < longtest.Amount(12, 60) {
		t.Errorf("%d outputs were heard in the middle", heard)
	}
}

// firstDifference returns the index of the first frame that differs and false, or the length of want and whether the
// lengths are equal.
func firstDifference(got, want []pcm.Frame) (int, bool) {
	for i := range want {
		if got[i] != want[i] {
			return i, false
		}
	}
	return len(want), len(got) == len(want)
}
