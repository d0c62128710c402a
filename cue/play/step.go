package play

import (
	"errors"
	"slices"
	"time"

	"voicepool/cue/internal/bounds"
	"voicepool/internal/ring"
	"voicepool/internal/sheet/loading"
	"voicepool/mixer"
	"voicepool/pcm"
)

const (
	// fadeOut is the length of the final fade-out of Run. Run then ends after drainSilence of silence
	// even if starts are pending, and after stallTimeout if the audio side has stopped.
	fadeOut      = 300 * time.Millisecond
	drainSilence = 100 * time.Millisecond
	stallTimeout = time.Second
)

// stepper plays a show in real time, while a device calls Render.
type stepper struct {
	*show
	sender    *sender
	lookahead *lookahead
	reporter  *reporter
	output    *output

	lastStats     mixer.Stats // at the beginning of the last Step; earlier events have been polled
	started       bool
	draining      bool      // fading out
	drainErr      error     // result of Step after the fade-out
	advancedAt    time.Time // while fading out: the last time the audio side advanced
	advancedFrame int64     // its frame at that time
	silentSince   time.Time // while fading out: the beginning of the silence; zero: voices still sound
	stoppedAll    bool      // every start handed over has been stopped
	done          bool
	err           error
}

// stepShow does one iteration of Step while the show is not fading out. After Finish it begins the fade-out. done means
// that the show has ended or the mixer has failed; err is then the result.
func (s *stepper) stepShow() (done bool, err error) {
	st := s.mixer.Stats()
	s.lastStats = st
	s.reporter.poll()
	for f, some := ring.Pop(s.output.freeze.changes); some; f, some = ring.Pop(s.output.freeze.changes) {
		s.live.recordPause(f.output, f.on, s.rate)
	}
	s.lookahead.updateFired(&st)
	s.sendDueMessages(&st)
	switch {
	case s.cut != never && st.Frame >= s.cut+int64(s.mixer.LatencyFrames()):
		s.reporter.poll()
		return true, s.sounds.streams.err()
	case !s.lookahead.finished(&st) || s.options.Live || s.hasPendingMessages() || s.hasTail && st.Frame < endOfSound(&st): // cues may still change the tail
		if err := s.handOver(&st); err != nil {
			return true, err
		}
	case st.Pending == 0 && st.Frame >= endOfSound(&st)+int64(s.mixer.LatencyFrames()):
		s.reporter.poll()
		s.reporter.addUnreached(s.sender)
		return true, s.sounds.streams.err()
	}
	s.updatePlaying(&st)
	if s.live.finish {
		s.startDrain(nil)
	}
	return false, nil
}

// handOver hands the commands that are due soon after stats.Frame to the mixer, and then runs the queued requests. It
// does both twice, so that the commands of these requests are handed over, too. A full command queue is not an error.
// Other errors of the mixer are returned.
func (s *stepper) handOver(stats *mixer.Stats) error {
	for range 2 { // requests come after the commands that were due before them
		if err := s.lookahead.handOverAll(stats.Frame + s.lookaheadFrames()); err != nil && !errors.Is(err, mixer.ErrBusy) {
			return err
		}
		s.live.runRequests()
	}
	return nil
}

// startDrain begins to fade out all voices and the tails of effects within 300 ms and stops pending starts. At the end
// of the fade-out Step returns reason, or the first error of a stream if reason is nil. A second call has no effect.
func (s *stepper) startDrain(reason error) {
	if s.draining {
		return
	}
	s.draining, s.drainErr, s.advancedAt, s.advancedFrame = true, reason, time.Now(), -1
	for h := range s.mixer.Voices() {
		if h.State() == mixer.StatePending {
			_ = h.Stop(0) // before it sounds
		}
	}
	s.mixer.StopAll(fadeOut)
	s.fadeEffectTails()
}

// fadeEffectTails fades the master buses of all outputs to silence within 300 ms. It has no effect if the sheet has no
// effects or filters with tails. Errors of the mixer are ignored.
func (s *stepper) fadeEffectTails() {
	if bounds.EffectTail(s.sheet) == 0 {
		return
	}
	fade := func(bus string) { // a rejected fade leaves the tail
		_ = s.mixer.Engine().At(mixer.Now).Set(mixer.TargetBus(s.buses[bus]), mixer.Change{Fields: mixer.FieldGain, Gain: pcm.Silence}, fadeOut)
	}
	fade("master") // of the first output
	for i := 1; i < len(s.sheet.Outputs); i++ {
		fade(s.sheet.Outputs[i].Name)
	}
}

