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
	"voicepool/sounds"
)

// troubles prints messages and failures of a running show. Each failure is printed once, and sets
// the exit code to 1. Safe for concurrent use.
type troubles struct {
	console *console.Console
	mutex   sync.Mutex
	lines   []string // the failures
	later   bool     // a live view covers the terminal for messages
	waiting []string // messages for the time after the live view
	damages checkreport.Damages
}

// damaged counts a damaged place in a file and prints a warning, unless the console is quiet.
func (t *troubles) damaged(file string, place sounds.Damage) {
	t.damages.Add(file, place)
	if !t.console.Quiet {
		t.note("warning: " + checkreport.Line(file, place))
	}
}

// verdict returns an error if strict is true and the decoder has concealed a damaged place in a file.
func (t *troubles) verdict(strict bool) error {
	if n := t.damages.Len(); strict && n > 0 {
		return fmt.Errorf("--strict: %s concealed, so not all was heard", words.Count(n, "damaged place"))
	}
	return nil
}

// add prints the message of a failure and reports whether it is new. A message that was added before is not printed
// again.
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

// note prints a message. If a live view covers the terminal, the message waits until endView.
func (t *troubles) note(line string) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	t.say(line)
}

// say prints a message, or keeps it until endView. The caller holds the mutex.
func (t *troubles) say(line string) {
	if t.later {
		t.waiting = append(t.waiting, line)
		return
	}
	t.console.Say("%s", line)
}

// beginView marks the start of a live view. If messages go to the terminal that the view covers, they wait until
// endView.
func (t *troubles) beginView() {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	t.later = t.console.ErrTerminal != nil
}

// endView marks the end of the live view and prints the waiting messages.
func (t *troubles) endView() {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	t.later = false
	for _, line := range t.waiting {
		t.say(line)
	}
	t.waiting = nil
}

// all returns a copy of the messages of all failures up to now.
func (t *troubles) all() []string {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	return slices.Clone(t.lines)
}

// outcome returns the error of the command. If failures were printed and err is nil or also printed, it returns a
// console.Reported with exit code 1, otherwise err.
func (t *troubles) outcome(err error) error {
	lines := t.all()
	if err == nil && len(lines) > 0 || err != nil && slices.Contains(lines, console.Message(err)) {
		return console.Reported{Code: console.ExitFailed}
	}
	return err
}

// shown is the destination of lines.
type shown struct {
	*asynclog.Log
	name string
}

// err returns the first error of writing lines, with the name of the destination, or nil.
func (s shown) err() error {
	if s.Log == nil {
		return nil
	}
	return s.named(s.Log.Err())
}

// named adds the name of the destination to err, and explains a closed pipe. nil stays nil.
func (s shown) named(err error) error {
	switch {
	case err == nil:
		return nil
	case console.Unread(err):
		return fmt.Errorf("%s: the reader has closed it; the show continues", s.name)
	}
	return fmt.Errorf("%s: %w", s.name, words.Cause(err))
}

// end waits up to limit for the remaining lines to be written. It adds an error of writing, and the number of
// dropped lines, to t, and returns the error.
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
