package mixer_test

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"voicepool/mixer"
	"voicepool/pcm"
	"voicepool/sounds"
)

// TestUntilEnd mixes in stretches of UntilEnd, and checks that each voice ends and leaves its loop at the
// end of a stretch, under random commands. Events report the ends.
func TestUntilEnd(t *testing.T) {
	ends, leaves := 0, int64(0)
	for seed := range uint64(20) {
		draw := rand.New(rand.NewPCG(seed, 3))
		m, err := mixer.New(mixer.Config{Voices: 6, Rate: 8000})
		if err != nil {
			t.Fatal(err)
		}
		sound, err := sounds.NewSound(sounds.Samples{Name: "s", Rate: 8000, Channels: 1, Data: slices.Repeat([]float32{0.5}, 900), Loop: pcm.Loop{100, 600}})
		if err != nil {
			t.Fatal(err)
		}
		out := make([]pcm.Frame, 700)
		events := make([]mixer.Event, 64)
		var handles []mixer.Handle
		for now := int64(0); now < 20000; {
			if draw.IntN(4) == 0 {
				o := mixer.Options{Loop: draw.IntN(2) == 0, Speed: 0.25 + 2*draw.Float64(), From: time.Duration(draw.IntN(50)) * time.Millisecond}
				if o.Loop && draw.IntN(2) == 0 {
					o.Rounds = 1 + draw.IntN(4)
				}
				if draw.IntN(3) == 0 {
					o.For = time.Duration(1+draw.IntN(90)) * time.Millisecond
				}
				if h, err := m.Play(sound, o); err == nil {
					handles = append(handles, h)
				}
			}
			if len(handles) > 0 {
				h := handles[draw.IntN(len(handles))]
				switch draw.IntN(7) {
				case 0:
					h.Stop(time.Duration(draw.IntN(40)) * time.Millisecond)
				case 1:
					h.SetSpeed(0.25 + 3*draw.Float64())
				case 2:
					h.Pause()
				case 3:
					h.SetLoop(draw.IntN(3))
				default:
					h.Resume()
				}
			}
			m.Render(nil)
			n := m.Engine().UntilEnd(1 + draw.IntN(len(out)))
			if n < 1 {
				t.Fatalf("seed %d: %d frames", seed, n)
			}
			for _, e := range events[:m.Events(events)] {
				if over(e.Kind) && e.Frame != now {
					t.Fatalf("seed %d: %v at %d, at which nobody stood still, but at %d", seed, e.Kind, e.Frame, now)
				}
			}
			var loop []mixer.Handle
			for _, h := range handles {
				if !m.Engine().LeftLoop(h) {
					loop = append(loop, h)
				}
			}
			m.Render(out[:n-1])
			for _, h := range loop {
				if m.Engine().LeftLoop(h) {
					t.Fatalf("seed %d: voice %v leaves its loop before frame %d, within a stretch", seed, h, now+int64(n)-1)
				}
			}
			m.Render(out[:1])
			for _, h := range loop {
				leaves += one(m.Engine().LeftLoop(h) && !h.State().Over())
			}
			now += int64(n)
			for _, e := range events[:m.Events(events)] {
				if over(e.Kind) {
					if ends++; e.Frame != now {
						t.Fatalf("seed %d: %v at %d, within a stretch that ended at %d", seed, e.Kind, e.Frame, now)
					}
				}
			}
		}
		m.Close()
	}
	if ends < 200 || leaves < 50 {
		t.Errorf("%d ends, %d voices left loops", ends, leaves)
	}
}

// over reports whether k ends a voice by itself or by a stop.
func over(k mixer.EventKind) bool { return k == mixer.EventEnded || k == mixer.EventStopped }
