package subject

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
	"voicepool/cmd/internal/problem"
	"voicepool/cmd/internal/service"
	"voicepool/internal/words"
)

const (
	waiting = 256                    // orders of a room that may wait for those before them
	parting = 500 * time.Millisecond // for the orders that wait when a room ends here
)

// line is a room that answers: one goroutine carries out its orders, in the order of their arrival, and one
// publishes its events.
type line struct {
	rooms *Rooms
	name  string
	queue chan letter
	leave func() // unsubscribes
	over  atomic.Bool

	cancel  context.CancelFunc // of the events
	ctx     context.Context    // of the orders
	refuse  context.CancelFunc // those that still wait
	workers sync.WaitGroup
}

// begin has a room answer.
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

// end ends the line: no order comes any more, and those that wait are answered.
func (l *line) end() {
	l.leave()
	l.cancel()
	close(l.queue)
	late := time.AfterFunc(parting, l.refuse)
	l.workers.Wait()
	late.Stop()
	l.refuse()
}

// take takes an order that has come. It does not wait.
func (l *line) take(m letter) {
	select {
	case l.queue <- m:
	default:
		hall := l.rooms.hall
		hall.NATS(service.Orders, 0, 1)
		l.rooms.answer(m, hall.Refuse(m.data, problem.New(http.StatusTooManyRequests, "%d orders wait for the room %q, which is the limit", waiting, l.name).Over(waiting)))
	}
}

// work carries out orders.
func (l *line) work() {
	hall := l.rooms.hall
	for m := range l.queue {
		if l.ctx.Err() != nil {
			hall.NATS(service.Orders, 0, 1)
			l.rooms.answer(m, hall.Refuse(m.data, problem.New(http.StatusServiceUnavailable, "the room %q is not played here any more; ask again", l.name).Of("room").For("moving")))
			continue
		}
		text := hall.Answer(l.ctx, l.name, m.data)
		hall.NATS(service.Orders, 1, 0)
		l.rooms.answer(m, text)
	}
}

// tell publishes events until the room ends or the line does. Those that cannot be published are dropped:
// NATS is not waited for.
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

// heard says once that events cannot be published, and once that they can be again.
func (s *Rooms) heard(err error) {
	switch {
	case err != nil && s.deaf.CompareAndSwap(false, true):
		s.say("events of rooms are not published: " + words.Plain(cluster.Plain(err)))
	case err == nil && s.deaf.CompareAndSwap(true, false):
		s.say("events of rooms are published again")
	}
}

// answer sends a reply to who waits for one.
func (s *Rooms) answer(m letter, text []byte) {
	if !answerable(m.reply) {
		return
	}
	err := s.wire.publish(m.reply, text)
	if errors.Is(err, nats.ErrMaxPayload) {
		err = s.wire.publish(m.reply, s.hall.Refuse(m.data, problem.New(http.StatusRequestEntityTooLarge,
			"it is done, but the answer of %d bytes is longer than a message of this NATS; ask over HTTP", len(text))))
	}
	if err != nil {
		s.hall.NATS(service.Replies, 0, 1)
	} else {
		s.hall.NATS(service.Replies, 1, 0)
	}
}

// answerable reports whether somebody waits for a reply on a subject. Those of NATS itself, as of buckets,
// and of rooms and jobs are no inbox: who may only play could write there by this node's permissions.
func answerable(reply string) bool {
	return reply != "" && reply[0] != '$' && !strings.HasPrefix(reply, "voicepool.")
}
