// Package devicetest tests whether a device keeps the contract of package device, as testing/iotest does for
// readers:
//
//	func TestDevice(t *testing.T) {
//		devicetest.Run(t, func(t testing.TB) device.Device { return mine.New() }, nil)
//	}
//
// A device that plays several outputs has a method Outputs that returns their number.
package devicetest

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"voicepool/device"
	"voicepool/internal/leak"
)

// patience is the time limit for events that should happen immediately. It only ends a test that hangs: on a busy
// machine a goroutine may wait most of a minute for a processor.
const patience = 2 * time.Minute

// Run tests whether the devices that open returns keep the contract of device.Device. Each call of drive
// must make a device pull some frames; drive is nil for devices that pull by themselves.
func Run(t *testing.T, open func(testing.TB) device.Device, drive func(device.Device)) {
	t.Helper()
	run(t, open, drive, func(t *testing.T, test func(*testing.T)) { test(t) })
}

// RunInBubble is Run with each test in a bubble of testing/synctest, whose clock jumps over waits. It is for devices
// without system calls: no stall of the machine then exceeds a time limit of the device.
func RunInBubble(t *testing.T, open func(testing.TB) device.Device, drive func(device.Device)) {
	t.Helper()
	run(t, open, drive, synctest.Test)
}

// run runs the tests of Run, each by a call of in.
func run(t *testing.T, open func(testing.TB) device.Device, drive func(device.Device), in func(*testing.T, func(*testing.T))) {
	t.Helper()
	t.Run("life", func(t *testing.T) { in(t, func(t *testing.T) { Life(t, open(t), drive) }) })
	t.Run("close waits", func(t *testing.T) {
		in(t, func(t *testing.T) { closeBlocks(t, open(t), drive, 20*time.Millisecond) })
	})
	t.Run("close before start", func(t *testing.T) { in(t, func(t *testing.T) { closeFirst(t, open(t)) }) })
}

// Life tests one device from Start to Close. It is the part of Run for drivers that a process can open only
// once. known lists the full function names of goroutines that the driver leaves behind by design, such as
// "example.org/driver.(*Context).loop".
func Life(t testing.TB, d device.Device, drive func(device.Device), known ...string) {
	t.Helper()
	before := leak.Running()
	if d.Rate() <= 0 {
		t.Errorf("Rate() = %d before Start, want more than 0", d.Rate())
	}
	if d.Latency() < 0 {
		t.Errorf("Latency() = %d before Start, want 0 or more", d.Latency())
	}
	if err := d.Err(); err != nil {
		t.Errorf("Err() = %v before Start, want nil", err)
	}
	if err := d.Start(nil); !errors.Is(err, device.ErrNoSource) {
		t.Errorf("Start(nil) = %v, want %v", err, device.ErrNoSource)
	}

	n := outputs(d)
	src, fast := newProbe(d.Rate(), n, int64(d.Rate()/10+1)), newProbe(d.Rate()+1, n, 1)
	if err := d.Start(fast); !errors.Is(err, device.ErrRate) {
		t.Errorf("Start of a source at %d Hz by a device at %d Hz = %v, want %v", fast.rate, d.Rate(), err, device.ErrRate)
	}
	refused := []*probe{fast}
	for _, wrong := range []int{n - 1, n + 1} {
		if wrong < 1 || wrong > device.MaxOutputs {
			continue
		}
		p := newProbe(d.Rate(), wrong, 1)
		if err := d.Start(p); !errors.Is(err, device.ErrOutputs) {
			t.Errorf("Start of a source of %d outputs by a device of %d = %v, want %v", wrong, n, err, device.ErrOutputs)
		}
		refused = append(refused, p)
	}
	if err := d.Start(src); err != nil {
		t.Fatalf("Start = %v", err)
	}
	other := newProbe(d.Rate(), n, 1)
	if err := d.Start(other); !errors.Is(err, device.ErrStarted) {
		t.Errorf("second Start = %v, want %v", err, device.ErrStarted)
	}
	await(t, d, drive, src.enough)
	if err := d.Err(); err != nil {
		t.Errorf("Err() = %v while playing, want nil", err)
	}
	if d.Latency() < 0 {
		t.Errorf("Latency() = %d while playing, want 0 or more", d.Latency())
	}

	if err := d.Close(); err != nil {
		t.Errorf("Close = %v", err)
	}
	src.end()
	if drive != nil {
		drive(d)
	}
	if err := d.Close(); err != nil {
		t.Errorf("second Close = %v, want nil", err)
	}
	if err := d.Start(other); !errors.Is(err, device.ErrClosed) {
		t.Errorf("Start after Close = %v, want %v", err, device.ErrClosed)
	}
	for _, p := range append(refused, other) {
		if asked := p.frames.Load(); asked != 0 {
			t.Errorf("the source of a refused Start was asked for %d frames", asked)
		}
	}
	// The leak test also gives a device that still pulls time to be detected.
	if err := leak.Find(before, known...); err != nil {
		t.Errorf("after Close: %v", err)
	}
	src.report(t)
}

