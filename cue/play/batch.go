package play

import (
	"container/heap"
	"math"

	"voicepool/cue/internal/runsheet"
	"voicepool/mixer"
)

// cueBatch is a batch of commands that begin together: the actions of one list cue, or actions that wait for
// the end of an id. Its first frame may be known only on the audio side. The mixer receives the commands
// ahead of it.
type cueBatch struct {
	batch         *mixer.Batch
	firstFrame    int64             // its first frame; an estimate until frameKnown is true
	frameKnown    bool              // firstFrame is exact
	steps         []batchStep       // commands carried out before the actions
	actions       occurrenceHeap    // the actions, at frames relative to firstFrame
	offset        int64             // the offset of firstFrame from the start of the actions' time, in frames
	lastFrame     int64             // the last command, in frames after firstFrame
	launch        int               // index of the launch that begins here; -1: no launch begins
	rank          int32             // rank of the command that fires the batch
	goFrame       int64             // the frame of the GO that fires the batch; -1: another batch fires it
	onBegin       func(frame int64) // called with firstFrame; may be nil
	discardAfter  int64             // the batch is discarded after this frame; 0: it is kept
	cancelsOthers bool              // it cancels other batches, so a panic does not cancel it
}

// batchStep is a command of a batch that does not come from an action.
type batchStep struct {
	offset int64
	rank   int32
	do     func(mixer.Moment) error
}

// rankFirst is the rank of commands that act first at their frame.
const rankFirst = -1

// addStep adds a command to the batch. The command acts offset frames after the beginning of the batch. Of the
// commands at one frame, those with a lower rank act first. The function do sends the command to the mixer; its
// argument is the moment when the command acts. If do returns mixer.ErrBusy, it is called again later.
func (u *cueBatch) addStep(offset int64, rank int, do func(mixer.Moment) error) {
	u.steps = append(u.steps, batchStep{offset, int32(rank), do})
	u.lastFrame = max(u.lastFrame, offset)
}

// addAction adds the action s.Cues[i] with all its repetitions to the batch. In the batch, times count from its
// beginning. The first repetition is at the time of the cue minus u.offset, in frames.
func (u *cueBatch) addAction(s *runsheet.Sheet, i int) {
	heap.Push(&u.actions, occurrence{Instant: instant(s.Cues[i].RegularTime(0).Frames(s.Rate)-u.offset, i)})
}

// clampToInt converts n, a number of starts, to an int. A number above 2^31 - 1 becomes 2^31 - 1.
func clampToInt(n uint64) int { return int(min(n, math.MaxInt32)) }

// moment returns the mixer moment for commands at frame of the show. In real time it belongs to a batch: the batch of
// the current action, or else the batch of the timeline. Its rank is then the index of the cue of that action, or 0. In
// a render it is the frame itself, without a batch.
func (d *sender) moment(frame int64) mixer.Moment {
	u, rank := d.timeline, int32(0)
	if d.busy() {
		u, rank = d.current.batch, int32(d.current.action.Cue)
	}
	if u == nil {
		return d.mixer.Engine().At(frame)
	}
	return u.batch.At(frame - u.firstFrame).WithRank(rank)
}
