package play

import (
	"voicepool/bank/rules"
	"voicepool/cue"
	"voicepool/cue/report"
)

// Options configures a Player. The zero value plays the sheet in full.
type Options struct {
	// Watch is called with each event, in the order of frames, by the goroutine that calls Read or Run.
	Watch func(report.Event)

	// Loading is called with the progress of loading sounds. Preparing is then called with the progress of
	// resampling sounds for pitched voices.
	Loading, Preparing Progress

	// StreamError is called with the error of each stream that breaks while it is decoded, a fraction of a
	// second or more before the break is audible. Calls come from any goroutine, and again if the stream
	// is played again. It may be nil.
	StreamError func(error)

	// Events adds all events to the report.
	Events bool

	// Block is the largest number of frames that Render is called with. Set it if the device calls Render with blocks
	// of more than 1/15 s. Run sends cues to the mixer 200 ms ahead, or three of these blocks if that is longer.
	Block int

	// From starts the show in the middle. Voices that would be playing there start at their current position, and the
	// output equals the end of the complete output bit for bit. Earlier events are reported as well. Cue instead
	// starts the show at the cue with this number: a list cue that a scheduled GO fires, or a cue in `cues`. If no
	// cue of the sheet has a number, Cue is an index into `cues`, from 0.
	//
	// In a live show, the scheduled GOs before that place count as done. If Cue is a list cue, it becomes
	// the next cue. If no scheduled GO fires it, the cues before it count as finished, and their endless
	// loops start from the beginning.
	From rules.Time
	Cue  string

	// Meters measures every bus for the Levels of mixer.Bus. Live implies it.
	Meters bool

	// Record records the commands of the player; see Recorder.
	Record bool

	// Live makes the cues of the list wait for calls of Fire, and Run continues until Finish. Scheduled GOs are
	// ignored, except the GOs before From or Cue.
	Live bool

	// Changes allows Player.Change.
	Changes bool

	// Fired is called with the index in Sheet.List and the first frame of each list cue that has begun, by
	// the goroutine of Run. It may be nil.
	Fired func(list int, frame int64)

	// Send is called with each message of a cue once its frame has been mixed, in the order
	// of frames. The goroutine of Run calls it and waits for it. Run continues until the last message.
	// Read sends no messages. It may be nil.
	Send func(m *cue.Message, frame int64)

	// Wake is called after a request such as Do, Fire, Panic, Hold or Start, by the goroutine that made
	// it. Player.Step should be called soon after. Wake must not block or call the player. It may be nil.
	Wake func()
}
