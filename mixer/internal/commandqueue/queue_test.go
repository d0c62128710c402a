package commandqueue

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"
)

// numbered is a command with its order and a number for comparisons.
type numbered struct {
	order  Order
	number int
	text   *string // a reference, which the queue must clear
}

// compare compares by frame, then by rank, then by sequence number.
func compare(a, b numbered) int {
	return cmp.Or(cmp.Compare(a.order.Frame, b.order.Frame), cmp.Compare(a.order.Rank, b.order.Rank), cmp.Compare(a.order.Seq, b.order.Seq))
}

// TestQueueEqualsSortedSlice compares the queue with a sorted slice and its lists with slices, in random operations
// with up to the maximum number of commands. The queue grows in between.
func TestQueueEqualsSortedSlice(t *testing.T) {
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 0))
		capacity := 1 + r.IntN(8)
		q := New[numbered](capacity)
		var sorted []numbered
		var lists [2]List
		var waiting [2][]numbered
		count := 0
		next := func() numbered {
			count++
			return numbered{Order{int64(r.IntN(6)), uint64(count), int32(r.IntN(3))}, count, new(string)}
		}
		insert := func(c numbered) {
			i, _ := slices.BinarySearchFunc(sorted, c, compare)
			sorted = slices.Insert(sorted, i, c)
		}
		for range 400 {
			full := len(sorted)+len(waiting[0])+len(waiting[1]) == capacity
			k := r.IntN(2)
			switch op := r.IntN(12); {
			case op < 4 && !full:
				c := next()
				q.Push(&c, c.order)
				insert(c)
			case op < 6 && !full:
				c := next()
				q.Append(&lists[k], &c)
				waiting[k] = append(waiting[k], c)
			case op < 8 && len(sorted) > 0:
				q.Drop()
				sorted = sorted[1:]
			case op == 8:
				for place := q.Unlink(&lists[k]); place >= 0; place = q.Unlink(&lists[k]) {
					c := *q.At(place)
					if want := waiting[k][0]; c != want {
						t.Fatalf("seed %d: Unlink returns command %d, want %d", seed, c.number, want.number)
					}
					if waiting[k] = waiting[k][1:]; c.number%3 == 0 {
						q.Release(place)
						continue
					}
					q.Insert(place, c.order)
					insert(c)
				}
				if len(waiting[k]) > 0 || lists[k] != (List{}) {
					t.Fatalf("seed %d: %d commands are missing in the list %+v", seed, len(waiting[k]), lists[k])
				}
			case op == 9:
				seen := 0
				remove := func(c *numbered) bool { return c.number%2 == 0 }
				q.DeleteFunc(func(c *numbered) bool { seen++; return remove(c) })
				if seen != len(sorted) {
					t.Fatalf("seed %d: DeleteFunc visits %d commands of %d", seed, seen, len(sorted))
				}
				sorted = slices.DeleteFunc(sorted, func(c numbered) bool { return remove(&c) })
			case op == 10 && capacity < 100:
				capacity += 1 + r.IntN(8)
				larger := New[numbered](capacity)
				q.MoveTo(&larger)
			}
			switch c := q.Next(); {
			case len(sorted) == 0 && c != nil:
				t.Fatalf("seed %d: Next returns command %d of an empty queue", seed, c.number)
			case len(sorted) > 0 && (c == nil || *c != sorted[0]):
				t.Fatalf("seed %d: Next returns %+v, want %+v", seed, c, sorted[0])
			}
		}
		stored := 0
		for _, c := range q.commands {
			if c.text != nil {
				stored++
			}
		}
		if want := len(sorted) + len(waiting[0]) + len(waiting[1]); stored != want || len(q.free) != capacity-want {
			t.Fatalf("seed %d: %d commands are kept and %d places free, want %d and %d", seed, stored, len(q.free), want, capacity-want)
		}
	}
}

// TestQueueDoesNotAllocate checks that no operation of the audio side allocates.
func TestQueueDoesNotAllocate(t *testing.T) {
	q, larger := New[numbered](8), make([]Queue[numbered], 101)
	for i := range larger {
		larger[i] = New[numbered](9 + i)
	}
	i := 0
	if n := testing.AllocsPerRun(100, func() {
		q.MoveTo(&larger[i])
		i++
		var l List
		for j := range 8 {
			c := numbered{order: Order{Frame: int64(-j)}}
			q.Push(&c, c.order)
			if j == 6 {
				q.Append(&l, &c)
				q.Insert(q.Unlink(&l), c.order)
			}
		}
		q.Drop()
		q.DeleteFunc(func(*numbered) bool { return true })
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// TestInFlight checks the bounds of both sides while they run at the same time, and the number at the end.
func TestInFlight(t *testing.T) {
	const commands = 10_000
	var f InFlight
	sent := make(chan struct{}, commands)
	done := make(chan bool)
	go func() {
		ok := true
		for range commands {
			<-sent
			ok = ok && f.Len() >= 1
			f.Complete()
			f.Uncomplete()
			ok = ok && f.Len() >= 1
			f.Complete()
		}
		done <- ok
	}()
	for i := range commands {
		if n := f.Add(2); n < 2 || n > int64(i)+2 {
			t.Fatalf("%d commands are under way after command %d", n, i)
		}
		f.Add(-1)
		sent <- struct{}{}
	}
	if !<-done {
		t.Error("the audio side counts fewer commands than it has")
	}
	if n := f.Len(); n != 0 {
		t.Errorf("%d commands are left", n)
	}
}

// TestCapacity checks when the buffers grow and when commands are rejected.
func TestCapacity(t *testing.T) {
	c := Capacity{Allocated: 16, Max: 100}
	for _, x := range []struct {
		n, allocated int64
		grows        bool
	}{{1, 16, false}, {16, 16, false}, {17, 32, true}, {70, 70, true}, {71, 100, true}, {100, 100, false}} {
		if grows := c.Grow(x.n); grows != x.grows || c.Allocated != x.allocated {
			t.Errorf("Grow(%d) = %v with room for %d, want %v and %d", x.n, grows, c.Allocated, x.grows, x.allocated)
		}
	}
	for _, x := range []struct{ most, later int64 }{{1, 1}, {100, 94}, {1 << 20, 1<<20 - 64}} {
		c := Capacity{Max: x.most}
		if now, later := c.Limit(true), c.Limit(false); now != x.most || later != x.later {
			t.Errorf("the limits of %d commands are %d and %d, want %d and %d", x.most, now, later, x.most, x.later)
		}
	}
}
