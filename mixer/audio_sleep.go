package mixer

// trySleep puts the mixer to sleep if no sound is left and no command is pending, and reports whether it now sleeps. A
// sleeping mixer need not be rendered until wake. The parameter due is the time when the next frame must be rendered.
// It counts in frames since the creation of the mixer, by the system clock.
func (a *audio) trySleep(due int64) bool {
	a.sleep.Begin(a.now - due)
	if !a.idle() { // after Begin, so that later commands find the mixer asleep
		a.sleep.End()
		return false
	}
	return true
}

// wake ends a sleep. It advances the mixer, without mixing voices, to the frame that must be rendered at the time due,
// counted as in trySleep: in frames since the creation of the mixer. The result is the number of frames that it
// advanced by; 0 if the mixer was awake.
func (a *audio) wake(due int64) (frames int64) {
	if offset, asleep := a.sleep.Offset(); asleep {
		frames = max(offset+due-a.now, 0)
		a.advanceIdle(frames)
		a.sleep.End()
	}
	return frames
}

// idle reports whether the mixer has no voice, no pending command and no sound left, so that all further frames are
// silent.
func (a *audio) idle() bool {
	if !a.silentBlock || a.voices.Len()+a.voices.Virtual() > 0 || len(a.successors.Waiting()) > 0 || a.batches.Waits() ||
		a.inFlight.Len() > 0 || a.stopsDeferred.Load() || a.setsDeferred.Load() || a.positionsDeferred.Load() {
		return false
	}
	return a.graph.StaysSilent(a.now) // silentBlock may be outdated by a command
}

// skip implements Engine.Skip: it advances the mixer by the given number of frames without mixing voices. Commands,
// decisions and events are the same as in render. The length of its blocks does not count for Latency. Afterwards the
// filters of direct paths start from silence, because no sound has passed through them.
func (a *audio) skip(frames int64) {
	longest := a.longest.Load() // these blocks do not count
	a.skipping = true
	defer func() {
		a.skipping = false
		a.longest.Store(longest)
		for i, place := a.voices.NextInOrder(0); i >= 0; i, place = a.voices.NextInOrder(place) { // no sound passed through the filters
			a.voices.At(i).resetScreen()
		}
	}()
	for frames > 0 {
		n := min(frames, int64(len(a.scratch)))
		a.render(a.discarded[:n*int64(a.graph.Pairs())])
		frames -= n
	}
}

// advanceIdle advances an idle mixer by n frames as render would, but without new commands. It publishes Stats. It
// mixes only until all tails, meters and guards are idle. Then it skips frames, so the time does not depend on n.
func (a *audio) advanceIdle(n int64) {
	from := a.now
	for n > 0 {
		a.beginFrame()
		k := a.graph.SkippableFrames(a.now, n)
		if k > 0 {
			a.graph.Skip(a.now, k)
			if a.size.growth.Grows() {
				a.size.set(a.size.growth.ShrinkUntil(a.voices.Limit(), a.size.requested, a.now, a.now+k))
			}
			a.now += k
		} else {
			k = min(a.grid.untilGrid(n), int64(len(a.scratch)))
			a.mix(a.discarded[:k*int64(a.graph.Pairs())])
		}
		n -= k
	}
	a.publish(from)
}
