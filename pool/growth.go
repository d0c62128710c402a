package pool

// grow adds a step to the limit, if there is one to add.
func (p *Pool[T]) grow() bool {
	if p.config.Step == 0 || p.limit == p.Max() {
		return false
	}
	// Not min(limit+Step, Max): a huge Step must not overflow.
	p.limit += min(p.config.Step, p.Max()-p.limit)
	p.ease()
	return p.Len() < p.limit
}

// Advance tells the pool that time has passed, in the ticks that Config.Idle counts (frames,
// milliseconds, calls), not negative. A pool that has grown gives one step back for every
// Idle ticks in which that step was never needed, down to its size. What is active stays.
// Advancing by a+b does the same as by a and then by b.
func (p *Pool[T]) Advance(ticks int) {
	p.high = max(p.high, p.peak)
	// Whatever makes a step needed, growth included, brings the peak over the limit without it.
	if p.peak > p.contracted() {
		p.idle = 0
	}
	p.peak = p.Len()
	p.ease()
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
		p.ease()
	}
}

// contracted is the limit less one step.
func (p *Pool[T]) contracted() int { return max(p.base, p.limit-p.config.Step) }
