package evidence

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"voicepool/cmd/internal/cli/doctor"
	"voicepool/device/auto"
	"voicepool/internal/lateness"
	"voicepool/internal/loopback"
	"voicepool/internal/words"
	"voicepool/mixer"
	"voicepool/pcm"
	"voicepool/sounds"
	"voicepool/sounds/library"
	"voicepool/sounds/tone"
)

const (
	// pollInterval is the interval between two looks of a step at the device.
	pollInterval = 20 * time.Millisecond
	// returnTimeout is the time limit for a device to play again.
	returnTimeout = 10 * time.Second
	// settleTime is the time without a loss after which a device is playing for certain. auto notices a loss earlier.
	settleTime = time.Second
	// freshTime is the maximum age of the last pull of a device that plays.
	freshTime = 500 * time.Millisecond
)

// Options configure a run.
type Options struct {
	StepTime  time.Duration // how long a step waits for a person
	DriftTime time.Duration // of the measurement of the drift
	Program   string        // the version of this program
	// Lines delivers the lines that a person types. It is nil without a person; then the steps skip their questions.
	Lines    <-chan string
	Say      func(format string, args ...any) // prints a line
	Progress func(format string, args ...any) // reports progress in one line
}

// runner is a run of the steps.
type runner struct {
	ctx     context.Context
	machine Machine
	Options
	report *Report
	device Device // nil if no output plays
	why    error  // why device is nil
	source source
	tone   *sounds.Sound // endless
	click  *sounds.Sound
	beeped time.Time
}

// Run runs all steps and returns their report, which is never nil. If ctx ends, the report has the results until then.
// The error is of this program, as an invalid version of its sounds, never of the machine.
func Run(ctx context.Context, m Machine, o Options) (*Report, error) {
	r := &runner{ctx: ctx, machine: m, Options: o, report: &Report{
		Version: Version, Program: o.Program, Date: m.Wall().UTC().Format(time.DateOnly), System: m.System,
	}}
	if err := r.prepare(); err != nil {
		return nil, err
	}
	defer r.source.mixer.Close()
	r.open()
	var server loopback.Server
	var serverErr error
	if r.device != nil {
		defer r.device.Close()
		server, serverErr = r.machine.Server(ctx)
	}
	r.report.Server = r.public(server.Name)
	s := &r.report.Steps
	step(r, &s.Sound, "sound", r.sound)
	step(r, &s.Monitor, "latency_to_monitor", func() (*Latency, error) { return r.monitor(serverErr) })
	step(r, &s.Capture, "latency_to_capture", func() (*Latency, error) { return r.capture(server.Capture, serverErr) })
	step(r, &s.Drift, "drift", r.drift)
	step(r, &s.DefaultChange, "default_change", r.defaultChange)
	step(r, &s.Sleep, "sleep", r.sleep)
	step(r, &s.Unplugging, "unplugging", r.unplug)
	return r.report, nil
}

// prepare makes the mixer and the sounds of the test.
func (r *runner) prepare() error {
	m, err := mixer.New(mixer.Config{})
	if err != nil {
		return err
	}
	r.source.mixer = m
	r.source.restart(0, nil)
	clip, err := tone.Signal{Hertz: 440}.Clip(m.Rate(), time.Second)
	if err != nil {
		return err
	}
	if r.tone, err = library.Prepare(clip, library.Options{Rate: m.Rate()}); err != nil {
		return err
	}
	// A square wave of 1 kHz for 10 ms: a loudspeaker plays it, and its first sample is loud.
	click := make([]float32, m.Rate()/100)
	for i := range click {
		click[i] = 0.5
		if i/(m.Rate()/2000)%2 == 1 {
			click[i] = -0.5
		}
	}
	r.click, err = sounds.NewSound(sounds.Samples{Rate: m.Rate(), Channels: 1, Data: click})
	return err
}

// open opens the output and starts it. Without one it stores the reason in r.why.
func (r *runner) open() {
	r.Progress("opening the sound output")
	d, err := r.machine.Open()
	if err == nil {
		if err = d.Start(&r.source); err != nil {
			_ = d.Close()
		}
	}
	if err != nil {
		r.why = err
		return
	}
	r.device = d
	r.report.Driver, r.report.Sink, r.report.RateHz = d.Driver(), r.public(d.Sink()), d.Rate()
	r.source.restart(r.bufferTime(), nil)
}

// bufferTime returns how long the device can play from its full buffer.
func (r *runner) bufferTime() time.Duration {
	return pcm.Duration(int64(r.device.Latency()), r.device.Rate())
}

// public returns text without the names that a report must not contain.
func (r *runner) public(text string) string { return public(text, r.machine.Secrets) }

// skipped is the reason why a step was skipped.
type skipped string

// Error returns the reason.
func (s skipped) Error() string { return string(s) }

// skip returns the error for a step that is skipped. Its message is formatted as by fmt.Sprintf.
func skip(format string, args ...any) error { return skipped(fmt.Sprintf(format, args...)) }

