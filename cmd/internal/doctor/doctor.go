// Package doctor finds out why a machine is silent: what was built in, which sound servers and
// cards there are, why each cannot be used, and what would help. It changes nothing, and every
// wait in it has a limit.
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

// Report is what was found.
type Report struct {
	Sound     bool         `json:"sound"` // it came out, up to the end
	System    System       `json:"system"`
	Drivers   []Trial      `json:"drivers"` // in the order in which they are tried
	Variables []Variable   `json:"variables"`
	Sockets   []Socket     `json:"sockets"`
	Sinks     []pulse.Sink `json:"sinks"`
	Cards     []Card       `json:"cards"`
	Measured  *Measured    `json:"measured,omitempty"` // of the last driver that was listened to
	Busy      string       `json:"busy,omitempty"`     // how the machine was short of processor time; "" if it was not
	Advice    []Advice     `json:"advice"`
}

// Trial is a driver, and what became of it.
type Trial struct {
	Name   string `json:"name"`
	Ways   string `json:"ways"` // what it can play through; "" where it was left out
	Plays  bool   `json:"plays"`
	Detail string `json:"detail"` // on what it plays, or why it does not

	err error
}

// Options says how to look.
type Options struct {
	Tone bool                             // play a tone; else what is played is silence
	Told func(format string, args ...any) // shows what is being done, in one line; nil: nobody looks
}

const (
	// opening is how long a driver may take to open.
	opening = 5 * time.Second
	// Listening is how long a driver is listened to.
	Listening = 5 * time.Second
)

// examination is a look at a machine that is under way.
type examination struct {
	Report
	machine Machine
	options Options
	sinkErr error // why the server did not tell its sinks
	// silenced says that a server takes what is played, and that nobody hears it.
	silenced bool
}

// Examine looks at a machine, and tries its drivers one after the other until one plays. When
// ctx ends, it returns at once with what it has.
func Examine(ctx context.Context, m Machine, o Options) *Report {
	if o.Told == nil {
		o.Told = func(string, ...any) {}
	}
	x := examination{machine: m, options: o}
	x.Sinks, x.Advice = []pulse.Sink{}, []Advice{}
	x.System, x.Variables, x.Sockets, x.Cards = system(m), variables(m), sockets(m), cards(m)
	paused := m.Watch()
	x.try(ctx)
	x.Busy = load(m, paused())
	if ctx.Err() == nil {
		x.advise()
	}
	return &x.Report
}

// try plays on the first driver that can.
func (x *examination) try(ctx context.Context) {
	x.Drivers = []Trial{}
	played := ""
	for _, d := range x.machine.Drivers() {
		t := Trial{Name: d.Name, Ways: d.Ways}
		switch {
		case d.Ways == "":
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

// play plays on a driver, and notes what comes of it.
func (x *examination) play(ctx context.Context, d Driver, t *Trial) {
	x.options.Told("opening %s", d.Name)
	if t.err = x.open(ctx, d, t); t.err != nil {
		t.Detail = auto.Reason(t.err)
	}
	t.Plays = t.err == nil
}

// errSlow is the error of a driver that neither opens nor fails.
var errSlow = fmt.Errorf("it does not open within %v", opening)

// open opens a driver, and listens to it. What the driver of a sound server says is not asked
// for twice.
func (x *examination) open(ctx context.Context, d Driver, t *Trial) error {
	if d.Name == "pulse" {
		if x.ask(ctx); x.sinkErr != nil {
			return x.sinkErr
		}
	}
	p, err := within(ctx, opening, errSlow, func(ctx context.Context) (Player, error) { return d.Open(ctx) })
	if err != nil {
		return err
	}
	defer closeSoon(p)
	x.silenced = d.Name == "pulse"
	if err := x.deaf(p); err != nil {
		return err
	}
	measured, err := listen(ctx, p, x.options)
	x.silenced = x.silenced && p.Err() == nil // without the server, others may find a card
	if measured != nil {
		measured.Driver, measured.Sink = d.Name, sinkOf(p)
		x.Measured = measured
	}
	t.Detail = cmp.Or(sinkOf(p), d.Ways)
	return cmp.Or(err, x.deaf(p)) // a user may move the stream, and a sink may go
}

// ask asks the sound server what it plays on.
func (x *examination) ask(ctx context.Context) {
	sinks, err := within(ctx, opening, errSlow, x.machine.Sinks)
	if x.sinkErr = err; err == nil {
		x.Sinks = append(x.Sinks, sinks...)
	}
	var asked []*Socket
	for i := range x.Sockets {
		if s := &x.Sockets[i]; s.Asked {
			asked = append(asked, s)
		}
	}
	if len(asked) != 1 || !asked[0].Usable {
		return // which of them it was is not known
	}
	switch s := asked[0]; {
	case err == nil:
		s.Detail = "answers"
	case x.deadline():
		s.Usable, s.Detail = false, "does not answer"
	case errors.Is(err, syscall.ECONNREFUSED):
		s.Usable, s.Detail = false, "its server is gone"
	default:
		s.Usable, s.Detail = false, auto.Reason(err)
	}
}

// errNoOutput is the error of a server that plays to nobody.
var errNoOutput = errors.New("the sound server has no output, and plays to nobody")

// dummy is the sink that PulseAudio and PipeWire make where there is no other.
const dummy = "auto_null"

// deaf returns why nobody hears what a player takes, where it is known.
func (x *examination) deaf(p Player) error {
	name := sinkOf(p)
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

// mutedError is the error of a sink that is muted.
type mutedError struct{ sink string }

func (e mutedError) Error() string { return "the sink " + words.OneLine(e.sink) + " is muted" }

// sinkOf returns what a player plays on, where it says so.
func sinkOf(p Player) string {
	if s, ok := p.(interface{ Sink() string }); ok {
		return s.Sink()
	}
	return ""
}

// within does work that may take its time. What takes longer than limit is left behind, for
// the process is about to end, and gives slow.
func within[T any](
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

// closeSoon closes a player, and waits for it a little.
func closeSoon(p Player) {
	_, _ = within(context.Background(), time.Second, errSlow, func(context.Context) (struct{}, error) {
		return struct{}{}, p.Close()
	})
}
