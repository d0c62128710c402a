package natsroom

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/nats-io/nats.go"

	"voicepool/cmd/internal/cluster"
)

// message is a received message.
type message struct {
	data  []byte
	reply string // the subject for the reply; empty if no reply is expected
}

// transport is the part of NATS that this package needs. Tests replace it.
type transport interface {
	// subscribe calls handle for each message of a subject, in sequence. handle must not block. lost
	// receives the number of messages dropped since its last call. leave returns when handle will not
	// be called again.
	subscribe(subject string, handle func(message), lost func(int)) (leave func(), err error)

	// publish sends a message. It fails at once if the connection is lost.
	publish(subject string, data []byte) error
}

const (
	natsTimeout     = time.Second // time limit for NATS when a room begins or ends
	maxPending      = 4096        // received messages of a room that wait for handle
	maxPendingBytes = 8 << 20     // limit of their total size in bytes
)

// natsTransport is the transport of a real connection.
type natsTransport struct{ nc *nats.Conn }

// publish sends data to subject and does not wait for a receiver. If the connection is lost or data is too large, it
// returns an error at once.
func (n *natsTransport) publish(subject string, data []byte) error {
	return n.nc.Publish(subject, data)
}

// subscribe receives the messages of subject and calls handle for each, one after another. The function lost gets the
// number of messages dropped since its last call. It is called when the next message arrives, just before handle.
//
// leave ends the subscription. It waits up to 1 s for received messages, but not if the connection is lost. It returns
// when handle will not be called again. A missing permission is an error if NATS reports it within 1 s.
//
// It does not use a NATS queue group. With a group, a stalled node would receive some of the orders for a room that
// another node has taken over.
func (n *natsTransport) subscribe(subject string, handle func(message), lost func(int)) (leave func(), err error) {
	reported := 0
	sub, err := n.nc.Subscribe(subject, func(m *nats.Msg) {
		if all, err := m.Sub.Dropped(); err == nil && all > reported {
			lost(all - reported)
			reported = all
		}
		handle(message{m.Data, m.Reply})
	})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", subject, cluster.Plain(err))
	}
	closed := make(chan struct{})
	sub.SetClosedHandler(func(string) { close(closed) })
	_ = sub.SetPendingLimits(maxPending, maxPendingBytes) // it fails for a closed subscription, as will Drain
	leave = func() {
		if n.nc.IsConnected() && sub.Drain() == nil {
			select {
			case <-closed:
				return
			case <-time.After(natsTimeout):
			}
		}
		_ = sub.Unsubscribe() // if the connection is lost, this prevents a new subscription
		<-closed
	}
	if n.nc.IsConnected() {
		_ = n.nc.FlushTimeout(natsTimeout) // if it is lost now, NATS subscribes after the reconnect
	}
	if err := n.nc.LastError(); errors.Is(err, nats.ErrPermissionViolation) && strings.Contains(err.Error(), `"`+subject+`"`) {
		leave()
		return nil, fmt.Errorf("%s: NATS does not let this node subscribe to it", subject)
	}
	return leave, nil
}
