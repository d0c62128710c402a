package mixer_test

import (
	"testing"
	"testing/synctest"
	"time"

	"voicepool/mixer"
)

// closed reports whether c is closed; it does not wait.
func closed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// TestDone checks that the channel closes within 10 ms after any kind of end, and that the goroutine ends
// when no channel is left.
func TestDone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newMixer(t, mixer.Config{Rate: 1000, Voices: 2})
		s := level(t, 1000, 50, 0.5)
		ends := play(t, m.Engine().At(0), s, mixer.Options{})
		stopped := play(t, m.Engine().At(0), s, mixer.Options{EngineOptions: mixer.EngineOptions{Protect: true}, Loop: true})
		rejected := play(t, m.Engine().At(20), s, mixer.Options{Priority: -1})
		cancelled := play(t, m.Engine().At(900), s, mixer.Options{})
		first := ends.Done()
		if ends.Done() != first {
			t.Error("a second channel for the same voice")
		}
		all := map[string]<-chan struct{}{"ended": first, "stopped": stopped.Done(), "rejected": rejected.Done(), "cancelled": cancelled.Done()}
		m.Engine().At(70).Stop(mixer.TargetVoice(stopped), 20*ms)
		over := map[string]int64{"ended": 50, "stopped": 90, "rejected": 20, "cancelled": 900}
		time.Sleep(10 * time.Second)
		for name, c := range all {
			if closed(c) {
				t.Errorf("%s: done, while nothing is rendered", name)
			}
		}
		cancelled.Stop(0)
		for m.Now() < 1000 {
			left(m, 1)
			time.Sleep(ms)
			synctest.Wait()
			for name, c := range all {
				switch frame := m.Now(); {
				case frame < over[name] && closed(c):
					t.Fatalf("%s: done at %d, before its end at %d", name, frame, over[name])
				case frame > over[name]+10 && !closed(c):
					t.Fatalf("%s: not done at %d, 10 ms after its end at %d", name, frame, over[name])
				}
			}
		}
		if a, b, c, d := ends.State(), stopped.State(), rejected.State(), cancelled.State(); a != mixer.StateEnded || b != mixer.StateStopped || c != mixer.StateRejected || d != mixer.StateStopped {
			t.Errorf("%v, %v, %v, %v", a, b, c, d)
		}
		// For a finished voice and for the zero handle, immediately.
		if !closed(ends.Done()) || !closed(mixer.Handle{}.Done()) {
			t.Error("not done, though it is over")
		}
		// Once more, after the goroutine has ended; Test waits for it to end again.
		again := play(t, m.Engine().At(mixer.Now), s, mixer.Options{})
		c := again.Done()
		left(m, 60)
		time.Sleep(10 * ms)
		if !closed(c) {
			t.Error("in a second round it is not done")
		}
	})
}

// TestDoneIsWaitedFor waits in a goroutine while another one renders.
func TestDoneIsWaitedFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newMixer(t, mixer.Config{Rate: 1000})
		h := play(t, m.Engine().At(mixer.Now), level(t, 1000, 300, 0.5), mixer.Options{})
		stop := make(chan bool)
		go func() {
			ticker := time.NewTicker(10 * ms)
			defer ticker.Stop()
			for {
				select {
				case <-ticker.C:
					left(m, 10)
				case <-stop:
					return
				}
			}
		}()
		begin := time.Now()
		<-h.Done()
		close(stop)
		if took := time.Since(begin); took < 300*ms || took > 310*ms {
			t.Errorf("a sound of 300 ms was waited for %v", took)
		}
	})
}

// TestDoneOfAReusedRecord checks that the channel closes even if the record was reused in the meantime.
func TestDoneOfAReusedRecord(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newMixer(t, mixer.Config{Rate: 1000, Voices: 1, Commands: 1})
		s := level(t, 1000, 1, 0.5)
		c := play(t, m.Engine().At(mixer.Now), s, mixer.Options{}).Done()
		for range 20 { // repeatedly through three records
			left(m, 5)
			play(t, m.Engine().At(mixer.Now), s, mixer.Options{})
		}
		time.Sleep(10 * ms)
		synctest.Wait()
		if !closed(c) {
			t.Error("it is not done")
		}
		left(m, 5)
	})
}
