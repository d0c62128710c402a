package mixer

// filter takes the block of a bus through its filter, which rings on when nothing comes in.
func (a *audio) filter(index int, n int64) {
	b := &a.buses[index]
	if !b.filter.Works() {
		return
	}
	if !b.used && !b.filter.Rings() {
		b.filter.Skip(n, a.now)
		return
	}
	a.rings = true // within this block at least
	if !b.filter.Process(b.block(n), a.now) {
		clear(b.mixed[:n])
		a.stats.Faults++
		a.emit(&Event{Frame: a.now, Kind: EventFault, Slot: -1, Bus: Bus{index: uint16(index)}})
	}
}

// refilter notes that a cutoff of a bus is on its way.
func (a *audio) refilter(index int) {
	b := &a.buses[index]
	b.rings = max(b.rings, b.filter.Tail(a.now))
	a.measure(a.now)
	a.filtersMove(index)
	if b.filter.Rings() {
		a.ringFrom(a.now, index)
	}
}
