//go:build (linux || freebsd || netbsd || openbsd || dragonfly) && !android

package native

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

	"github.com/jfreymuth/pulse/proto"

	"voicepool/internal/leak"
)

func TestMain(m *testing.M) { leak.Main(m) }

func TestParse(t *testing.T) {
	for _, test := range []struct {
		word string
		want Server
	}{
		{"/run/x", Server{network: "unix", addr: "/run/x"}},
		{"unix:/run/x", Server{network: "unix", addr: "/run/x"}},
		{"{box}/run/x", Server{host: "box", network: "unix", addr: "/run/x"}},
		{"{box}tcp4:a:1", Server{host: "box", network: "tcp4", addr: "a:1"}},
		{"tcp6:[::1]:2", Server{network: "tcp6", addr: "[::1]:2"}},
		{"tcp:a:1", Server{network: "tcp", addr: "a:1"}},
		{"a:1", Server{network: "tcp", addr: "a:1"}},
		{"a", Server{network: "tcp", addr: "a:4713"}},
	} {
		if got, err := parse(test.word); err != nil || got != test.want {
			t.Errorf("parse(%q) = %+v, %v, want %+v", test.word, got, err, test.want)
		}
	}
	for _, word := range []string{"{box", "{box}", "{"} {
		if s, err := parse(word); err == nil {
			t.Errorf("parse(%q) = %+v, want an error", word, s)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, word := range []string{"{a}b", "{", "unix:", "tcp6:[::1", "}", "/"} {
		f.Add(word)
	}
	f.Fuzz(func(t *testing.T, word string) {
		if len(strings.Fields(word)) != 1 || strings.Fields(word)[0] != word {
			return
		}
		if s, err := parse(word); err == nil && s.network == "" {
			t.Errorf("parse(%q) = %+v, without a network", word, s)
		}
	})
}

func FuzzLetIn(f *testing.F) {
	f.Add(answer(proto.OpReply, 0, 35))
	f.Add(answer(proto.OpError, 0, 1))
	f.Add([]byte("HTTP/1.1 400 Bad Request\r\n"))
	f.Fuzz(func(t *testing.T, b []byte) {
		_, _ = letIn(struct {
			io.Reader
			io.Writer
		}{bytes.NewReader(b), io.Discard}, make([]byte, 256))
	})
}

// answer returns a packet from the server.
func answer(command, tag uint32, numbers ...uint32) []byte {
	var args []byte
	for _, n := range numbers {
		args = binary.BigEndian.AppendUint32(append(args, 'L'), n)
	}
	return packet(command, tag, args)
}

// serve answers one client with packets, one per request, and then waits for the client to disconnect.
func serve(t *testing.T, packets ...[]byte) Server {
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
	return Server{network: "unix", addr: path}
}

func TestAsk(t *testing.T) {
	good := func(tag uint32) []byte { return answer(proto.OpReply, tag, 35) }
	event := answer(proto.OpStarted, noOne, 1)
	for _, test := range []struct {
		name    string
		packets [][]byte
		is      error
		want    string
	}{
		{name: "plays", packets: [][]byte{good(0), good(0), good(1)}},
		{
			name:    "plays, with events between",
			packets: [][]byte{good(0), append(event, good(0)...), append(event, good(1)...)},
		},
		{
			name: "no output", packets: [][]byte{good(0), good(0), answer(proto.OpError, 1, 5)}, is: ErrNoSink,
			want: "has no output",
		},
		{name: "refuses", packets: [][]byte{answer(proto.OpError, 0, 1)}, want: "it refuses access"},
		{name: "hangs up", packets: [][]byte{good(0), nil}, want: "is gone"},
		{name: "says nothing", packets: [][]byte{good(0)}, is: os.ErrDeadlineExceeded, want: "does not answer"},
		{
			name: "is something else", packets: [][]byte{[]byte("HTTP/1.1 400 Bad Request\r\n")},
			want: "not a sound server",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := serve(t, test.packets...)
			t.Setenv("PULSE_SERVER", s.addr)
			limit := 2 * time.Minute // a busy machine can stall a test for a minute
			if test.is == os.ErrDeadlineExceeded {
				limit = 20 * time.Millisecond
			}
			err := CheckOutput(limit)
			if test.want == "" {
				if err != nil {
					t.Fatalf("Ask = %v, want nil", err)
				}
				return
			}
			if err == nil || !strings.Contains(err.Error(), test.want) || !strings.Contains(err.Error(), s.addr) {
				t.Errorf("Ask = %v, want %q and the server's name", err, test.want)
			}
			if test.is != nil && !errors.Is(err, test.is) {
				t.Errorf("Ask = %v, want it to wrap %v", err, test.is)
			}
		})
	}
}
