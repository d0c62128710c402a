package mixer

// sleeps is Mixer.Sleep: the next frame is due so many frames after the mixer was made.
func (a *audio) sleeps(due int64) bool {
	a.sleep.offset.Store(a.now - due)
	if !a.idle() { // asked last: what is sent after it finds the mixer asleep
		a.sleep.offset.Store(awake)
		return false
	}
	return true
}

// wake is Mixer.Wake at the time at which a frame is due, counted as in sleeps.
func (a *audio) wake(due int64) (frames int64) {
	if offset := a.sleep.offset.Load(); offset != awake {
		frames = max(offset+due-a.now, 0)
		a.elapse(frames)
		a.sleep.offset.Store(awake)
	}
	return frames
}

// idle reports whether all frames from here on are silence, and nothing has been sent or is
// left to be done.
func (a *audio) idle() bool {
	return a.quiet && len(a.living()) == 0 && len(a.links) == 0 && a.awaiting == 0 &&
		a.underWay.len() == 0 && !a.stopsWait.Load() && !a.wantsWait.Load() && !a.placesWait.Load()
}

// skip is Mixer.Skip.
func (a *audio) skip(frames int64) {
	longest := a.longest.Load() // no device has asked for these
	a.skips = true
	defer func() {
		a.skips = false
		a.longest.Store(longest)
		for _, v := range a.living() { // nothing went through
			v.slot.restScreen()
		}
	}()
	for frames > 0 {
		n := min(frames, int64(len(a.spare)))
		a.render(a.nowhere[:n*int64(a.pairs)])
		frames -= n
	}
}

// elapse lets n frames of an idle mixer go by as render would, but for what has been sent. Where nothing
// but the clock moves any more, it passes them at once: a sleep of a night ends as fast as one of a
// second.
func (a *audio) elapse(n int64) {
	from := a.now
	for n > 0 {
		a.arrive()
		k := min(a.untilTick(n), int64(len(a.spare)))
		if whole := n - n%a.hop; whole > 0 && a.now%a.hop == 0 && a.rests() {
			k = whole
			a.leap(k)
		} else {
			a.mix(a.nowhere[:k*int64(a.pairs)])
		}
		n -= k
	}
	a.publish(from)
}

// rests reports whether nothing but the clock moves in an idle mixer: all meters have fallen to
// silence, and no gain is on its way.
func (a *audio) rests() bool {
	if a.stems != nil || a.grow.step > 0 && a.slots.Limit() > a.wanted {
		return false
	}
	for i := range a.buses {
		b := &a.buses[i]
		until := max(b.gain.End(), b.pan.End(), b.pitch.End(), b.mute.End(), b.direct.End(), b.duck.move.End())
		for j := range b.sends {
			until = max(until, b.sends[j].gain.End())
		}
		if b.tailsEnd > a.now || b.duck.down || b.insert != nil || b.next != nil || !b.rack.idle(a.now) || b.filter.Moves() || until > a.now || b.meter != nil && !b.meter.Rests() {
			return false
		}
	}
	for k := range a.outputs.all {
		o := &a.outputs.all[k]
		if o.dc != nil && !o.dc.Rests() || o.limiter != nil && !o.limiter.Skip(0) || o.meter != nil && !o.meter.Rests() {
			return false
		}
	}
	return true
}

// leap passes n frames, whole hops, of an idle mixer that rests.
func (a *audio) leap(n int64) {
	for i := range a.buses {
		if m := a.buses[i].meter; m != nil {
			m.Leap(n)
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
	a.now += n
}
