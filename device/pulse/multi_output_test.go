//go:build (linux || freebsd || netbsd || openbsd || dragonfly) && !android

package pulse

import (
	"errors"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/jfreymuth/pulse/proto"

	"voicepool/device"
	"voicepool/device/devicetest"
	"voicepool/internal/longtest"
	"voicepool/pcm"
)

// multiOutputServer returns a server whose sink has enough channels.
func multiOutputServer(outputs int) *server {
	return &server{sinks: []string{"speakers"}, wide: map[string]int{"speakers": 2 * outputs}}
}

// multiOutputCounter is a source with several outputs, whose frames contain their time and their output.
type multiOutputCounter struct {
	outputs int

	mu sync.Mutex
	n  int
}

func (c *multiOutputCounter) Outputs() int { return c.outputs }

func (c *multiOutputCounter) Render(dst []pcm.Frame) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for i := range dst {
		dst[i] = pcm.Frame{float32(c.n / c.outputs), -float32(c.n % c.outputs)}
		c.n++
	}
}

func (c *multiOutputCounter) frames() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.n / c.outputs
}

func TestContractOutputs(t *testing.T) {
	for _, outputs := range []int{2, 4, 16} {
		t.Run(fmt.Sprint(outputs), func(t *testing.T) {
			devicetest.RunInBubble(t, func(t testing.TB) device.Device {
				return ready(t, multiOutputServer(outputs), Config{Outputs: outputs})
			}, nil)
		})
	}
}

// TestPlaysOutputs checks that the server gets every frame of every output once, in order and in time. Its byte
// counts cover all channels.
func TestPlaysOutputs(t *testing.T) {
	for _, outputs := range []int{1, 2, 4, 16} {
		synctest.Test(t, func(t *testing.T) {
			s, src := multiOutputServer(outputs), &multiOutputCounter{outputs: outputs}
			d := ready(t, s, Config{Outputs: outputs})
			want := device.Latencies{Driver: 30 * time.Millisecond, Server: 10 * time.Millisecond}
			if l := d.Latencies(); l != want || d.Outputs() != outputs {
				t.Errorf("%d outputs: the latency is %+v", d.Outputs(), l)
			}
			if err := d.Start(src); err != nil {
				t.Fatal(err)
			}
			seconds := longtest.Amount(4, 10)
			time.Sleep(time.Duration(seconds) * time.Second)
			if err := errors.Join(d.Err(), d.Close()); err != nil {
				t.Error(err)
			}
			synctest.Wait()
			got := s.taken()
			frames := len(got) / outputs
			if want := buffered + seconds*48000; frames < want-480 || frames > want+480 || d.Frames() != int64(frames) {
				t.Errorf("%d outputs: %d frames in %d s, want %d; %d were counted", outputs, frames, seconds, want, d.Frames())
			}
			for i, f := range got {
				if f != (pcm.Frame{float32(i / outputs), -float32(i % outputs)}) {
					t.Fatalf("%d outputs: frame %d is %v", outputs, i, f)
				}
			}
		})
	}
}

// TestStreamRequest checks that the stream has two channels per output, without positions, in the order of the
// sink's channels. The server's latency is unchanged.
func TestStreamRequest(t *testing.T) { synctest.Test(t, testStreamRequest) } // a stall exceeds no time limit

func testStreamRequest(t *testing.T) {
	for _, outputs := range []int{1, 2, 4, 16} {
		s := multiOutputServer(outputs)
		ready(t, s, Config{Outputs: outputs, Buffer: 20 * time.Millisecond}).Close()
		channels := 2 * outputs
		want := args{}.spec(48000, channels)
		want = append(want, 'm', byte(channels))
		for i := range channels {
			if place := byte(proto.ChannelAux0 + i); outputs > 1 {
				want = append(want, place)
			} else {
				want = append(want, byte(proto.ChannelLeft+i))
			}
		}
		want = append(want.number(proto.Undefined), 'N')
		want = want.number(proto.Undefined).flag(true).number(uint32(960 * 4 * channels))
		want = append(want.number(proto.Undefined, proto.Undefined, 0), 'v', byte(channels))
		for range channels {
			want = append(want, 0, 1, 0, 0)
		}
		want = want.flag(outputs > 1).flag(outputs > 1)
		if got := string(s.stream[:min(len(want), len(s.stream))]); got != string(want) {
			t.Errorf("%d outputs: the request is\n%q, want\n%q", outputs, got, want)
		}
	}
}

