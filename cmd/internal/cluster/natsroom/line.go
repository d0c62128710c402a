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

// line connects a room to its subjects: one goroutine carries out orders, which are the requests of NATS clients, as
// they arrive. Another one publishes events.
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

// begin subscribes to the orders of the room called room, and starts goroutines that answer the orders and publish the
// events of the room. It does not store the line. The caller must call end of the returned line. An unknown room and a
// refused subscription are errors.
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
	l.workers.Go(func() { l.publishEvents(events, follower) })
	return l, nil
}

// end unsubscribes, ends the events and waits until all received orders are answered. Orders that still wait after 500
// ms are rejected with status 503. Call it once.
func (l *line) end() {
	l.leave()
	l.cancel()
	close(l.queue)
	late := time.AfterFunc(l.rooms.parting, l.refuse)
	l.workers.Wait()
	late.Stop()
	l.refuse()
}

// take queues the order m for work without blocking. If 256 orders wait already, it answers m with status 429.
func (l *line) take(m letter) {
	select {
	case l.queue <- m:
	default:
		hall := l.rooms.hall
		hall.NATS(service.Orders, 0, 1)
		l.rooms.answer(m, hall.Refuse(m.data, problemjson.New(http.StatusTooManyRequests, "the limit of %d waiting orders of the room %q is reached", waiting, l.name).Over(waiting)))
	}
}

// work carries out and answers the queued orders, one after another, until the queue is closed and empty. After
// l.refuse it rejects them instead. It runs on its own goroutine.
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

// publishEvents publishes the events that f receives until the room or ctx ends. If the room has ended, it sets l.over,
// so that Begin can replace l. It does not wait for NATS: an event that cannot be published is dropped and counted.
func (l *line) publishEvents(ctx context.Context, f *service.Follower) {
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
		l.rooms.notePublished(err)
	}
}

// notePublished logs once when publishing of events begins to fail, and once when it works again. err is the result of
// the last publishing; nil means success.
func (s *Rooms) notePublished(err error) {
	switch {
	case err != nil && s.deaf.CompareAndSwap(false, true):
		s.say("events of rooms are not published: " + words.Plain(cluster.Plain(err)))
	case err == nil && s.deaf.CompareAndSwap(true, false):
		s.say("events of rooms are published again")
	}
}

// answer sends text as the reply to the order m and counts the reply as sent or lost. If m requests no reply, or one to
// a subject that is not permitted (answerable), it has no effect. If text is too large for NATS, it sends an error
// instead.
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

// answerable reports whether a reply may be sent to the subject reply. It rejects "" and the subjects of NATS ($...)
// and of voicepool: with the permissions of this node, a client could write there.
func answerable(reply string) bool {
	return reply != "" && reply[0] != '$' && !strings.HasPrefix(reply, "voicepool.")
}
