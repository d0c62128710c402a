package mixer

import (
	"voicepool/pool"
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
	cmdWant // apply what the record wants, see record.wants
	cmdResize
)

// command is one line of the dialogue: what the control side asks of the audio
// side, in the order of seq, at a frame.
type command struct {
	frame  int64 // Now, or the frame at which it acts
	seq    uint64
	over   int64 // frames; of cmdResize the number of voices
	ref    int64
	record pool.Handle // of cmdPlay and cmdWant
	target Target
	change Change
	feed   *voice.Feed // of cmdSeek, for a stream
	kind   commandKind
	fields wants // of cmdWant
	taken  bool  // the feed has found its voice
}

// before orders commands by frame, then by the order of the calls.
func (c *command) before(d *command) bool {
	return c.frame < d.frame || c.frame == d.frame && c.seq < d.seq
}

// queue holds the commands whose frame has not come yet: a binary heap in an
// array that never grows. The control side counts what is under way, so it
// never holds more than its capacity.
type queue struct{ heap []command }

func newQueue(capacity int) queue { return queue{make([]command, 0, capacity)} }

func (q *queue) push(c command) {
	i := len(q.heap)
	q.heap = append(q.heap, c)
	for i > 0 {
		parent := (i - 1) / 2
		if !q.heap[i].before(&q.heap[parent]) {
			return
		}
		q.heap[i], q.heap[parent] = q.heap[parent], q.heap[i]
		i = parent
	}
}

// next returns the first command, or nil.
func (q *queue) next() *command {
	if len(q.heap) == 0 {
		return nil
	}
	return &q.heap[0]
}

// drop removes the first command and forgets what it refers to.
func (q *queue) drop() {
	last := len(q.heap) - 1
	q.heap[0] = q.heap[last]
	q.heap[last] = command{}
	q.heap = q.heap[:last]
	for i := 0; ; {
		least := i
		for child := 2*i + 1; child <= 2*i+2; child++ {
			if child < last && q.heap[child].before(&q.heap[least]) {
				least = child
			}
		}
		if least == i {
			return
		}
		q.heap[i], q.heap[least] = q.heap[least], q.heap[i]
		i = least
	}
}
