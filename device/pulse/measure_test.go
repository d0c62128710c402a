//go:build (linux || freebsd || netbsd || openbsd || dragonfly) && !android

package pulse

import (
	"encoding/binary"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/jfreymuth/pulse/proto"

	"voicepool/device"
)

// wide appends a 64-bit number, signed or unsigned.
func (a args) wide(kind byte, n uint64) args {
	return binary.BigEndian.AppendUint64(append(a, kind), n)
}

// late returns the answer to a latency query: frames held of the stream, as written and read bytes, and of the
// sink.
func late(written, read uint64, sink uint64) args {
	a := append(args{}.time(sink).time(0).flag(true), 'T', 0, 0, 0, 1, 0, 0, 0, 2, 'T', 0, 0, 0, 1, 0, 0, 0, 3)
	return a.wide('r', written).wide('r', read).wide('R', 0).wide('R', 7)
}

// TestMeasure checks that the parts of the latency come from the server's answer. A server that refuses, does
// not answer, or is gone, causes an error.
func TestMeasure(t *testing.T) {
	for _, c := range []struct {
		name   string
		answer func(s *server, tag uint32) // nil: no answer
		want   device.Latencies
		fails  string
	}{
		{
			name: "held",
			answer: func(s *server, tag uint32) {
				s.say(proto.OpReply, tag, late(96_000*frameBytes, 95_520*frameBytes, 12_345))
			},
			want: device.Latencies{Driver: 10 * time.Millisecond, Server: 12_345 * time.Microsecond},
		},
		{
			name:   "dry",
			answer: func(s *server, tag uint32) { s.say(proto.OpReply, tag, late(0, 4800*frameBytes, 500)) },
			want:   device.Latencies{Server: 500 * time.Microsecond},
		},
		{
			name:   "refuses",
			answer: func(s *server, tag uint32) { s.refuse(proto.ErrNotSupported)(tag) },
			fails:  "pulse: the sound server at here: it refuses: ",
		},
		{name: "no answer", fails: "pulse: the sound server at here does not answer"},
		{
			name:   "gone",
			answer: func(s *server, _ uint32) { s.conn.Close() },
			fails:  "pulse: the sound server at here: the sound server is gone",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := &server{answer: map[uint32]func(uint32){proto.OpGetPlaybackLatency: nil}}
				if c.answer != nil {
					s.answer[proto.OpGetPlaybackLatency] = func(tag uint32) { c.answer(s, tag) }
				}
				d := ready(t, s, Config{})
				defer d.Close()
				begin := time.Now()
				got, err := d.Measure()
				if took := time.Since(begin); took > time.Second {
					t.Errorf("it took %v", took)
				}
				if c.fails == "" {
					if err != nil || got != c.want {
						t.Errorf("%+v, %v, want %+v", got, err, c.want)
					}
				} else if err == nil || !strings.HasPrefix(err.Error(), c.fails) || !errors.Is(err, device.ErrUnavailable) {
					t.Errorf("%v, want %s", err, c.fails)
				}
			})
		})
	}
}
