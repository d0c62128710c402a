package mixer

// trySleep puts the mixer to sleep if it is idle, and reports whether it now sleeps. due is the time at which the
// next frame must be rendered, as a number of frames since the creation of the mixer by the system clock.
func (a *audio) trySleep(due int64) bool {
	a.sleep.offset.Store(a.now - due)
	if !a.idle() { // after the store, so that later commands find the mixer asleep
		a.sleep.offset.Store(awake)
		return false
	}
	return true
}

// wake ends a sleep: it advances the mixer to the frame that must be rendered at the time due, counted as in
// trySleep. It returns the number of frames that it advanced by; 0 if the mixer was awake.
func (a *audio) wake(due int64) (frames int64) {
	if offset := a.sleep.offset.Load(); offset != awake {
		frames = max(offset+due-a.now, 0)
		a.advanceIdle(frames)
		a.sleep.offset.Store(awake)
	}
	return frames
}

// idle reports whether all further frames are silent, no voice is left and no command is pending.
func (a *audio) idle() bool {
	if !a.silentBlock || a.slots.Len()+a.virtuals.Len() > 0 || len(a.successors) > 0 || a.waiting > 0 ||
		a.inFlight.Len() > 0 || a.stopsDeferred.Load() || a.setsDeferred.Load() || a.positionsDeferred.Load() {
		return false
	}
	for i := range a.buses {
		if !a.buses[i].staysSilent(a.now) { // silentBlock may be outdated by a command
			return false
		}
	}
	return true
}

// skip implements Mixer.Skip: it advances by frames as render does, with all commands, choices and events, but
// without mixing voices. It resets the filters of all voices.
func (a *audio) skip(frames int64) {
	longest := a.longest.Load() // these blocks do not count
	a.skipping = true
	defer func() {
		a.skipping = false
		a.longest.Store(longest)
		for i, place := a.nextInOrder(0); i >= 0; i, place = a.nextInOrder(place) { // no sound passed through the filters
			a.voiceTable.at(i).resetScreen()
		}
	}()
	for frames > 0 {
		n := min(frames, int64(len(a.scratch)))
		a.render(a.discarded[:n*int64(a.pairs)])
		frames -= n
	}
}

// advanceIdle advances an idle mixer by n frames as render would, without new commands, and publishes Stats. It mixes
// only until tails, meters and guards are idle, so the time does not depend on n.
func (a *audio) advanceIdle(n int64) {
	from := a.now
	for n > 0 {
		a.beginFrame()
		k := a.untilNotIdle(n)
		if k > 0 {
			a.skipIdle(k)
		} else {
			k = min(a.untilGrid(n), int64(len(a.scratch)))
			a.mix(a.discarded[:k*int64(a.pairs)])
		}
		n -= k
	}
	a.publish(from)
}

// untilNotIdle returns how many of the next n frames an idle mixer can skip: complete hops during which no meter,
// effect or guard has a tail and no duck releases. It returns 0 if now is not on the grid. Fades of buses do not
// prevent a skip.
func (a *audio) untilNotIdle(n int64) int64 {
	if n < a.hop || a.now%a.hop != 0 {
		return 0
	}
	for i := range a.buses {
		b := &a.buses[i]
		if !b.staysSilent(a.now) || b.meter != nil && !b.meter.Rests() {
			return 0
		}
		switch {
		case !b.duck.down:
		case b.duck.releaseAt == never:
			return 0
		default:
			n = min(n, max(b.duck.releaseAt-a.now, 0))
		}
	}
	for k := range a.outputs.all {
		o := &a.outputs.all[k]
		if o.dc != nil && !o.dc.Rests() || o.limiter != nil && !o.limiter.Skip(0) || o.meter != nil && !o.meter.Rests() {
			return 0
		}
	}
	return n - n%a.hop
}

// staysSilent reports whether the bus, without further input, is silent from frame, a frame of the mix, on. A bus
// with an insert never counts as silent.
func (b *bus) staysSilent(frame int64) bool {
	return b.tailEnd <= frame && b.insert == nil && b.rack.idle(frame) && !b.filter.HasTail()
}

// skipIdle advances an idle mixer by n frames without mixing. n is at most the result of untilNotIdle. A grown pool
// may shrink.
func (a *audio) skipIdle(n int64) {
	for i := range a.buses {
		b := &a.buses[i]
		b.filter.Skip(n, a.now)
		if b.meter != nil {
			b.meter.Leap(n)
		}
	}
	for k := range a.outputs.all {
		o := &a.outputs.all[k]
		if o.dc != nil {
			o.dc.Leap(n)
		}
		if o.meter != nil {
			o.meter.Leap(n)
		}
	}
	if a.stems != nil {
		a.stems.clearOutputs()
	}
	if a.growth.step > 0 {
		a.shrinkIfIdleUntil(a.now + n)
	}
	a.now += n
}