// TestTooFewChannels checks that a sink with fewer channels is rejected, with an error that contains both numbers.
func TestTooFewChannels(t *testing.T) { synctest.Test(t, testTooFewChannels) } // a stall exceeds no time limit

func testTooFewChannels(t *testing.T) {
	const two = `the sink "speakers" plays 2 channels, 4 outputs need 8; choose another sink, or fold the outputs into one (--fold)`
	for _, c := range []struct {
		outputs, channels int
		name              string
		want              string
		is                error
	}{
		{outputs: 1, channels: 2, name: "speakers"},
		{outputs: 1, channels: 8, name: "speakers"},
		{outputs: 4, channels: 8, name: "speakers"},
		{outputs: 4, channels: 10, name: "speakers"},
		{outputs: 4, channels: 2, name: "speakers", want: "pulse: " + two, is: device.ErrOutputs},
		{
			outputs: 4, channels: 7, name: "speakers", is: device.ErrOutputs,
			want: `pulse: the sink "speakers" plays 7 channels, 4 outputs need 8; choose another sink, or fold the outputs into one (--fold)`,
		},
		{
			outputs: 2, channels: 2, name: "auto_null", is: device.ErrUnavailable,
			want: "pulse: the sound server has no output (here): device: none available",
		},
		{outputs: 17, channels: 32, name: "speakers", want: "pulse: 17 outputs, want 1..16"},
		{outputs: -1, channels: 32, name: "speakers", want: "pulse: -1 outputs, want 1..16"},
	} {
		s := &server{sinks: []string{c.name}, wide: map[string]int{c.name: c.channels}}
		d, err := open(t, s, Config{Outputs: c.outputs})
		if d != nil {
			d.Close()
		}
		if (err == nil) != (c.want == "") || err != nil && (err.Error() != c.want || c.is != nil && !errors.Is(err, c.is)) {
			t.Errorf("%d outputs on %d channels: %v, want %s", c.outputs, c.channels, err, c.want)
		}
	}
}

// TestMovedToTooFewChannels checks that a stream that is moved to a sink with fewer channels is lost. With enough
// channels it continues.
func TestMovedToTooFewChannels(t *testing.T) {
	for _, c := range []struct {
		name     string
		channels int
		want     string
	}{
		{name: "as many", channels: 8},
		{name: "more", channels: 32},
		{
			name: "fewer", channels: 6,
			want: `pulse: the sink "phones" plays 6 channels, 4 outputs need 8; choose another sink, or fold the outputs into one (--fold)`,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := &server{sinks: []string{"speakers", "phones"}, wide: map[string]int{"speakers": 8, "phones": c.channels}}
				src := &multiOutputCounter{outputs: 4}
				d := ready(t, s, Config{Outputs: 4})
				defer d.Close()
				d.Start(src)
				time.Sleep(time.Second)
				moved := args{}.number(3, 1).text("phones").flag(false).number(4<<20, 480*32, 1, 1).time(5000)
				s.say(proto.OpPlaybackStreamMoved, 0xffffffff, moved)
				time.Sleep(time.Second)
				synctest.Wait()
				want := device.Latencies{Driver: 10 * time.Millisecond, Server: 5 * time.Millisecond}
				if l := d.Latencies(); l != want {
					t.Errorf("the latency there is %+v, want %+v", l, want)
				}
				if err := d.Err(); (err == nil) != (c.want == "") || err != nil && err.Error() != c.want {
					t.Errorf("Err() = %v, want %s", err, c.want)
				}
				if n, want := src.frames(), 2*48000+buffered; n < want-960 || n > want+960 {
					t.Errorf("%d frames were rendered in 2 s, want %d", n, want)
				}
			})
		})
	}
}

