package auto

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"voicepool/device"
	"voicepool/internal/longtest"
)

// fault is a fault of a server, and its repair.
type fault struct {
	name   string
	strike func(*server)
	mend   func(*server)
	why    string
}

// restart restarts the server: earlier cards are lost.
func restart(s *server) { s.life++; s.gone = errGone }

var faults = []fault{
	{name: "refused", strike: func(s *server) { restart(s); s.refuse = errors.New("oto: access denied") },
		mend: func(s *server) { s.refuse = nil }, why: "server gone"},
	{name: "no server", strike: func(s *server) { restart(s); s.refuse = fmt.Errorf("oto: no socket: %w", device.ErrUnavailable) },
		mend: func(s *server) { s.refuse = nil }, why: "server gone"},
	{name: "never answers", strike: func(s *server) { restart(s); s.hangs = true },
		mend: func(s *server) { s.hangs = false }, why: "server gone"},
	{name: "slow to answer", strike: func(s *server) { restart(s); s.slow = 800 * time.Millisecond; s.refuse = errors.New("oto: busy") },
		mend: func(s *server) { s.refuse = nil }, why: "server gone"},
	{name: "wrong rate", strike: func(s *server) { restart(s); s.rate = 44100 },
		mend: func(s *server) { s.rate = 0 }, why: "server gone"},
	{name: "sink unloaded", strike: func(s *server) {
		restart(s)
		s.gone, s.refuse = errors.New("oto: the sink is gone"), errors.New("fake: no sink")
	}, mend: func(s *server) { s.refuse = nil }, why: "the sink is gone"},
	{name: "stalled, goes on", strike: func(s *server) { s.halted = true },
		mend: func(s *server) { s.halted = false }, why: "fake takes nothing"},
	{name: "suspended", strike: func(s *server) { s.halted, s.silent = true, true },
		mend: func(s *server) { s.halted, s.silent = false, false }, why: "the sink is suspended"},
	{name: "moved to a dummy", strike: func(s *server) { s.dummy = true },
		mend: func(s *server) { s.dummy = false }, why: "the sound server has no output"},
	{name: "stalled, then another server", strike: func(s *server) { s.halted = true },
		mend: func(s *server) { s.halted = false; restart(s) }, why: "fake takes nothing"},
	{name: "stalled, opens nothing", strike: func(s *server) { s.halted, s.hangs = true, true },
		mend: func(s *server) { s.halted, s.hangs = false, false }, why: "fake takes nothing"},
}

// TestFaults checks that each fault is detected in time, the device keeps time, and the sound returns in time,
// faded in, at the due frame.
func TestFaults(t *testing.T) {
	for _, f := range faults {
		for _, lasts := range []time.Duration{400 * time.Millisecond, time.Second, 5 * time.Second, 9900 * time.Millisecond, 30 * time.Second} {
			t.Run(fmt.Sprint(f.name, " for ", lasts), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) { injectFault(t, f, lasts, 1) })
			})
		}
		for _, outputs := range []int{2, 16} {
			t.Run(fmt.Sprint(f.name, " with outputs ", outputs), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) { injectFault(t, f, 2*time.Second, outputs) })
			})
		}
	}
}

func injectFault(t *testing.T, f fault, lasts time.Duration, outputs int) {
	s, src := &server{}, &counter{t: t, outputs: outputs}
	d := newDevice(Config{Rate: rate, Block: 8, Outputs: outputs}, []*driver{s.driver()})
	defer d.Close()
	synctest.Wait()
	d.showFirst()
	if err := d.Start(src); err != nil || d.String() != "fake on speakers" {
		t.Fatal(d, err)
	}
	begun := time.Now()
	total := time.Duration(0)
	for turn := range 2 {
		time.Sleep(3*time.Second + 7*time.Millisecond)
		struck := time.Now()
		s.set(func() { f.strike(s) })
		lost := await(t, d, Lost, 500*time.Millisecond)
		unheard := struck.Sub(begun)
		if off := lost.At - unheard; lost.Reason != f.why || off > 100*time.Millisecond || off < -100*time.Millisecond {
			t.Errorf("turn %d: %v, want it at %v for %q", turn, lost, unheard, f.why)
		}
		if d.Driver() != "null" || d.Reason() == "" || d.Sink() != "" || d.Err() != nil {
			t.Errorf("turn %d: while lost: %v, %v", turn, d, d.Err())
		}
		time.Sleep(time.Until(struck.Add(lasts)))
		if e := next(d); e.Kind != 0 {
			t.Errorf("turn %d: before it was mended: %v", turn, e)
		}
		s.set(func() { f.mend(s); s.heard = nil })
		back := await(t, d, Back, 2*time.Second)
		if back.At-lost.At != back.Gap || back.On != "fake on speakers" {
			t.Errorf("turn %d: %v after %v", turn, back, lost)
		}
		total += back.Gap
		if d.Unheard() != total || d.String() != "fake on speakers" {
			t.Errorf("turn %d: %v, %v not heard, want %v", turn, d, d.Unheard(), total)
		}
		time.Sleep(2 * time.Second)
		s.inTime(t, begun, back)
	}
	if e := next(d); e.Kind != 0 {
		t.Errorf("in the end: %v", e)
	}
}

