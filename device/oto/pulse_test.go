//go:build (linux || freebsd || netbsd || openbsd || dragonfly) && !android && !nooto

package oto

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"voicepool/device"
)

func TestParseServer(t *testing.T) {
	for _, test := range []struct {
		word string
		want pulseServer
	}{
		{"/run/x", pulseServer{network: "unix", addr: "/run/x"}},
		{"unix:/run/x", pulseServer{network: "unix", addr: "/run/x"}},
		{"{box}/run/x", pulseServer{host: "box", network: "unix", addr: "/run/x"}},
		{"{box}tcp4:a:1", pulseServer{host: "box", network: "tcp4", addr: "a:1"}},
		{"tcp6:[::1]:2", pulseServer{network: "tcp6", addr: "[::1]:2"}},
		{"tcp:a:1", pulseServer{network: "tcp", addr: "a:1"}},
		{"a:1", pulseServer{network: "tcp", addr: "a:1"}},
		{"a", pulseServer{network: "tcp", addr: "a:4713"}},
	} {
		if got, err := parseServer(test.word); err != nil || got != test.want {
			t.Errorf("parseServer(%q) = %+v, %v, want %+v", test.word, got, err, test.want)
		}
	}
	for _, word := range []string{"{box", "{box}", "{"} {
		if s, err := parseServer(word); err == nil {
			t.Errorf("parseServer(%q) = %+v, want an error", word, s)
		}
	}
}

func FuzzParseServer(f *testing.F) {
	for _, word := range []string{"{a}b", "{", "unix:", "tcp6:[::1", "}", "/"} {
		f.Add(word)
	}
	f.Fuzz(func(t *testing.T, word string) {
		if len(strings.Fields(word)) != 1 || strings.Fields(word)[0] != word {
			return
		}
		if s, err := parseServer(word); err == nil && s.network == "" {
			t.Errorf("parseServer(%q) = %+v, without a network", word, s)
		}
	})
}

func FuzzPulseAnswer(f *testing.F) {
	f.Add(answer(pulseReply, 0))
	f.Add(answer(pulseError, 0, 5))
	f.Add(append(answer(15, 0xffffffff), answer(pulseReply, 0)...))
	f.Fuzz(func(t *testing.T, b []byte) {
		_ = pulseAnswer(bytes.NewReader(b), 0)
	})
}

// answer makes a packet that a server sends.
func answer(command, tag uint32, numbers ...uint32) []byte {
	var args []byte
	for _, n := range numbers {
		args = pulseNumber(args, 'L', n)
	}
	return pulseRequest(command, tag, args)
}

// serve answers one client with packets, one to each request, and then waits
// until the client goes.
func serve(t *testing.T, packets ...[]byte) pulseServer {
	t.Helper()
	dir, err := os.MkdirTemp("", "vp") // t.TempDir may be too long for a socket
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "native")
	l, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		conn, err := l.Accept()
		if err != nil {
			return
		}
		defer conn.Close()
		for _, packet := range packets {
			var head [20]byte
			if _, err := io.ReadFull(conn, head[:]); err != nil {
				return
			}
			io.CopyN(io.Discard, conn, int64(binary.BigEndian.Uint32(head[:])))
			if packet == nil {
				return
			}
			conn.Write(packet)
		}
		io.Copy(io.Discard, conn)
	}()
	t.Cleanup(func() {
		l.Close()
		<-done
		os.RemoveAll(dir)
	})
	return pulseServer{network: "unix", addr: path}
}

func TestAsk(t *testing.T) {
	good := func(tag uint32) []byte { return answer(pulseReply, tag, 35) }
	event := answer(65, 0xffffffff, 1, 2)
	for _, test := range []struct {
		name    string
		packets [][]byte
		is      error
		want    string
	}{
		{name: "plays", packets: [][]byte{good(0), good(1), good(2)}},
		{
			name:    "plays, with events between",
			packets: [][]byte{good(0), append(event, good(1)...), append(event, good(2)...)},
		},
		{
			name: "no output", packets: [][]byte{good(0), good(1), answer(pulseError, 2, 5)}, is: errNoSink,
			want: "has no output",
		},
		{name: "refuses", packets: [][]byte{answer(pulseError, 0, 1)}, want: "refused with code 1"},
		{name: "hangs up", packets: [][]byte{good(0), nil}, want: "EOF"},
		{name: "says nothing", packets: [][]byte{good(0)}, is: os.ErrDeadlineExceeded, want: "timeout"},
		{
			name: "is something else", packets: [][]byte{[]byte("HTTP/1.1 400 Bad Request\r\n")},
			want: "not a sound server",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := serve(t, test.packets...)
			limit := 5 * time.Second
			if test.is == os.ErrDeadlineExceeded {
				limit = 20 * time.Millisecond
			}
			err := s.ask(limit)
			if test.want == "" {
				if err != nil {
					t.Fatalf("ask = %v, want nil", err)
				}
				return
			}
			if err == nil || !strings.Contains(err.Error(), test.want) || !strings.Contains(err.Error(), s.addr) {
				t.Errorf("ask = %v, want %q and the server's name", err, test.want)
			}
			if test.is != nil && !errors.Is(err, test.is) {
				t.Errorf("ask = %v, want it to wrap %v", err, test.is)
			}
		})
	}
}

// quiet makes this a machine without sound, as far as that can be done.
func quiet(t *testing.T, server string) {
	t.Helper()
	if paths, _ := filepath.Glob("/dev/snd/pcm*p"); len(paths) > 0 {
		t.Skip("this machine has a sound card")
	}
	t.Setenv("PULSE_SERVER", server)
	t.Setenv("PULSE_COOKIE", filepath.Join(t.TempDir(), "none"))
}

func timedOpen() (d *Device, took time.Duration, err error) {
	start := time.Now()
	d, err = Open(Config{})
	return d, time.Since(start), err
}

func TestOpenWithoutSound(t *testing.T) {
	silent := serve(t)
	for _, server := range []string{"/nowhere/native", "{broken", "", silent.addr} {
		t.Run(server, func(t *testing.T) {
			quiet(t, server)
			d, took, err := timedOpen()
			for range 2 {
				if took > 500*time.Millisecond { // the machine may have had other work
					d, took, err = timedOpen()
				}
			}
			if d != nil || !errors.Is(err, device.ErrUnavailable) || strings.Contains(err.Error(), "\n") {
				t.Errorf("Open = %v, %v, want one line that wraps %v", d, err, device.ErrUnavailable)
			}
			if took > 500*time.Millisecond {
				t.Errorf("Open took %v three times, want half a second at the most", took)
			}
			if server != silent.addr && !strings.Contains(err.Error(), "no sound card in /dev/snd") {
				t.Errorf("Open = %v: the driver was asked though there is no card", err)
			}
		})
	}
}

func TestProbe(t *testing.T) {
	s := serve(t)
	quiet(t, s.addr)
	got := Probe()
	if len(got) != 2 || got[0] != (Driver{"pulse", true, s.addr}) || got[1].Name != "alsa" || got[1].Found {
		t.Errorf("Probe = %+v, want pulse at %s and no alsa", got, s.addr)
	}
	t.Setenv("PULSE_SERVER", "/nowhere/native")
	if got := Probe()[0]; got.Found || got.Detail != "no sound server at /nowhere/native" {
		t.Errorf("Probe()[0] = %+v, want no sound server at /nowhere/native", got)
	}
}
