package auto

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"voicepool/device"
	"voicepool/pcm"
)

const (
	// glance is how often the watchdog looks.
	glance = 50 * time.Millisecond

	// glanceAsleep is how often it looks while the source sleeps: nobody misses anything then, and
	// what goes wakes the source.
	glanceAsleep = 2 * time.Second

	// stall is for how long a driver may take nothing when it has nothing left to play.
	stall = 250 * time.Millisecond

	// eager is for how long a lost driver is tried again at once; then it is every second.
	eager = 10 * time.Second
	pause = 100 * time.Millisecond
	again = time.Second

	// tries is how many attempts may be under way.
	tries = 4

	// stuck is how long a card that takes nothing is kept: one that has played, and one that
	// has not begun. The sink of the second is suspended, or its server at a standstill.
	stuck, slow = 2 * time.Second, 10 * time.Second

	// filling is how many looks may see a new card take frames that are only held.
	filling = 2

	// fade is that of the return.
	fade = 20 * time.Millisecond
)

// supervisor watches the card that plays, keeps time while none does, and looks for one.
// One goroutine has it.
type supervisor struct {
	*Device
	card    *attempt // the one card there is, whether it plays or only might
	plays   bool     // it does
	numbers int      // of attempts

	// While it plays.
	taken  int64     // frames, at the last look
	moved  time.Time // when that was another number
	mark   int64     // frames rendered by then
	marked time.Time // when the last of them were

	// While it does not.
	clock  *keeper
	from   int64 // the first frame that is not heard
	lost   time.Time
	tried  time.Time // the last attempt began
	failed time.Time // and ended
	trying int
}

// supervise starts to play src, and returns what goes on then.
func (d *Device) supervise(src device.Source) func(stop <-chan struct{}) {
	s := &supervisor{Device: d, numbers: 1, trying: 1, tried: d.first.began}
	return s.begin(src)
}

func (s *supervisor) begin(src device.Source) func(stop <-chan struct{}) {
	now := time.Now()
	s.moved, s.marked, s.failed = now, now, now
	opened := false
	select {
	case <-s.first.opened:
		opened = s.first.err == nil
	default:
	}
	if opened {
		s.card, s.plays = s.first, true
		s.valve.open(src, s.config.Rate, s.first.number)
		s.settle(s.first)
		s.show(s.first, "")
	} else {
		s.valve.open(src, s.config.Rate, nobody)
		s.silence(0, s.valve.take(0, now), s.Reason())
	}
	close(s.begun)
	return s.run
}

func (s *supervisor) run(stop <-chan struct{}) {
	ticker := time.NewTicker(glance)
	defer ticker.Stop()
	defer s.end()
	for {
		select {
		case <-stop:
			return
		case a := <-s.found:
			s.arrive(a, time.Now())
		case <-s.valve.nudge:
			ticker.Reset(glance)
		case <-ticker.C:
			s.look(time.Now())
			if s.valve.sleeps() {
				ticker.Reset(glanceAsleep)
			} else {
				ticker.Reset(glance)
			}
		}
	}
}

// end closes all that plays.
func (s *supervisor) end() {
	s.cancel()
	s.valve.close()
	s.clock.end()
	s.drop()
}

// settle makes the driver that opens first the only one: what was lost comes back on it.
func (s *supervisor) settle(a *attempt) {
	for i, r := range s.drivers {
		if r.name == a.driver.name {
			s.drivers = s.drivers[i : i+1]
			return
		}
	}
}

// arrive takes what has become of an attempt.
func (s *supervisor) arrive(a *attempt, now time.Time) {
	s.trying--
	s.failed = now
	switch {
	case a.err != nil && a == s.card:
		s.lose(a.err)
	case a.err != nil:
		if s.card == nil && !s.final {
			s.despair(a.err)
		}
	case a.closed:
	case s.card == nil && !s.final:
		s.card = a
		a.since, a.base, a.moves = now, 0, filling
	case s.card != a:
		s.close(a)
	}
}

// look looks after the card, or for one.
func (s *supervisor) look(now time.Time) {
	a := s.card
	if a == nil {
		s.seek(now)
		return
	}
	taken, err := a.taken(), a.card.Err()
	from, holds := s.valve.holds(a.number)
	switch {
	case holds && !s.plays:
		s.resume(a, from, now)
	case err != nil:
		s.lose(err)
	case s.plays:
		s.watch(a, taken, now)
	case taken != a.base && !a.dummy():
		// The first frames only fill what the driver holds, whether it plays or not.
		a.base = taken
		if a.moves--; a.moves < 0 {
			s.valve.offer(a.number, a.card.Latency())
		}
	case !a.driver.once && !a.suspended() && !a.dummy() && now.Sub(a.since) > a.stays():
		s.drop()
	}
}