// TestSinkGoneTooFewChannels removes a sink, after which the server moves the stream to a sink with too few
// channels. The error must begin with the removed sink.
func TestSinkGoneTooFewChannels(t *testing.T) {
	const narrow = `the sink "phones" plays 2 channels, 4 outputs need 8; choose another sink, or fold the outputs into one (--fold)`
	for _, c := range []struct {
		name string
		sink string   // in the Config
		left []string // the sinks after the move, to the first of them
		want string
		is   error
	}{
		{name: "named", sink: "desk", left: []string{"phones"}, want: `the sink "desk" is gone`},
		{name: "named, wide", sink: "desk", left: []string{"speakers"}, want: `the sink "desk" is gone`},
		{name: "named, there", sink: "desk", left: []string{"phones", "desk", "speakers"}, want: narrow, is: device.ErrOutputs},
		{name: "default", left: []string{"phones"}, want: `the sink "speakers" is gone, and ` + narrow, is: device.ErrOutputs},
		{name: "default, there", left: []string{"phones", "speakers"}, want: narrow, is: device.ErrOutputs},
		{name: "last", left: []string{"auto_null"}, want: `the sink "speakers" is gone, and the sound server has no output`},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := &server{sinks: []string{"speakers", "desk"}, wide: map[string]int{"speakers": 8, "desk": 8}}
				d := ready(t, s, Config{Sink: c.sink, Outputs: 4})
				defer d.Close()
				d.Start(&multiOutputCounter{outputs: 4})
				time.Sleep(time.Second)
				synctest.Wait()
				s.sinks = c.left
				moved := args{}.number(3, 0).text(c.left[0]).flag(false).number(4<<20, 480*32, 1, 1).time(5000)
				s.say(proto.OpPlaybackStreamMoved, 0xffffffff, moved)
				synctest.Wait()
				if err := d.Err(); err == nil || err.Error() != "pulse: "+c.want || errors.Is(err, device.ErrOutputs) != (c.is != nil) {
					t.Errorf("%v, want pulse: %s", err, c.want)
				}
			})
		})
	}
}

// TestMeasureOutputs checks that the latency is independent of the number of channels.
func TestMeasureOutputs(t *testing.T) {
	for _, outputs := range []int{1, 2, 16} {
		synctest.Test(t, func(t *testing.T) {
			s, size := multiOutputServer(outputs), uint64(8*outputs)
			s.answer = map[uint32]func(uint32){proto.OpGetPlaybackLatency: func(tag uint32) {
				s.say(proto.OpReply, tag, late(96_000*size, 95_520*size, 12_345))
			}}
			d := ready(t, s, Config{Outputs: outputs})
			defer d.Close()
			want := device.Latencies{Driver: 10 * time.Millisecond, Server: 12_345 * time.Microsecond}
			if got, err := d.Measure(); err != nil || got != want {
				t.Errorf("%d outputs: %+v, %v, want %+v", outputs, got, err, want)
			}
		})
	}
}

// multiOutputSleeper is a sleeper with several outputs. It counts frames of one output.
type multiOutputSleeper struct {
	*sleeper
	outputs int
}

func (d multiOutputSleeper) Outputs() int { return d.outputs }

func (d multiOutputSleeper) Render(dst []pcm.Frame) {
	clear(dst)
	d.sleeper.Render(dst[:len(dst)/d.outputs])
}

// TestIdleOutputs checks that a second of silence is a second for any number of outputs.
func TestIdleOutputs(t *testing.T) {
	for _, outputs := range []int{2, 16} {
		synctest.Test(t, func(t *testing.T) {
			s, src := multiOutputServer(outputs), newSleeper()
			d := ready(t, s, Config{Outputs: outputs})
			defer d.Close()
			d.Start(multiOutputSleeper{src, outputs})
			begin := time.Now()
			time.Sleep(900 * time.Millisecond)
			if corked, _ := s.corking(); corked {
				t.Errorf("%d outputs: it rests before a second is over", outputs)
			}
			time.Sleep(200 * time.Millisecond)
			if corked, _ := s.corking(); !corked {
				t.Errorf("%d outputs: it does not rest after a second", outputs)
			}
			time.Sleep(time.Minute)
			if frames := d.Frames(); !within(s, frames, time.Since(begin)) {
				t.Errorf("%d outputs: %d frames were counted in %v", outputs, frames, time.Since(begin))
			}
			took := time.Since(begin)
			d.Close() // wakes the source
			if frames, _, _ := src.state(); !within(s, frames, took) {
				t.Errorf("%d outputs: %d frames have passed in %v", outputs, frames, took)
			}
		})
	}
}
