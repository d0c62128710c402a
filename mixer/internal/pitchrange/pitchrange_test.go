package pitchrange

import (
	"math/rand/v2"
	"testing"

	"voicepool/internal/hearing"
	"voicepool/pcm"
	"voicepool/sounds"
	"voicepool/space"
	"voicepool/voice"
)

// TestSpanCoversEveryFade fades a pitch at random, linearly in time. The pitch must never leave the bounds, and the
// bounds must meet when all fades are over.
func TestSpanCoversEveryFade(t *testing.T) {
	for seed := range uint64(100) {
		r := rand.New(rand.NewPCG(seed, 5))
		at, s := 0.0, Constant(0)
		from, to, start, end, last := 0.0, 0.0, int64(0), int64(0), int64(0) // last is the end of all fades
		met := 0
		for now := int64(1); now < 500; now++ {
			if at = to; now < end {
				at = from + (to-from)*float64(now-start)/float64(end-start)
			}
			if r.IntN(30) == 0 {
				from, to, start, end = at, float64(r.IntN(25)-12), now, now+1+r.Int64N(40)
				s.FadeTo(to, now, now, end)
				last = max(last, end)
			}
			least, most := s.Bounds(now)
			if at < least || at > most {
				t.Fatalf("seed %d, frame %d: the pitch is %v, the bounds are %v..%v", seed, now, at, least, most)
			}
			if now >= last {
				if met++; least != to || most != to {
					t.Fatalf("seed %d, frame %d: the bounds are %v..%v, want %v", seed, now, least, most, to)
				}
			}
		}
		if met == 0 {
			t.Errorf("seed %d: no fade is ever over", seed)
		}
	}
}

// TestLaterSetStays checks that a set for a later frame stays the final value.
func TestLaterSetStays(t *testing.T) {
	s := Constant(1)
	s.FadeTo(5, 0, 100, 110)
	s.FadeTo(3, 0, 50, 60)
	if least, most := s.Bounds(200); least != 5 || most != 5 {
		t.Errorf("the final bounds are %v..%v, want 5", least, most)
	}
	if least, most := s.Bounds(10); least != 1 || most != 5 {
		t.Errorf("the bounds are %v..%v, want 1..5", least, most)
	}
}

// TestLevels checks the mip levels of constant, moving and summed pitches, of a successor, and of a Doppler shift.
func TestLevels(t *testing.T) {
	levels := func(name string, r Range, buses []*Span, moves bool, now int64, low, high int) {
		t.Helper()
		total := r.Total(0, now)
		for _, s := range buses {
			total.Add(s)
		}
		if gotLow, gotHigh := r.Levels(total, moves); gotLow != low || gotHigh != high {
			t.Errorf("%s: levels %d..%d, want %d..%d", name, gotLow, gotHigh, low, high)
		}
	}
	octave := sounds.LevelOf(12)
	levels("no pitch", Range{}, nil, false, 0, -1, -1)
	levels("moving", Range{}, nil, true, 0, max(sounds.LevelOf(0), 0), max(sounds.LevelOf(0), 0))
	levels("an octave", New(&voice.Options{Pitch: 12}), nil, false, 0, octave, octave)
	levels("twice the speed", New(&voice.Options{Speed: 2}), nil, false, 0, octave, octave)
	bus := Constant(5)
	levels("of a voice and a bus", New(&voice.Options{Pitch: 7}), []*Span{&bus}, false, 0, octave, octave)
	fading := New(&voice.Options{})
	fading.Pitch.FadeTo(12, 0, 10, 100)
	levels("during a fade", fading, nil, false, 50, 0, octave)
	levels("after a fade", fading, nil, false, 100, octave, octave)
	next := New(&voice.Options{Rounds: 3})
	next.Widen(&fading, 50)
	levels("of a successor", next, nil, false, 1000, 0, octave)
	late := New(&voice.Options{})
	late.Widen(&fading, 100)
	levels("of a successor after the fade", late, nil, false, 100, -1, -1)
	if !next.MayLeaveLoop || late.MayLeaveLoop {
		t.Error("a start with rounds may leave its loop, and another may not")
	}

	ear, err := hearing.NewEar(&space.Listener{Doppler: 1, SpeedOfSound: 340})
	if err != nil {
		t.Fatal(err)
	}
	fast := space.Vector{200}
	below, above := ear.Shifts(&fast)
	var moving Range
	moving.StartVelocity(fast, &ear)
	levels("fast", moving, nil, true, 0, max(sounds.LevelOf(below), 0), max(sounds.LevelOf(above), 0))
	if moving.SetVelocity(fast, &ear, 0, 0, 10) || !moving.SetVelocity(space.Vector{}, &ear, 0, 0, 10) || moving.Velocity() != (space.Vector{}) {
		t.Error("only another velocity changes the Doppler shift")
	}
	levels("slower", moving, nil, true, 5, max(sounds.LevelOf(below), 0), max(sounds.LevelOf(above), 0))
	levels("at rest", moving, nil, false, 10, -1, -1)
	if above <= pcm.Semitones(1) {
		t.Errorf("a shift of %v proves nothing", above)
	}
}
