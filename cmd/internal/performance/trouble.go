package performance

import (
	"fmt"
	"slices"
	"sync"
	"time"

	"voicepool/cmd/internal/console"
	"voicepool/cmd/internal/findings"
	"voicepool/cmd/internal/spill"
	"voicepool/internal/words"
	"voicepool/sounds"
)

// troubles are what is told while a show goes on. A failure is told once, and makes the exit code
// 1. Any goroutine.
type troubles struct {
	console *console.Console
	mutex   sync.Mutex
	lines   []string // the failures
	later   bool     // a live view is where messages would go
	waiting []string // until it is gone
	damages findings.Damages
}

// damaged warns of a damaged place of a file.
func (t *troubles) damaged(file string, place sounds.Damage) {
	t.damages.Add(file, place)
	if !t.console.Quiet {
		t.note("warning: " + findings.Line(file, place))
	}
}

// verdict returns an error where damaged places of files were concealed, when it is strict.
func (t *troubles) verdict(strict bool) error {
	if n := t.damages.Len(); strict && n > 0 {
		return fmt.Errorf("--strict: %s concealed, so not all was heard", words.Count(n, "damaged place"))
	}
	return nil
}

// add tells of a failure, and reports whether it is a new one.
func (t *troubles) add(err error) bool {
	line := console.Message(err)
	t.mutex.Lock()
	defer t.mutex.Unlock()
	if slices.Contains(t.lines, line) {
		return false
	}
	t.lines = append(t.lines, line)
	t.say(line)
	return true
}

// note tells of something at once, or, where that would be written over the live view, which
// shows it, when the view is gone.
func (t *troubles) note(line string) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	t.say(line)
}

// say is note under the mutex.
func (t *troubles) say(line string) {
	if t.later {
		t.waiting = append(t.waiting, line)
		return
	}
	t.console.Say("%s", line)
}

// draw says that a live view begins.
func (t *troubles) draw() {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	t.later = t.console.ErrTerminal != nil
}

// undraw says that it is gone.
func (t *troubles) undraw() {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	t.later = false
	for _, line := range t.waiting {
		t.say(line)
	}
	t.waiting = nil
}

// all returns what there is so far.
func (t *troubles) all() []string {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	return slices.Clone(t.lines)
}

// outcome returns err, unless all of it was told: then it says no more.
func (t *troubles) outcome(err error) error {
	lines := t.all()
	if err == nil && len(lines) > 0 || err != nil && slices.Contains(lines, console.Message(err)) {
		return console.Reported{Code: console.ExitFailed}
	}
	return err
}

// shown is where lines are shown.
type shown struct {
	*spill.Log
	name string
}

// err returns what keeps lines from being written, if anything does.
func (s shown) err() error {
	if s.Log == nil {
		return nil
	}
	return s.named(s.Log.Err())
}

// named returns an error with the name of what failed.
func (s shown) named(err error) error {
	switch {
	case err == nil:
		return nil
	case console.Unread(err):
		return fmt.Errorf("%s: nobody reads it any more; the show goes on", s.name)
	}
	return fmt.Errorf("%s: %w", s.name, words.Cause(err))
}

// end waits for what is still to be written, and tells what never will be.
func (s shown) end(t *troubles, limit time.Duration) error {
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
