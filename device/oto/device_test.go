package oto

import (
	"encoding/binary"
	"errors"
	"io"
	"math"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"voicepool/device"
	"voicepool/device/devicetest"
	"voicepool/internal/leak"
	"voicepool/pcm"
)

func TestMain(m *testing.M) {
	leak.Main(m, driverGoroutines...)
}

// driverGoroutines lists the goroutines that the driver keeps until the process ends.
var driverGoroutines = []string{
	"github.com/ebitengine/oto/v3/internal/mux.(*Mux).loop",
	"github.com/jfreymuth/pulse.(*PlaybackStream).run",
	"github.com/jfreymuth/pulse/proto.(*Client).readLoop",
}

// card is a fake driver: it reads 10 ms every 10 ms.
type card struct {
	bytes int
	stuck chan struct{} // if not nil, Suspend waits for it

	mu   sync.Mutex
	err  error
	held bool // reads no frames
	stop chan struct{}
	done chan struct{}
}

func (c *card) play(r io.Reader, bytes int) player {
	c.bytes = bytes
	c.stop, c.done = make(chan struct{}), make(chan struct{})
	go func() {
		defer close(c.done)
		period := make([]byte, 480*frameBytes)
		tick := time.NewTicker(10 * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-c.stop:
				return
			case <-tick.C:
			}
			if c.holds() {
				continue
			}
			for rest := period; len(rest) > 0; {
				n, err := r.Read(rest)
				if err != nil {
					return
				}
				rest = rest[n:]
			}
		}
	}()
	return c
}

func (c *card) holds() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.held
}

func (c *card) hold(held bool, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.held, c.err = held, err
}

func (c *card) Err() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.err
}

func (c *card) Suspend() error {
	if c.stuck != nil {
		<-c.stuck
	}
	return nil
}

func (c *card) PauseAndStopReading() {
	close(c.stop)
	<-c.done
}

func open(t testing.TB, c *card) *Device {
	t.Helper()
	config, err := Config{}.filled()
	if err != nil {
		t.Fatal(err)
	}
	return &Device{config: config, out: c}
}

func TestContract(t *testing.T) {
	devicetest.Run(t, func(t testing.TB) device.Device { return open(t, &card{}) }, nil)
}

// counter is a source whose frames are numbers.
type counter struct {
	mu sync.Mutex
	n  int
}

func (c *counter) Render(dst []pcm.Frame) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for i := range dst {
		dst[i] = pcm.Frame{float32(c.n), -float32(c.n)}
		c.n++
	}
}

func (c *counter) count() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.n
}

func TestReader(t *testing.T) {
	taken := new(atomic.Int64)
	r := newReader(&counter{}, taken)
	next := 0
	for i, test := range []struct{ size, want int }{
		{1920 * 8, 1920 * 8}, // the first read is filled completely, independently of the block size
		{1920 * 8, 256 * 8},
		{100 * 8, 100 * 8},
		{100*8 + 7, 100 * 8},
		{7, 0},
		{0, 0},
	} {
		p := make([]byte, test.size)
		n, err := r.Read(p)
		if n != test.want || err != nil {
			t.Fatalf("read %d: %d bytes, %v, want %d", i, n, err, test.want)
		}
		for ; n > 0; n -= 8 {
			left := math.Float32frombits(binary.LittleEndian.Uint32(p))
			right := math.Float32frombits(binary.LittleEndian.Uint32(p[4:]))
			if left != float32(next) || right != -float32(next) {
				t.Fatalf("read %d: frame %v, %v, want %d, -%d", i, left, right, next, next)
			}
			next++
			p = p[8:]
		}
	}
	if r.skip(6); taken.Load() != int64(next) {
		t.Errorf("%d frames were taken, want %d: what stands in for the driver does not count", taken.Load(), next)
	}
	r.close()
	if n, err := r.Read(make([]byte, 80)); n != 0 || err != io.EOF {
		t.Errorf("read after close: %d, %v, want 0, EOF", n, err)
	}
}

