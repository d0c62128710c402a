package room_test

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"voicepool/cmd/internal/room"
	"voicepool/pcm"
)

// TestTicks: rooms that begin at any time are mixed at the same ticks, each to the frame that is due then. A
// rate of which a block has no whole number of frames leaves none out.
func TestTicks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := room.NewWorkers(2)
		defer w.Close()
		type one struct {
			r     *room.Room
			rate  int
			began time.Time
		}
		var rooms []one
		start := time.Now()
		for i, rate := range []int{48000, 44100, 22050, 11025} {
			time.Sleep(3 * time.Millisecond)
			text := fmt.Sprintf("rate: %d\nsounds: {hum: {file: \"tone:220\", loop: true}}", rate)
			r, err := room.Open(t.Context(), room.Options{Name: fmt.Sprint("room", i), Title: "s.yaml", Text: []byte(text), Workers: w})
			if err != nil {
				t.Fatal(err)
			}
			defer r.Close(0)
			began := time.Now()
			if _, err := r.Play(room.Order{Sound: "hum"}); err != nil {
				t.Fatal(err)
			}
			rooms = append(rooms, one{r, rate, began})
		}
		synctest.Wait()
		time.Sleep(start.Add(100 * time.Millisecond).Sub(time.Now())) // a tick
		before, blocks := make([]int64, len(rooms)), w.Pace().Blocks
		for k := range 300 {
			synctest.Wait()
			for i, o := range rooms {
				now := o.r.Brief().Frame
				if want := pcm.Frames(time.Since(o.began), o.rate); now != want {
					t.Fatalf("%v after it began the room of %d Hz is at frame %d, want %d", time.Since(o.began), o.rate, now, want)
				}
				if now <= before[i] {
					t.Fatalf("the room of %d Hz is not mixed at tick %d", o.rate, k)
				}
				before[i] = now
			}
			if got := w.Pace().Blocks - blocks; got != int64(k*len(rooms)) {
				t.Fatalf("after %d ticks %d blocks are mixed, want %d", k, got, k*len(rooms))
			}
			time.Sleep(time.Millisecond)
			synctest.Wait()
			if got := w.Pace().Blocks - blocks; got != int64(k*len(rooms)) {
				t.Fatalf("between two ticks %d blocks are mixed", got-int64(k*len(rooms)))
			}
			time.Sleep(9 * time.Millisecond)
		}
	})
}
