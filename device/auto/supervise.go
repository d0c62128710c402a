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
	// watchInterval is the interval of the watchdog.
	watchInterval = 50 * time.Millisecond

	// watchIntervalAsleep is the interval while the source sleeps: any sound to be played wakes the source first.
	watchIntervalAsleep = 2 * time.Second

	// stallTime is the time without consumed frames after which a driver with an empty buffer counts as stalled.
	stallTime = 250 * time.Millisecond

	// fastRetryTime is the time after a loss with attempts at intervals of fastRetryInterval; later they start
	// every second.
	fastRetryTime     = 10 * time.Second
	fastRetryInterval = 100 * time.Millisecond
	retryInterval     = time.Second

	// maxAttempts is the maximum number of concurrent attempts.
	maxAttempts = 4

	// consumeTimeout and firstConsumeTimeout are the times after which a card that consumes no frames is closed.
	// firstConsumeTimeout is for a card that has not begun: its sink may be suspended, or its server hung.
	consumeTimeout, firstConsumeTimeout = 2 * time.Second, 10 * time.Second

	// prefillChecks is the number of checks during which a new card may consume frames that only fill its buffer.
	prefillChecks = 2

	// fadeInTime is the duration of the fade-in after a return.
	fadeInTime = 20 * time.Millisecond
)

// supervisor watches the playing card. Without one it keeps time and looks for a card. It belongs to one
// goroutine.
type supervisor struct {
	*Device
	card       *attempt // the current card, playing or not yet; nil without a card
	playsCard  bool     // card is playing
	lastNumber int      // number of the last attempt

	// While a card plays:
	lastConsumed int64     // frames consumed, at the last look
	lastProgress time.Time // time of the last change of lastConsumed
	markFrame    int64     // frames rendered by then
	markTime     time.Time // time of the last Render by then

	// While no card plays:
	clock        *keeper
	gapStart     int64 // the first frame of the gap
	lost         time.Time
	attemptStart time.Time // start of the last attempt
	attemptEnd   time.Time // end of the last attempt
	trying       int
}

// supervise makes src the source and reports the initial state. It returns the loop that replaces lost cards,
// which runs until stop is closed.
func (d *Device) supervise(src device.Source) func(stop <-chan struct{}) {
	s := &supervisor{Device: d, lastNumber: 1, trying: 1, attemptStart: d.first.began}
	return s.openGate(src)
}

// openGate opens the gate for src: for the first card if it is open, otherwise for a keeper. It lets attempts
// start their cards, and returns the loop to run.
func (s *supervisor) openGate(src device.Source) func(stop <-chan struct{}) {
	now := time.Now()
	s.lastProgress, s.markTime, s.attemptEnd = now, now, now
	opened := false
	select {
	case <-s.first.opened:
		opened = s.first.err == nil
	default:
	}
	if opened {
		s.card, s.playsCard = s.first, true
		s.gate.open(src, s.config.Rate, s.first.number)
		s.restrictDrivers(s.first)
		s.show(s.first, "")
	} else {
		s.gate.open(src, s.config.Rate, keeperHolder)
		s.startKeeper(0, s.gate.transferToKeeper(0, now), s.Reason())
	}
	close(s.started)
	return s.run
}

// run handles the results of attempts and looks at the card at each tick, until stop is closed. While the source
// sleeps it ticks more slowly. At the end it closes everything.
func (s *supervisor) run(stop <-chan struct{}) {
	ticker := time.NewTicker(watchInterval)
	defer ticker.Stop()
	defer s.end()
	for {
		select {
		case <-stop:
			return
		case a := <-s.finished:
			s.handleResult(a, time.Now())
		case <-s.gate.wakeNotice:
			ticker.Reset(watchInterval)
		case <-ticker.C:
			s.checkCard(time.Now())
			if s.gate.isAsleep() {
				ticker.Reset(watchIntervalAsleep)
			} else {
				ticker.Reset(watchInterval)
			}
		}
	}
}

// end closes the gate, so that no Render runs any longer, then ends the keeper, and closes the card in the
// background.
func (s *supervisor) end() {
	s.cancel()
	s.gate.close()
	s.clock.end()
	s.dropCard()
}

