package leak_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"voicepool/internal/leak"
)

func TestMain(m *testing.M) { leak.Main(m) }

type worker struct{ stop chan struct{} }

func (w *worker) loop() { <-w.stop }

func TestFind(t *testing.T) { synctest.Test(t, testFind) } // in a bubble, Find need not wait

func testFind(t *testing.T) {
	before := leak.Running()
	if err := leak.Find(before); err != nil {
		t.Errorf("with nothing left: %v", err)
	}
	w := &worker{make(chan struct{})}
	go w.loop()
	const name = "voicepool/internal/leak_test.(*worker).loop"
	one := fmt.Sprint(leak.Find(before))
	if !strings.Contains(one, name) || !strings.HasPrefix(one, "1 goroutine left behind:\n") {
		t.Errorf("with one left: %s", one)
	}
	if err := leak.Find(before, "other", name); err != nil {
		t.Errorf("with one that is known: %v", err)
	}
	if err := leak.Find(leak.Running()); err != nil {
		t.Errorf("with one from before: %v", err)
	}
	time.AfterFunc(20*time.Millisecond, func() { close(w.stop) }) // it ends during the check
	if err := leak.Find(before); err != nil {
		t.Errorf("with one that ends: %v", err)
	}
	deep := make(chan struct{})
	var sink func(n int)
	sink = func(n int) {
		if n == 0 {
			<-deep
			return
		}
		sink(n - 1)
	}
	for range 40 { // more than fits into the first buffer
		go sink(60)
	}
	if err := leak.Find(before); err == nil || !strings.HasPrefix(err.Error(), "40 goroutines left behind:\n") {
		t.Error("of forty some are not found")
	}
	close(deep)
	if err := leak.Find(before); err != nil {
		t.Errorf("when they have ended: %v", err)
	}
}

func TestInASubtest(t *testing.T) {
	t.Run("one that waits for its like", func(t *testing.T) {
		leak.Check(t) // ignores the tests' own goroutines
	})
}
