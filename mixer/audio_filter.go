package mixer

// filter runs the filter of a bus, also without input while it has a tail.
func (a *audio) filter(index int, n int64) {
	b := &a.buses[index]
	if !b.filter.Active() {
		return
	}
	if !b.used && !b.filter.HasTail() {
		b.filter.Skip(n, a.now)
		return
	}
	a.rings = true // at least within this block
	if !b.filter.Process(b.block(n), a.now) {
		clear(b.mixed[:n])
		a.stats.Faults++
		a.emit(&Event{Frame: a.now, Kind: EventFault, Slot: -1, Bus: Bus{index: uint16(index)}})
	}
}

// refilter updates ringing times and responses after a change of a cutoff of a bus.
func (a *audio) refilter(index int) {
	b := &a.buses[index]
	b.rings = max(b.rings, b.filter.Tail(a.now))
	a.measure(a.now)
	a.invalidateResponse(index)
	if b.filter.HasTail() {
		a.ringFrom(a.now, index)
	}
}
