package mixer_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"voicepool/mixer"
	"voicepool/pcm"
	"voicepool/sounds"
)

// writtenOut returns the frames of a sound that plays its loop a number of rounds.
func writtenOut(frames, from, to, rounds int) []int {
	out := count(0, to)
	for range rounds - 1 {
		out = append(out, count(from, to)...)
	}
	return append(out, count(to, frames)...)
}

// TestRounds plays loops of many lengths and rounds, then the rest of the sound.
func TestRounds(t *testing.T) {
	for _, length := range []int{1, 2, 3, 5, 7, 8, 10, 12, 31, 63, 64, 65, 100, 128, 200} {
		for _, rounds := range []int{1, 2, 3, 5, 13, 64, 70} {
			for _, from := range []int{0, 1, 40} {
				m := at1k(t)
				to := from + length
				h := play(t, m.Engine().At(3), loopedRamp(t, to+90, int64(from), int64(to)), mixer.Options{Pan: -1, Loop: true, EngineOptions: mixer.EngineOptions{Rounds: rounds}})
				want := writtenOut(to+90, from, to, rounds)
				got := left(m, 3+len(want)+5)
				if !slices.Equal(frames(got[3:3+len(want)]), want) || h.State() != mixer.StateEnded {
					t.Errorf("%d rounds of %d..%d: it is %v, and gave\n%v, want\n%v", rounds, from, to, h.State(), frames(got[3:]), want)
				}
				wantEvents(t, m, fmt.Sprintf("3 started 1, %d ended 1", 3+len(want)))
				if t.Failed() {
					return
				}
			}
		}
	}
}

// TestRoundsToTheEnd plays a loop that ends at the end of its sound.
func TestRoundsToTheEnd(t *testing.T) {
	for _, length := range []int{1, 9, 64, 150} {
		m := at1k(t)
		play(t, m.Engine().At(0), loopedRamp(t, 40+length, 40, int64(40+length)), mixer.Options{Pan: -1, Loop: true, EngineOptions: mixer.EngineOptions{Rounds: 3}})
		want := writtenOut(40+length, 40, 40+length, 3)
		wantFrames(t, fmt.Sprint("a loop of ", length), left(m, len(want)), want)
		left(m, 1)
		wantEvents(t, m, fmt.Sprintf("0 started 1, %d ended 1", len(want)))
	}
}

// TestRoundsAtAnyPitch checks that a loop with rounds has the same bits as the sound written out, also
// between samples.
func TestRoundsAtAnyPitch(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 300 {
		from, length, tail, rounds := r.IntN(50), 1+r.IntN(150), 30+r.IntN(60), 1+r.IntN(6)
		data := make([]float32, from+length+tail)
		for i := range data {
			data[i] = float32(r.Float64() - 0.5)
		}
		var long []float32
		for _, i := range writtenOut(len(data), from, from+length, rounds) {
			long = append(long, data[i])
		}
		o := mixer.Options{Pan: -1, Speed: 1. / 4 * float64(1+r.IntN(30)) * (1 + r.Float64()/7), EngineOptions: mixer.EngineOptions{Quality: sounds.Quality(r.IntN(2))}}
		o.Speed = min(max(o.Speed, 1./16), 16)
		render := func(data []float32, loop [2]int64, o mixer.Options) []float32 {
			m := at1k(t)
			play(t, m.Engine().At(0), sound(t, sounds.Samples{Rate: 1000, Channels: 1, Data: data, Loop: loop}), o)
			return left(m, 1200)
		}
		want := render(long, [2]int64{}, o)
		o.Loop, o.Rounds = true, rounds
		got := render(data, [2]int64{int64(from), int64(from + length)}, o)
		for i := range want {
			if got[i] != want[i] {
				t.Fatalf("%d rounds of %d..%d of %d frames, speed %v, quality %d: frame %d is %v, written out %v",
					rounds, from, from+length, len(data), o.Speed, o.Quality, i, got[i], want[i])
			}
		}
	}
}

// TestRelease releases a loop at every frame around its seam: the voice must continue to the end of the
// sound, to the bit.
func TestRelease(t *testing.T) {
	for _, length := range []int{1, 3, 10, 63, 64, 100} {
		to := 100 + length
		for at := to - 5; at < to+2*length+20; at++ {
			for name, release := range map[string]func(*mixer.Mixer, mixer.Handle) error{
				"by a frame": func(m *mixer.Mixer, h mixer.Handle) error {
					return m.Engine().At(int64(at)).Set(mixer.TargetVoice(h), mixer.Change{Fields: mixer.FieldRounds, Rounds: 1}, 0)
				},
				"by its handle": func(m *mixer.Mixer, h mixer.Handle) error { return h.SetLoop(1) },
			} {
				m := at1k(t)
				h := play(t, m.Engine().At(0), loopedRamp(t, to+50, 100, int64(to)), mixer.Options{Pan: -1, Loop: true})
				got := left(m, at)
				if err := release(m, h); err != nil {
					t.Fatal(err)
				}
				got = append(got, left(m, 3*length+250)...)
				want := count(0, at)
				for i := range want {
					if i >= to {
						want[i] = 100 + (i-to)%length
					}
				}
				next := at
				if at >= to {
					next = 100 + (at-to)%length
				}
				want = append(want, count(next, to+50)...)
				if !slices.Equal(frames(got[:len(want)]), want) {
					t.Fatalf("a loop of %d frames, released %s at %d, gave\n%v, want\n%v", length, name, at, frames(got[:len(want)]), want)
				}
				wantEvents(t, m, fmt.Sprintf("0 started 1, %d ended 1", len(want)))
			}
		}
	}
}

