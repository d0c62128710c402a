//go:build (linux || freebsd || netbsd || openbsd || dragonfly) && !android

package pulse

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/jfreymuth/pulse/proto"

	"voicepool/device"
	"voicepool/device/devicetest"
	"voicepool/internal/leak"
	"voicepool/pcm"
)

// TestMain lets no test read the user's cookie. A test with a server in .ci has a cookie of its own: a missing file
// would be created by the server's programs.
func TestMain(m *testing.M) {
	if os.Getenv("PULSE_COOKIE") == "" {
		os.Setenv("PULSE_COOKIE", "/nowhere/cookie")
	}
	leak.Main(m)
}

// ready opens a device on a working server.
func ready(t testing.TB, s *server, c Config) *Device {
	t.Helper()
	d, err := open(t, s, c)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func TestContract(t *testing.T) {
	devicetest.RunInBubble(t, func(t testing.TB) device.Device { return ready(t, &server{}, Config{}) }, nil)
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

// TestPlays checks that the server gets the requested frames, each one once and in order.
func TestPlays(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, src := &server{}, &counter{}
		d := ready(t, s, Config{Name: "a game", Title: "its title", Icon: "its-icon"})
		want := device.Latencies{Driver: 30 * time.Millisecond, Server: 10 * time.Millisecond}
		if l := d.Latencies(); l != want || d.Latency() != 1920 {
			t.Errorf("the latency is %d, %+v", d.Latency(), l)
		}
		if err := d.Start(src); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Minute)
		if err := errors.Join(d.Err(), d.Close()); err != nil {
			t.Error(err)
		}
		synctest.Wait()
		got := s.taken()
		if want := buffered + 60*48000; len(got) < want-480 || len(got) > want+480 || d.Frames() != int64(len(got)) {
			t.Errorf("%d frames in a minute, want %d; %d were counted", len(got), want, d.Frames())
		}
		for i, f := range got {
			if f != (pcm.Frame{float32(i), -float32(i)}) {
				t.Fatalf("frame %d is %v", i, f)
			}
		}
		for _, name := range []string{
			"application.name\x00L\x00\x00\x00\x07x\x00\x00\x00\x07a game\x00", "its title", "its-icon",
		} {
			if !strings.Contains(string(s.names), name) {
				t.Errorf("the server was not told %q", name)
			}
		}
		if d.Underflows() != 0 || d.Suspended() || d.Sink() != "speakers" {
			t.Errorf("%d underflows, suspended %t, sink %q", d.Underflows(), d.Suspended(), d.Sink())
		}
	})
}

// TestLoss checks that a loss of the stream is reported at once, the source keeps its time, and Close does not
// block.
func TestLoss(t *testing.T) {
	for _, c := range []struct {
		name string
		lose func(*server)
		want string
	}{
		{name: "server gone", lose: func(s *server) { s.conn.Close() }, want: "pulse: the sound server is gone"},
		{
			name: "sink gone", want: `pulse: the sink "speakers" is gone`,
			lose: func(s *server) { s.say(proto.OpPlaybackStreamKilled, 0xffffffff, args{}.number(3)) },
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s, src := &server{}, &counter{}
				d := ready(t, s, Config{})
				d.Start(src)
				time.Sleep(time.Second)
				c.lose(s)
				synctest.Wait()
				select {
				case <-d.Lost():
				default:
					t.Error("the loss was not told at once")
				}
				if err := d.Err(); err == nil || err.Error() != c.want {
					t.Errorf("Err() = %v, want %s", err, c.want)
				}
				taken := d.Frames()
				time.Sleep(time.Minute)
				if n, want := src.count(), 61*48000+buffered; n < want-480 || n > want+480 || d.Frames() != taken {
					t.Errorf("%d frames were rendered, want %d; %d were counted after the loss",
						n, want, d.Frames()-taken)
				}
				begin := time.Now()
				if err := d.Close(); err != nil || time.Since(begin) != 0 {
					t.Errorf("Close = %v after %v", err, time.Since(begin))
				}
			})
		})
	}
}

