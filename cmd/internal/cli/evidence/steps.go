package evidence

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"voicepool/cmd/internal/cli/doctor"
	"voicepool/device"
	"voicepool/device/auto"
	"voicepool/device/pulse"
	"voicepool/internal/loopback"
	"voicepool/mixer"
)

const (
	// starts is the number of starts of a measurement of latency.
	starts = 20
	// monitorRest and captureRest are the pauses before each. A room needs longer until it is quiet.
	monitorRest, captureRest = 150 * time.Millisecond, 400 * time.Millisecond
	// minHeard is the number of starts that a recording must hear.
	minHeard = starts * 8 / 10
	// minAsleep is the shortest pause between two looks at the clocks that counts as sleep.
	minAsleep = 2 * time.Second
	// sinkInterval is the interval between two requests for the sinks of the server.
	sinkInterval = 250 * time.Millisecond
)

// sound plays a tone on the left, on the right and on both sides, and counts the frames that the driver takes.
func (r *runner) sound() (*Sound, error) {
	if sinks, err := r.machine.Sinks(r.ctx); err == nil && r.device.Sink() != "" {
		if i := slices.IndexFunc(sinks, func(s pulse.Sink) bool { return s.Name == r.device.Sink() }); i >= 0 && sinks[i].Muted {
			return nil, fmt.Errorf("the sink %s is muted, want it unmuted", sinks[i].Name)
		}
	}
	// A server may count its empty buffer at the beginning as an underflow.
	if err := r.await(settleTime, func() bool { return false }); err != errTimeout {
		return nil, err
	}
	r.source.restart(r.bufferTime(), nil)
	before, unheard, begin := r.device.Underflows(), r.device.Unheard(), time.Now()
	part := doctor.Listening / 3
	for _, pan := range []float64{-1, 1, 0} {
		if _, err := r.source.mixer.Play(r.tone, mixer.Options{Pan: pan, Loop: true, For: part}); err != nil {
			return nil, err
		}
		if err := r.await(part, func() bool { return false }); err != errTimeout {
			return nil, err
		}
		r.Progress("sound: %.1f of %.0f s", time.Since(begin).Seconds(), doctor.Listening.Seconds())
	}
	played, pulled, latencies := time.Since(begin), r.source.totals(), device.LatenciesOf(r.device)
	s := &Sound{
		FramesPlayed: pulled.Frames - r.framesLost(unheard), Underflows: r.device.Underflows() - before,
		Gaps: pulled.Gaps, LongestPauseMS: doctor.Milliseconds(pulled.Longest),
		ReportedLatencyMS: doctor.Milliseconds(latencies.Driver + latencies.Server), Heard: "unknown",
	}
	if err := r.lost(); err != nil {
		return s, err
	}
	if want := int64(0.9 * played.Seconds() * float64(r.device.Rate())); s.FramesPlayed < want {
		return s, fmt.Errorf("the device took %d frames, want at least %d", s.FramesPlayed, want)
	}
	switch answer := r.ask("did you hear a tone on the left, on the right and on both sides? type y or n, then Enter"); answer {
	case "y", "yes":
		s.Heard = "yes"
	case "n", "no":
		s.Heard = "no"
		return s, errors.New("the person did not hear the tone on each side")
	}
	return s, nil
}

// monitor measures the time from Play to the monitor of the sink. serverErr is why the server is unknown.
func (r *runner) monitor(serverErr error) (*Latency, error) {
	if serverErr != nil {
		return nil, skip("no sound server to record from: %v", serverErr)
	}
	if r.device.Sink() == "" {
		return nil, skip("the driver %s does not name its sink", r.device.Driver())
	}
	l, heard, err := r.latency(loopback.Monitor(r.device.Sink()), monitorRest)
	if err == nil && heard == 0 {
		err = skip("the monitor recorded 0 of %d starts; raise the volume of the sink %s", starts, r.device.Sink())
	} else if err == nil && heard < minHeard {
		err = fmt.Errorf("the monitor recorded %d of %d starts, want at least %d", heard, starts, minHeard)
	}
	return l, err
}

// capture measures the time from Play to a microphone or a cable, the source of this name. serverErr is why the server
// is unknown.
func (r *runner) capture(name string, serverErr error) (*Latency, error) {
	switch {
	case serverErr != nil:
		return nil, skip("no sound server to record from: %v", serverErr)
	case name == "":
		return nil, skip("the sound server has no microphone as its default source")
	}
	if r.Lines != nil {
		r.ask("put the microphone at the loudspeaker, or connect output and input with a cable; then press Enter (within %v)", r.StepTime)
	}
	l, heard, err := r.latency(name, captureRest)
	switch {
	case err != nil:
		return l, err
	case heard == 0:
		return l, skip("the recording has 0 of %d starts; put the microphone at the loudspeaker", starts)
	case heard < minHeard:
		return l, fmt.Errorf("the recording has %d of %d starts, want at least %d", heard, starts, minHeard)
	}
	return l, nil
}

