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
	queueSize    = 256                    // orders of a room that may wait in its queue
	drainTimeout = 500 * time.Millisecond // time for the waiting orders when a room ends here
)

// roomLink connects a room to its subjects: one goroutine carries out orders, which are the requests of NATS clients,
// as they arrive. Another one publishes events.
type roomLink struct {
	rooms       *Rooms
	name        string
	queue       chan message
	unsubscribe func() // unsubscribes
	ended       atomic.Bool

	cancel       context.CancelFunc // stops the events
	ctx          context.Context    // of the orders
	rejectOrders context.CancelFunc // rejects the waiting orders
	workers      sync.WaitGroup
}

// connect connects the room called room with NATS: it subscribes to the room's orders, the requests of NATS clients. It
// starts goroutines that answer the orders and publish the events of the room. The caller must store the result and
// call its method end. An unknown room and a refused subscription are errors.
func (s *Rooms) connect(room string) (*roomLink, error) {
	follower, err := s.server.Follow(room)
	if err != nil {
		return nil, err
	}
	l := &roomLink{rooms: s, name: room, queue: make(chan message, queueSize)}
	if l.unsubscribe, err = s.transport.subscribe(cluster.Command(room), l.enqueue, func(n int) { s.server.NATS(service.Orders, 0, n) }); err != nil {
		return nil, err
	}
	l.ctx, l.rejectOrders = context.WithCancel(service.Trust(context.Background(), service.Operate))
	events, cancel := context.WithCancel(context.Background())
	l.cancel = cancel
	l.workers.Go(l.run)
	l.workers.Go(func() { l.publishEvents(events, follower) })
	return l, nil
}

// end disconnects the room from NATS. It ends the subscription and the events, and waits until all received orders are
// answered. Orders that still wait after 500 ms are rejected with status 503. The context of an order that is being
// carried out then ends. Call it once.
func (l *roomLink) end() {
	l.unsubscribe()
	l.cancel()
	close(l.queue)
	late := time.AfterFunc(l.rooms.drainTimeout, l.rejectOrders)
	l.workers.Wait()
	late.Stop()
	l.rejectOrders()
}

// enqueue queues the order m, a request of a NATS client, for the goroutine of run. It does not block. If 256 orders
// wait already, it rejects m with status 429.
func (l *roomLink) enqueue(m message) {
	select {
	case l.queue <- m:
	default:
		hall := l.rooms.server
		hall.NATS(service.Orders, 0, 1)
		l.rooms.answer(m, hall.Refuse(m.data, problemjson.New(http.StatusTooManyRequests, "the limit of %d waiting orders of the room %q is reached", queueSize, l.name).WithLimit(queueSize)))
	}
}

// run is the goroutine that carries out the orders of NATS clients, one after another, and answers them. It returns
// when the queue is closed and empty. After a call of l.rejectOrders it rejects the orders instead.
func (l *roomLink) run() {
	hall := l.rooms.server
	for m := range l.queue {
		if l.ctx.Err() != nil {
			hall.NATS(service.Orders, 0, 1)
			l.rooms.answer(m, hall.Refuse(m.data, problemjson.New(http.StatusServiceUnavailable, "the room %q is no longer played here; try again", l.name).WithField("room").WithReason("moving")))
			continue
		}
		text := hall.Answer(l.ctx, l.name, m.data)
		hall.NATS(service.Orders, 1, 0)
		l.rooms.answer(m, text)
	}
}

// publishEvents publishes the events of the room on NATS until the room or ctx ends. f supplies the events. If the room
// has ended, publishEvents sets l.ended, so that Begin can connect a new room of this name. It does not wait for NATS:
// an event that cannot be published is dropped and counted.
func (l *roomLink) publishEvents(ctx context.Context, f *service.Follower) {
	to := cluster.Event(l.name)
	for {
		messages, missed, err := f.Next(ctx)
		if err != nil {
			l.ended.Store(ctx.Err() == nil)
			return
		}
		passed, dropped := 0, int(missed)
		for _, m := range messages {
			if err = l.rooms.transport.publish(to, m); err != nil {
				dropped++
			} else {
				passed++
			}
		}
		l.rooms.server.NATS(service.Events, passed, dropped)
		l.rooms.notePublished(err)
	}
}

// notePublished reports to the operator when publishing begins to fail, and when it works again. err is the result of
// the last attempt; nil means success.
func (s *Rooms) notePublished(err error) {
	switch {
	case err != nil && s.publishFails.CompareAndSwap(false, true):
		s.log("events of rooms are not published: " + words.Plain(cluster.Plain(err)))
	case err == nil && s.publishFails.CompareAndSwap(true, false):
		s.log("events of rooms are published again")
	}
}

// answer sends text as the reply to the order m, and counts it as sent or lost. If text is too large for NATS, it sends
// an error instead. If m requests no reply, or if the subject of the reply is not permitted (see answerable), answer
// has no effect.
func (s *Rooms) answer(m message, text []byte) {
	if !answerable(m.reply) {
		return
	}
	err := s.transport.publish(m.reply, text)
	if errors.Is(err, nats.ErrMaxPayload) {
		err = s.transport.publish(m.reply, s.server.Refuse(m.data, problemjson.New(http.StatusRequestEntityTooLarge,
			"the order was carried out, but its answer of %d bytes is larger than this NATS server allows; use HTTP", len(text))))
	}
	if err != nil {
		s.server.NATS(service.Replies, 0, 1)
	} else {
		s.server.NATS(service.Replies, 1, 0)
	}
}

// answerable reports whether a reply to a client may be sent to the subject reply. "" is rejected. The subjects of NATS
// ($...) and of voicepool are rejected, too: otherwise a client could write there with the permissions of this node.
func answerable(reply string) bool {
	return reply != "" && reply[0] != '$' && !strings.HasPrefix(reply, "voicepool.")
}
