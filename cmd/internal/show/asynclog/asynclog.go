// Package asynclog writes the output of a show in the background, so that a slow reader does not delay
// the show. Lines that cannot be written are dropped and counted.
package asynclog

import (
	"bytes"
	"cmp"
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

// New returns a log that writes to out on a goroutine of its own until Close. The caller must call Close.
func New(out io.Writer) *Log {
	l := &Log{out: out, wake: make(chan struct{}, 1), done: make(chan struct{})}
	go l.run()
	return l
}

// Write queues a copy of p for the goroutine that writes, and returns at once. p must consist of whole lines. If more
// than 1 MiB would wait, Write drops p and counts its lines. It does the same after Close and after a failed write. The
// result is always len(p) and nil; see Err for failures.
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

// Close ends the log. It waits until all queued lines are written. After the duration limit it stops waiting and drops
// the remaining lines; a write that blocks then continues in the background. Close does not close the writer of the
// log. dropped is the number of lines dropped since New. err is the first error of a write. If lines were dropped
// without such an error, err is ErrUnread.
func (l *Log) Close(limit time.Duration) (dropped int, err error) {
	l.mutex.Lock()
	l.closed = true
	l.signal()
	l.mutex.Unlock()
	select {
	case <-l.done:
	case <-time.After(limit):
	}
	l.mutex.Lock()
	defer l.mutex.Unlock()
	if left := l.inFlight + lines(l.queue); left > 0 {
		l.dropped += left
		l.queue, l.inFlight = nil, 0
		l.err = cmp.Or(l.err, ErrUnread)
	}
	if l.err == nil && l.dropped > 0 {
		l.err = ErrUnread
	}
	return l.dropped, l.err
}

// run is the goroutine that New starts. It writes the queued lines to l.out until the log is closed and the queue is
// empty. Then it closes the channel l.done.
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

// dequeue removes all queued lines from the log and returns them, or nil if the queue is empty. It stores the number of
// lines in l.inFlight, because they are not yet written. ended is true if the queue was empty and the log is closed.
func (l *Log) dequeue() (text []byte, ended bool) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	text, l.queue = l.queue, nil
	l.inFlight = lines(text)
	return text, text == nil && l.closed
}

// finishWrite records the result of one write, which has written the lines from dequeue. unwritten is the part of them
// that was not written, and err the error of the write. The first error is stored in l.err. Then the lines of unwritten
// and of the queue are dropped and counted. In any case finishWrite sets l.inFlight to 0.
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

// signal wakes the goroutine of run. It does not block. The caller holds l.mutex.
func (l *Log) signal() {
	select {
	case l.wake <- struct{}{}:
	default:
	}
}

// lines returns the number of line feeds in p.
func lines(p []byte) int { return bytes.Count(p, []byte{'\n'}) }