// watch looks whether the card that plays takes frames, and took them all the time.
func (s *supervisor) watch(a *attempt, taken int64, now time.Time) {
	rendered, last, pause := s.valve.look()
	switch limit := s.limit(); {
	case pause > limit:
		s.stall(fmt.Errorf("this process, or the machine, stood still for %.1f s", pause.Seconds()), now)
	case a.dummy():
		s.stall(errors.New("the sound server has no output"), now)
	case taken != s.taken:
		s.taken, s.mark, s.marked, s.moved, a.fresh = taken, rendered, last, now, false
	case now.Sub(s.moved) > limit:
		why := fmt.Errorf("%s takes nothing", a.driver.name)
		if a.suspended() {
			why = errors.New("the sink is suspended")
		}
		s.stall(why, now)
	}
}

// suspended reports whether the driver says that it may play on by itself.
func (a *attempt) suspended() bool {
	c, ok := a.card.(interface{ Suspended() bool })
	return ok && c.Suspended()
}

// dummy reports whether the card plays on the sink that a server makes for itself when it has
// no other: nobody hears that. The server moves the stream when there is another one.
func (a *attempt) dummy() bool {
	c, ok := a.card.(interface{ Sink() string })
	return ok && c.Sink() == "auto_null"
}

// stays returns how long a card is kept that takes nothing.
func (a *attempt) stays() time.Duration {
	if a.fresh {
		return slow
	}
	return stuck
}

// limit is for how long the card may take nothing: until all that it holds was heard, and
// for a while.
func (s *supervisor) limit() time.Duration {
	return stall + pcm.Duration(int64(s.card.card.Latency()), s.config.Rate)
}

// seek begins an attempt when it is time for one.
func (s *supervisor) seek(now time.Time) {
	due := now.Sub(s.tried) >= again
	if s.trying == 0 && now.Sub(s.lost) < eager {
		due = now.Sub(s.failed) >= pause
	}
	if !due || s.trying >= tries || s.final {
		return
	}
	s.numbers++
	s.trying++
	s.tried = now
	s.try(s.numbers, s.drivers)
}

// stall keeps time in the place of a card that may go on by itself.
func (s *supervisor) stall(why error, now time.Time) {
	a := s.card
	a.since, a.base, a.moves = now, a.taken(), 0
	s.hush(a, why)
}

// lose gives a card up. What a process can open once does not come back.
func (s *supervisor) lose(why error) {
	s.mutex.Lock()
	s.final = s.card.driver.once
	s.mutex.Unlock()
	switch {
	case s.plays:
		s.hush(s.card, why)
	case s.final:
		s.despair(why)
	default:
		s.show(nil, Reason(why))
	}
	s.drop()
}

// despair says why there is no card, and, where no driver is left, that there will be none.
func (s *supervisor) despair(why error) {
	reason := Reason(why)
	s.show(nil, reason)
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.final = s.final || !slices.ContainsFunc(s.drivers, func(r *driver) bool { return r.spent.Load() == nil && !s.config.narrow(r) })
	if s.final {
		s.tell(Event{Kind: Lost, Frame: s.from, Reason: reason, Final: true})
	}
}

// hush keeps time from where the card was. What it held may not have been heard; the frame
// after that is due when the card would have played it.
func (s *supervisor) hush(a *attempt, why error) {
	held := int64(0)
	if !a.fresh {
		held = int64(a.card.Latency())
	}
	s.plays = false
	begin := s.valve.take(s.mark, s.marked.Add(pcm.Duration(held, s.config.Rate)))
	s.silence(max(s.mark-held, s.from), begin, Reason(why))
}

// silence keeps time from a moment on, and tells that nothing is heard.
func (s *supervisor) silence(from int64, begin time.Time, reason string) {
	s.from = from
	s.lost = time.Now()
	s.clock = keep(&s.valve, begin, &s.config)
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.driver, s.heard, s.reason, s.since = nil, nil, reason, from
	s.tell(Event{Kind: Lost, Frame: from, Reason: reason, Final: s.final})
}

// resume tells that a card plays on, from a frame on.
func (s *supervisor) resume(a *attempt, from int64, now time.Time) {
	s.clock.end()
	s.settle(a)
	s.plays, a.fresh = true, false
	s.taken, s.moved, s.mark, s.marked = a.taken(), now, from, now
	s.show(a, "")
	on := s.String()
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.unheard += from - s.from
	s.tell(Event{Kind: Back, Frame: from, Gap: pcm.Duration(from-s.from, s.config.Rate), On: on})
	s.from = from
}

// drop closes the card, if there is one.
func (s *supervisor) drop() {
	if s.card != nil {
		s.valve.refuse(s.card.number)
		s.close(s.card)
		s.card = nil
	}
}

// close closes a card, which may take its time.
func (s *supervisor) close(a *attempt) {
	a.closed = true
	s.loose.Go(func() { _ = a.card.Close() })
}
