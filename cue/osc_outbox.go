package cue

import (
	"slices"

	"voicepool/mixer"
)

// queuedMessage is a message that is sent once its frame has been mixed.
type queuedMessage struct {
	message    *Message
	batch      *cueBatch // frame is relative to its base; nil: frame is absolute
	frame      int64
	cancellers []*cueBatch // batches that cancel the message if they act first
}

// outbox holds the messages that are scheduled but not sent, in no order.
type outbox []queuedMessage

// queueMessage puts the OSC message of cue c into the outbox. It will be sent once the frame of action a has been
// mixed. a is the action of c. In a render, and without Options.Send, queueMessage has no effect.
func (p *Player) queueMessage(a *Action, c *Cue) {
	if p.options.Send == nil || p.rendering.isRender {
		return
	}
	l := queuedMessage{message: c.Message, frame: a.Frame}
	if p.lookahead.on {
		if l.batch = p.lookahead.heldBatch; l.batch == nil {
			l.batch = p.lookahead.timeline
		}
		l.frame -= l.batch.firstFrame
	}
	p.outbox = append(p.outbox, l)
}

// cancel lets the batch end cancel queued messages. These are the messages of the given batches, or all messages if
// batches is nil. The messages stay in the outbox. When the mixer has fired end, messages that are due later are
// dropped instead of sent.
func (o outbox) cancel(end *cueBatch, batches []*cueBatch) {
	for i := range o {
		if l := &o[i]; batches == nil || slices.Contains(batches, l.batch) {
			l.cancellers = append(l.cancellers, end)
		}
	}
}

// dueFrame returns the frame of the show when the message is due. That frame is unknown until the mixer has fired the
// batch of the message. As long as it is unknown, known is false, and frame has no meaning.
func (l *queuedMessage) dueFrame() (frame int64, known bool) {
	if l.batch == nil {
		return l.frame, true
	}
	base, fired := l.batch.batch.Base()
	return base + l.frame, fired
}

// isCancelled reports whether the message was cancelled before it was due. The parameter due is the frame when it is
// due, or the constant never if that is unknown. A panic also cancels the messages of its own frame. A stop of a cue
// cancels only later ones.
func (l *queuedMessage) isCancelled(due int64) bool {
	return slices.ContainsFunc(l.cancellers, func(end *cueBatch) bool {
		base, fired := end.batch.Base()
		return fired && (due > base || due == base && end.rank == rankFirst)
	})
}

// sendDueMessages passes the messages whose frame has been mixed to Options.Send, in the order of their frames. These
// are messages with a frame before stats.Frame. They are removed from the outbox. Cancelled messages, and messages
// before the beginning or after the end of the show, are removed without being sent.
func (p *Player) sendDueMessages(stats *mixer.Stats) {
	if len(p.outbox) == 0 {
		return
	}
	type post struct {
		*Message
		frame int64
	}
	var out []post
	p.outbox = slices.DeleteFunc(p.outbox, func(l queuedMessage) bool {
		frame, known := l.dueFrame()
		if !known {
			frame = never
		}
		switch {
		case l.isCancelled(frame):
			return true
		case frame >= min(stats.Frame, p.cut):
			return frame != never && frame >= p.cut
		case frame >= p.startFrom.frame: // earlier messages belong to the part before the beginning
			out = append(out, post{l.message, frame})
		}
		return true
	})
	slices.SortStableFunc(out, func(a, b post) int { return int(min(max(a.frame-b.frame, -1), 1)) })
	for _, m := range out {
		p.options.Send(m.Message, m.frame)
	}
}

// hasPendingMessages reports whether any OSC message is still scheduled or in the outbox. With the lookahead on,
// messages of list cues count only once they are in the outbox. The result is false in a render, and without
// Options.Send, because no messages are sent then.
func (p *Player) hasPendingMessages() bool {
	return p.options.Send != nil && !p.rendering.isRender && (p.schedule.pendingSends > 0 || len(p.outbox) > 0)
}
