// Package asynclog writes the output of a show in the background, so that a slow reader does not delay
// the show. Lines that cannot be written are dropped and counted.
package asynclog

import (
	"bytes"
	"errors"
	"io"
	"sync"
	"time"
)

// maxQueued is the maximum number of waiting bytes.
const maxQueued = 1 << 20

// ErrUnread is the error of a Log whose reader is blocked.
var ErrUnread = errors.New("the reader does not keep up")

// Log writes lines on its own goroutine. Its methods are safe for concurrent use.
type Log struct {
	out io.Writer

	mutex    sync.Mutex
	queue    []byte
	inFlight int // lines of the running write
	dropped  int // lines
	err      error
	closed   bool

	wake, done chan struct{}
}

// New returns a log that writes to out on its own goroutine until Close.
func New(out io.Writer) *Log {
	l := &Log{out: out, wake: make(chan struct{}, 1), done: make(chan struct{})}
	go l.run()
	return l
}

// Write queues a copy of p, which must consist of whole lines, and returns len(p) and nil at once. After Close, after a
// failed write to out, and if more than 1 MiB would wait, it drops p and counts its lines.
func (l *Log) Write(p []byte) (int, error) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	if l.closed || l.err != nil || len(l.queue)+len(p) > maxQueued {
		l.dropped += lines(p)
		return len(p), nil
	}
	l.queue = append(l.queue, p...)
	l.signal()
	return len(p), nil
}

// Err returns the first error of a write to out, or nil. After Close it can also be ErrUnread.
func (l *Log) Err() error {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	return l.err
}

// Close waits until all queued lines are written, but at most for limit, and drops the rest. It does not close out. It
// returns the number of lines dropped since New and the first error of a write. If lines were dropped without such an
// error, the error is ErrUnread.
func (l *Log) Close(limit time.Duration) (dropped int, err error) {
	l.mutex.Lock()
	l.closed = true
	l.signal()
	l.mutex.Unlock()
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case <-l.done:
	case <-timer.C:
	}
	l.mutex.Lock()
	defer l.mutex.Unlock()
	if left := l.inFlight + lines(l.queue); left > 0 {
		l.dropped += left
		l.queue, l.inFlight = nil, 0
		if l.err == nil {
			l.err = ErrUnread
		}
	}
	if l.err == nil && l.dropped > 0 {
		l.err = ErrUnread
	}
	return l.dropped, l.err
}

// run writes the queued lines to out until the log is closed and the queue is empty. It is the goroutine of New and
// closes l.done at its end.
func (l *Log) run() {
	defer close(l.done)
	for range l.wake {
		for {
			text, ended := l.dequeue()
			if ended {
				return
			}
			if text == nil {
				break
			}
			n, err := l.out.Write(text)
			l.finishWrite(text[n:], err)
		}
	}
}

// dequeue removes and returns all queued lines, or nil if the queue is empty. It stores their number in l.inFlight,
// until finishWrite resets it. ended is true if the log is closed and the queue was empty.
func (l *Log) dequeue() (text []byte, ended bool) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	text, l.queue = l.queue, nil
	l.inFlight = lines(text)
	return text, text == nil && l.closed
}

// finishWrite records the end of the write of the lines from dequeue and sets l.inFlight to 0. unwritten is the part
// that was not written, and err the error of the write. The first error is stored in l.err, and the lines of
// unwritten and of the queue are dropped and counted.
func (l *Log) finishWrite(unwritten []byte, err error) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	l.inFlight = 0
	if err != nil && l.err == nil {
		l.err = err
		l.dropped += lines(unwritten) + lines(l.queue)
		l.queue = nil
	}
}

// signal wakes run. It does not block. The caller holds l.mutex.
func (l *Log) signal() {
	select {
	case l.wake <- struct{}{}:
	default:
	}
}

// lines returns the number of line feeds in p.
func lines(p []byte) int { return bytes.Count(p, []byte{'\n'}) }
