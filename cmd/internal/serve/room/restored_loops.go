package room

import (
	"slices"
	"time"

	"voicepool/cue/play"
	"voicepool/mixer"
	"voicepool/pcm"
)

// restoredLoops is a player that also counts loops restored from a snapshot as parts of the list cues that started them
// before the restart. So a stop of the cue finds them, and displays show them.
type restoredLoops struct {
	*play.Player
	loops *manualLoops
}

// Playing returns the list cues of the player that play or wait to begin after a GO. After them come the cues whose
// restored loops still run, with one entry for each start. In these entries List is -1 if the sheet no longer has the
// cue. Remaining is the remaining length in frames, or -1 for a loop without an end.
func (v restoredLoops) Playing() []play.Running {
	all, s, last := v.Player.Playing(), v.Sheet(), 0
	for _, one := range v.loops.restoredLoops() {
		if one.start == last { // another layer
			continue
		}
		last = one.start
		list, err := s.ListIndex(one.number)
		if err != nil {
			list = -1
		}
		running := play.Running{List: list, StartFrame: one.startFrame, Remaining: -1}
		if one.order.For > 0 {
			running.Remaining = max(one.startFrame+pcm.Frames(one.order.For, s.Rate)-v.Mixer().Now(), 0)
		}
		all = append(all, running)
	}
	return all
}

// StopCue fades out the list cue with the index list, and the loops of that cue that were restored from a snapshot. The
// fade takes the time over; 0 means 10 ms. A negative index means the restored loops of all cues that the sheet no
// longer has. StopCue does not wait for the fade.
func (v restoredLoops) StopCue(list int, over time.Duration) {
	v.Player.StopCue(list, over)
	for _, one := range v.loops.restoredLoops() {
		if i, err := v.Sheet().ListIndex(one.number); err == nil && i == list || err != nil && list < 0 {
			_ = v.Mixer().Engine().At(mixer.Now).Stop(mixer.TargetVoice(one.voice), over) // the voice may have ended
		}
	}
}

// restoredLoops returns the records of loops that were restored from a snapshot, that a list cue had started, and that
// have not ended. The result is a copy with one record for each layer of a sound. restoredLoops also drops the records
// of ended voices.
func (l *manualLoops) restoredLoops() []manualLoop {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	l.removeEnded()
	return slices.DeleteFunc(slices.Clone(l.all), func(one manualLoop) bool { return one.number == "" || one.cue != nil })
}
