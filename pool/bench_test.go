package pool_test

import (
	"fmt"
	"runtime"
	"sync"
	"testing"

	"voicepool/pool"
)

// Four classes of different sizes, as in the JavaScript benchmark.
type (
	spark  struct{ f [4]float64 }  // 32 bytes
	shot   struct{ f [12]float64 } // 96
	bullet struct{ f [20]float64 } // 160
	ship   struct{ f [40]float64 } // 320
)

func (x *spark) set(v float64)  { x.f[0], x.f[3] = v, v }
func (x *shot) set(v float64)   { x.f[0], x.f[11] = v, v }
func (x *bullet) set(v float64) { x.f[0], x.f[19] = v, v }
func (x *ship) set(v float64)   { x.f[0], x.f[39] = v, v }

// stack is the usual free list: a slice of pointers.
type stack[T any] struct{ free []*T }

func (s *stack[T]) acquire() *T {
	n := len(s.free)
	if n == 0 {
		return new(T)
	}
	x := s.free[n-1]
	s.free[n-1] = nil
	s.free = s.free[:n-1]
	return x
}

func (s *stack[T]) release(x *T) {
	*x = *new(T)
	s.free = append(s.free, x)
}

func BenchmarkAcquireRelease(b *testing.B) {
	for _, keep := range []bool{false, true} {
		b.Run(fmt.Sprintf("pool/keep=%v", keep), func(b *testing.B) {
			p := must(b, pool.Config[bullet]{Size: 64, Keep: keep})
			b.ReportAllocs()
			for i := range b.N {
				h, x, _ := p.Acquire()
				x.set(float64(i))
				p.Release(h)
			}
		})
	}
	for _, order := range []pool.Order{pool.ByAge, pool.ByScore} {
		b.Run(fmt.Sprintf("pool/order=%d", order), func(b *testing.B) {
			p := must(b, pool.Config[bullet]{Size: 64, Order: order})
			b.ReportAllocs()
			for i := range b.N {
				h, x, _ := p.Acquire()
				x.set(float64(i))
				p.Release(h)
			}
		})
	}
	b.Run("stack of pointers", func(b *testing.B) {
		s := stack[bullet]{free: []*bullet{new(bullet)}}
		b.ReportAllocs()
		for i := range b.N {
			x := s.acquire()
			x.set(float64(i))
			s.release(x)
		}
	})
	b.Run("sync.Pool", func(b *testing.B) {
		s := sync.Pool{New: func() any { return new(bullet) }}
		b.ReportAllocs()
		for i := range b.N {
			x := s.Get().(*bullet)
			x.set(float64(i))
			*x = bullet{}
			s.Put(x)
		}
	})
	b.Run("new", func(b *testing.B) {
		held := make([]*bullet, 2)
		b.ReportAllocs()
		for i := range b.N {
			x := new(bullet)
			x.set(float64(i))
			held[i&1] = x
		}
		runtime.KeepAlive(held)
	})
}

// live holds 25 active objects of one class.
type live[T any] [25]T

// script has 100 objects, 25 of each class. 50,000 times it replaces a random one by a new object.
func script(a, b, c, d func(i int, v float64)) {
	r := uint32(1)
	for n := range 50_000 {
		r = r*1664525 + 1013904223
		i, v := int(r>>16)%25, float64(n)
		switch r >> 30 {
		case 0:
			a(i, v)
		case 1:
			b(i, v)
		case 2:
			c(i, v)
		case 3:
			d(i, v)
		}
	}
}

type setter[T any] interface {
	*T
	set(v float64)
}

func renewed[T any, P setter[T]](l *live[P]) func(int, float64) {
	return func(i int, v float64) {
		l[i] = new(T)
		l[i].set(v)
	}
}

func pooled[T any, P setter[T]](p *pool.Pool[T], l *live[pool.Handle]) func(int, float64) {
	return func(i int, v float64) {
		p.Release(l[i])
		h, x, _ := p.Acquire()
		P(x).set(v)
		l[i] = h
	}
}

func stacked[T any, P setter[T]](s *stack[T], l *live[*T]) func(int, float64) {
	return func(i int, v float64) {
		if l[i] != nil {
			s.release(l[i])
		}
		l[i] = s.acquire()
		P(l[i]).set(v)
	}
}

func synced[T any, P setter[T]](s *sync.Pool, l *live[*T]) func(int, float64) {
	s.New = func() any { return new(T) }
	return func(i int, v float64) {
		if l[i] != nil {
			*l[i] = *new(T)
			s.Put(l[i])
		}
		l[i] = s.Get().(*T)
		P(l[i]).set(v)
	}
}