// latency measures the time from Play to a recording of the source called name, and returns how many starts were
// recorded. The parameter rest is the pause before each start.
func (r *runner) latency(name string, rest time.Duration) (l *Latency, heard int, err error) {
	listener, err := r.machine.Listen(r.ctx, name)
	if err != nil {
		return nil, 0, err
	}
	defer listener.Close()
	r.Progress("latency: keep quiet")
	if err := r.await(settleTime, func() bool { return false }); err != errTimeout { // the end of earlier sounds
		return nil, 0, err
	}
	if err := listener.Calibrate(r.ctx, time.Second); err != nil {
		return nil, 0, err
	}
	count := 0
	got, err := listener.Measure(r.ctx, starts, rest, func() error {
		count++
		r.Progress("latency: start %d of %d", count, starts)
		_, err := r.source.mixer.Play(r.click, mixer.Options{})
		return err
	})
	latency, driver := r.source.mixer.Latency(), device.LatenciesOf(r.device)
	l = &Latency{
		Starts: len(got.Heard) + got.Unheard, Unheard: got.Unheard,
		ReportedMS:       doctor.Milliseconds(latency.Block + latency.Limiter + driver.Driver + driver.Server),
		ReportedBufferMS: doctor.Milliseconds(driver.Driver),
	}
	if heard = len(got.Heard); heard > 0 {
		l.MedianMS, l.WorstMS = doctor.Milliseconds(got.Heard[heard/2]), doctor.Milliseconds(got.Heard[heard-1])
		l.MedianWithoutMS = doctor.Milliseconds(got.Judged[heard/2])
	}
	return l, heard, err
}

// drift measures how fast the device pulls frames.
func (r *runner) drift() (*Drift, error) {
	clock := &driftMeter{rate: r.device.Rate()}
	r.source.restart(r.bufferTime(), clock)
	begin := time.Now()
	var lost error
	err := r.await(r.DriftTime, func() bool {
		r.Progress("drift: %.0f of %.0f s", time.Since(begin).Seconds(), r.DriftTime.Seconds())
		lost = r.lost()
		return lost != nil
	})
	d := &Drift{MeasuredSeconds: seconds(time.Since(begin))}
	r.source.restart(r.bufferTime(), nil)
	var ok bool
	d.DriftPPM, d.StandardErrorPPM, d.Jumps, ok = clock.drift()
	d.DriftPPM, d.StandardErrorPPM = hundredths(d.DriftPPM), hundredths(d.StandardErrorPPM)
	switch {
	case lost != nil:
		return nil, lost
	case err != errTimeout:
		return d, err
	case !ok:
		return nil, fmt.Errorf("the device pulled for less than 4 s without a jump in %v", r.DriftTime)
	}
	return d, nil
}

// hundredths rounds x to hundredths.
func hundredths(x float64) float64 { return math.Round(x*100)/100 + 0 } // -0 + 0 is 0

// defaultChange waits until a person chooses another default output, and checks that the sound continues.
func (r *runner) defaultChange() (*Change, error) {
	sinks, err := r.machine.Sinks(r.ctx)
	if err != nil || r.device.Sink() == "" {
		return r.unnamedChange()
	}
	if len(sinks) < 2 {
		return nil, skip("the sound server has one sink; a second is needed")
	}
	c := &Change{From: r.public(r.device.Sink())}
	before, unheard, next := defaultSink(sinks), r.device.Unheard(), time.Now()
	now := before
	r.source.restart(r.bufferTime(), nil)
	r.prompt("choose another default output in the sound settings within %v (Enter skips this)", r.StepTime)
	err = r.awaitHands(func() bool {
		if time.Now().Before(next) {
			return false
		}
		next = time.Now().Add(sinkInterval)
		if sinks, err := r.machine.Sinks(r.ctx); err == nil {
			now = defaultSink(sinks)
		}
		return now != before
	})
	if err == errTimeout {
		return nil, skip("the default output did not change within %v", r.StepTime)
	}
	if err != nil {
		return nil, err
	}
	c.To = r.public(now)
	if err := r.await(settleTime, func() bool { return r.device.Sink() == now }); err != nil && err != errTimeout {
		return c, err
	}
	_, err = r.playsAgain(settleTime)
	c.Followed, c.FramesLost = r.device.Sink() == now, r.framesLost(unheard)
	c.LongestPauseMS = doctor.Milliseconds(r.source.totals().Longest)
	return c, err
}

