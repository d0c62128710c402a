//go:build linux && !android && !nooto

package oto

import (
	"math/rand/v2"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"voicepool/device"
	"voicepool/device/devicetest"
	"voicepool/device/wav"
	"voicepool/pcm"
)

// The tests of this file need a sound server, and one process each, because a process can open one device.
// .ci/every-frame-arrives starts them.
const (
	serverTest = "VOICEPOOL_SERVER_TEST" // the test to run: contract, play, loss
	serverFile = "VOICEPOOL_SERVER_FILE" // the file where play stores the played frames
)

func openServer(t *testing.T, which string) *Device {
	t.Helper()
	if os.Getenv(serverTest) != which {
		t.Skipf("needs a sound server: run .ci/every-frame-arrives, which sets %s=%s", serverTest, which)
	}
	start := time.Now()
	d, err := Open(Config{Name: "voicepool test"})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("opened after %v, latency %v", time.Since(start), pcm.Duration(int64(d.Latency()), d.Rate()))
	return d
}

func TestServerContract(t *testing.T) {
	d := openServer(t, "contract")
	devicetest.Life(t, d, nil, driverGoroutines...)
	if d, err := Open(Config{}); err == nil || !strings.Contains(err.Error(), rule) {
		t.Errorf("a second Open gave %v, %v, want an error with the rule", d, err)
	}
}

// counted is a source that reports when enough frames were pulled.
type counted struct {
	device.Source
	left   int
	enough chan struct{}
}

func (c *counted) Render(dst []pcm.Frame) {
	c.Source.Render(dst)
	if c.left > 0 && c.left <= len(dst) {
		close(c.enough)
	}
	c.left -= len(dst)
}

// TestServerPlays also writes the played frames to a file. The script compares the two.
func TestServerPlays(t *testing.T) {
	d := openServer(t, "play")
	length := 5 * d.Rate()
	f, err := wav.Create(os.Getenv(serverFile), wav.Config{Rate: d.Rate(), Format: wav.F32})
	if err != nil {
		t.Fatal(err)
	}
	frames := noise(length)
	f.Write(frames)
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}

	// The end has been played when twice the buffers of the device and the server have been pulled.
	src := &counted{&frames, length + d.Latency() + d.Rate()/2, make(chan struct{})}
	if err := d.Start(src); err != nil {
		t.Fatal(err)
	}
	await(t, src.enough, 30*time.Second)
	if err := d.Err(); err != nil {
		t.Errorf("Err() = %v", err)
	}
	if err := d.Close(); err != nil {
		t.Errorf("Close = %v", err)
	}
}

// TestServerLoss checks that Err returns the error if the server ends in the middle, and that the device pulls
// on in time.
func TestServerLoss(t *testing.T) {
	d := openServer(t, "loss")
	before := &counted{silence{}, d.Rate() / 2, make(chan struct{})}
	after := &counted{before, 3 * d.Rate(), make(chan struct{})}
	start := time.Now()
	if err := d.Start(after); err != nil {
		t.Fatal(err)
	}
	await(t, before.enough, 10*time.Second)
	if out, err := exec.Command("pactl", "exit").CombinedOutput(); err != nil {
		t.Fatalf("pactl exit: %v\n%s", err, out)
	}
	await(t, after.enough, 10*time.Second)
	if took := time.Since(start); took < 2500*time.Millisecond || took > 3500*time.Millisecond {
		t.Errorf("3 s were asked for within %v", took)
	}
	if err := d.Err(); err == nil {
		t.Error("Err() = nil after the server has gone")
	} else {
		t.Log(err)
	}
	if err := d.Close(); err != nil {
		t.Errorf("Close = %v", err)
	}
}

// ready is a source of frames, followed by silence.
type ready []pcm.Frame

func (r *ready) Render(dst []pcm.Frame) {
	n := copy(dst, *r)
	clear(dst[n:])
	*r = (*r)[n:]
}

// noise returns distinct frames that 24 bits can represent.
func noise(length int) ready {
	random := rand.New(rand.NewPCG(1, 1))
	frames := make(ready, length)
	for i := range frames {
		for c := range frames[i] {
			frames[i][c] = float32(random.IntN(1<<23)-1<<22) / (1 << 24)
		}
	}
	return frames
}

type silence struct{}

func (silence) Render(dst []pcm.Frame) { clear(dst) }

func await(t *testing.T, done <-chan struct{}, limit time.Duration) {
	t.Helper()
	select {
	case <-done:
	case <-time.After(limit):
		t.Fatalf("the device did not ask for enough within %v", limit)
	}
}
