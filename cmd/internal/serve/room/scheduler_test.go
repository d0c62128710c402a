package room_test

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"voicepool/cmd/internal/serve/room"
)

// TestLater checks that scheduled orders run at their frame and in their order, also in a sleeping room. Later
// failures are reported. A panic cancels waiting orders.
func TestLater(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := open(t, sheet)
		time.Sleep(500 * time.Millisecond) // the room falls asleep
		at := func(d time.Duration) room.Moment { return room.Moment{At: &d} }
		later := func(when room.Moment, do func() error) int64 {
			t.Helper()
			frame, later, err := r.Schedule(when, "test", do)
			if !later || err != nil {
				t.Fatalf("%v, %v", later, err)
			}
			return frame
		}
		frame := later(at(2*time.Second), func() error { return r.Show().Standby("2") })
		later(room.Moment{Frame: frame}, func() error { return r.Show().Go("") })
		later(at(3*time.Second), func() error { return errors.New("it cannot be") })
		later(at(1*time.Second), func() error { return r.Scene("quiet", 0) })
		if _, later, err := r.Schedule(at(100*time.Millisecond), "test", nil); later || err != nil {
			t.Errorf("what is over is later: %v, %v", later, err)
		}
		time.Sleep(450 * time.Millisecond)
		if s := r.State(); s.Scene != "" || s.Standby != "1" {
			t.Errorf("before its time: %+v", s)
		}
		time.Sleep(100 * time.Millisecond)
		if s := r.State(); s.Scene != "quiet" {
			t.Errorf("the scene is %q", s.Scene)
		}
		time.Sleep(time.Second)
		events, _ := r.Events(1, 100)
		if len(events) != 1 || events[0].Sound != "rain" || events[0].Frame < frame || events[0].Frame > frame+960 {
			t.Errorf("a GO at %d: %+v", frame, events)
		}
		time.Sleep(time.Second)
		if s := r.State(); len(s.Said) == 0 || s.Said[len(s.Said)-1] != "test at frame 144000: it cannot be" {
			t.Errorf("it says %q", s.Said)
		}
		later(at(5*time.Second), func() error { return r.Show().Go("1") })
		r.Show().Panic()
		time.Sleep(5 * time.Second)
		if events, _ := r.Events(1, 100); events[len(events)-1].Sound != "rain" {
			t.Errorf("after a panic: %+v", events[len(events)-1])
		}
		for i := range 1001 {
			if _, _, err := r.Schedule(at(time.Hour), "test", nil); (kindOf(err) == room.Limit) != (i == 1000) {
				t.Fatalf("%d wait: %v", i, err)
			}
		}
	})
}