// TestSuspended checks that a card that may resume by itself is not reopened repeatedly.
func TestSuspended(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &server{halted: true, silent: true}
		d := newDevice(Config{Rate: rate, Block: 8}, []*driver{s.driver()})
		defer d.Close()
		synctest.Wait()
		d.Start(&counter{t: t})
		lasts := time.Hour
		if !longtest.Enabled() {
			lasts = 5 * time.Minute
		}
		time.Sleep(lasts)
		if s.opened != 1 || d.Reason() != "the sink is suspended" {
			t.Errorf("it was opened %d times: %v", s.opened, d)
		}
	})
}

// TestAsleep suspends the machine, and with it all goroutines. When it resumes, the device detects that at
// once, and reports the lost time as a gap.
func TestAsleep(t *testing.T) {
	for _, lasts := range []time.Duration{time.Second, time.Minute} {
		synctest.Test(t, func(t *testing.T) {
			s, src := &server{}, &counter{t: t}
			d := newDevice(Config{Rate: rate, Block: 8}, []*driver{s.driver()})
			defer d.Close()
			synctest.Wait()
			d.showFirst()
			begun := time.Now()
			d.Start(src)
			time.Sleep(3*time.Second + 7*time.Millisecond)
			s.set(func() { s.until = time.Now().Add(lasts) })
			time.Sleep(lasts)
			lost := await(t, d, Lost, 500*time.Millisecond)
			s.set(func() { s.heard = nil })
			back := await(t, d, Back, 2*time.Second)
			if off := lost.At - 3*time.Second; off > 100*time.Millisecond || off < -100*time.Millisecond || back.Gap < lasts {
				t.Errorf("asleep for %v: %v, %v", lasts, lost, back)
			}
			time.Sleep(2 * time.Second)
			s.inTime(t, begun, back)
		})
	}
}

// next returns the next event, or the zero Event.
func next(d *Device) Event {
	var e [1]Event
	d.Events(e[:])
	return e[0]
}

// await waits for an event, in steps of 10 ms up to a limit.
func await(t *testing.T, d *Device, kind Kind, limit time.Duration) Event {
	t.Helper()
	for end := time.Now().Add(limit); !time.Now().After(end); time.Sleep(step) {
		synctest.Wait()
		if e := next(d); e.Kind == kind {
			return e
		} else if e.Kind != 0 {
			t.Fatalf("%v, want %v", e, kind)
		}
	}
	t.Fatalf("not %v within %v: %v", kind, limit, d)
	return Event{}
}

// inTime checks the audio after a return: a fade-in of 20 ms, and then each frame at its due time.
func (s *server) inTime(t *testing.T, begun time.Time, back Event) {
	t.Helper()
	s.mutex.Lock()
	defer s.mutex.Unlock()
	first := float32(back.Frame + 1)
	faded, heard := 0, 0
	for _, h := range s.heard {
		if h.torn {
			t.Fatalf("after %v the outputs are not alike", h.at.Sub(begun))
		}
		due := float32(h.at.Sub(begun).Milliseconds()) - float32(moved) + 1
		switch off := h.first - due; {
		case heard > 0 && (off > 20 || off < -20 || h.last != h.first+float32(moved-1)):
			t.Fatalf("after %v frames %v to %v were heard, want %v", h.at.Sub(begun), h.first, h.last, due)
		case heard > 0 || h.first == first+20:
			heard++
		case h.first >= first:
			t.Fatalf("after %v frame %v was heard, before a fade from frame %v", h.at.Sub(begun), h.first, first)
		case h.last > 0:
			faded++
		}
	}
	// A stalled card plays its buffer first.
	if faded < 1 || faded > 3+held/moved || heard < 150 {
		t.Errorf("%d steps faded in, %d steps were heard", faded, heard)
	}
}

// TestClose checks that at any moment Close takes at most the time limit for a hung driver. It must leave no
// goroutine behind, which synctest checks.
func TestClose(t *testing.T) {
	for _, at := range []time.Duration{0, 10 * time.Millisecond, 400 * time.Millisecond, time.Second, 12 * time.Second} {
		for _, f := range faults {
			synctest.Test(t, func(t *testing.T) {
				s := &server{}
				d := newDevice(Config{Rate: rate, Block: 8}, []*driver{s.driver()})
				synctest.Wait()
				d.Start(&counter{t: t})
				time.Sleep(time.Second)
				s.set(func() { f.strike(s) })
				time.Sleep(at)
				begin := time.Now()
				d.Close()
				if took := time.Since(begin); took > closeTimeout {
					t.Errorf("%s, after %v: Close took %v", f.name, at, took)
				}
			})
		}
	}
}

// TestCloseHungDriver checks that a driver that ignores its context is abandoned.
func TestCloseHungDriver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		deaf := &driver{name: "deaf", open: func(context.Context, *Config) (device.Device, error) {
			time.Sleep(time.Minute)
			return &fakeCard{server: &server{}, rate: rate}, nil
		}}
		d := newDevice(Config{Rate: rate, Block: 8}, []*driver{deaf})
		d.Start(&counter{t: t})
		begin := time.Now()
		if d.Close(); time.Since(begin) != closeTimeout {
			t.Errorf("Close took %v", time.Since(begin))
		}
		time.Sleep(time.Minute) // then it finds the device closed
	})
}
