// Package doctor finds out why a machine is silent: the built-in drivers, the sound servers and
// cards, why each fails, and a remedy. It changes no settings, and all its waits are limited.
package doctor

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"syscall"
	"time"

	"voicepool/device/auto"
	"voicepool/device/pulse"
	"voicepool/internal/words"
)

// Report is the result of an examination.
type Report struct {
	Sound     bool         `json:"sound"` // a driver played until the end
	System    System       `json:"system"`
	Drivers   []Trial      `json:"drivers"` // in the order of trial
	Variables []Variable   `json:"variables"`
	Sockets   []Socket     `json:"sockets"`
	Sinks     []pulse.Sink `json:"sinks"`
	Cards     []Card       `json:"cards"`
	Measured  *Measured    `json:"measured,omitempty"` // of the last driver that was measured
	Busy      string       `json:"busy,omitempty"`     // how the machine lacked processor time; "" if it did not
	Advice    []Advice     `json:"advice"`
}

// Trial is the result of a driver.
type Trial struct {
	Name    string `json:"name"`
	Outputs string `json:"ways"` // possible outputs; "" if it is not built in
	Plays   bool   `json:"plays"`
	Detail  string `json:"detail"` // the output, or the error

	err error
}

// Options configure an examination.
type Options struct {
	Tone     bool                             // play a tone; otherwise silence
	Progress func(format string, args ...any) // reports progress in one line; optional
}

const (
	// openTimeout is the time limit for opening a driver.
	openTimeout = 5 * time.Second
	// Listening is the duration of a measurement.
	Listening = 5 * time.Second
)

// examination is a running examination of a machine.
type examination struct {
	Report
	machine Machine
	options Options
	sinkErr error // why the server's sinks are unknown
	// silenced reports that a sound server accepts the audio, but it is not heard.
	silenced bool
}

// Examine finds out why the machine m is silent and returns a report, which is never nil. It tries the drivers in
// order until one has played for 5 s. Then it adds advice. If ctx ends, the report has the results until then, without
// advice. o.Progress may be nil.
func Examine(ctx context.Context, m Machine, o Options) *Report {
	if o.Progress == nil {
		o.Progress = func(string, ...any) {}
	}
	x := examination{machine: m, options: o}
	x.Sinks, x.Advice = []pulse.Sink{}, []Advice{}
	x.System, x.Variables, x.Sockets, x.Cards = system(m), variables(m), sockets(m), cards(m)
	paused := m.Watch()
	x.tryDrivers(ctx)
	x.Busy = load(m, paused())
	if ctx.Err() == nil {
		x.advise()
	}
	return &x.Report
}

// tryDrivers tries the drivers of the machine in order until one plays. It stores a Trial for each driver in
// x.Drivers, with the result, or the reason why the driver was not tried. x.Sound is set if a driver played.
func (x *examination) tryDrivers(ctx context.Context) {
	x.Drivers = []Trial{}
	played := ""
	for _, d := range x.machine.Drivers() {
		t := Trial{Name: d.Name, Outputs: d.Outputs}
		switch {
		case d.Outputs == "":
			t.Detail = "it was left out of this program (tag nooto)"
		case played != "":
			t.Detail = "not tried: " + played + " plays"
		case ctx.Err() != nil:
			t.Detail = "not tried"
		case x.silenced:
			t.Detail = "not tried: it plays through the same server"
		default:
			x.play(ctx, d, &t)
		}
		if t.Plays {
			played = t.Name
		}
		x.Drivers = append(x.Drivers, t)
	}
	x.Sound = played != ""
}

// play tries the driver d, which can take some seconds, and stores the result in t. The field Plays is set if the
// driver played to the end and the sound was not muted. Detail has the output, or the error as text. The field err has
// the error.
func (x *examination) play(ctx context.Context, d Driver, t *Trial) {
	x.options.Progress("opening %s", d.Name)
	if t.err = x.open(ctx, d, t); t.err != nil {
		t.Detail = auto.Reason(t.err)
	}
	t.Plays = t.err == nil
}

// errSlow is the error of a driver that neither opens nor fails.
var errSlow = fmt.Errorf("it does not open within %v", openTimeout)

