package mixer

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"voicepool/pcm"
	"voicepool/pool"
	"voicepool/sounds"
)

// TestHandlesWrap runs a random program with handle generations far from their end, and again just before
// it, so that they wrap around. Events and states must be equal: an old handle never identifies another
// voice.
func TestHandlesWrap(t *testing.T) {
	sound, err := sounds.NewSound(sounds.Samples{Rate: 1000, Channels: 1, Data: make([]float32, 30)})
	if err != nil {
		t.Fatal(err)
	}
	run := func(generation uint64) (out []string, wrapped bool) {
		m, err := New(Config{Rate: 1000, Voices: 2})
		if err != nil {
			t.Fatal(err)
		}
		if m.records, err = pool.New(pool.Config[*record]{Size: m.records.Max(), Keep: true, Generation: generation}); err != nil {
			t.Fatal(err)
		}
		r := rand.New(rand.NewPCG(1, 2))
		block, events := make([]pcm.Frame, 4), make([]Event, 64)
		var handles []Handle
		for range 3000 {
			if r.IntN(3) == 0 {
				h, err := m.Engine().At(m.Now()+r.Int64N(8)).Play(sound, Options{EngineOptions: EngineOptions{Tag: Tag(len(handles) + 1)}})
				if err != nil {
					t.Fatal(err)
				}
				wrapped = wrapped || h.id.Generation() < generation
				handles = append(handles, h)
			}
			if n := len(handles); n > 0 {
				h := handles[max(n-1-r.IntN(200), 0)]
				switch r.IntN(4) {
				case 0:
					out = append(out, fmt.Sprint(h.Stop(0)))
				case 1:
					out = append(out, fmt.Sprint(h.SetGain(-3)))
				case 2:
					out = append(out, fmt.Sprint(m.Engine().At(m.Now()).Stop(TargetVoice(h), 0)))
				}
				out = append(out, fmt.Sprint(h.State(), h.Number(), h.Tag(), h.Position(), h.Slot()))
			}
			m.Render(block[:r.IntN(4)])
			for _, e := range events[:m.Events(events)] {
				out = append(out, e.String())
			}
		}
		return out, wrapped
	}
	const last = 1<<41 - 1 // generation
	want, _ := run(1)
	for _, generation := range []uint64{last, last - 3} {
		got, wrapped := run(generation)
		if !wrapped {
			t.Fatalf("no handle wraps from generation %d on", generation)
		}
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("from generation %d on the program does something else", generation)
		}
	}
}
