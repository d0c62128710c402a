// Package mutants has one fault to a function, and some functions that have none.
package mutants

import (
	"math"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// Effect is what users put in.
type Effect interface{ Process() }

// Hooks come from outside, too.
type Hooks struct{ Begin func() }

// Side is the root's type.
type Side struct {
	Hooks   Hooks
	effect  Effect
	mutex   sync.Mutex
	channel chan int
	names   map[string]int
	list    []int
	count   atomic.Int64
	inside  func()
	fault   interface{ fault() }
}

type clock struct{}

func (clock) fault() { time.Now() }

// New is not reached, but it says what inside and fault are.
func New() *Side {
	s := &Side{names: map[string]int{}, fault: clock{}}
	s.inside = s.lock
	return s
}

// Render reaches all.
func (s *Side) Render() {
	s.good()
	s.dynamic()
	s.receive()
	s.send()
	s.choose()
	s.shut()
	s.makeChannel()
	s.makeMap()
	s.read()
	s.write()
	s.walk()
	s.drop()
	s.start()
	s.inside()
	s.deferred()
	each(s.list, func(int) { s.closure() })
	nobody()
	s.effect.Process()
	s.Hooks.Begin()
}

func (s *Side) good() {
	s.list = slices.Insert(s.list, 0, int(math.Sqrt(float64(s.count.Load()))))
	slices.Sort(s.list)
	clear(s.list)
	defer func() { recover() }()
	if len(s.list) > 9 {
		panic("too long")
	}
}

func (s *Side) dynamic()     { s.fault.fault() }
func (s *Side) lock()        { s.mutex.Lock() }
func (s *Side) receive()     { <-s.channel }
func (s *Side) send()        { s.channel <- 1 }
func (s *Side) shut()        { close(s.channel) }
func (s *Side) makeChannel() { s.channel = make(chan int) }
func (s *Side) makeMap()     { s.names = map[string]int{} }
func (s *Side) read()        { s.list[0] = s.names["x"] }
func (s *Side) write()       { s.names["x"] = 1 }
func (s *Side) drop()        { delete(s.names, "x") }
func (s *Side) start()       { go s.good() }
func (s *Side) deferred()    { defer s.mutex.Unlock() }
func (s *Side) closure()     { time.Sleep(1) }

func (s *Side) choose() {
	select {
	case <-s.channel:
	default:
	}
}

func (s *Side) walk() {
	for range s.names {
		s.list = nil
	}
}

func each[T any](list []T, f func(T)) {
	for _, x := range list {
		f(x)
	}
}

func nobody()

func unreached() { time.Now() }