// TestStandsIn checks that a server that requests no frames does not stop the source's time. When it requests
// frames again, it gets the frames that are due. In between Frames does not change.
func TestStandsIn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, src := &server{}, &counter{}
		d := ready(t, s, Config{})
		d.Start(src)
		near := func(seconds int) {
			t.Helper()
			synctest.Wait()
			if n, want := src.count(), buffered+seconds*48000; n < want-960 || n > want+960 {
				t.Errorf("%d frames were rendered after %d s, want %d", n, seconds, want)
			}
		}
		time.Sleep(time.Second)
		near(1)
		s.hold(true)
		s.say(proto.OpPlaybackStreamSuspended, 0xffffffff, args{}.number(3).flag(true))
		time.Sleep(time.Second)
		near(2)
		still := d.Frames()
		time.Sleep(time.Minute)
		near(62)
		if d.Frames() != still || d.Err() != nil || !d.Suspended() {
			t.Errorf("%d frames were taken, error %v, suspended %t", d.Frames()-still, d.Err(), d.Suspended())
		}
		s.hold(false)
		moved := args{}.number(3, 1).text("phones").flag(false).number(4<<20, 480*frameBytes, 1, 1).time(5000)
		s.say(proto.OpPlaybackStreamMoved, 0xffffffff, moved)
		s.say(proto.OpUnderflow, 0xffffffff, append(args{}.number(3), 'r', 0, 0, 0, 0, 0, 0, 0, 0))
		time.Sleep(time.Minute)
		near(122)
		want := device.Latencies{Driver: 10 * time.Millisecond, Server: 5 * time.Millisecond}
		if d.Sink() != "phones" || d.Suspended() || d.Latencies() != want || d.Underflows() != 1 {
			t.Errorf("sink %q, suspended %t, %+v, %d underflows",
				d.Sink(), d.Suspended(), d.Latencies(), d.Underflows())
		}
		if n := d.Frames() - still; n < 59*48000 {
			t.Errorf("%d frames were taken in the minute after", n)
		}
		d.Close()
	})
}

// TestMoved checks that a moved stream continues, unless its sink was named and is removed.
func TestMoved(t *testing.T) {
	for _, c := range []struct {
		name   string
		sink   string   // in the Config
		env    string   // in the environment
		left   []string // the sinks after the move
		moved  uint32   // the index of the new sink
		answer func(*server)
		lost   bool
	}{
		{name: "by the user", sink: "speakers", left: []string{"speakers", "phones"}, moved: 1},
		{name: "to where it is", sink: "speakers", moved: 0},
		{name: "named sink gone", sink: "phones", left: []string{"speakers"}, moved: 0, lost: true},
		{name: "last sink gone", sink: "speakers", moved: 7, lost: true},
		{name: "default sink gone", left: []string{"speakers"}, moved: 0},
		{name: "sink of the environment gone", env: "phones", left: []string{"speakers"}, moved: 0},
		{
			name: "no answer", sink: "phones", moved: 0,
			answer: func(s *server) { s.answer = map[uint32]func(uint32){proto.OpGetSinkInfoList: nil} },
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Setenv("PULSE_SINK", c.env)
			synctest.Test(t, func(t *testing.T) {
				s, src := &server{sinks: []string{"speakers", "phones"}}, &counter{}
				d := ready(t, s, Config{Sink: c.sink})
				d.Start(src)
				time.Sleep(time.Second)
				synctest.Wait()
				s.sinks = c.left
				if c.answer != nil {
					c.answer(s)
				}
				moved := args{}.number(3, c.moved).text("other").flag(false).number(4<<20, 480*frameBytes, 1, 1).time(5000)
				s.say(proto.OpPlaybackStreamMoved, 0xffffffff, moved)
				synctest.Wait()
				select {
				case <-d.Lost():
					if err := d.Err(); !c.lost || err == nil || err.Error() != fmt.Sprintf("pulse: the sink %q is gone", c.sink) {
						t.Errorf("it is lost: %v", err)
					}
				default:
					if c.lost || d.Err() != nil || d.Sink() != "other" {
						t.Errorf("it plays on: %v, on %s", d.Err(), d.Sink())
					}
				}
				time.Sleep(2 * time.Second)
				synctest.Wait()
				if n, want := src.count(), 3*48000+buffered; n < want-960 || n > want+960 {
					t.Errorf("%d frames were rendered in 3 s, want %d", n, want)
				}
				d.Close()
			})
		})
	}
}