// stepDrain does one iteration of Step during the fade-out. It polls the events, and it stops voices that have begun
// since the fade-out was started. The result done is true in four cases: all voices are silent and all starts are
// carried out; the sheet's length is reached; the output has been silent for 100 ms, even if starts are pending; or the
// audio side has not advanced for one second. err is then the result of Run.
func (s *stepper) stepDrain() (done bool, err error) {
	s.reporter.poll()
	st := s.mixer.Stats()
	switch {
	case s.sender.isQuiet(&st) && st.Frame >= st.SilentFrom+int64(s.mixer.LatencyFrames()):
		s.reporter.poll()
		return true, s.drainResult()
	case st.Playing > 0 && !s.stoppedAll: // starts that were handed over before
		s.stoppedAll = st.Asked >= s.sender.requestedStarts()
		s.mixer.StopAll(fadeOut)
	}
	switch {
	case s.cut != never && st.Frame >= s.cut: // Render mixes no further frames
		return true, s.drainResult()
	case st.Playing > 0 || st.Frame < st.SilentFrom+int64(s.mixer.LatencyFrames()):
		s.silentSince = time.Time{}
	case s.silentSince.IsZero():
		s.silentSince = time.Now()
	case time.Since(s.silentSince) >= drainSilence: // the remaining starts have been stopped or will not be fired
		return true, s.drainResult()
	}
	switch {
	case st.Frame != s.advancedFrame:
		s.advancedAt, s.advancedFrame = time.Now(), st.Frame
	case time.Since(s.advancedAt) >= stallTimeout:
		return true, s.drainResult()
	}
	return false, nil
}

// drainResult returns the result of Run at the end of a fade-out: the reason given to startDrain, or the first error
// of a stream, or nil. It first calls updateFired, so that Goes includes a GO just before the end. Options.Fired is not
// called for that GO.
func (s *stepper) drainResult() error {
	st := s.mixer.Stats()
	s.lookahead.updateFired(&st) // of a GO just before the end
	if s.drainErr != nil {
		return s.drainErr
	}
	return s.sounds.streams.err()
}

// updatePlaying updates the list that Playing returns, and takes live.mutex for this. For each list cue that has begun
// since the last call, it first calls Options.Fired. A cue has begun if its first frame is before st.Frame. st has the
// current statistics of the mixer. It runs on the goroutine of Run.
func (s *stepper) updatePlaying(st *mixer.Stats) {
	f, launches := &s.follows, s.sheet.Launches
	for i := range f.progress[s.live.reportedUpTo:] {
		i += s.live.reportedUpTo
		if r := &f.progress[i]; r.started && !r.reported && r.startFrame < st.Frame {
			r.reported = true
			if s.options.Fired != nil && launches[i].List >= 0 {
				s.options.Fired(launches[i].List, r.startFrame)
			}
		}
	}
	for s.live.reportedUpTo < len(f.progress) && f.progress[s.live.reportedUpTo].reported {
		s.live.reportedUpTo++
	}
	var playing []Running
	s.live.active = slices.DeleteFunc(s.live.active, func(i int) bool {
		return (f.progress[i].reported || f.progress[i].stopped) && f.progress[i].remaining == 0
	})
	for _, i := range s.live.active {
		one := Running{List: launches[i].List, StartFrame: -1, Remaining: -1, Waiting: !f.progress[i].reported}
		if f.progress[i].started {
			one.StartFrame = f.progress[i].startFrame
			most := measure(&s.sounds, func(all []loading.Sound) float64 { return bounds.LaunchDuration(s.sheet, all, s.pitches, &launches[i]) })
			if most != never {
				one.Remaining = max(one.StartFrame+int64(most)-st.Frame, 0)
			}
		}
		playing = append(playing, one)
	}
	s.live.mutex.Lock()
	s.live.playing = playing
	s.live.mutex.Unlock()
}
