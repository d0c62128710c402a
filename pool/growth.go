package pool

// grow raises the limit by Config.Step, up to Max, and reports whether the pool has room now. It returns false
// for a pool that does not grow.
func (p *Pool[T]) grow() bool {
	if p.config.Step == 0 || p.limit == p.Max() {
		return false
	}
	// Not min(limit+Step, Max): a huge Step must not overflow.
	p.limit += min(p.config.Step, p.Max()-p.limit)
	p.updateUnchecked()
	return p.Len() < p.limit
}

// Advance moves the clock of the pool, in the unit of Config.Idle, such as frames of the game or
// milliseconds. Negative ticks count as 0. The limit of a grown pool shrinks by one step, down to its
// initial size, for every Idle ticks during which the step was not needed. Active objects stay. Advancing by
// a and then by b is the same as advancing by a+b.
func (p *Pool[T]) Advance(ticks int) {
	p.high = max(p.high, p.peak)
	// Every need for the step, including growth, raises the peak above the contracted limit.
	if p.peak > p.contracted() {
		p.idle = 0
	}
	p.peak = p.Len()
	p.updateUnchecked()
	if p.config.Idle == 0 {
		return
	}
	ticks = max(ticks, 0)
	for p.limit > p.base && p.Len() <= p.contracted() {
		need := p.config.Idle - p.idle
		if ticks < need {
			p.idle += ticks
			return
		}
		ticks -= need
		p.idle = 0
		p.limit = p.contracted()
		p.updateUnchecked()
	}
}

// contracted returns the limit less one step, but at least base.
func (p *Pool[T]) contracted() int { return max(p.base, p.limit-p.config.Step) }
