package showrun

import (
	"sync/atomic"
	"testing"
	"time"
)

// TestWaitForAnswers checks that the end of a show waits for an answer that is being written, but not longer than
// the limit.
func TestWaitForAnswers(t *testing.T) {
	var s Show
	s.WaitForAnswers(time.Minute) // without an answer it returns at once
	begun, release := make(chan struct{}), make(chan struct{})
	var answered atomic.Bool
	go s.Answer(func() {
		close(begun)
		<-release
		answered.Store(true)
	})
	<-begun
	if s.WaitForAnswers(time.Millisecond); answered.Load() {
		t.Error("the answer was written before the reader took it")
	}
	time.AfterFunc(20*time.Millisecond, func() { close(release) })
	if s.WaitForAnswers(time.Minute); !answered.Load() {
		t.Error("the show ends before the answer is written")
	}
}