// defaultSink returns the name of the default sink, or "".
func defaultSink(sinks []pulse.Sink) string {
	for _, s := range sinks {
		if s.Default {
			return s.Name
		}
	}
	return ""
}

// unnamedChange is defaultChange for a driver that does not name its output: a person answers.
func (r *runner) unnamedChange() (*Change, error) {
	if r.Lines == nil {
		return nil, skip("the driver %s does not name its output, and without a terminal the answer of a person is missing", r.device.Driver())
	}
	unheard := r.device.Unheard()
	r.source.restart(r.bufferTime(), nil)
	r.prompt("choose another default output in the sound settings; type y if the beeps moved there, s if they stayed, n if they ended; then Enter")
	answer, err := r.watch(r.StepTime, r.Lines, r.beep)
	c := &Change{Followed: answer == "y", FramesLost: r.framesLost(unheard), LongestPauseMS: doctor.Milliseconds(r.source.totals().Longest)}
	switch {
	case err != errEnter && err != errTimeout:
		return nil, err
	case answer == "n":
		return c, errors.New("the person heard no beeps after the change")
	case answer != "y" && answer != "s":
		return nil, skip("no answer of the person")
	}
	return c, nil
}

// sleep waits until the machine or the process has paused, and checks that the sound is back.
func (r *runner) sleep() (*Sleep, error) {
	r.prompt("put the machine to sleep within %v, and wake it after ten seconds (Enter skips this)", r.StepTime)
	unheard, last, wall := r.device.Unheard(), time.Now(), r.machine.Wall()
	var passed, passedWall time.Duration
	err := r.awaitHands(func() bool {
		now, wallNow := time.Now(), r.machine.Wall()
		passed, passedWall = now.Sub(last), wallNow.Sub(wall)
		last, wall = now, wallNow
		return max(passed, passedWall) >= minAsleep
	})
	if err == errTimeout {
		return nil, skip("the machine did not sleep within %v", r.StepTime)
	}
	if err != nil {
		return nil, err
	}
	s := &Sleep{AsleepSeconds: seconds(max(passed, passedWall)), ClockStopped: passedWall-passed > minAsleep/2}
	back, err := r.playsAgain(settleTime)
	s.BackAfterSeconds, s.FramesLost = seconds(back), r.framesLost(unheard)
	return s, err
}

// unplug waits until the output is lost or the server moves the sound, and then until the output is back.
func (r *runner) unplug() (*Unplug, error) {
	u, begin, unheard, sink := &Unplug{}, time.Now(), r.device.Unheard(), r.device.Sink()
	var lost, back *auto.Event
	look := func() {
		for _, e := range r.events() {
			if e.Kind == auto.Lost {
				lost, back = &e, nil
			} else {
				back = &e
			}
		}
	}
	moved := func() bool { return r.device.Reason() == "" && r.device.Sink() != sink }
	r.prompt("unplug the sound output or switch it off within %v (Enter skips this)", r.StepTime)
	err := r.awaitHands(func() bool {
		look()
		return lost != nil || moved()
	})
	if err == errTimeout {
		return nil, skip("no output was unplugged within %v", r.StepTime)
	}
	if err != nil {
		return nil, err
	}
	away := time.Now()
	u.LostAfterSeconds = seconds(away.Sub(begin))
	if lost == nil {
		u.MovedTo = r.public(r.device.Sink())
		r.prompt("the server moved the sound; plug the output in again within %v (Enter ends this step)", r.StepTime)
		err = r.awaitHands(func() bool {
			look()
			return lost != nil || !moved()
		})
	} else {
		r.prompt("the output is lost (%s); plug it in again within %v", lost.Reason, r.StepTime)
	}
	if lost != nil {
		u.Cause = r.public(lost.Reason)
		err = r.awaitHands(func() bool {
			look()
			return back != nil || lost.Final
		})
	}
	switch {
	case r.ctx.Err() != nil:
		return u, err
	case err != nil: // the person waited or typed Enter; the device is not at fault
		return u, skip("the output was not plugged in again within %v", r.StepTime)
	case lost != nil && lost.Final:
		return u, fmt.Errorf("%s; the driver %s cannot come back in this process", lost.Reason, r.report.Driver)
	}
	u.AwaySeconds = seconds(time.Since(away))
	if _, err := r.playsAgain(settleTime); err != nil {
		return u, err
	}
	u.BackOn, u.FramesLost = r.public(r.device.Sink()), r.framesLost(unheard)
	if u.BackOn == "" {
		u.BackOn = r.device.Driver()
	}
	return u, nil
}
