package liveplay

import (
	"fmt"
	"slices"
	"sync"
	"time"

	"voicepool/cmd/internal/cli/checkreport"
	"voicepool/cmd/internal/cli/console"
	"voicepool/cmd/internal/show/asynclog"
	"voicepool/internal/words"
	"voicepool/sounds/library"
)

// messageLog prints messages and failures of a running show on the console. Each failure is printed once, and the exit
// code of the command becomes 1. Safe for concurrent use.
type messageLog struct {
	console  *console.Console
	mutex    sync.Mutex
	lines    []string // the failures
	deferred bool     // a live view covers the terminal for messages
	pending  []string // messages for the time after the live view
	damages  checkreport.Damages
}

// addDamage counts one damaged part of the sound file called file, for strictError. Unless the console is quiet, it
// prints a warning. A warning is not a failure.
func (t *messageLog) addDamage(file string, damage library.Damage) {
	t.damages.Add(file, damage)
	if !t.console.Quiet {
		t.note("warning: " + checkreport.Line(file, damage))
	}
}

// strictError returns an error if strict is true and sound files had damaged parts, as counted by addDamage. Otherwise
// it returns nil.
func (t *messageLog) strictError(strict bool) error {
	if n := t.damages.Len(); strict && n > 0 {
		return fmt.Errorf("--strict: %s concealed, so not all was heard", words.Count(n, "damaged place"))
	}
	return nil
}

// add prints the message of the failure err, keeps it for the result of the command, and returns true. During a live
// view the message is printed after the view; see print. If a failure with the same message was added before, add has
// no effect and returns false.
func (t *messageLog) add(err error) bool {
	line := console.Message(err)
	t.mutex.Lock()
	defer t.mutex.Unlock()
	if slices.Contains(t.lines, line) {
		return false
	}
	t.lines = append(t.lines, line)
	t.print(line)
	return true
}

// note prints line, a message that is not a failure. While a live view covers the terminal of messages, the line waits
// until endView.
func (t *messageLog) note(line string) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	t.print(line)
}

// print prints line on the console. During a live view it keeps the line until endView. The caller holds t.mutex.
func (t *messageLog) print(line string) {
	if t.deferred {
		t.pending = append(t.pending, line)
		return
	}
	t.console.Say("%s", line)
}

// beginView marks the start of a live view. If standard error is a terminal, the live view covers it: later messages
// then wait until endView.
func (t *messageLog) beginView() {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	t.deferred = t.console.ErrTerminal != nil
}

// endView marks the end of the live view and prints the waiting messages in order.
func (t *messageLog) endView() {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	t.deferred = false
	for _, line := range t.pending {
		t.print(line)
	}
	t.pending = nil
}

// all returns a copy of the messages of all failures that were added up to now, in order.
func (t *messageLog) all() []string {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	return slices.Clone(t.lines)
}

// outcome returns the error that the command ends with. err is the error of the playback. If err is nil and failures
// were printed, the result is a console.Reported with exit code 1. The result is the same if err itself was printed
// already. Otherwise it is err.
func (t *messageLog) outcome(err error) error {
	lines := t.all()
	if err == nil && len(lines) > 0 || err != nil && slices.Contains(lines, console.Message(err)) {
		return console.Reported{Code: console.ExitFailed}
	}
	return err
}

// lineLog is the destination of the lines that describe the playback, and the destination's name for messages.
// Without a Log, lines are not printed.
type lineLog struct {
	*asynclog.Log
	name string
}

// err returns the first error of writing lines, preceded by the name of their destination, such as standard output. If
// no write failed, or if no lines are written, the result is nil.
func (s lineLog) err() error {
	if s.Log == nil {
		return nil
	}
	return s.named(s.Log.Err())
}

// named returns err preceded by the name of the destination, such as standard output. If the reader of a pipe has
// closed it, the message explains that. If err is nil, the result is nil.
func (s lineLog) named(err error) error {
	switch {
	case err == nil:
		return nil
	case console.Unread(err):
		return fmt.Errorf("%s: the reader has closed it; the show continues", s.name)
	}
	return fmt.Errorf("%s: %w", s.name, words.Cause(err))
}

// end closes the log of lines. The log may use at most the time limit to write its remaining lines. If writing failed
// or lines were dropped, end adds the failures to t and returns the error. Without a log the result is nil.
func (s lineLog) end(t *messageLog, limit time.Duration) error {
	if s.Log == nil {
		return nil
	}
	dropped, err := s.Close(limit)
	if err == nil {
		return nil
	}
	t.add(s.named(err))
	if dropped > 0 {
		t.add(fmt.Errorf("%s: %s", s.name, words.Count(dropped, "line")+" dropped"))
	}
	return err
}
