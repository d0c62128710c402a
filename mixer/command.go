package mixer

import (
	"voicepool/mixer/internal/batches"
	"voicepool/mixer/internal/busmix"
	"voicepool/mixer/internal/commandqueue"
	"voicepool/mixer/internal/spatial"
	"voicepool/pool"
	"voicepool/sounds"
	"voicepool/space"
)

type commandKind uint8

const (
	cmdPlay commandKind = iota
	cmdStop
	cmdPause
	cmdResume
	cmdSet
	cmdSeek
	cmdPositions
	cmdPending    // apply the pending set of a record
	cmdPendingBus // apply the pending set of a bus
	cmdResize
	cmdDuck
	cmdInsert
	cmdEffect
	cmdEffects
	cmdSend
	cmdPosition // move the voices of target, or with TargetAll the listener
	cmdThen     // start record when target ends
	cmdFire     // fire payload.batch, or when payload.countdown is 0
	cmdDrop     // drop payload.batch
	cmdAdd      // add position to payload.countdown
)

// command is a message from the control side to the audio side. Commands are executed at their frame, in
// the order of seq.
type command struct {
	frame            int64 // the frame of execution, or Now
	seq              uint64
	fadeFrames       int64 // length of a fade in frames
	position         int64 // for cmdSeek: a frame of the sound
	ref              Ref
	record           pool.Handle // for cmdPlay, cmdThen and cmdPending
	target           Target
	change           Change
	feed             *sounds.StreamBuffer // for streams: of cmdSeek, and of cmdSet with rounds
	payload          *payload             // of cmdDuck, cmdInsert, cmdEffect, cmdEffects, cmdSend and cmdPosition, and of batches and countdowns
	batch            *batches.Batch       // waits for this batch; frame then counts from its firing
	kind             commandKind
	props            propertySet // for cmdPending and cmdPendingBus
	continuesPending bool        // a cmdSet that continues a pending set
	bufferOwned      bool        // a voice owns feed
	cancelled        bool        // for cmdPlay and cmdThen: the start was stopped before the command was sent
	when             When        // for cmdThen
	voices           int32       // for cmdResize
	rank             int32
}

// payload holds data that the control side allocates for a command.
type payload struct {
	duck        Duck // as it was described
	duckRules   *busmix.DuckRules
	insert      Insert // as it was described; nil: removed
	insertState *busmix.InsertState
	effect      *effectFades
	chain       *busmix.Chain
	send        *sendMove
	spot        space.Spot
	listener    spatial.Listener
	batch       *batches.Batch
	countdown   *batches.Countdown
}

// order returns the sort key of c. Commands are executed in the order of their frames, then of their ranks, then of
// their sequence numbers. c.frame must be a frame of the mix.
func (c *command) order() commandqueue.Order {
	return commandqueue.Order{Frame: c.frame, Seq: c.seq, Rank: c.rank}
}