// step runs measure and stores its result in s. The error of measure is why the step failed, or a reason made by skip.
// No step begins without sound or after an interruption.
func step[F fmt.Stringer](r *runner, s *Step[F], name string, measure func() (*F, error)) {
	if r.ctx.Err() != nil {
		r.report.Interrupted = true
		s.State, s.Reason = Skipped, "interrupted before"
		return
	}
	control, begin := lateness.Start(), time.Now()
	defer control.Stop()
	err := r.ready()
	if err == nil {
		s.Figures, err = measure()
	} else if name != "sound" {
		err = skip("%v", err)
	}
	end := time.Now()
	s.Seconds, s.MachineLateMS = seconds(end.Sub(begin)), doctor.Milliseconds(control.Worst(begin, end))
	s.State = Passed
	if r.ctx.Err() != nil {
		r.report.Interrupted = true
		err = skip("interrupted")
	}
	if err != nil {
		s.State, s.Reason = Failed, r.public(err.Error())
		if _, ok := errors.AsType[skipped](err); ok {
			s.State = Skipped
		}
	}
	r.Progress("")
	row := s.row(name)
	r.Say("%s: %s: %s", row.Name, row.State, row.Detail)
}

// seconds converts d to seconds, rounded to a millisecond.
func seconds(d time.Duration) float64 { return d.Round(time.Millisecond).Seconds() }

// ready waits until the device plays, and returns the reason if it does not.
func (r *runner) ready() error {
	if r.device == nil {
		return errors.New(auto.Reason(r.why))
	}
	if _, err := r.playsAgain(0); err != nil {
		return err
	}
	r.events()
	return nil
}

// plays reports whether the device takes frames now.
func (r *runner) plays() bool {
	return r.device.Reason() == "" && time.Since(r.source.totals().Last) < freshTime+r.bufferTime()
}

// playsAgain waits until the device has played for the time settle, and returns how long it took until it began to
// play. If that takes longer than 10 s, it returns the reason.
func (r *runner) playsAgain(settle time.Duration) (time.Duration, error) {
	begin, since := time.Now(), time.Time{}
	err := r.await(returnTimeout+settle, func() bool {
		switch {
		case !r.plays():
			since = time.Time{}
		case since.IsZero():
			since = time.Now()
		}
		return !since.IsZero() && time.Since(since) >= settle
	})
	if err == errTimeout {
		if reason := r.device.Reason(); reason != "" {
			return 0, fmt.Errorf("no output plays: %s", reason)
		}
		return 0, errors.New("the device has not taken a frame for 10 s")
	}
	return since.Sub(begin), err
}

// events returns the losses and returns of the output since the last call.
func (r *runner) events() []auto.Event {
	list := make([]auto.Event, 64)
	return list[:r.device.Events(list)]
}

// lost returns an error if the output was lost since the last call of events.
func (r *runner) lost() error {
	for _, e := range r.events() {
		if e.Kind == auto.Lost {
			return fmt.Errorf("the sound was lost: %s", e.Reason)
		}
	}
	return nil
}

// framesLost returns the frames that were not heard since before, a result of r.device.Unheard.
func (r *runner) framesLost(before time.Duration) int64 {
	return pcm.Frames(r.device.Unheard()-before, r.device.Rate())
}

// errTimeout is the error of await after its limit.
var errTimeout = errors.New("the time is over")

// errEnter is the error of await after a line of the person.
var errEnter = skipped("skipped by the person")

// await waits until done returns true. If that takes longer than limit, it returns errTimeout.
func (r *runner) await(limit time.Duration, done func() bool) error {
	_, err := r.watch(limit, nil, done)
	return err
}

// awaitHands waits until done returns true, and plays a beep every second. If the person types a line, it returns
// errEnter. After StepTime it returns errTimeout.
func (r *runner) awaitHands(done func() bool) error {
	_, err := r.watch(r.StepTime, r.Lines, func() bool {
		r.beep()
		return done()
	})
	return err
}

// beep plays a beep if a second has passed since the last one. It returns false.
func (r *runner) beep() bool {
	if time.Since(r.beeped) >= time.Second {
		r.beeped = time.Now()
		_, _ = r.source.mixer.Play(r.tone, mixer.Options{For: 100 * time.Millisecond}) // only a help for the person
	}
	return false
}

// prompt discards the lines that the person typed before, and prints a line with Say.
func (r *runner) prompt(format string, args ...any) {
	for open := true; open; {
		select {
		case _, open = <-r.Lines:
		default:
			open = false
		}
	}
	r.Say(format, args...)
}

// ask prints a question for the person and returns the answer. Without a person, or after StepTime, it returns "".
func (r *runner) ask(format string, args ...any) string {
	if r.Lines == nil {
		return ""
	}
	r.prompt(format, args...)
	line, _ := r.watch(r.StepTime, r.Lines, func() bool { return false })
	return line
}

// watch calls done every 20 ms until it returns true, the last time after limit. If a line arrives, watch returns it in
// small letters, without spaces around it, and errEnter. It returns errTimeout after limit, and the cause of r.ctx
// after its end.
func (r *runner) watch(limit time.Duration, lines <-chan string, done func() bool) (string, error) {
	ticker := time.NewTicker(pollInterval)
	defer ticker.Stop()
	for begin := time.Now(); ; {
		over := time.Since(begin) >= limit
		switch {
		case done():
			return "", nil
		case over:
			return "", errTimeout
		}
		select {
		case <-r.ctx.Done():
			return "", context.Cause(r.ctx)
		case line, open := <-lines:
			if open {
				return strings.ToLower(strings.TrimSpace(words.OneLine(line))), errEnter
			}
			lines = nil // the end of standard input
		case <-ticker.C:
		}
	}
}