// outputs returns the number of outputs of a device: 1 without a method Outputs.
func outputs(d device.Device) int {
	if w, ok := d.(interface{ Outputs() int }); ok {
		return w.Outputs()
	}
	return 1
}

// closeBlocks blocks the device in Render, and checks that Close does not return within look. After Render
// returns, Close must return, too.
func closeBlocks(t testing.TB, d device.Device, drive func(device.Device), look time.Duration) {
	t.Helper()
	src := newProbe(d.Rate(), outputs(d), 1)
	src.hold = make(chan struct{})
	if err := d.Start(src); err != nil {
		t.Fatalf("Start = %v", err)
	}
	driven := make(chan struct{})
	go func() {
		defer close(driven)
		if drive != nil {
			drive(d)
		}
	}()
	select {
	case <-src.entered:
	case <-time.After(patience):
		t.Fatalf("no Render within %v of Start", patience)
	}
	closed := make(chan bool, 1)
	go func() {
		if err := d.Close(); err != nil {
			t.Errorf("Close = %v", err)
		}
		closed <- src.inside.Load() == 0
	}()
	// A Close that does not wait returns within this time. A correct Close passes with any time.
	waited := true
	select {
	case <-closed:
		waited = false
	case <-time.After(look):
	}
	close(src.hold)
	if waited {
		select {
		case waited = <-closed:
		case <-time.After(patience):
			t.Fatalf("no Close within %v of the last Render", patience)
		}
	}
	if !waited {
		t.Error("Close came back while Render was under way")
	}
	<-driven
	src.report(t)
}

// closeFirst checks that Close works on a device without a source, that Start then returns device.ErrClosed, and
// that no frames are pulled.
func closeFirst(t testing.TB, d device.Device) {
	t.Helper()
	if err := d.Close(); err != nil {
		t.Errorf("Close before Start = %v", err)
	}
	src := newProbe(d.Rate(), outputs(d), 1)
	if err := d.Start(src); !errors.Is(err, device.ErrClosed) {
		t.Errorf("Start after Close = %v, want %v", err, device.ErrClosed)
	}
	if n := src.frames.Load(); n != 0 {
		t.Errorf("a closed device asked for %d frames", n)
	}
}

// await calls drive, if it is not nil, until done is closed. It fails the test after patience.
func await(t testing.TB, d device.Device, drive func(device.Device), done <-chan struct{}) {
	t.Helper()
	limit := time.After(patience)
	for {
		var again <-chan time.Time // nil for devices that pull by themselves
		if drive != nil {
			drive(d)
			again = time.After(0)
		}
		select {
		case <-done:
			return
		case <-limit:
			t.Fatalf("too few frames were asked for within %v of Start", patience)
		case <-again:
		}
	}
}
