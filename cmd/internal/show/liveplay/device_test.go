package liveplay

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"voicepool/device"
	"voicepool/mixer"
	"voicepool/pcm"
)

// stuckDevice is a device whose Close blocks.
type stuckDevice struct {
	device.Device
	free chan struct{}
}

func (d stuckDevice) Close() error {
	<-d.free
	return errors.New("closed")
}

// TestCloseOfStuckDevice checks that a recording device is awaited until the command should end and
// a little longer, and other devices only that little.
func TestCloseOfStuckDevice(t *testing.T) {
	for _, c := range []struct {
		records bool
		want    time.Duration
	}{
		{records: true, want: time.Minute + closeTimeout},
		{records: false, want: closeTimeout},
	} {
		synctest.Test(t, func(t *testing.T) {
			d := stuckDevice{free: make(chan struct{})}
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			begin := time.Now()
			err := closeDevice(ctx, d, c.records)
			if took := time.Since(begin); !errors.Is(err, errStuck) || took != c.want {
				t.Errorf("records %v: after %v: %v", c.records, took, err)
			}
			close(d.free)
			synctest.Wait()
			if err := closeDevice(ctx, d, c.records); err == nil || err.Error() != "closed" {
				t.Errorf("one that closes: %v", err)
			}
		})
	}
}

type slowSource struct {
	calls int
	entry chan struct{}
	exit  chan struct{}
}

func (s *slowSource) Rate() int { return 48000 }

func (s *slowSource) Render(dst []pcm.Frame) {
	s.calls++
	s.entry <- struct{}{}
	<-s.exit
	for i := range dst {
		dst[i] = pcm.Frame{1, 1}
	}
}

// TestGate checks that close waits for the running block, and that Render returns silence
// afterwards.
func TestGate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &slowSource{entry: make(chan struct{}), exit: make(chan struct{})}
		g := &gate{source: s}
		block := make([]pcm.Frame, 4)
		go g.Render(block)
		<-s.entry
		shut := make(chan struct{})
		go func() {
			g.close()
			close(shut)
		}()
		time.Sleep(time.Second)
		select {
		case <-shut:
			t.Error("it is shut while a block is being made")
		default:
		}
		s.exit <- struct{}{}
		<-shut
		if block[3] != (pcm.Frame{1, 1}) {
			t.Errorf("the last block is %v", block)
		}
		if g.Render(block); s.calls != 1 || block[0] != (pcm.Frame{}) {
			t.Errorf("after it there are %d calls, and %v", s.calls, block)
		}
	})
}

// dry is a device with server latency and a number of underflows.
type dry struct {
	device.Device
	often int64
}

func (d dry) Latencies() device.Latencies {
	return device.Latencies{Driver: 30 * time.Millisecond, Server: 10 * time.Millisecond}
}

func (d dry) Underflows() int64 { return d.often }

// TestLatencyLine checks the parts of the latency and the count of underflows.
func TestLatencyLine(t *testing.T) {
	l := mixer.Latency{Block: 5 * time.Millisecond, Limiter: 2 * time.Millisecond}
	const line = "latency: at most 5.0 ms for the next block, 2.0 ms in the limiter, " +
		"at most 30.0 ms in the driver, 10.0 ms in the server"
	for _, c := range []struct {
		often int64
		want  string
	}{
		{often: 0, want: line},
		{often: 1, want: line + "; the server ran dry 1 time"},
		{often: 7, want: line + "; the server ran dry 7 times"},
	} {
		if got := latencyLine(l, dry{often: c.often}); got != c.want {
			t.Errorf("%s\nwant %s", got, c.want)
		}
	}
}

// TestDevice checks valid values of --device, and the errors of others.
func TestDevice(t *testing.T) {
	for _, c := range []struct {
		text, wrong, file string
		want              Device
		standard          bool
	}{
		{text: "auto", want: Device{Kind: "auto"}},
		{text: "oto", want: Device{Kind: "oto"}},
		{text: "null", want: Device{Kind: "null"}},
		{text: "pulse", want: Device{Kind: "pulse"}},
		{text: "pulse:a:b", want: Device{Kind: "pulse", Name: "a:b"}},
		{text: "wav:x.wav", want: Device{Kind: "wav", Name: "x.wav"}, file: "x.wav"},
		{text: "raw:c:/x", want: Device{Kind: "raw", Name: "c:/x"}, file: "c:/x"},
		{text: "raw16:x", want: Device{Kind: "raw16", Name: "x"}, file: "x"},
		{text: "raw:-", want: Device{Kind: "raw", Name: "-"}, standard: true},
		{text: "-", want: Device{Kind: "wav", Name: "-"}, standard: true},
		{text: "", wrong: `unknown device "" (want ` + deviceValues + ")"},
		{text: "-:x", wrong: `unknown device "-:x" (want ` + deviceValues + ")"},
		{text: "auto:x", wrong: `unknown device "auto:x" (want ` + deviceValues + ")"},
		{text: "radio", wrong: `unknown device "radio" (want ` + deviceValues + ")"},
		{text: "pulse:", wrong: "pulse: needs the name of a sink, as voicepool devices lists them"},
		{text: "wav", wrong: "wav: needs the name of a file, as wav:out.wav"},
		{text: "wav:", wrong: "wav: needs the name of a file, as wav:out.wav"},
		{text: "raw16:", wrong: "raw16: needs the name of a file, as raw16:out.raw"},
	} {
		var d Device
		err := d.UnmarshalText([]byte(c.text))
		if err != nil && err.Error() != c.wrong || err == nil && c.wrong != "" || d != c.want {
			t.Errorf("%q: %+v, %v, want %+v, %s", c.text, d, err, c.want, c.wrong)
		}
		if d.File() != c.file || d.Standard() != c.standard {
			t.Errorf("%q: the file %q, standard output %t", c.text, d.File(), d.Standard())
		}
	}
}
