package pool

import (
	"cmp"
	"errors"
	"fmt"
)

// ErrConfig is wrapped by every error of New.
var ErrConfig = errors.New("pool: bad configuration")

// ErrLimit is wrapped by the errors of SetLimit, Resize and Extend.
var ErrLimit = errors.New("pool: limit out of range")

// Overflow is the policy of Acquire when the pool is full: Len has reached Limit, and the limit cannot
// grow.
type Overflow uint8

const (
	Refuse Overflow = iota // Acquire returns false
	Kill                   // releases an active object, chosen by Config.Choose or Config.Order, to make room
)

// Order is an order of the active objects that the pool maintains, so that First takes constant time.
type Order uint8

const (
	Unordered Order = iota // no order, at no cost
	ByAge                  // the oldest first
	ByScore                // the lowest score first, see SetScore; among equal scores the oldest
)

// Config configures a Pool. Only Size is required.
type Config[T any] struct {
	Size     int      // the initial limit on active objects, at least 1; a grown pool shrinks back to it
	Max      int      // the number of slots, which is the maximum limit; Size..MaxSlots; 0: Size
	Overflow Overflow // the policy when the pool is full
	Order    Order    // the order of First and Kill

	// Choose selects the object to kill when the pool is full and Overflow is Kill. It may call methods of
	// the pool and return p.First(). If it returns 0 or a stale handle, Acquire refuses the new object. nil:
	// the first object in Order is killed.
	Choose func(p *Pool[T]) Handle

	Step int // the limit of a full pool grows by Step, up to Max, before Overflow applies; 0: the pool does not grow
	Idle int // the limit shrinks by Step after Idle ticks without need, see Advance; requires Step; 0: it does not shrink

	// Keep leaves a released object unchanged for its next owner, such as an object with buffers worth
	// keeping. Without Keep, Release clears the object: every Acquire returns a zero T, and the garbage
	// collector can free the references of released objects.
	Keep bool

	// Make initializes an object once, before the first use of its slot. New calls it for the first Size
	// slots, and Acquire calls it when it uses another slot for the first time. Make implies Keep.
	Make func(slot int, x *T)

	// OnAcquire initializes an object inside Acquire. If it releases h, Acquire returns false.
	OnAcquire func(h Handle, x *T)

	// OnRelease cleans up an object. It is called once for each object that is released or killed, before
	// its slot is reused. killed reports whether the object was killed to make room. h is already stale: use
	// it only to compare handles. OnRelease may use the pool, but while it handles a killed object, no other
	// object is killed: Acquire fails if the pool is full. If OnRelease panics, the slot is never used again
	// and still counts in Len.
	OnRelease func(h Handle, x *T, killed bool)

	// Generation is the generation of the first use of every slot, 1..2^41-1. With 0, New chooses it at
	// random. A handle from another pool is then valid in this pool with a probability of 2^-41. Set it
	// if handles must be the same in every run.
	Generation uint64
}

// normal returns c with its defaults filled in, and the first error, which wraps ErrConfig; nil: c is valid.
func (c Config[T]) normal() (Config[T], error) {
	c.Max = cmp.Or(c.Max, c.Size)
	c.Keep = c.Keep || c.Make != nil
	return c, numbers{c.Size, c.Max, c.Step, c.Idle, c.Overflow, c.Order, c.Choose != nil, c.Generation}.check()
}

// numbers are the settings of a Config that do not depend on its type T, so a program contains their checks once.
type numbers struct {
	size, max, step, idle int
	overflow              Overflow
	order                 Order
	chooses               bool // Choose is set
	generation            uint64
}

// check returns the first error, which wraps ErrConfig; nil: the numbers are valid.
func (n numbers) check() error {
	var wrong error
	need := func(good bool, format string, values ...any) {
		if !good && wrong == nil {
			wrong = fmt.Errorf("%w: "+format, append([]any{ErrConfig}, values...)...)
		}
	}
	need(n.size >= 1, "Size is %d, not at least 1", n.size)
	need(n.max >= n.size, "Max is %d, less than Size, %d", n.max, n.size)
	need(n.max <= MaxSlots, "Max is %d, more than %d", n.max, MaxSlots)
	need(n.overflow <= Kill, "Overflow is %d, neither Refuse nor Kill", n.overflow)
	need(n.order <= ByScore, "Order is %d, not Unordered, ByAge or ByScore", n.order)
	need(n.overflow != Kill || n.order != Unordered || n.chooses, "Kill has neither Order nor Choose to go by")
	need(n.overflow == Kill || !n.chooses, "Choose without Kill")
	need(n.step >= 0, "Step is %d, less than 1", n.step)
	need(n.idle >= 0, "Idle is %d, less than 1", n.idle)
	need(n.idle <= 0 || n.step != 0, "Idle without Step")
	need(n.generation <= maxGen, "Generation is %d, more than %d", n.generation, uint64(maxGen))
	return wrong
}
