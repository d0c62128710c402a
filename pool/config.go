package pool

import (
	"errors"
	"fmt"
)

// ErrConfig is wrapped by every error of New and NewDispatcher.
var ErrConfig = errors.New("pool: bad configuration")

// ErrLimit is wrapped by the errors of SetLimit and Resize.
var ErrLimit = errors.New("pool: limit out of range")

// Overflow says what Acquire does when the pool is full, that is when Len has
// come to Limit and the limit cannot grow.
type Overflow uint8

const (
	// Refuse creates nothing: Acquire answers false. The user sees a thing that
	// does not appear; right where one more would hardly be noticed, as with
	// particles when the screen is already full of them.
	Refuse Overflow = iota

	// Kill takes an active object, disposes of it and gives its place to the
	// newcomer; right where the loss of an old thing is noticed less than the
	// lack of a new one, as with sounds. Which one it takes is said by
	// Config.Choose, or else by Config.Order.
	Kill
)

// Order is an order of the active objects that the pool keeps up to date, so
// that First knows the head of it at once, whatever the number of objects.
type Order uint8

const (
	// Unordered keeps none, and costs nothing.
	Unordered Order = iota

	// ByAge has the oldest first.
	ByAge

	// ByScore has the least score first (see SetScore) and among equal scores
	// the oldest, so that the order is total and the same on every run.
	ByScore
)

// Config is what New makes a Pool from. Only Size is needed.
type Config[T any] struct {
	// Size is the limit on the number of active objects at first, and the one
	// that a grown pool comes back to; at least 1.
	Size int

	// Max is the number of slots, all of them made by New: no limit can ever be
	// higher. At most MaxSlots; 0 means Size.
	Max int

	// Overflow says what happens when the pool is full.
	Overflow Overflow

	// Order is the order that First and Kill go by.
	Order Order

	// Choose, where it is not nil, names the object that Kill takes. It may
	// look at the pool as it likes, fall back on p.First(), and answer 0 (or a
	// stale handle) to have the newcomer refused.
	Choose func(p *Pool[T]) Handle

	// Step, if it is not 0, makes a full pool grow by so many places, at most up
	// to Max, before Overflow is asked; at least 1.
	Step int

	// Idle, if it is not 0, gives a step back after so many ticks (see Advance)
	// in which it was not needed. Only with Step.
	Idle int

	// Keep leaves an object as it was when it was released, for the next owner
	// to find: for objects that own buffers worth keeping. Without it an
	// object is cleared when it is released, so that every Acquire gives a
	// zero T, and nothing that it refers to is kept from the collector.
	Keep bool

	// Make fills an object once, before its slot is used for the first time: by
	// New for the first Size slots, and by the Acquire that needs it for the
	// others. It implies Keep.
	Make func(slot int, x *T)

	// OnAcquire initialises an object inside Acquire, which returns it
	// afterwards. If it releases h, Acquire answers false.
	OnAcquire func(h Handle, x *T)

	// OnRelease disposes of an object: it is called once for each that leaves
	// the pool, before its slot is given to anybody else; killed tells that it
	// had to make room. h is stale already and serves to compare. It may use the
	// pool, in which x has its place until OnRelease returns; while room is
	// made for a newcomer, though, nothing else is killed. An OnRelease that
	// panics leaves its slot unused for ever, and still counted by Len.
	OnRelease func(h Handle, x *T, killed bool)

	// Generation is the one that every slot's first use has, 1..2^41-1. 0 lets
	// New draw it at random, by which a handle from another pool is found out:
	// it passes for one of this pool's with a probability of 2^-41. Set it
	// where handles must be the same on every run.
	Generation uint64
}

// normal is c with its defaults filled in, or what is wrong with it.
func (c Config[T]) normal() (Config[T], error) {
	if c.Max == 0 {
		c.Max = c.Size
	}
	c.Keep = c.Keep || c.Make != nil
	switch {
	case c.Size < 1:
		return c, fmt.Errorf("%w: Size is %d, not at least 1", ErrConfig, c.Size)
	case c.Max < c.Size:
		return c, fmt.Errorf("%w: Max is %d, less than Size, %d", ErrConfig, c.Max, c.Size)
	case c.Max > MaxSlots:
		return c, fmt.Errorf("%w: Max is %d, more than %d", ErrConfig, c.Max, MaxSlots)
	case c.Overflow > Kill:
		return c, fmt.Errorf("%w: Overflow is %d, neither Refuse nor Kill", ErrConfig, c.Overflow)
	case c.Order > ByScore:
		return c, fmt.Errorf("%w: Order is %d, not Unordered, ByAge or ByScore", ErrConfig, c.Order)
	case c.Overflow == Kill && c.Order == Unordered && c.Choose == nil:
		return c, fmt.Errorf("%w: Kill has neither Order nor Choose to go by", ErrConfig)
	case c.Overflow != Kill && c.Choose != nil:
		return c, fmt.Errorf("%w: Choose without Kill", ErrConfig)
	case c.Step < 0:
		return c, fmt.Errorf("%w: Step is %d, less than 1", ErrConfig, c.Step)
	case c.Idle < 0:
		return c, fmt.Errorf("%w: Idle is %d, less than 1", ErrConfig, c.Idle)
	case c.Idle > 0 && c.Step == 0:
		return c, fmt.Errorf("%w: Idle without Step", ErrConfig)
	case c.Generation > maxGen:
		return c, fmt.Errorf("%w: Generation is %d, more than %d", ErrConfig, c.Generation, uint64(maxGen))
	}
	return c, nil
}
