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
	cmdPlace
	cmdWant    // apply what the record wants, see record.want
	cmdWantBus // the same of a bus, see busWish
	cmdResize
	cmdDuck
	cmdInsert
	cmdEffect
	cmdSend
	cmdPut  // the voices of target, or with all of them the listener, move in space
	cmdThen // record starts where target is over
	cmdFire // part.salvo is fired, where part.count is 0
	cmdDrop // part.salvo is dropped
	cmdAdd  // part.count has place more
)

// command is one line of the dialogue: what the control side asks of the audio
// side, in the order of seq, at a frame.
type command struct {
	frame  int64 // Now, or the frame at which it acts
	seq    uint64
	over   int64 // frames that it takes
	place  int64 // of cmdSeek: frames of the sound
	ref    int64
	record pool.Handle // of cmdPlay, cmdThen and cmdWant
	target Target
	change Change
	feed   *voice.Feed // of cmdSeek, for a stream
	part   *part       // of cmdDuck, cmdInsert, cmdEffect, cmdSend and cmdPut, and of salvos and counts
	salvo  *Salvo      // in which it waits; frame is then from where that is fired
	kind   commandKind
	fields wants // of cmdWant and cmdWantBus
	wished bool  // a cmdSet that goes on from a wish
	taken  bool  // the feed has found its voice
	when   When  // of cmdThen
	voices int32 // of cmdResize
	rank   int32
}

// part is what the control side makes anew for a command.
type part struct {
	duck    Duck // as it was described
	ducking *ducking
	insert  *insert
	effect  *effectMoves
	send    *sendMove
	spot    space.Spot
	ears    earVectors
	salvo   *Salvo
	count   *Count
}

// queue holds the commands whose frame has not come yet. They stay where they are
// put, and a binary heap of what orders them says which is next. Nothing grows: the
// control side counts what is under way, so it never holds more than its capacity.
type queue struct {
	heap  []due
	held  []command
	free  []int32 // places of held
	after []int32 // by place: that of what waits in the same salvo next, from 1
}

// due is when a command acts, and where it is held. Commands are in order of their
// frames, then of their ranks, then of the calls.
type due struct {
	frame int64
	seq   uint64
	place int32
	rank  int32
}

func (d due) before(e due) bool {
	return d.frame < e.frame || d.frame == e.frame && (d.rank < e.rank || d.rank == e.rank && d.seq < e.seq)
}

// move has the queue go on in a room that has more places.
func (q *queue) move(to *room) {
	copy(to.held, q.held)
	copy(to.after, q.after)
	free := to.free[:len(to.held)-len(q.held)] // the new ones
	*q = queue{append(to.heap, q.heap...), to.held, append(free, q.free...), to.after}
}

func (q *queue) push(c *command) { q.insert(q.hold(c)) }

// hold takes a command, and returns the place where it is held.
func (q *queue) hold(c *command) (place int32) {
	last := len(q.free) - 1
	place = q.free[last]
	q.free = q.free[:last]
	q.held[place] = *c
	return place
}

// insert has what is held at a place come at its frame.
func (q *queue) insert(place int32) {
	c := &q.held[place]
	d := due{c.frame, c.seq, place, c.rank}
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

// next returns the first command, or nil. It stays good until it is dropped.
func (q *queue) next() *command {
	if len(q.heap) == 0 {
		return nil
	}
	return &q.held[q.heap[0].place]
}

// forget makes a place free, and forgets what the command there refers to.
func (q *queue) forget(place int32) {
	q.held[place] = command{}
	q.after[place] = 0
	q.free = append(q.free, place)
}

// drop removes the first command.
func (q *queue) drop() {
	q.forget(q.heap[0].place)
	last := len(q.heap) - 1
	d := q.heap[last]
	if q.heap = q.heap[:last]; last > 0 {
		q.sink(0, d)
	}
}

// sink puts d at a place of the heap, or below it.
func (q *queue) sink(i int, d due) {
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