// pools has a pool for each class, either pre-filled or growing from empty.
type pools struct {
	a *pool.Pool[spark]
	b *pool.Pool[shot]
	c *pool.Pool[bullet]
	d *pool.Pool[ship]
}

func (p *pools) fill(b *testing.B, size, step int) {
	p.a = must(b, pool.Config[spark]{Size: size, Max: 32, Step: step})
	p.b = must(b, pool.Config[shot]{Size: size, Max: 32, Step: step})
	p.c = must(b, pool.Config[bullet]{Size: size, Max: 32, Step: step})
	p.d = must(b, pool.Config[ship]{Size: size, Max: 32, Step: step})
}

func (p *pools) run() {
	var a, b, c, d live[pool.Handle]
	script(pooled(p.a, &a), pooled(p.b, &b), pooled(p.c, &c), pooled(p.d, &d))
	p.a.Clear()
	p.b.Clear()
	p.c.Clear()
	p.d.Clear()
}

// node is an element of the ballast: 32 bytes with a pointer for the garbage collector to follow.
type node struct {
	next *node
	_    [3]uint64
}

// BenchmarkScript is the benchmark of the JavaScript article. An op is 50,000 replaced objects.
func BenchmarkScript(b *testing.B) {
	for _, ballast := range []int{0, 1_000_000} {
		var head *node
		for range ballast {
			head = &node{next: head}
		}
		runtime.GC()
		run := func(name string, f func(b *testing.B)) {
			b.Run(fmt.Sprintf("ballast=%d/%s", ballast, name), f)
		}
		run("new", func(b *testing.B) {
			for range b.N {
				var l1 live[*spark]
				var l2 live[*shot]
				var l3 live[*bullet]
				var l4 live[*ship]
				script(renewed(&l1), renewed(&l2), renewed(&l3), renewed(&l4))
			}
		})
		run("pool empty", func(b *testing.B) {
			for range b.N {
				var p pools
				p.fill(b, 1, 1)
				p.run()
			}
		})
		run("pool filled", func(b *testing.B) {
			var p pools
			p.fill(b, 32, 0)
			for range b.N {
				p.run()
			}
		})
		run("stack of pointers", func(b *testing.B) {
			var s1 stack[spark]
			var s2 stack[shot]
			var s3 stack[bullet]
			var s4 stack[ship]
			var l1 live[*spark]
			var l2 live[*shot]
			var l3 live[*bullet]
			var l4 live[*ship]
			for range b.N {
				script(stacked(&s1, &l1), stacked(&s2, &l2), stacked(&s3, &l3), stacked(&s4, &l4))
			}
		})
		run("sync.Pool", func(b *testing.B) {
			var s [4]sync.Pool
			var l1 live[*spark]
			var l2 live[*shot]
			var l3 live[*bullet]
			var l4 live[*ship]
			for range b.N {
				script(synced(&s[0], &l1), synced(&s[1], &l2), synced(&s[2], &l3), synced(&s[3], &l4))
			}
		})
		runtime.KeepAlive(head)
	}
}

// BenchmarkKill measures Acquire in a full pool: the choice of a victim among all objects, and setting the
// score of the new object.
func BenchmarkKill(b *testing.B) {
	for _, n := range []int{32, 256, 1024, 4096} {
		for _, order := range []pool.Order{pool.ByAge, pool.ByScore} {
			b.Run(fmt.Sprintf("active=%d/order=%d", n, order), func(b *testing.B) {
				p := must(b, pool.Config[bullet]{Size: n, Overflow: pool.Kill, Order: order})
				r := uint32(1)
				b.ReportAllocs()
				for range n + b.N {
					r = r*1664525 + 1013904223
					h, _, _ := p.Acquire()
					if order == pool.ByScore {
						p.SetScore(h, float64(r>>8))
					}
				}
			})
		}
	}
}

// BenchmarkWalk iterates over 100 active objects of a pool with many free slots. An op is one object.
func BenchmarkWalk(b *testing.B) {
	for _, size := range []int{100, 10_000, 100_000} {
		b.Run(fmt.Sprintf("slots=%d", size), func(b *testing.B) {
			p := must(b, pool.Config[bullet]{Size: size})
			for range size {
				p.Acquire()
			}
			for h := range p.All() {
				if h.Slot()%(size/100) != 0 {
					p.Release(h)
				}
			}
			n := 0
			for n < b.N {
				for _, x := range p.All() {
					x.f[1]++
					n++
				}
			}
		})
	}
}
