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
	Refuse Overflow = iota // creates nothing: Acquire returns false
	Kill                   // releases an active object, named by Config.Choose or else Config.Order, for the newcomer
)

// Order is an order of the active objects that the pool keeps up to date, so
// that First knows the head of it at once, whatever the number of objects.
type Order uint8

const (
	Unordered Order = iota // keeps none, and costs nothing
	ByAge                  // the oldest first
	ByScore                // the least score first, see SetScore; among equal scores the oldest
)

// Config is what New makes a Pool from. Only Size is needed.
type Config[T any] struct {
	Size     int      // the limit on active objects at first, to which a grown pool comes back; at least 1
	Max      int      // the number of slots, which no limit exceeds; Size..MaxSlots; 0: Size
	Overflow Overflow // what happens when the pool is full
	Order    Order    // what First and Kill go by

	// Choose, where it is not nil, names the object that Kill takes. It may
	// look at the pool as it likes, fall back on p.First(), and return 0 (or a
	// stale handle) to have the newcomer refused.
	Choose func(p *Pool[T]) Handle

	Step int // a full pool grows by so many places, up to Max, before Overflow is asked; 0: it does not
	Idle int // with Step: gives a step back after so many ticks (see Advance) without need; 0: it does not

	// Keep leaves an object as it was when it was released, for the next owner
	// to find: for objects that own buffers worth keeping. Without it Release
	// clears the object, so that every Acquire gives a zero T, and nothing that
	// it refers to is kept from the collector.
	Keep bool

	// Make fills an object once, before its slot is used for the first time: by
	// New for the first Size slots, and by the Acquire that needs it for the
	// others. It implies Keep.
	Make func(slot int, x *T)

	// OnAcquire initialises an object inside Acquire, which returns it
	// afterwards. If it releases h, Acquire returns false.
	OnAcquire func(h Handle, x *T)

	// OnRelease disposes of an object: it is called once for each that leaves
	// the pool, before its slot is given to anybody else. killed: it had to make
	// room, and until OnRelease returns nothing else is killed. h is stale already
	// and serves to compare. It may use the pool. An OnRelease that panics leaves
	// its slot unused for ever, and still counted by Len.
	OnRelease func(h Handle, x *T, killed bool)

	// Generation is that of every slot's first use, 1..2^41-1. 0 lets New draw it
	// at random: a handle from another pool then passes for one of this pool's with
	// a probability of 2^-41. Set it where handles must be the same on every run.
	Generation uint64
}

// normal is c with its defaults filled in, or what is wrong with it.
func (c Config[T]) normal() (Config[T], error) {
	if c.Max == 0 {
		c.Max = c.Size
	}
	c.Keep = c.Keep || c.Make != nil
	var wrong error
	need := func(good bool, format string, values ...any) {
		if !good && wrong == nil {
			wrong = fmt.Errorf("%w: "+format, append([]any{ErrConfig}, values...)...)
		}
	}
	need(c.Size >= 1, "Size is %d, not at least 1", c.Size)
	need(c.Max >= c.Size, "Max is %d, less than Size, %d", c.Max, c.Size)
	need(c.Max <= MaxSlots, "Max is %d, more than %d", c.Max, MaxSlots)
	need(c.Overflow <= Kill, "Overflow is %d, neither Refuse nor Kill", c.Overflow)
	need(c.Order <= ByScore, "Order is %d, not Unordered, ByAge or ByScore", c.Order)
	need(c.Overflow != Kill || c.Order != Unordered || c.Choose != nil, "Kill has neither Order nor Choose to go by")
	need(c.Overflow == Kill || c.Choose == nil, "Choose without Kill")
	need(c.Step >= 0, "Step is %d, less than 1", c.Step)
	need(c.Idle >= 0, "Idle is %d, less than 1", c.Idle)
	need(c.Idle <= 0 || c.Step != 0, "Idle without Step")
	need(c.Generation <= maxGen, "Generation is %d, more than %d", c.Generation, uint64(maxGen))
	return c, wrong
}
