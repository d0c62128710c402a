package play

import (
	"sync/atomic"
	"time"

	"voicepool/bank/rules"
	"voicepool/cue"
	"voicepool/cue/internal/bounds"
	"voicepool/cue/internal/runsheet"
	"voicepool/internal/words"
	"voicepool/mixer"
	"voicepool/pcm"
)

// minLookahead is the minimum lead of Run over the audio side.
const minLookahead = 200 * time.Millisecond

// show is the state that the parts of a player share. Without another comment, a field belongs to the goroutine
// of Run or Read.
type show struct {
	options    Options                   // read-only
	mixer      *mixer.Mixer              // any goroutine
	mixerRules rules.Rules               // the rules that the mixer was made from; read-only
	buses      map[string]mixer.Bus      // read-only
	outputs    int                       // interleaved outputs; read-only
	rate       int                       // sample rate in Hz; read-only
	cut        int64                     // length of the sheet in frames; never: unlimited; read-only
	hasTail    bool                      // effects or filters may sound on after their input; read-only
	given      atomic.Pointer[cue.Sheet] // the current sheet; any goroutine

	sheet      *runsheet.Sheet // all sheets given so far, with the actions of started list cues
	groups     []*mixer.Group  // by index in the sounds of sheet
	schedule   *Schedule
	follows    followOns
	parameters parameterState
	pitches    *bounds.Pitches
	outbox     outbox
	isRender   bool  // Read has been called
	startFrame int64 // the frame where the show began

	sounds loadedSounds // any goroutine
	live   live         // any goroutine
	manual manualStarts
}

// lookaheadFrames returns how many frames before its time Run hands a command to the mixer. It is 200 ms, or three
// device blocks if they are longer.
func (s *show) lookaheadFrames() int64 {
	return max(pcm.Frames(minLookahead, s.rate), 3*int64(s.options.Block))
}

// nextFrame returns the first frame of the mixer that a command sent now reaches in time. It is one device block and 1
// ms ahead. If a panic comes later than that, the result is the frame after the panic. It runs on the goroutine of Run.
func (s *show) nextFrame() int64 {
	return max(s.mixer.Now()+pcm.Frames(s.mixer.Latency().Block+time.Millisecond, s.rate), s.live.resumeAfterPanic)
}

// hasPendingMessages reports whether any OSC message is still scheduled or in the outbox. With the lookahead on,
// messages of list cues count only once they are in the outbox. The result is false in a render, and without
// Options.Send, because no messages are sent then.
func (s *show) hasPendingMessages() bool {
	return s.options.Send != nil && !s.isRender && (s.schedule.pendingSends > 0 || len(s.outbox) > 0)
}

// enqueueForCue queues a call of the function do for the goroutine of Run. do gets the index of a list cue. The
// parameter list is the index of that cue in the list of sheet from. If the sheet of the player changes before the
// call, do gets the index of the cue with the same number. If that cue is gone, or if list is too large, do is not
// called. If list is negative, do gets -1.
func (s *show) enqueueForCue(from *cue.Sheet, list int, do func(list int)) {
	all := from.List
	switch {
	case list < 0:
		s.live.enqueue(func() { do(-1) })
		return
	case list >= len(all): // the sheet has changed
		return
	}
	number := all[list].Number
	s.live.enqueue(func() {
		if now := s.sheet.List; list < len(now) && now[list].Number == number { // the usual case
			do(list)
		} else if i, some := indexOf(now, number); some {
			do(i)
		}
	})
}

// indexOf returns the index in list of the cue with the given number; 2.50 equals 2.5. some is false if list has no
// such cue.
func indexOf(list cue.List, number string) (i int, some bool) {
	i, some = list.Numbers()[words.CueNumber(number)]
	return i, some
}

// endOfSound returns the first frame after the end of all voices and tails. stats are the counters of the mixer. The
// result is valid only if no voice sounds and no start is pending.
func endOfSound(stats *mixer.Stats) int64 { return max(stats.SilentFrom, stats.RingsUntil) }