func TestReadDoesNotAllocate(t *testing.T) {
	r := newReader(&counter{}, new(atomic.Int64))
	p := make([]byte, 4096)
	if n := testing.AllocsPerRun(100, func() { r.Read(p) }); n != 0 {
		t.Errorf("Read allocates %v times, want 0", n)
	}
}

func TestLatency(t *testing.T) {
	c := &card{}
	d := open(t, c)
	d.Start(&counter{})
	defer d.Close()
	if c.bytes != 1920*frameBytes {
		t.Errorf("the player keeps %d bytes, want %d: 40 ms", c.bytes, 1920*frameBytes)
	}
	if want := 1920 + 255 + 1920; d.Latency() != want {
		t.Errorf("Latency() = %d, want %d", d.Latency(), want)
	}
}

// TestStandsIn checks that a driver that stops reading does not stop the source's time, with or without an
// error. When it reads again, it gets the frames that are due.
func TestStandsIn(t *testing.T) {
	gone := errors.New("oto: PulseAudio error: oto: connection closed\nfor good")
	for _, err := range []error{nil, gone} {
		synctest.Test(t, func(t *testing.T) {
			c := &card{}
			d := open(t, c)
			src := &counter{}
			if err := d.Start(src); err != nil {
				t.Fatal(err)
			}
			// A period of the driver and a block may be in progress.
			near := func(want int) {
				t.Helper()
				time.Sleep(time.Millisecond)
				synctest.Wait()
				if got := src.count(); got < want || got > want+480+2*blockFrames {
					t.Errorf("%d frames were rendered, want %d", got, want)
				}
			}
			time.Sleep(time.Second)
			near(48000)
			c.hold(true, err)
			time.Sleep(time.Minute)
			near(61 * 48000)
			got := d.Err()
			if (got != nil) != (err != nil) || err != nil && !errors.Is(got, err) {
				t.Errorf("Err() = %v, want %v", got, err)
			}
			if err != nil && !strings.HasSuffix(got.Error(), "without it: PulseAudio error: connection closed for good") {
				t.Errorf("Err() = %q, want one line and one prefix", got)
			}
			c.hold(false, nil)
			time.Sleep(time.Minute)
			near(121 * 48000)
			if err := d.Close(); err != nil {
				t.Errorf("Close = %v", err)
			}
			end := src.count()
			time.Sleep(time.Minute)
			if got := src.count(); got != end {
				t.Errorf("%d frames were rendered after Close", got-end)
			}
		})
	}
}

func TestCloseWhileStandingIn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &card{}
		d := open(t, c)
		d.Start(&counter{})
		c.hold(true, errors.New("gone"))
		time.Sleep(10 * time.Second)
		start := time.Now()
		if err := d.Close(); err != nil || time.Since(start) != 0 {
			t.Errorf("Close = %v after %v, want nil at once", err, time.Since(start))
		}
	})
}

func TestCloseDoesNotWaitForTheDriver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &card{stuck: make(chan struct{})}
		d := open(t, c)
		d.Start(&counter{})
		start := time.Now()
		if err := d.Close(); err != nil || time.Since(start) != closeTimeout {
			t.Errorf("Close = %v after %v, want nil after %v", err, time.Since(start), closeTimeout)
		}
		close(c.stuck)
	})
}

func TestConfig(t *testing.T) {
	for _, c := range []Config{
		{Rate: 999}, {Rate: -48000}, {Rate: 768001}, {Buffer: time.Millisecond}, {Buffer: -1}, {Buffer: time.Minute},
	} {
		if _, err := Open(c); err == nil || errors.Is(err, device.ErrUnavailable) {
			t.Errorf("Open(%+v) = %v, want an error about the configuration", c, err)
		}
	}
	if c, err := (Config{}).filled(); err != nil || c.Rate != 48000 || c.Buffer != 40*time.Millisecond {
		t.Errorf("Config{} means %+v (%v), want 48000 and 40ms", c, err)
	}
}
