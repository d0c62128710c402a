package cluster

import (
	"bytes"
	"strings"
	"sync"
)

// mostOutput is the number of bytes that an Output keeps; it drops the oldest.
const mostOutput = 4 << 20

// Output collects the output of a process. It may be read while the process writes.
type Output struct {
	mutex sync.Mutex
	data  []byte
	more  chan struct{} // closed at the next write
}

// Write appends p.
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

// String returns the collected output.
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

// whole returns the complete lines, and a channel that is closed at the next write.
func (o *Output) whole() (string, <-chan struct{}) {
	o.mutex.Lock()
	defer o.mutex.Unlock()
	if o.more == nil {
		o.more = make(chan struct{})
	}
	return string(o.data[:bytes.LastIndexByte(o.data, '\n')+1]), o.more
}
