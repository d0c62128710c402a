package placement

import (
	"errors"
	"fmt"
	"sync"

	"voicepool/internal/words"
)

// errDeaf is the error of a watch that does not report this node's own renewals.
var errDeaf = errors.New("NATS no longer reports changes, although it accepts renewals")

// watching is the state of the watch on the bucket.
type watching struct {
	mutex    sync.Mutex
	err      error // of the last watch; nil: the watch works, or is the first one
	lastLine string
	errors   int64
}

// recordFailure stores err, the reason why a watch ended, for Node.Watching, and counts it. It passes a message to say,
// unless the last message had the same reason.
func (w *watching) recordFailure(say func(string), err error) {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	w.errors++
	w.err = err
	if line := words.Plain(err); line != w.lastLine {
		w.lastLine = line
		say("this node does not see the other nodes and the rooms: " + line)
	}
}

// recordSuccess records that a watch has reported the whole bucket, which ends the failure of Node.Watching. After a
// failure it passes a message to say.
func (w *watching) recordSuccess(say func(string)) {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	if w.err != nil {
		say("this node sees the other nodes and the rooms again")
	}
	w.err, w.lastLine = nil, ""
}

// Watching returns why this node cannot see the other nodes and rooms at the moment, or nil if it can or no watch has
// failed yet. Any goroutine.
func (n *Node) Watching() error {
	n.watching.mutex.Lock()
	defer n.watching.mutex.Unlock()
	if n.watching.err == nil {
		return nil
	}
	return fmt.Errorf("this node does not see the other nodes and the rooms: %w", n.watching.err)
}

// WatchErrors returns how many watches have failed since Join. Any goroutine.
func (n *Node) WatchErrors() int64 {
	n.watching.mutex.Lock()
	defer n.watching.mutex.Unlock()
	return n.watching.errors
}
