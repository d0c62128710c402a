package mixer

import (
	"voicepool/pool"
	"voicepool/space"
	"voicepool/voice"
)

type commandKind uint8

const (
	cmdPlay commandKind = iota
	cmdStop
	cmdPause
	cmdResume
	cmdSet
	cmdSeek
	cmdPositions
	cmdPending    // apply the pending set of a record
	cmdPendingBus // apply the pending set of a bus
	cmdResize
	cmdDuck
	cmdInsert
	cmdEffect
	cmdSend
	cmdPosition // move the voices of target, or with TargetAll the listener
	cmdThen     // start record when target ends
	cmdFire     // fire payload.batch, or when payload.countdown is 0
	cmdDrop     // drop payload.batch
	cmdAdd      // add position to payload.countdown
)

// command is a message from the control side to the audio side. Commands are executed at their frame, in
// the order of seq.
type command struct {
	frame            int64 // the frame of execution, or Now
	seq              uint64
	fadeFrames       int64 // length of a fade in frames
	position         int64 // for cmdSeek: a frame of the sound
	ref              int64
	record           pool.Handle // for cmdPlay, cmdThen and cmdPending
	target           Target
	change           Change
	feed             *voice.StreamBuffer // for streams: of cmdSeek, and of cmdSet with rounds
	payload          *payload            // of cmdDuck, cmdInsert, cmdEffect, cmdSend and cmdPosition, and of batches and countdowns
	batch            *Batch              // waits for this batch; frame then counts from its firing
	kind             commandKind
	props            propertySet // for cmdPending and cmdPendingBus
	continuesPending bool        // a cmdSet that continues a pending set
	bufferTaken      bool        // a voice has taken feed
	when             When        // for cmdThen
	voices           int32       // for cmdResize
	rank             int32
}

// payload holds data that the control side allocates for a command.
type payload struct {
	duck      Duck // as it was described
	duckRules *duckRules
	insert    *insert
	effect    *effectFades
	send      *sendMove
	spot      space.Spot
	listener  listenerVectors
	batch     *Batch
	countdown *Countdown
}

// queue holds commands for later frames. A command stays at its place, and a binary heap orders the
// places. The capacity never grows on the audio side, because the control side limits the commands under
// way.
type queue struct {
	heap     []queueEntry
	commands []command
	free     []int32 // unused places of commands
	after    []int32 // by place: the next place of the same batch, from 1
}

// queueEntry is a heap entry: the order of a command and its place. Commands are ordered by frame, then by
// rank, then by the order of the calls.
type queueEntry struct {
	frame int64
	seq   uint64
	place int32
	rank  int32
}

// before reports whether the command of d is executed before the command of e.
func (d queueEntry) before(e queueEntry) bool {
	return d.frame < e.frame || d.frame == e.frame && (d.rank < e.rank || d.rank == e.rank && d.seq < e.seq)
}

// adopt continues the queue in the larger buffers to, with all commands at their places.
func (q *queue) adopt(to *queueBuffers) {
	copy(to.commands, q.commands)
	copy(to.after, q.after)
	free := to.free[:len(to.commands)-len(q.commands)] // the new places
	*q = queue{append(to.heap, q.heap...), to.commands, append(free, q.free...), to.after}
}

// push queues a copy of a command, whose frame must be absolute. The queue must have a free place.
func (q *queue) push(c *command) { q.insert(q.store(c)) }

// store copies a command to a free place, outside the heap, and returns the place. A place must be free.
func (q *queue) store(c *command) (place int32) {
	last := len(q.free) - 1
	place = q.free[last]
	q.free = q.free[:last]
	q.commands[place] = *c
	return place
}

// insert adds the command at a place to the heap, ordered by its frame, rank and sequence number.
func (q *queue) insert(place int32) {
	c := &q.commands[place]
	d := queueEntry{c.frame, c.seq, place, c.rank}
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

// next returns the first command by frame, rank and sequence number; nil if the queue is empty. The pointer is valid
// until drop.
func (q *queue) next() *command {
	if len(q.heap) == 0 {
		return nil
	}
	return &q.commands[q.heap[0].place]
}

// release frees a place and clears its command, for the garbage collector. It does not change the heap.
func (q *queue) release(place int32) {
	q.commands[place] = command{}
	q.after[place] = 0
	q.free = append(q.free, place)
}

// drop removes the first command, the result of next. The queue must not be empty.
func (q *queue) drop() {
	q.release(q.heap[0].place)
	last := len(q.heap) - 1
	d := q.heap[last]
	if q.heap = q.heap[:last]; last > 0 {
		q.siftDown(0, d)
	}
}

// siftDown places d at heap index i, whose old entry is overwritten, or below, in heap order.
func (q *queue) siftDown(i int, d queueEntry) {
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
