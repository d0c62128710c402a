//go:build (linux || freebsd || netbsd || openbsd || dragonfly) && !android

package pulse

import (
	"context"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/jfreymuth/pulse/proto"

	"voicepool/device"
)

// TestOpenFails checks that each error is one line with the cause, in bounded time.
func TestOpenFails(t *testing.T) {
	refused := func(command uint32, code proto.Error) func(s *server) {
		return func(s *server) { s.answer[command] = s.refuse(code) }
	}
	silent := func(command uint32) func(s *server) {
		return func(s *server) { s.answer[command] = nil }
	}
	for _, c := range []struct {
		name    string
		config  Config
		env     string
		server  func(s *server)
		want    string
		invalid bool // an error of the configuration
		after   time.Duration
	}{
		{
			name: "rate", config: Config{Rate: 999}, invalid: true,
			want: "pulse: a rate of 999, want 1000..384000",
		},
		{
			name: "buffer", config: Config{Buffer: time.Millisecond}, invalid: true,
			want: "pulse: a buffer of 1ms, want 5ms..1s",
		},
		{
			name: "long buffer", config: Config{Buffer: time.Minute}, invalid: true,
			want: "pulse: a buffer of 1m0s, want 5ms..1s",
		},
		{
			name: "refused", server: refused(proto.OpAuth, proto.ErrAccessDenied),
			want: "pulse: the sound server at here: it refuses access; " +
				"PULSE_COOKIE names the file with its cookie: device: none available",
		},
		{
			name: "refused otherwise", server: refused(proto.OpAuth, proto.ErrProtocolError),
			want: "pulse: the sound server at here: it refuses: protocol error: device: none available",
		},
		{
			name: "no answer", server: silent(proto.OpAuth), after: patience,
			want: "pulse: the sound server at here does not answer: device: none available",
		},
		{
			name: "no answer to the name", server: silent(proto.OpSetClientName), after: time.Second,
			want: "pulse: the sound server at here does not answer: device: none available",
		},
		{
			name: "no answer to the stream", server: silent(proto.OpCreatePlaybackStream), after: time.Second,
			want: "pulse: the sound server at here does not answer: device: none available",
		},
		{
			name: "no output", server: refused(proto.OpCreatePlaybackStream, proto.ErrNoSuchEntity),
			want: "pulse: the sound server has no output (here): device: none available",
		},
		{
			name: "sink gone since it was found", config: Config{Sink: "phones"},
			server: refused(proto.OpCreatePlaybackStream, proto.ErrNoSuchEntity),
			want:   `pulse: the sink "phones" is gone: device: none available`,
		},
		{
			name: "wide sink gone since the stream was made", config: Config{Outputs: 2},
			server: refused(proto.OpGetSinkInfo, proto.ErrNoSuchEntity),
			want:   `pulse: the sink "speakers" is gone: device: none available`,
		},
		{
			name: "busy", server: refused(proto.OpCreatePlaybackStream, proto.ErrDeviceOrResourceBusy),
			want: "pulse: the sound server at here: it refuses: device or resource busy: device: none available",
		},
		{
			name: "no such sink", config: Config{Sink: "phonse"},
			want: `pulse: no sink "phonse", the nearest is "phones": device: none available`,
		},
		{
			name: "no such sink of the environment", env: "speaker",
			want: `pulse: PULSE_SINK: no sink "speaker", the nearest is "speakers": device: none available`,
		},
		{
			name: "no sinks at all", config: Config{Sink: "x"}, server: func(s *server) { s.sinks = nil },
			want: "pulse: the sound server has no output (here): device: none available",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Setenv("PULSE_SINK", c.env)
			synctest.Test(t, func(t *testing.T) {
				s := &server{sinks: []string{"speakers", "phones"}, answer: map[uint32]func(uint32){}}
				if c.server != nil {
					c.server(s)
				}
				begin := time.Now()
				d, err := open(t, s, c.config)
				if err == nil || err.Error() != c.want || d != nil {
					t.Errorf("Open = %v, %v, want %s", d, err, c.want)
				}
				if errors.Is(err, device.ErrUnavailable) == c.invalid {
					t.Errorf("%v wraps ErrUnavailable: %t", err, !c.invalid)
				}
				if took := time.Since(begin); took != c.after {
					t.Errorf("it took %v, want %v", took, c.after)
				}
			})
		})
	}
}

