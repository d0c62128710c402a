package placement

import (
	"errors"
	"fmt"
	"sync"

	"voicepool/internal/words"
)

// errWatchSilent is the error of a watch that does not report this node's own renewals.
var errWatchSilent = errors.New("NATS no longer reports changes, although it accepts renewals")

// watchState is the state of the watch on the bucket.
type watchState struct {
	mutex    sync.Mutex
	err      error // of the last watch; nil: the watch works, or is the first one
	lastLine string
	errors   int64
}

// recordFailure stores err, the reason why the watch on the bucket has ended, for Node.WatchError. It counts the
// failure. It passes a message to the function log, unless the last message had the same reason.
func (w *watchState) recordFailure(log func(string), err error) {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	w.errors++
	w.err = err
	if line := words.Plain(err); line != w.lastLine {
		w.lastLine = line
		log("this node does not see the other nodes and the rooms: " + line)
	}
}

// recordSuccess records that the watch on the bucket works: Node.WatchError returns nil afterwards. If the watch had
// failed before, recordSuccess passes a message to the function log.
func (w *watchState) recordSuccess(log func(string)) {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	if w.err != nil {
		log("this node sees the other nodes and the rooms again")
	}
	w.err, w.lastLine = nil, ""
}

// WatchError returns the reason why this node cannot see the other nodes and rooms at the moment. If it can, or if no
// watch has failed yet, the result is nil. Any goroutine.
func (n *Node) WatchError() error {
	n.watchState.mutex.Lock()
	defer n.watchState.mutex.Unlock()
	if n.watchState.err == nil {
		return nil
	}
	return fmt.Errorf("this node does not see the other nodes and the rooms: %w", n.watchState.err)
}

// WatchErrorCount returns the number of watches on the bucket that have failed since Join. Any goroutine.
func (n *Node) WatchErrorCount() int64 {
	n.watchState.mutex.Lock()
	defer n.watchState.mutex.Unlock()
	return n.watchState.errors
}