// restrictDrivers restricts later attempts to the driver of a. It has no effect if that driver is not in the list.
func (s *supervisor) restrictDrivers(a *attempt) {
	for i, r := range s.drivers {
		if r.name == a.driver.name {
			s.drivers = s.drivers[i : i+1]
			return
		}
	}
}

// handleResult handles the result of attempt a. If the device has no card, a becomes the card, or its error is
// published. A surplus card is closed, and the failure of the current card counts as its loss.
func (s *supervisor) handleResult(a *attempt, now time.Time) {
	s.trying--
	s.attemptEnd = now
	switch {
	case a.err != nil && a == s.card:
		s.loseCard(a.err)
	case a.err != nil:
		if s.card == nil && !s.final {
			s.showFailure(a.err)
		}
	case a.closed:
	case s.card == nil && !s.final:
		s.card = a
		a.stalledSince, a.sinceFrames, a.prefillLeft = now, 0, prefillChecks
	case s.card != a:
		s.close(a)
	}
}

// checkCard checks the state of the current card and switches to or from the keeper, or closes the card, as needed.
// Without a card it starts an attempt when one is due.
func (s *supervisor) checkCard(now time.Time) {
	a := s.card
	if a == nil {
		s.tryNextAttempt(now)
		return
	}
	taken, err := a.consumedFrames(), a.card.Err()
	from, holds := s.gate.holds(a.number)
	switch {
	case holds && !s.playsCard:
		s.resume(a, from, now)
	case err != nil:
		s.loseCard(err)
	case s.playsCard:
		s.watch(a, taken, now)
	case taken != a.sinceFrames && !a.onSilentSink():
		// The first frames only fill the driver's buffer, whether it plays or not.
		a.sinceFrames = taken
		if a.prefillLeft--; a.prefillLeft < 0 {
			s.gate.offer(a.number, a.card.Latency())
		}
	case !a.driver.openOnce && !a.suspended() && !a.onSilentSink() && now.Sub(a.stalledSince) > a.consumeTimeout():
		s.dropCard()
	}
}

// watch switches to the keeper if the playing card a has consumed no frames within stallLimit, plays on the silent
// sink, or if the process paused. consumed is the number of frames that a has consumed.
func (s *supervisor) watch(a *attempt, consumed int64, now time.Time) {
	rendered, last, pause := s.gate.snapshot()
	switch limit := s.stallLimit(); {
	case pause > limit:
		s.fallBackToKeeper(fmt.Errorf("this process, or the machine, stood still for %.1f s", pause.Seconds()), now)
	case a.onSilentSink():
		s.fallBackToKeeper(errors.New("the sound server has no output"), now)
	case consumed != s.lastConsumed:
		s.lastConsumed, s.markFrame, s.markTime, s.lastProgress, a.unused = consumed, rendered, last, now, false
	case now.Sub(s.lastProgress) > limit:
		why := fmt.Errorf("%s takes nothing", a.driver.name)
		if a.suspended() {
			why = errors.New("the sink is suspended")
		}
		s.fallBackToKeeper(why, now)
	}
}

// suspended reports whether the driver is suspended and may resume by itself.
func (a *attempt) suspended() bool {
	c, ok := a.card.(interface{ Suspended() bool })
	return ok && c.Suspended()
}

// onSilentSink reports whether the card plays on the silent sink that a server creates when it lacks a real one. The
// server moves the stream when another sink appears.
func (a *attempt) onSilentSink() bool {
	c, ok := a.card.(interface{ Sink() string })
	return ok && c.Sink() == "auto_null"
}

// consumeTimeout returns the time after which a card that consumes no frames is closed.
func (a *attempt) consumeTimeout() time.Duration {
	if a.unused {
		return firstConsumeTimeout
	}
	return consumeTimeout
}

// stallLimit returns how long the card may consume no frames: until its buffer has been played, plus stallTime.
func (s *supervisor) stallLimit() time.Duration {
	return stallTime + pcm.Duration(int64(s.card.card.Latency()), s.config.Rate)
}