// TestOpenEnds checks that Open returns at once when its context ends.
func TestOpenEnds(t *testing.T) {
	for _, command := range []uint32{proto.OpAuth, proto.OpSetClientName, proto.OpCreatePlaybackStream} {
		synctest.Test(t, func(t *testing.T) {
			t.Setenv("PULSE_COOKIE", "/nowhere/cookie")
			ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
			defer cancel()
			begin := time.Now()
			_, err := openOn(ctx, &server{answer: map[uint32]func(uint32){command: nil}}, Config{})
			if took := time.Since(begin); err == nil || took != 10*time.Millisecond {
				t.Errorf("command %d: Open = %v after %v", command, err, took)
			}
		})
	}
}

// TestSink checks that the sink in the configuration has priority, then the environment, then the server's
// default.
func TestSink(t *testing.T) { synctest.Test(t, testSink) } // a stall exceeds no time limit

func testSink(t *testing.T) {
	for _, c := range []struct {
		sink, env string
		want      uint32
	}{
		{want: proto.Undefined}, {sink: "phones", want: 1}, {env: "phones", want: 1},
		{sink: "speakers", env: "phones", want: 0}, {sink: "phones", env: "nonsense", want: 1},
	} {
		t.Setenv("PULSE_SINK", c.env)
		s := &server{sinks: []string{"speakers", "phones"}}
		ready(t, s, Config{Sink: c.sink}).Close()
		if s.sink != c.want {
			t.Errorf("Sink %q with PULSE_SINK=%s asks for %d, want %d", c.sink, c.env, s.sink, c.want)
		}
	}
}

// TestSinks checks the list of the server's sinks.
func TestSinks(t *testing.T) { synctest.Test(t, testSinks) } // a stall exceeds no time limit

func testSinks(t *testing.T) {
	d := ready(t, &server{sinks: []string{"speakers", "phones"}}, Config{})
	defer d.Close()
	got, err := sinks(d.conn)
	want := []Sink{
		{Name: "speakers", Description: "The speakers", Rate: 44100, Channels: 2, Default: true},
		{Name: "phones", Description: "The phones", Rate: 44100, Channels: 2, Suspended: true, Muted: true},
	}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("Sinks = %+v, %v, want %+v", got, err, want)
	}
}

// TestLongNames checks that names of any length fit in a request.
func TestLongNames(t *testing.T) { synctest.Test(t, testLongNames) } // a stall exceeds no time limit

func testLongNames(t *testing.T) {
	long := strings.Repeat("ä", 5000)
	for _, outputs := range []int{1, device.MaxOutputs} {
		ready(t, multiOutputServer(outputs), Config{Name: long, Title: long + "\x00", Icon: long, Outputs: outputs}).Close()
	}
}

// TestNoServer calls Open and Sinks without a server.
func TestNoServer(t *testing.T) {
	t.Setenv("PULSE_SERVER", "/nowhere/native")
	const want = "pulse: no sound server at /nowhere/native: device: none available"
	_, err := Open(t.Context(), Config{})
	_, list := Sinks(t.Context())
	for _, err := range []error{err, list} {
		if err == nil || err.Error() != want || !errors.Is(err, device.ErrUnavailable) {
			t.Errorf("%v, want %s", err, want)
		}
	}
	if found, detail := Server(); found || detail != "no sound server at /nowhere/native" {
		t.Errorf("Server() = %t, %s", found, detail)
	}
	os.Unsetenv("PULSE_SERVER")
	t.Setenv("XDG_RUNTIME_DIR", "")
	_, err = Open(t.Context(), Config{})
	if err == nil || !strings.Contains(err.Error(), "XDG_RUNTIME_DIR is not set") {
		t.Errorf("without XDG_RUNTIME_DIR: %v", err)
	}
}
