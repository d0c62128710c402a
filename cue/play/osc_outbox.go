package play

import (
	"cmp"
	"slices"

	"voicepool/cue"
	"voicepool/mixer"
)

// queuedMessage is a message that is sent once its frame has been mixed.
type queuedMessage struct {
	message    *cue.Message
	batch      *cueBatch // frame is relative to its base; nil: frame is absolute
	frame      int64
	cancellers []*cueBatch // batches that cancel the message if they act first
}

// outbox holds the messages that are scheduled but not sent, in no order.
type outbox []queuedMessage

// cancel makes end, the batch of a panic or of a stop, cancel queued messages: the messages of the given batches, or
// all messages if batches is nil. The messages stay in the outbox. Once the mixer has fired end, sendDueMessages drops
// each message that isCancelled reports.
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

// isCancelled reports whether a panic or a stop of a cue cancels the message. due is the frame when the message is due,
// or the constant never if that frame is unknown. A panic cancels the messages that are due at its own frame or later.
// A stop of a cue cancels the messages that are due after the frame of the stop. A panic or stop that the mixer has not
// executed yet does not count.
func (l *queuedMessage) isCancelled(due int64) bool {
	return slices.ContainsFunc(l.cancellers, func(end *cueBatch) bool {
		base, fired := end.batch.Base()
		return fired && (due > base || due == base && end.rank == rankFirst)
	})
}

// sendDueMessages passes the messages whose frame has been mixed to Options.Send, in the order of their frames. These
// are messages with a frame before stats.Frame. They are removed from the outbox. Cancelled messages, and messages
// before the beginning or after the end of the show, are removed without being sent.
func (s *show) sendDueMessages(stats *mixer.Stats) {
	if len(s.outbox) == 0 {
		return
	}
	var due []queuedMessage
	s.outbox = slices.DeleteFunc(s.outbox, func(l queuedMessage) bool {
		frame, known := l.dueFrame()
		if !known {
			frame = never
		}
		switch {
		case l.isCancelled(frame):
			return true
		case frame >= min(stats.Frame, s.cut):
			return frame != never && frame >= s.cut
		case frame >= s.startFrame: // earlier messages belong to the part before the beginning
			due = append(due, queuedMessage{message: l.message, frame: frame})
		}
		return true
	})
	slices.SortStableFunc(due, func(a, b queuedMessage) int { return cmp.Compare(a.frame, b.frame) })
	for _, l := range due {
		s.options.Send(l.message, l.frame)
	}
}
