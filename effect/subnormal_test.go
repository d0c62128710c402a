package effect

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"voicepool/internal/subnormal"
	"voicepool/pcm"
)

// quietInputs produce blocks that would leave subnormal numbers in the state of an effect that does not prevent
// them.
var quietInputs = []struct {
	name string
	make func(r *rand.Rand, frame int) float32
}{
	{"samples of any magnitude down to the smallest", func(r *rand.Rand, _ int) float32 {
		return float32(math.Ldexp(r.Float64()*2-1, -r.IntN(150)))
	}},
	{"a level that falls by 6 dB in 8 frames", func(r *rand.Rand, frame int) float32 {
		return float32(math.Ldexp(r.Float64()*2-1, -frame%1300/8))
	}},
	{"impulses", func(_ *rand.Rand, frame int) float32 {
		if frame%5000 == 0 {
			return 1
		}
		return 0
	}},
	{"noise of 2^-125", func(r *rand.Rand, _ int) float32 { return float32(math.Ldexp(r.Float64()*2-1, -125)) }},
}

// TestNoSubnormals checks that the state of an effect never holds subnormal numbers, which slow arithmetic
// down.
func TestNoSubnormals(t *testing.T) {
	for i := range kinds {
		k := &kinds[i]
		for variant := range 4 {
			for _, in := range quietInputs {
				r := rand.New(rand.NewPCG(uint64(i), uint64(variant)))
				values := Values{}
				for i := range k.Len() {
					if p := k.Param(i); variant > 0 && p.Name != "bypass" {
						x := p.From + (p.To-p.From)*r.Float64()
						if p.Choices != nil {
							x = math.Floor(x)
						}
						values[k.Path(i)] = x
					}
				}
				e, err := New(k.Name, values)
				if err != nil {
					t.Fatal(err)
				}
				p := e.NewProcessor(8000, 400)
				block := make([]pcm.Frame, 400)
				for frame := 0; frame < 8000; frame += len(block) {
					for j := range block {
						block[j] = pcm.Frame{in.make(r, frame+j), in.make(r, frame+j)}
					}
					p.Process(block, nil, int64(frame))
					if found := subnormal.Find(p); found != "" {
						t.Errorf("%s with %v, %s, after frame %d: %s", k.Name, values, in.name, frame+len(block), found)
						break
					}
				}
			}
		}
	}
}

// BenchmarkLevels shows that the cost of an effect does not depend on the level of its input.
func BenchmarkLevels(b *testing.B) {
	for i := range kinds {
		for _, level := range []float32{0.3, 1e-20, 1e-34, 1e-38} {
			b.Run(fmt.Sprintf("%s/%g", kinds[i].Name, level), func(b *testing.B) {
				e, err := New(kinds[i].Name, Values{})
				if err != nil {
					b.Fatal(err)
				}
				p, in, block, frame := e.NewProcessor(48000, 480), make([]pcm.Frame, 480), make([]pcm.Frame, 480), int64(0)
				for i := range in {
					in[i] = pcm.Frame{level * float32(i%7-3), level * float32(i%5-2)}
				}
				for b.Loop() {
					copy(block, in)
					p.Process(block, nil, frame)
					frame += 480
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/480, "ns/frame")
			})
		}
	}
}

// listening is an engine that records its key.
type listening struct {
	engine
	key []pcm.Frame
}

func (l *listening) Process(block, key []pcm.Frame, frame int64) {
	l.key = append(l.key, key...)
	process(l.engine, block, key, frame)
}

// TestKeyIsSettled checks that the key that an effect receives has no subnormal numbers, while the key of the
// bus stays unchanged. Samples below 2^-80 become silence, and the others are equal.
func TestKeyIsSettled(t *testing.T) {
	keyed := 0
	for i := range kinds {
		e, err := New(kinds[i].Name, Values{})
		if err != nil {
			t.Fatal(err)
		}
		const most, frames = 300, 3000
		p := e.NewProcessor(8000, most)
		l := &listening{engine: p.engine}
		p.engine = l
		for _, in := range quietInputs {
			r := rand.New(rand.NewPCG(1, uint64(i)))
			key, block := make([]pcm.Frame, frames), make([]pcm.Frame, frames)
			for j := range key {
				key[j], block[j] = pcm.Frame{in.make(r, j), in.make(r, j)}, pcm.Frame{0.5, -0.5}
			}
			was := slices.Clone(key)
			l.key = nil
			for at := 0; at < frames; {
				n := min(1+r.IntN(most), frames-at)
				p.Process(block[at:at+n], key[at:at+n], int64(at))
				at += n
			}
			if !slices.Equal(key, was) {
				t.Errorf("%s, %s: the key has changed", kinds[i].Name, in.name)
			}
			if !kinds[i].Key {
				continue
			}
			keyed++
			for j, x := range l.key {
				for c := range x {
					want := was[j][c]
					if math.Abs(float64(want)) < 0x1p-80 {
						want = 0
					}
					if x[c] != want {
						t.Fatalf("%s, %s: frame %d of the key is %g, want %g", kinds[i].Name, in.name, j, x[c], want)
					}
				}
			}
			if found := subnormal.Find(p); found != "" || len(l.key) != frames {
				t.Errorf("%s, %s: %d frames of the key, and %s", kinds[i].Name, in.name, len(l.key), found)
			}
		}
	}
	if keyed == 0 {
		t.Error("no kind takes a key")
	}
}