// tryNextAttempt begins an attempt if one is due: at regular intervals, or soon after a loss. If too many still
// run or the loss is final, it has no effect.
func (s *supervisor) tryNextAttempt(now time.Time) {
	due := now.Sub(s.attemptStart) >= retryInterval
	if s.trying == 0 && now.Sub(s.lost) < fastRetryTime {
		due = now.Sub(s.attemptEnd) >= fastRetryInterval
	}
	if !due || s.trying >= maxAttempts || s.final {
		return
	}
	s.lastNumber++
	s.trying++
	s.attemptStart = now
	s.try(s.lastNumber, s.drivers)
}

// fallBackToKeeper switches to the keeper because the card has stopped consuming frames; why is the reason. The card
// stays open, because it may resume.
func (s *supervisor) fallBackToKeeper(why error, now time.Time) {
	a := s.card
	a.stalledSince, a.sinceFrames, a.prefillLeft = now, a.consumedFrames(), 0
	s.switchToKeeper(a, why)
}

// loseCard closes the current card because of why, and switches to the keeper if the card was playing. If its driver
// can be opened only once, the loss is final.
func (s *supervisor) loseCard(why error) {
	s.mutex.Lock()
	s.final = s.card.driver.openOnce
	s.mutex.Unlock()
	switch {
	case s.playsCard:
		s.switchToKeeper(s.card, why)
	case s.final:
		s.showFailure(why)
	default:
		s.show(nil, Reason(why))
	}
	s.dropCard()
}

// showFailure publishes why there is no card. If no driver can be opened again, it makes the loss final and adds a
// Lost event.
func (s *supervisor) showFailure(why error) {
	reason := Reason(why)
	s.show(nil, reason)
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.final = s.final || !slices.ContainsFunc(s.drivers, func(r *driver) bool { return r.finalErr.Load() == nil && !s.config.lacksChannels(r) })
	if s.final {
		s.addEvent(Event{Kind: Lost, Frame: s.gapStart, Reason: reason, Final: true})
	}
}

// switchToKeeper switches to the keeper at the first frame that the card may not have played. The frames that it still
// held count as lost; the keeper continues when the card would have played the next frame.
func (s *supervisor) switchToKeeper(a *attempt, why error) {
	held := int64(0)
	if !a.unused {
		held = int64(a.card.Latency())
	}
	s.playsCard = false
	start := s.gate.transferToKeeper(s.markFrame, s.markTime.Add(pcm.Duration(held, s.config.Rate)))
	s.startKeeper(max(s.markFrame-held, s.gapStart), start, Reason(why))
}

// startKeeper starts the keeper, whose next block is due at start, and adds a Lost event. Frame from is the first
// that was not played by a card; reason is the cause.
func (s *supervisor) startKeeper(from int64, start time.Time, reason string) {
	s.gapStart = from
	s.lost = time.Now()
	s.clock = newKeeper(&s.gate, start, &s.config)
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.driver, s.playing, s.reason, s.since = nil, nil, reason, from
	s.addEvent(Event{Kind: Lost, Frame: from, Reason: reason, Final: s.final})
}

// resume ends the keeper and adds a Back event: card a plays from frame from on. The frames before it since the
// loss are added to d.gapFrames.
func (s *supervisor) resume(a *attempt, from int64, now time.Time) {
	s.clock.end()
	s.restrictDrivers(a)
	s.playsCard, a.unused = true, false
	s.lastConsumed, s.lastProgress, s.markFrame, s.markTime = a.consumedFrames(), now, from, now
	s.show(a, "")
	on := s.String()
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.gapFrames += from - s.gapStart
	s.addEvent(Event{Kind: Back, Frame: from, Gap: pcm.Duration(from-s.gapStart, s.config.Rate), On: on})
	s.gapStart = from
}

// dropCard withdraws the source from the current card and closes the card, if there is one.
func (s *supervisor) dropCard() {
	if s.card != nil {
		s.gate.cancelHandover(s.card.number)
		s.close(s.card)
		s.card = nil
	}
}

// close closes a card in the background, because that may take long.
func (s *supervisor) close(a *attempt) {
	a.closed = true
	s.background.Go(func() { _ = a.card.Close() })
}
