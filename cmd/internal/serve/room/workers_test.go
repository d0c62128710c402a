package room

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"voicepool/pcm"
)

// TestTicks checks that rooms started at different times are mixed at the same ticks, each up to its due frame.
// No frame is lost at rates without a whole number of frames per block.
func TestTicks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := NewWorkers(2)
		defer w.Close()
		type one struct {
			r     *Room
			rate  int
			began time.Time
		}
		var rooms []one
		start := time.Now()
		for i, rate := range []int{48000, 44100, 22050, 11025} {
			time.Sleep(3 * time.Millisecond)
			text := fmt.Sprintf("rate: %d\nsounds: {hum: {file: \"tone:220\", loop: true}}", rate)
			r, err := Open(t.Context(), Options{Name: fmt.Sprint("room", i), Title: "s.yaml", Text: []byte(text), Workers: w})
			if err != nil {
				t.Fatal(err)
			}
			defer r.Close(0)
			began := time.Now()
			if _, err := r.Play(PlayRequest{Sound: "hum"}); err != nil {
				t.Fatal(err)
			}
			rooms = append(rooms, one{r, rate, began})
		}
		synctest.Wait()
		time.Sleep(time.Until(start.Add(100 * time.Millisecond))) // one tick
		synctest.Wait()
		before, blocks := make([]int64, len(rooms)), w.Stats().Blocks
		for k := range 300 {
			for i, o := range rooms {
				now := o.r.Summary().Frame
				if want := pcm.Frames(time.Since(o.began), o.rate); now != want {
					t.Fatalf("%v after it began the room of %d Hz is at frame %d, want %d", time.Since(o.began), o.rate, now, want)
				}
				if now <= before[i] {
					t.Fatalf("the room of %d Hz is not mixed at tick %d", o.rate, k)
				}
				before[i] = now
			}
			if got := w.Stats().Blocks - blocks; got != int64(k*len(rooms)) {
				t.Fatalf("after %d ticks %d blocks are mixed, want %d", k, got, k*len(rooms))
			}
			time.Sleep(time.Millisecond)
			synctest.Wait()
			w.mutex.Lock()
			timed := w.sleepers
			w.mutex.Unlock()
			if timed < 1 || timed > 2 {
				t.Fatalf("%d of 2 workers sleep until the next tick", timed)
			}
			if got := w.Stats().Blocks - blocks; got != int64(k*len(rooms)) {
				t.Fatalf("between two ticks %d blocks are mixed", got-int64(k*len(rooms)))
			}
			time.Sleep(9 * time.Millisecond)
			synctest.Wait()
		}
	})
}

// TestRousing checks that a worker that takes a room wakes another worker only if that is needed to mix the
// next room in time.
func TestRousing(t *testing.T) {
	for _, c := range []struct {
		name  string
		next  time.Duration // time until the second room is due
		timed int           // workers whose timers will fire by then
		want  bool
	}{
		{"due now", 0, 1, true},
		{"due later, all others sleep for good", time.Hour, 0, true},
		{"due later, one looks then", time.Hour, 1, false},
	} {
		w := &Workers{startTime: time.Now(), wake: make(chan struct{}, 1), sleepers: c.timed}
		first := &clockedOutput{nextMix: w.startTime}
		w.queue = schedule{first, {nextMix: w.startTime.Add(c.next)}}
		if p, _ := w.next(); p != first {
			t.Errorf("%s: it takes another room", c.name)
		}
		if got := len(w.wake) == 1; got != c.want {
			t.Errorf("%s: it wakes somebody: %v", c.name, got)
		}
		if p, wait := w.next(); (p == nil) != (c.next > 0) || (wait > 0) != (c.next > 0) || w.sleepers != c.timed+len(w.queue) {
			t.Errorf("%s: then it takes %v, waits for %v, and %d sleep until then", c.name, p, wait, w.sleepers)
		}
	}
}
