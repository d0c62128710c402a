package placement

import (
	"errors"
	"fmt"
	"sync"

	"voicepool/internal/words"
)

// errDeaf is the error of a watch that does not tell of this node's own renewals.
var errDeaf = errors.New("NATS reports no changes any more, although it takes renewals")

// watching is how the watch on the bucket does.
type watching struct {
	mutex  sync.Mutex
	err    error // of the last watch; nil: it works, or none has ended yet
	said   string
	errors int64
}

// failed notes the end of a watch, and says why once until another reason or success.
func (w *watching) failed(say func(string), err error) {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	w.errors++
	w.err = err
	if line := words.Plain(err); line != w.said {
		w.said = line
		say("this node does not see the other nodes and the rooms: " + line)
	}
}

// works notes that a watch has told of all that is there.
func (w *watching) works(say func(string)) {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	if w.err != nil {
		say("this node sees the other nodes and the rooms again")
	}
	w.err, w.said = nil, ""
}

// Watching returns why this node does not see the other nodes and the rooms; nil: it does.
func (n *Node) Watching() error {
	n.watching.mutex.Lock()
	defer n.watching.mutex.Unlock()
	if n.watching.err == nil {
		return nil
	}
	return fmt.Errorf("this node does not see the other nodes and the rooms: %w", n.watching.err)
}

// WatchErrors returns how many watches have failed.
func (n *Node) WatchErrors() int64 {
	n.watching.mutex.Lock()
	defer n.watching.mutex.Unlock()
	return n.watching.errors
}
