package pool

import "fmt"

// makeRoom is asked by Acquire when the pool is full.
func (p *Pool[T]) makeRoom() bool {
	if p.grow() {
		return true
	}
	if p.tight < 0 || p.Len() < p.tight {
		p.tight = p.Len()
	}
	return p.config.Overflow == Kill && p.kill()
}

// kill takes one object from the pool, if there is one that may be taken. An
// Acquire that is called by Choose, or by the disposal of the victim, kills
// nothing: it would go round in circles, or take the newcomer's place.
func (p *Pool[T]) kill() bool {
	if p.overflowing {
		return false
	}
	p.overflowing = true
	defer func() { p.overflowing = false }() // Choose and OnRelease may panic
	victim := p.First()
	if p.config.Choose != nil {
		victim = p.config.Choose(p)
	}
	if !p.reclaim(victim, true) {
		return false
	}
	p.killed++
	return true
}

// Limit is the number of objects that may be active now.
func (p *Pool[T]) Limit() int { return p.limit }

// SetLimit changes the number of objects that may be active, 1..Max, and the size that a
// grown pool comes back to. What is active stays: where there is more of it than n, the pool
// is full until enough has gone. The error wraps ErrLimit; then nothing has changed.
func (p *Pool[T]) SetLimit(n int) error {
	if n < 1 || n > p.Max() {
		return fmt.Errorf("%w: %d is not in 1..%d", ErrLimit, n, p.Max())
	}
	p.limit, p.base = n, n
	p.ease()
	return nil
}

// Resize is SetLimit for a pool that must obey at once: where Overflow is Kill, it kills the
// surplus, one by one as for newcomers, and returns how many it killed.
func (p *Pool[T]) Resize(n int) (killed int, err error) {
	if err := p.SetLimit(n); err != nil {
		return 0, err
	}
	for p.Len() > p.limit && p.config.Overflow == Kill && p.kill() {
		killed++
	}
	return killed, nil
}
