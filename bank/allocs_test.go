package bank_test

import (
	"math"
	"testing"
	"time"

	"voicepool/bank"
	"voicepool/mixer"
	"voicepool/pcm"
	"voicepool/space"
)

const manyWays = `
voices: 64
master: {limiter: false}
sounds:
  a: {file: sfx/a.wav}
  d: {files: [sfx/a.wav, sfx/b.wav, sfx/c.wav], pick: shuffle, gain: [-6, 0]}
  hum: {file: sfx/d.wav, loop: true, parameters: {x: {from: 0, to: 1, gain: [[0, -6], [1, 0]]}}}
  one: {layers: [a]}
  pair: {layers: [a, d], gain: [-6, 0]}
  late: {layers: [a, {sound: d, delay: 10ms}]}
  song: {file: sfx/a.wav, then: d}
  both: {layers: [song, a]}
  moved: {layers: [a, d], parameters: {x: {from: 0, to: 1, gain: [[0, -6], [1, 0]]}}}
`

// TestPlaysDoNotAllocate checks all kinds of plays while other sounds play.
func TestPlaysDoNotAllocate(t *testing.T) {
	for _, name := range []string{"a", "d", "hum", "one", "pair", "late", "song", "both", "moved"} {
		for _, others := range []int{0, 24} { // number of endless voices
			b, m := ready(t, manyWays)
			block, events := make([]pcm.Frame, 1200), make([]mixer.Event, 256)
			for range others {
				start(t, b, "hum", bank.Options{})
			}
			o := bank.Options{For: 20 * time.Millisecond, Emitter: there(2)}
			once := func() {
				if _, err := b.Play(name, o); err != nil {
					t.Fatal(err)
				}
				m.Render(block)
				m.Events(events)
			}
			for range 400 { // warm up the pools of records and plays
				once()
			}
			if n := testing.AllocsPerRun(100, once); n != 0 {
				t.Errorf("%s beside %d others allocates %v times", name, others, n)
			}
		}
	}
}

// TestPlaysThatGoOnDoNotAllocate checks layered plays while all earlier ones still play.
func TestPlaysThatGoOnDoNotAllocate(t *testing.T) {
	b, _ := ready(t, manyWays)
	start(t, b, "pair", bank.Options{})
	start(t, b, "d", bank.Options{})
	if n := testing.AllocsPerRun(50, func() { start(t, b, "pair", bank.Options{}) }); n != 0 {
		t.Errorf("a play of two layers allocates %v times", n)
	}
}

// TestFreshPlaysDoNotAllocate plays with Options whose parts are created for each start. They must stay on
// the caller's stack. The first start of a sound with a cutoff has its spectrum computed on another goroutine, which
// allocates once for each sound and may still run. A start that allocates does so in every measurement.
func TestFreshPlaysDoNotAllocate(t *testing.T) {
	for _, name := range []string{"a", "d", "hum", "pair", "late", "song", "moved"} {
		b, m := ready(t, "buses: {hall: {}}"+manyWays)
		block, x := make([]pcm.Frame, 2500), 0.0
		for what, start := range map[string]func(){
			"an Emitter": func() {
				o := bank.Options{For: 50 * time.Millisecond, Emitter: &space.Emitter{Spot: space.Spot{Position: space.Vector{x, 0, 0}}}}
				if _, err := b.Play(name, o); err != nil {
					t.Fatal(err)
				}
			},
			"a cutoff": func() {
				lowPass := 900 + x
				if _, err := b.PlayAt(m.Now(), name, bank.Options{For: 50 * time.Millisecond, FilterOverrides: mixer.FilterOverrides{LowPass: &lowPass}}); err != nil {
					t.Fatal(err)
				}
			},
		} {
			once := func() {
				x++
				start()
				m.Render(block)
			}
			for range 400 { // warm up the pools of records and plays
				once()
			}
			n := math.Inf(1)
			for i := 0; i < 5 && n != 0; i++ {
				n = min(n, testing.AllocsPerRun(100, once))
			}
			if n != 0 {
				t.Errorf("%s with %s that is new allocates %v times", name, what, n)
			}
		}
	}
}

// TestHandlesDoNotAllocate changes and stops plays with one voice and with layers.
func TestHandlesDoNotAllocate(t *testing.T) {
	b, m := ready(t, manyWays+"  plain: {file: sfx/d.wav, loop: true}\n  twin: {layers: [plain, plain], parameters: {x: {from: 0, to: 1, gain: [[0, -6], [1, 0]]}}}\n")
	block, events := make([]pcm.Frame, 100), make([]mixer.Event, 64)
	for _, name := range []string{"plain", "twin"} {
		once := func() {
			h := start(t, b, name, bank.Options{})
			m.Render(block)
			for _, err := range [...]error{
				h.SetGain(-6), h.Fade(-9, time.Second), h.SetPan(0.5), h.SetPriority(2), h.Protect(false), h.Pause(), h.Resume(),
				h.At(m.Now()+9).Fade(-3, time.Second), h.At(mixer.Now).Stop(time.Second), h.Stop(time.Second), b.Stop(name, 0),
			} {
				if err != nil {
					t.Fatal(err)
				}
			}
			m.Render(block)
			m.Render(block)
			m.Events(events)
		}
		for range 200 { // warm up the pools of records and plays
			once()
		}
		if n := testing.AllocsPerRun(50, once); n != 0 {
			t.Errorf("the handles of %s allocate %v times", name, n)
		}
	}
}
