// Package commandqueue keeps the commands that a mixer executes at later frames, and counts the commands that are under
// way between the goroutine that sends them and the goroutine that executes them. The executing side, here called the
// audio side, never allocates: the sending side, the control side, limits the commands under way and provides larger
// queues.
package commandqueue

// Order is the order of execution: by frame, then by rank, then by sequence number.
type Order struct {
	Frame int64
	Seq   uint64
	Rank  int32
}

// Queue is a priority queue of commands. A command is stored at a place and stays there; a binary heap orders the
// places. A stored command may instead wait in a List. The zero value has no room for commands. Audio side, except New.
type Queue[Command any] struct {
	heap     []entry
	commands []Command
	free     []int32 // unused places of commands
	after    []int32 // by place: the next place of the same List, from 1
}

// entry is a heap entry: an Order and the place of its command, laid out without padding.
type entry struct {
	frame int64
	seq   uint64
	index int32
	rank  int32
}

// List is a list of stored commands that wait outside the heap. The zero value is an empty list. Audio side.
type List struct {
	first, last int32 // places, from 1; 0: empty
}

// New returns an empty queue with room for the given number of commands. The queue does not grow; see MoveTo. Any
// goroutine may call New.
func New[Command any](commands int) Queue[Command] {
	q := Queue[Command]{make([]entry, 0, commands), make([]Command, commands), make([]int32, 0, commands), make([]int32, commands)}
	for i := range commands {
		q.free = append(q.free, int32(commands-1-i))
	}
	return q
}

// before reports whether the command of d is executed before the command of e.
func (d entry) before(e entry) bool {
	return d.frame < e.frame || d.frame == e.frame && (d.rank < e.rank || d.rank == e.rank && d.seq < e.seq)
}

// MoveTo moves all commands of q to the buffers of larger, which q uses from then on. larger is an unused result of
// New with at least as much room, and must not be used afterwards. All commands keep their places and their order.
// MoveTo does not allocate.
func (q *Queue[Command]) MoveTo(larger *Queue[Command]) {
	copy(larger.commands, q.commands)
	copy(larger.after, q.after)
	free := larger.free[:len(larger.commands)-len(q.commands)] // the new places
	*q = Queue[Command]{append(larger.heap, q.heap...), larger.commands, append(free, q.free...), larger.after}
}

// Push queues a copy of c for execution in the order o. The queue must have a free place.
func (q *Queue[Command]) Push(c *Command, o Order) { q.Insert(q.store(c), o) }

// Append stores a copy of c in the queue and appends it to the list l. The command waits there and is not in the
// order of execution until Unlink and Insert. The queue must have a free place.
func (q *Queue[Command]) Append(l *List, c *Command) {
	place := q.store(c) + 1
	if l.last == 0 {
		l.first = place
	} else {
		q.after[l.last-1] = place
	}
	l.last = place
}

// Unlink removes the first command from the list l and returns its place. The command stays stored at that place, for
// At, and then for Insert or Release. The result is -1 if l is empty.
func (q *Queue[Command]) Unlink(l *List) (index int32) {
	if index = l.first - 1; index >= 0 {
		if l.first, q.after[index] = q.after[index], 0; l.first == 0 {
			l.last = 0
		}
	}
	return index
}

// At returns the command stored at the place index, a result of Unlink. The pointer is valid until the place is
// released or MoveTo is called.
func (q *Queue[Command]) At(index int32) *Command { return &q.commands[index] }

// store copies c to a free place of q.commands and returns the index of that place. The queue must have a free place.
func (q *Queue[Command]) store(c *Command) (index int32) {
	last := len(q.free) - 1
	index = q.free[last]
	q.free = q.free[:last]
	q.commands[index] = *c
	return index
}

// Insert puts the command stored at the place index into the heap, so that Next returns it in the order o. The
// command must be in no list and not yet in the heap.
func (q *Queue[Command]) Insert(index int32, o Order) {
	d := entry{o.Frame, o.Seq, index, o.Rank}
	i := len(q.heap)
	q.heap = append(q.heap, d)
	for i > 0 {
		parent := (i - 1) / 2
		if !d.before(q.heap[parent]) {
			break
		}
		q.heap[i] = q.heap[parent]
		i = parent
	}
	q.heap[i] = d
}

// Next returns the command in the heap that is executed first; nil if the heap is empty. The command stays in the
// heap. The pointer is valid until Drop, DeleteFunc or MoveTo is called.
func (q *Queue[Command]) Next() *Command {
	if len(q.heap) == 0 {
		return nil
	}
	return &q.commands[q.heap[0].index]
}

// Drop removes the command that Next returns from the heap and frees its place. The heap must not be empty.
func (q *Queue[Command]) Drop() {
	q.Release(q.heap[0].index)
	last := len(q.heap) - 1
	d := q.heap[last]
	if q.heap = q.heap[:last]; last > 0 {
		q.siftDown(0, d)
	}
}

// Release makes the place index free for another command. It clears the stored command, so that the garbage collector
// can free its references. The place must be in no list and not in the heap.
func (q *Queue[Command]) Release(index int32) {
	var none Command
	q.commands[index] = none
	q.free = append(q.free, index)
}

// DeleteFunc calls discard once for each command in the heap, in no order. If discard returns true, the command is
// removed and its place is freed. Commands in lists stay. discard must not use the queue.
func (q *Queue[Command]) DeleteFunc(discard func(*Command) bool) {
	kept := q.heap[:0]
	for _, d := range q.heap {
		if discard(&q.commands[d.index]) {
			q.Release(d.index)
		} else {
			kept = append(kept, d)
		}
	}
	q.heap = kept
	for i := len(kept)/2 - 1; i >= 0; i-- {
		q.siftDown(i, kept[i])
	}
}

// siftDown puts the entry d into the heap at index i or below, so that the heap order holds again. The entry that was
// at index i is overwritten. Below i the heap must be in order.
func (q *Queue[Command]) siftDown(i int, d entry) {
	for {
		least := 2*i + 1
		if least >= len(q.heap) {
			break
		}
		if least+1 < len(q.heap) && q.heap[least+1].before(q.heap[least]) {
			least++
		}
		if !q.heap[least].before(d) {
			break
		}
		q.heap[i] = q.heap[least]
		i = least
	}
	q.heap[i] = d
}