// open opens the driver d, plays for 5 s and closes it. The error is the reason why no sound is heard, or nil. open
// stores the measurements in x.Measured and the name of the output in t.Detail. For the driver pulse it first requests
// the sinks of the sound server. If that server takes the audio, open sets x.silenced, so that other drivers of the
// same server are skipped.
func (x *examination) open(ctx context.Context, d Driver, t *Trial) error {
	if d.Name == "pulse" {
		if x.querySinks(ctx); x.sinkErr != nil {
			return x.sinkErr
		}
	}
	p, err := withTimeout(ctx, openTimeout, errSlow, func(ctx context.Context) (Player, error) { return d.Open(ctx) })
	if err != nil {
		return err
	}
	defer closeSoon(p)
	x.silenced = d.Name == "pulse"
	if err := x.inaudible(p); err != nil {
		return err
	}
	measured, err := measure(ctx, p, x.options)
	x.silenced = x.silenced && p.Err() == nil // without the server, the other drivers may find a card
	if measured != nil {
		measured.Driver, measured.Sink = d.Name, sinkName(p)
		x.Measured = measured
	}
	t.Detail = cmp.Or(sinkName(p), d.Outputs)
	return cmp.Or(err, x.inaudible(p)) // a user may have moved the stream, or the sink may have been removed
}

// querySinks requests the sinks of the sound server. It adds them to x.Sinks, or stores the error in x.sinkErr. If the
// drivers use exactly one socket and it looked usable, querySinks also stores in that element of x.Sockets whether the
// server answers.
func (x *examination) querySinks(ctx context.Context) {
	sinks, err := withTimeout(ctx, openTimeout, errSlow, x.machine.Sinks)
	if x.sinkErr = err; err == nil {
		x.Sinks = append(x.Sinks, sinks...)
	}
	var inUse []*Socket
	for i := range x.Sockets {
		if s := &x.Sockets[i]; s.InUse {
			inUse = append(inUse, s)
		}
	}
	if len(inUse) != 1 || !inUse[0].Usable {
		return // the answering one is unknown
	}
	switch s := inUse[0]; {
	case err == nil:
		s.Detail = "answers"
	case x.serverTimedOut():
		s.Usable, s.Detail = false, "does not answer"
	case errors.Is(err, syscall.ECONNREFUSED):
		s.Usable, s.Detail = false, "its server is gone"
	default:
		s.Usable, s.Detail = false, auto.Reason(err)
	}
}

// errNoOutput is the error of a server without an output.
var errNoOutput = errors.New("the sound server has no output")

// dummy is the sink that PulseAudio and PipeWire create without a real output.
const dummy = "auto_null"

// inaudible returns an error if the stream of p cannot be heard where it plays. On a server without an output, the
// error is errNoOutput. On a muted sink, it is a mutedError; if the sink of p is unknown, the default sink counts.
// Otherwise it is nil. The state of the sinks comes from x.Sinks and may be some seconds old.
func (x *examination) inaudible(p Player) error {
	name := sinkName(p)
	if name == dummy {
		return errNoOutput
	}
	for _, s := range x.Sinks {
		if s.Muted && (s.Name == name || s.Default && name == "") {
			return mutedError{s.Name}
		}
	}
	return nil
}

// mutedError is the error of a muted sink.
type mutedError struct{ sink string }

// Error names the sink.
func (e mutedError) Error() string { return "the sink " + words.OneLine(e.sink) + " is muted" }

// sinkName returns the name of the sound server's sink that p plays on. If p does not use a sound server or the sink
// is unknown, it returns "".
func sinkName(p Player) string {
	if s, ok := p.(interface{ Sink() string }); ok {
		return s.Sink()
	}
	return ""
}

// withTimeout runs the function work on another goroutine and returns its result. If work takes longer than limit, it
// returns the error slow. If ctx ends first, it returns the cause of ctx. In both cases the context of work ends; if
// work ignores that, it continues to run.
func withTimeout[T any](
	ctx context.Context, limit time.Duration, slow error, work func(context.Context) (T, error),
) (T, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, limit, slow)
	defer cancel()
	type result struct {
		got T
		err error
	}
	done := make(chan result, 1)
	go func() {
		got, err := work(ctx)
		done <- result{got, err}
	}()
	select {
	case r := <-done:
		return r.got, r.err
	case <-ctx.Done():
		var none T
		return none, context.Cause(ctx)
	}
}

// closeSoon closes p. It waits for that at most 1 s; then the closing continues on another goroutine. Errors are
// ignored.
func closeSoon(p Player) {
	_, _ = withTimeout(context.Background(), time.Second, errSlow, func(context.Context) (struct{}, error) {
		return struct{}{}, p.Close()
	})
}