// TestSetLoop checks the number of rounds after a call, including the present round.
func TestSetLoop(t *testing.T) {
	loop := func(n int) []int {
		var out []int
		for range n {
			out = append(out, count(100, 200)...)
		}
		return out
	}
	for name, c := range map[string]struct {
		start  mixer.Options
		at     int
		rounds int
		want   []int
	}{
		"of what plays once":         {start: mixer.Options{}, at: 50, rounds: 3, want: slices.Concat(count(0, 100), loop(3), count(200, 300))},
		"in the loop":                {start: mixer.Options{}, at: 150, rounds: 2, want: slices.Concat(count(0, 100), loop(2), count(200, 300))},
		"beyond the loop":            {start: mixer.Options{}, at: 250, rounds: 6, want: count(0, 300)},
		"less than it had":           {start: mixer.Options{Loop: true, EngineOptions: mixer.EngineOptions{Rounds: 9}}, at: 50, rounds: 2, want: slices.Concat(count(0, 100), loop(2), count(200, 300))},
		"more than it had":           {start: mixer.Options{Loop: true, EngineOptions: mixer.EngineOptions{Rounds: 2}}, at: 50, rounds: 4, want: slices.Concat(count(0, 100), loop(4), count(200, 300))},
		"none of what has some":      {start: mixer.Options{Loop: true, EngineOptions: mixer.EngineOptions{Rounds: 9}}, at: 50, rounds: 1, want: count(0, 300)},
		"in the second round":        {start: mixer.Options{Loop: true}, at: 250, rounds: 2, want: slices.Concat(count(0, 100), loop(3), count(200, 300))},
		"in the seam":                {start: mixer.Options{Loop: true}, at: 202, rounds: 2, want: slices.Concat(count(0, 100), loop(3), count(200, 300))},
		"at the end of the loop":     {start: mixer.Options{Loop: true, EngineOptions: mixer.EngineOptions{Rounds: 3}}, at: 200, rounds: 1, want: slices.Concat(count(0, 100), loop(2), count(200, 300))},
		"after the rounds":           {start: mixer.Options{Loop: true, EngineOptions: mixer.EngineOptions{Rounds: 2}}, at: 350, rounds: 5, want: slices.Concat(count(0, 100), loop(2), count(200, 300))},
		"in the last round":          {start: mixer.Options{Loop: true, EngineOptions: mixer.EngineOptions{Rounds: 2}}, at: 250, rounds: 2, want: slices.Concat(count(0, 100), loop(3), count(200, 300))},
		"before the start, as asked": {start: mixer.Options{Loop: true}, at: 0, rounds: 2, want: slices.Concat(count(0, 100), loop(2), count(200, 300))},
	} {
		c.start.Pan = -1
		m := at1k(t)
		h := play(t, m.Engine().At(mixer.Now), loopedRamp(t, 300, 100, 200), c.start)
		got := left(m, c.at)
		if err := h.SetLoop(c.rounds); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		got = append(got, left(m, len(c.want)-c.at+1)...)
		wantFrames(t, name, got[:len(c.want)], c.want)
		if h.State() != mixer.StateEnded {
			t.Errorf("%s: it is %v", name, h.State())
		}
	}
	// Endless, until it is released.
	m := at1k(t)
	h := play(t, m.Engine().At(0), loopedRamp(t, 300, 100, 200), hardLeft)
	h.SetLoop(mixer.Forever)
	left(m, 10000)
	h.SetLoop(1)
	wantFrames(t, "let go after a hundred rounds", left(m, 200), count(100, 300))
}

// TestRoundsCountInTheFuture checks that parts that will not be played again do not count in the
// audibility.
func TestRoundsCountInTheFuture(t *testing.T) {
	env := sounds.Envelope{Hop: 20, Once: []float32{.5, .5, .5, .5, .5, .01, .01, .01, .01, .01}, Loop: []float32{.5, .5, .5, .5, .5, .5, .5, .5, .5, .5}}
	s := sound(t, sounds.Samples{Rate: 1000, Channels: 1, Data: make([]float32, 200), Envelope: env})
	m := at1k(t)
	looping := play(t, m.Engine().At(0), s, mixer.Options{Pan: -1, Loop: true})
	once := play(t, m.Engine().At(0), s, mixer.Options{Pan: -1})
	left(m, 160)
	a, b := looping.Audibility(), once.Audibility()
	if want := pcm.FromPower(float64(float32(.5))); a != want || b > -19 {
		t.Errorf("the looping one counts %v, want %v; the other %v", a, want, b)
	}
	looping.SetLoop(1)
	left(m, 1)
	if got := looping.Audibility(); got != b {
		t.Errorf("let go it counts %v, want %v", got, b)
	}
}
