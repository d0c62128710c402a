package natsroom

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"

	"voicepool/cmd/internal/cluster"
	"voicepool/cmd/internal/serve/problemjson"
	"voicepool/cmd/internal/serve/service"
	"voicepool/internal/words"
)

const (
	waiting = 256                    // orders of a room that may wait in its queue
	parting = 500 * time.Millisecond // time for the waiting orders when a room ends here
)

// line connects a room to its subjects: one goroutine carries out orders as they arrive, another
// one publishes events.
type line struct {
	rooms *Rooms
	name  string
	queue chan letter
	leave func() // unsubscribes
	over  atomic.Bool

	cancel  context.CancelFunc // stops the events
	ctx     context.Context    // of the orders
	refuse  context.CancelFunc // rejects the waiting orders
	workers sync.WaitGroup
}

// begin subscribes to the orders of a room and starts goroutines that answer them and publish
// events. The caller ends the line with end. An unknown room is an error.
func (s *Rooms) begin(room string) (*line, error) {
	follower, err := s.hall.Follow(room)
	if err != nil {
		return nil, err
	}
	l := &line{rooms: s, name: room, queue: make(chan letter, waiting)}
	if l.leave, err = s.wire.subscribe(cluster.Command(room), l.take, func(n int) { s.hall.NATS(service.Orders, 0, n) }); err != nil {
		return nil, err
	}
	l.ctx, l.refuse = context.WithCancel(service.Trust(context.Background(), service.Operate))
	events, cancel := context.WithCancel(context.Background())
	l.cancel = cancel
	l.workers.Go(l.work)
	l.workers.Go(func() { l.tell(events, follower) })
	return l, nil
}

// end closes the line: it unsubscribes and waits until the received orders are answered. After the
// time parting, it rejects the orders that still wait.
func (l *line) end() {
	l.leave()
	l.cancel()
	close(l.queue)
	late := time.AfterFunc(parting, l.refuse)
	l.workers.Wait()
	late.Stop()
	l.refuse()
}

// take queues an order without blocking. If the queue is full, it answers with status 429.
func (l *line) take(m letter) {
	select {
	case l.queue <- m:
	default:
		hall := l.rooms.hall
		hall.NATS(service.Orders, 0, 1)
		l.rooms.answer(m, hall.Refuse(m.data, problemjson.New(http.StatusTooManyRequests, "the limit of %d waiting orders of the room %q is reached", waiting, l.name).Over(waiting)))
	}
}

// work carries out and answers the queued orders, in sequence, until the queue is closed.
func (l *line) work() {
	hall := l.rooms.hall
	for m := range l.queue {
		if l.ctx.Err() != nil {
			hall.NATS(service.Orders, 0, 1)
			l.rooms.answer(m, hall.Refuse(m.data, problemjson.New(http.StatusServiceUnavailable, "the room %q is no longer played here; try again", l.name).Of("room").For("moving")))
			continue
		}
		text := hall.Answer(l.ctx, l.name, m.data)
		hall.NATS(service.Orders, 1, 0)
		l.rooms.answer(m, text)
	}
}

// tell publishes events until the room ends, which sets over, or ctx ends. It does not wait for
// NATS: events that cannot be published are dropped and counted.
func (l *line) tell(ctx context.Context, f *service.Follower) {
	to := cluster.Event(l.name)
	for {
		messages, missed, err := f.Next(ctx)
		if err != nil {
			l.over.Store(ctx.Err() == nil)
			return
		}
		passed, dropped := 0, int(missed)
		for _, m := range messages {
			if err = l.rooms.wire.publish(to, m); err != nil {
				dropped++
			} else {
				passed++
			}
		}
		l.rooms.hall.NATS(service.Events, passed, dropped)
		l.rooms.heard(err)
	}
}

// heard processes the result of publishing events: it logs once when publishing begins to fail, and
// once when it works again.
func (s *Rooms) heard(err error) {
	switch {
	case err != nil && s.deaf.CompareAndSwap(false, true):
		s.say("events of rooms are not published: " + words.Plain(cluster.Plain(err)))
	case err == nil && s.deaf.CompareAndSwap(true, false):
		s.say("events of rooms are published again")
	}
}

// answer sends the reply text to an order, if the sender has a valid reply subject, and counts it.
// A reply that is too large for NATS is replaced by an error.
func (s *Rooms) answer(m letter, text []byte) {
	if !answerable(m.reply) {
		return
	}
	err := s.wire.publish(m.reply, text)
	if errors.Is(err, nats.ErrMaxPayload) {
		err = s.wire.publish(m.reply, s.hall.Refuse(m.data, problemjson.New(http.StatusRequestEntityTooLarge,
			"the order was carried out, but its answer of %d bytes is larger than this NATS server allows; use HTTP", len(text))))
	}
	if err != nil {
		s.hall.NATS(service.Replies, 0, 1)
	} else {
		s.hall.NATS(service.Replies, 1, 0)
	}
}

// answerable reports whether a reply may be sent to a subject. It rejects "" and subjects of NATS
// and of rooms and jobs. Otherwise a client that may only play could write there with the
// permissions of this node.
func answerable(reply string) bool {
	return reply != "" && reply[0] != '$' && !strings.HasPrefix(reply, "voicepool.")
}
