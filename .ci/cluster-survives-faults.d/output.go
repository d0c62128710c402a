package cluster

import (
	"bytes"
	"strings"
	"sync"
)

// mostOutput is how much of a process is kept: its end.
const mostOutput = 4 << 20

// Output is what a process has written so far. It may be read while the process writes.
type Output struct {
	mutex sync.Mutex
	data  []byte
	more  chan struct{} // closed at the next write
}

// Write keeps p.
func (o *Output) Write(p []byte) (int, error) {
	o.mutex.Lock()
	defer o.mutex.Unlock()
	o.data = append(o.data, p...)
	if over := len(o.data) - mostOutput; over > 0 {
		o.data = append([]byte(nil), o.data[over:]...)
	}
	if o.more != nil {
		close(o.more)
		o.more = nil
	}
	return len(p), nil
}

// String returns all of it.
func (o *Output) String() string {
	o.mutex.Lock()
	defer o.mutex.Unlock()
	return string(o.data)
}

// Tail returns the last lines.
func (o *Output) Tail(lines int) string {
	all := strings.SplitAfter(strings.TrimRight(o.String(), "\n"), "\n")
	return strings.Join(all[max(0, len(all)-lines):], "")
}

// whole returns the lines that have ended, and what is closed when there is more.
func (o *Output) whole() (string, <-chan struct{}) {
	o.mutex.Lock()
	defer o.mutex.Unlock()
	if o.more == nil {
		o.more = make(chan struct{})
	}
	return string(o.data[:bytes.LastIndexByte(o.data, '\n')+1]), o.more
}
