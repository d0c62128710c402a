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
	// glance is the interval of the watchdog.
	glance = 50 * time.Millisecond

	// glanceAsleep is the interval while the source sleeps: any sound to be played wakes the source first.
	glanceAsleep = 2 * time.Second

	// stall is the time without consumed frames after which a driver with an empty buffer counts as stalled.
	stall = 250 * time.Millisecond

	// eager is the time after a loss with attempts at intervals of pause; later they start every second.
	eager = 10 * time.Second
	pause = 100 * time.Millisecond
	again = time.Second

	// tries is the maximum number of concurrent attempts.
	tries = 4

	// stuck and slow are the times after which a card that consumes no frames is closed. slow is for a card
	// that has not begun: its sink may be suspended, or its server hung.
	stuck, slow = 2 * time.Second, 10 * time.Second

	// filling is the number of looks during which a new card may consume frames that only fill its buffer.
	filling = 2

	// fade is the duration of the fade-in after a return.
	fade = 20 * time.Millisecond
)

// supervisor watches the playing card. Without one it keeps time and looks for a card. It belongs to one
// goroutine.
type supervisor struct {
	*Device
	card    *attempt // the current card, playing or not yet; nil without a card
	plays   bool     // card is playing
	numbers int      // number of the last attempt

	// While a card plays:
	taken  int64     // frames consumed, at the last look
	moved  time.Time // time of the last change of taken
	mark   int64     // frames rendered by then
	marked time.Time // time of the last Render by then

	// While no card plays:
	clock  *keeper
	from   int64 // the first frame of the gap
	lost   time.Time
	tried  time.Time // start of the last attempt
	failed time.Time // end of the last attempt
	trying int
}

// supervise makes src the source and reports the initial state. It returns the loop that replaces lost cards,
// which runs until stop is closed.
func (d *Device) supervise(src device.Source) func(stop <-chan struct{}) {
	s := &supervisor{Device: d, numbers: 1, trying: 1, tried: d.first.began}
	return s.begin(src)
}

// begin opens the valve for src: for the first card if it is open, otherwise for a keeper. It lets attempts
// start their cards, and returns the loop to run.
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

// run handles the results of attempts and looks at the card at each tick, until stop is closed. While the source
// sleeps it ticks more slowly. At the end it closes everything.
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

// end closes the valve, so that no Render runs any longer, then ends the keeper, and closes the card in the
// background.
func (s *supervisor) end() {
	s.cancel()
	s.valve.close()
	s.clock.end()
	s.drop()
}

// settle restricts later attempts to the driver of a. It has no effect if that driver is not in the list.
func (s *supervisor) settle(a *attempt) {
	for i, r := range s.drivers {
		if r.name == a.driver.name {
			s.drivers = s.drivers[i : i+1]
			return
		}
	}
}

// arrive handles the result of attempt a. If the device has no card, a becomes the card, or its error is
// published. A surplus card is closed, and the failure of the current card counts as its loss.
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

// look checks the state of the current card and switches to or from the keeper, or closes the card, as needed.
// Without a card it starts an attempt when one is due.
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
		// The first frames only fill the driver's buffer, whether it plays or not.
		a.base = taken
		if a.moves--; a.moves < 0 {
			s.valve.offer(a.number, a.card.Latency())
		}
	case !a.driver.once && !a.suspended() && !a.dummy() && now.Sub(a.since) > a.stays():
		s.drop()
	}
}

// watch switches to the keeper if the playing card a has consumed no frames within limit, plays on the silent
// sink, or if the process paused. taken is the number of frames that a has consumed.
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

// suspended reports whether the driver is suspended and may resume by itself.
func (a *attempt) suspended() bool {
	c, ok := a.card.(interface{ Suspended() bool })
	return ok && c.Suspended()
}

// dummy reports whether the card plays on the silent sink that a server creates when it lacks a real one. The
// server moves the stream when another sink appears.
func (a *attempt) dummy() bool {
	c, ok := a.card.(interface{ Sink() string })
	return ok && c.Sink() == "auto_null"
}

// stays returns the time after which a card that consumes no frames is closed.
func (a *attempt) stays() time.Duration {
	if a.fresh {
		return slow
	}
	return stuck
}

// limit returns how long the card may consume no frames: until its buffer has been played, plus stall.
func (s *supervisor) limit() time.Duration {
	return stall + pcm.Duration(int64(s.card.card.Latency()), s.config.Rate)
}

// seek begins an attempt if one is due: at regular intervals, or soon after a loss. If too many still run or the
// loss is final, it has no effect.
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

// stall switches to the keeper because the card has stopped consuming frames; why is the reason. The card stays
// open, because it may resume.
func (s *supervisor) stall(why error, now time.Time) {
	a := s.card
	a.since, a.base, a.moves = now, a.taken(), 0
	s.hush(a, why)
}

// lose closes the current card because of why, and switches to the keeper if the card was playing. If its driver
// can be opened only once, the loss is final.
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

// despair publishes why there is no card. If no driver can be opened again, it makes the loss final and adds a
// Lost event.
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

// hush switches to the keeper at the first frame that the card may not have played. The frames that it still
// held count as lost; the keeper continues when the card would have played the next frame.
func (s *supervisor) hush(a *attempt, why error) {
	held := int64(0)
	if !a.fresh {
		held = int64(a.card.Latency())
	}
	s.plays = false
	begin := s.valve.take(s.mark, s.marked.Add(pcm.Duration(held, s.config.Rate)))
	s.silence(max(s.mark-held, s.from), begin, Reason(why))
}

// silence starts the keeper, whose next block is due at begin, and adds a Lost event. Frame from is the first
// that was not played by a card; reason is the cause.
func (s *supervisor) silence(from int64, begin time.Time, reason string) {
	s.from = from
	s.lost = time.Now()
	s.clock = keep(&s.valve, begin, &s.config)
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.driver, s.heard, s.reason, s.since = nil, nil, reason, from
	s.tell(Event{Kind: Lost, Frame: from, Reason: reason, Final: s.final})
}

// resume ends the keeper and adds a Back event: card a plays from frame from on. The frames before it since the
// loss are added to d.unheard.
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

// drop withdraws the source from the current card and closes the card, if there is one.
func (s *supervisor) drop() {
	if s.card != nil {
		s.valve.refuse(s.card.number)
		s.close(s.card)
		s.card = nil
	}
}

// close closes a card in the background, because that may take long.
func (s *supervisor) close(a *attempt) {
	a.closed = true
	s.loose.Go(func() { _ = a.card.Close() })
}
