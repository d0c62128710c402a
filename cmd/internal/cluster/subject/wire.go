package subject

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/nats-io/nats.go"

	"voicepool/cmd/internal/cluster"
)

// letter is a message that has come.
type letter struct {
	data  []byte
	reply string // the subject of who waits for an answer; empty: nobody does
}

// wire is what rooms need of NATS.
type wire interface {
	// subscribe hands the messages of a subject to take, one after the other, which does not wait. lost is
	// told how many were dropped before it. leave returns when none comes any more.
	subscribe(subject string, take func(letter), lost func(int)) (leave func(), err error)

	// publish sends a message, or fails at once where the connection is lost.
	publish(subject string, data []byte) error
}

const (
	patience   = time.Second // with NATS, when a room begins or ends
	most       = 4096        // messages of a room that are read, and wait to be taken
	mostLength = 8 << 20     // and how long they may be together
)

// natsWire is the wire of a connection.
type natsWire struct{ nc *nats.Conn }

// publish sends a message.
func (n *natsWire) publish(subject string, data []byte) error { return n.nc.Publish(subject, data) }

// subscribe subscribes without a queue group: a node that stands still would swallow some of the orders of
// a room that another plays by now.
func (n *natsWire) subscribe(subject string, take func(letter), lost func(int)) (leave func(), err error) {
	told := 0
	sub, err := n.nc.Subscribe(subject, func(m *nats.Msg) {
		if all, err := m.Sub.Dropped(); err == nil && all > told {
			lost(all - told)
			told = all
		}
		take(letter{m.Data, m.Reply})
	})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", subject, cluster.Plain(err))
	}
	closed := make(chan struct{})
	sub.SetClosedHandler(func(string) { close(closed) })
	_ = sub.SetPendingLimits(most, mostLength) // it fails for a closed one, as Drain will
	leave = func() {
		if n.nc.IsConnected() && sub.Drain() == nil {
			late := time.NewTimer(patience)
			defer late.Stop()
			select {
			case <-closed:
				return
			case <-late.C:
			}
		}
		_ = sub.Unsubscribe() // of a connection that is lost: it is not subscribed again
		<-closed
	}
	if n.nc.IsConnected() {
		_ = n.nc.FlushTimeout(patience) // if it is lost meanwhile, it is subscribed when it is back
	}
	if err := n.nc.LastError(); errors.Is(err, nats.ErrPermissionViolation) && strings.Contains(err.Error(), `"`+subject+`"`) {
		leave()
		return nil, fmt.Errorf("%s: NATS does not let this node subscribe to it", subject)
	}
	return leave, nil
}
