package pool

import "fmt"

// makeRoom makes room for one object in a full pool by growth or a kill, and reports whether it did. It notes the
// number of active objects for Suggest if the pool does not grow.
func (p *Pool[T]) makeRoom() bool {
	if p.grow() {
		return true
	}
	if p.minAtOverflow < 0 || p.Len() < p.minAtOverflow {
		p.minAtOverflow = p.Len()
	}
	return p.config.Overflow == Kill && p.kill()
}

// kill kills one object, chosen by Choose or the order, and reports whether it did. Acquire does not kill
// inside Choose or OnRelease of a victim, because that could recurse endlessly or take the freed slot.
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

// Limit returns the present limit on active objects: the initial size plus the growth.
func (p *Pool[T]) Limit() int { return p.limit }

// SetLimit sets the limit, 1..Max, which is also the size that a grown pool shrinks back to. Active
// objects stay. If there are more than n, the pool remains full until enough have been released. The
// error wraps ErrLimit; the pool is then unchanged.
func (p *Pool[T]) SetLimit(n int) error {
	if n < 1 || n > p.Max() {
		return fmt.Errorf("%w: %d is not in 1..%d", ErrLimit, n, p.Max())
	}
	p.limit, p.base = n, n
	p.updateUnchecked()
	return nil
}

// Resize sets the limit to n as SetLimit does, with the same error. With the policy Kill it then kills surplus
// objects one by one and returns their number.
func (p *Pool[T]) Resize(n int) (killed int, err error) {
	if err := p.SetLimit(n); err != nil {
		return 0, err
	}
	for p.Len() > p.limit && p.config.Overflow == Kill && p.kill() {
		killed++
	}
	return killed, nil
}
