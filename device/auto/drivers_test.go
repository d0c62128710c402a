package auto

import (
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"voicepool/device"
	"voicepool/device/oto"
)

// TestFromNothing checks that a device that starts without sound uses a card that appears later.
func TestFromNothing(t *testing.T) {
	for _, after := range []time.Duration{0, time.Second, 3 * time.Second, 20 * time.Second} {
		for _, c := range []struct {
			name   string
			server *server
			reason string
		}{
			{name: "refused", server: &server{refuse: fmt.Errorf("oto: access denied: %w", device.ErrUnavailable)}, reason: "access denied"},
			{name: "hangs", server: &server{hangs: true}, reason: "the sound system is slow to answer"},
			{name: "slow", server: &server{slow: 900 * time.Millisecond}, reason: "the sound system is slow to answer"},
			{name: "rate", server: &server{rate: 8000}, reason: "fake: wrong rate: it plays 8000 frames per second, not 1000"},
		} {
			t.Run(fmt.Sprint(c.name, " until ", after), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					s, src := c.server, &counter{t: t}
					asked := time.Now()
					d := newDevice(Config{Rate: rate, Block: 8}, []*driver{s.driver()})
					defer d.Close()
					select {
					case <-d.first.opened:
					case <-time.After(openTimeout):
					}
					d.showFirst()
					if took := time.Since(asked); took > openTimeout || d.Driver() != "null" {
						t.Fatalf("%v after %v", d, took)
					}
					begun := time.Now()
					d.Start(src)
					if lost := await(t, d, Lost, 0); lost.Frame != 0 || lost.Reason != c.reason {
						t.Errorf("%v, want the reason %q", lost, c.reason)
					}
					time.Sleep(after)
					if c.name != "slow" {
						s.set(func() { s.refuse, s.hangs, s.rate = nil, false, 0 })
					} else if after > 0 {
						return
					}
					back := await(t, d, Back, 2*time.Second)
					time.Sleep(2 * time.Second)
					s.inTime(t, begun, back)
				})
			})
		}
	}
}

// TestOnce checks that a driver that a process can open only once is not reopened after a loss, but may recover
// from a stall.
func TestOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, src := &server{}, &counter{t: t}
		r := s.driver()
		r.openOnce = true
		d := newDevice(Config{Rate: rate, Block: 8}, []*driver{r})
		defer d.Close()
		synctest.Wait()
		d.showFirst()
		d.Start(src)
		time.Sleep(time.Second)
		s.set(func() { s.halted = true })
		await(t, d, Lost, time.Second)
		time.Sleep(time.Minute)
		s.set(func() { s.halted = false })
		await(t, d, Back, time.Second)
		s.set(func() { restart(s) })
		lost := await(t, d, Lost, time.Second)
		if err := d.Err(); !lost.Final || !errors.Is(err, device.ErrUnavailable) {
			t.Errorf("%v, %v", lost, err)
		}
		n := d.gate.renderedFrames()
		time.Sleep(time.Minute)
		if e := next(d); e.Kind != 0 || s.opened != 1 || d.gate.renderedFrames() < n+59*rate {
			t.Errorf("a minute later: %v, opened %d times, %d frames", e, s.opened, d.gate.renderedFrames()-n)
		}
	})
}

// TestSpent checks that a driver that can no longer be opened is not tried again. If it was the only one, the
// loss is final.
func TestSpent(t *testing.T) {
	for _, c := range []struct {
		name  string
		other *server
		want  string
		final bool
	}{
		{name: "alone", final: true, want: "null"},
		{name: "another is there", other: &server{}, want: "other"},
		{name: "another is looked for", other: &server{refuse: errGone}, want: "null"},
	} {
		synctest.Test(t, func(t *testing.T) {
			s := &server{refuse: fmt.Errorf("oto: the card is busy: %w", oto.ErrSpent)}
			r := s.driver()
			r.openOnce = true
			drivers := []*driver{r}
			if c.other != nil {
				other := c.other.driver()
				other.name = "other"
				drivers = append(drivers, other)
			}
			d := newDevice(Config{Rate: rate, Block: 8}, drivers)
			defer d.Close()
			synctest.Wait()
			d.showFirst()
			d.Start(&counter{t: t})
			time.Sleep(time.Minute)
			var e [3]Event
			n := d.Events(e[:])
			if d.Driver() != c.want || (d.Err() != nil) != c.final || s.asked != 1 || c.final && (n != 2 || !e[1].Final || e[1].Reason != "the card is busy") {
				t.Errorf("%s: %v, %v, asked %d times, told %v", c.name, d, d.Err(), s.asked, e[:n])
			}
		})
	}
}

// TestSurplus checks that if several attempts succeed, one plays, and the others are closed. (synctest detects
// leaks.)
func TestSurplus(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &server{slow: 2500 * time.Millisecond}
		d := newDevice(Config{Rate: rate, Block: 8}, []*driver{s.driver()})
		defer d.Close()
		d.Start(&counter{t: t})
		time.Sleep(10 * time.Second)
		driver := d.Driver()
		if d.Close(); driver != "fake" || s.opened < 2 {
			t.Errorf("%v plays, of %d that were opened", driver, s.opened)
		}
		late := &supervisor{Device: d, trying: 1}
		if late.handleResult(&attempt{closed: true}, time.Now()); late.card != nil {
			t.Error("a card that was closed while it started plays")
		}
	})
}

// TestFind checks that find fails if the named driver refuses or does not answer.
func TestFind(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, c := range []struct {
			name   string
			server *server
			ok     bool
		}{
			{name: "there", server: &server{}, ok: true},
			{name: "slow", server: &server{slow: 3 * time.Second}, ok: true},
			{name: "refused", server: &server{refuse: errGone}},
			{name: "hangs", server: &server{hangs: true}},
		} {
			d, err := find(Config{Rate: rate}, []*driver{c.server.driver()})
			if (err == nil) != c.ok {
				t.Errorf("%s: %v", c.name, err)
			}
			if d != nil {
				d.Close()
			}
		}
	})
}

// TestOrder checks that the first driver that opens plays. A driver that times out excludes the others, because
// they would use the same server. A lost card comes back on the same driver.
func TestOrder(t *testing.T) {
	for _, c := range []struct {
		name          string
		first, second *server
		want          string
	}{
		{name: "both", first: &server{}, second: &server{}, want: "first"},
		{name: "the first refuses", first: &server{refuse: errGone}, second: &server{}, want: "second"},
		{name: "the first hangs", first: &server{hangs: true}, second: &server{}, want: "null"},
		{name: "none", first: &server{refuse: errGone}, second: &server{refuse: errGone}, want: "null"},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				one, two := c.first.driver(), c.second.driver()
				one.name, two.name = "first", "second"
				d := newDevice(Config{Rate: rate, Block: 8}, []*driver{one, two})
				defer d.Close()
				time.Sleep(5 * time.Second)
				d.showFirst()
				d.Start(&counter{t: t})
				time.Sleep(5 * time.Second)
				if d.Driver() != c.want {
					t.Fatal(d)
				}
				if c.want != "first" {
					return
				}
				c.first.set(func() { restart(c.first); c.first.refuse = errGone })
				time.Sleep(time.Minute)
				c.first.set(func() { c.first.refuse = nil })
				time.Sleep(2 * time.Second)
				if d.Driver() != "first" || c.second.opened != 0 {
					t.Errorf("%v, the second was opened %d times", d, c.second.opened)
				}
			})
		})
	}
}
