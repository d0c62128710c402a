//go:build (linux || freebsd || netbsd || openbsd || dragonfly) && !android

package pulse

import (
	"context"
	"encoding/binary"
	"io"
	"math"
	"net"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/jfreymuth/pulse/proto"

	"voicepool/device/internal/native"
	"voicepool/pcm"
)

// args are the encoded arguments of a command.
type args []byte

func (a args) number(numbers ...uint32) args {
	for _, n := range numbers {
		a = binary.BigEndian.AppendUint32(append(a, 'L'), n)
	}
	return a
}

func (a args) text(s string) args { return append(append(append(a, 't'), s...), 0) }

func (a args) flag(on bool) args {
	if on {
		return append(a, '1')
	}
	return append(a, '0')
}

func (a args) time(microseconds uint64) args {
	return binary.BigEndian.AppendUint64(append(a, 'U'), microseconds)
}

func (a args) spec(rate uint32, channels int) args {
	return binary.BigEndian.AppendUint32(append(a, 'a', proto.FormatFloat32LE, byte(channels)), rate)
}

// places appends a channel map.
func (a args) places(channels int) args {
	a = append(a, 'm', byte(channels))
	for i := range channels {
		a = append(a, byte(i+1))
	}
	return a
}

func (a args) format() args { return append(a, 'f', 'B', proto.EncodingPCM, 'P', 'N') }

// property appends a list of one property.
func (a args) property(key, value string) args {
	a = args(append(append(append(a, 'P', 't'), key...), 0)).number(uint32(len(value) + 1))
	a = binary.BigEndian.AppendUint32(append(a, 'x'), uint32(len(value)+1))
	return append(append(a, value...), 0, 'N')
}

// server is a fake sound server on a pipe: it plays 10 ms every 10 ms once it is uncorked.
type server struct {
	conn   net.Conn
	answer map[uint32]func(tag uint32) // replaces the usual answer; nil: no answer
	sinks  []string
	wide   map[string]int // channels of sinks; 0: two
	size   uint32         // bytes per frame of the stream

	mu     sync.Mutex
	held   bool // requests no frames
	plays  bool // it has been uncorked once
	corked bool
	corks  int // number of times that it was corked
	muted  uint32
	frames []pcm.Frame
	sink   uint32 // requested by the client
	names  []byte // the requests that contain names
	stream []byte // the request for the stream
}

const buffered = 1440 // frames that the server requests at first: 30 ms

// serve starts a server and returns the client's end.
func serve(s *server) net.Conn {
	client, conn := net.Pipe()
	s.conn = conn
	go s.run()
	return client
}

func (s *server) run() {
	defer s.conn.Close()
	stop := make(chan struct{})
	defer close(stop)
	for {
		var head [20]byte
		if _, err := io.ReadFull(s.conn, head[:]); err != nil {
			return
		}
		body := make([]byte, binary.BigEndian.Uint32(head[:]))
		if _, err := io.ReadFull(s.conn, body); err != nil {
			return
		}
		if stream := binary.BigEndian.Uint32(head[4:]); stream != 0xffffffff {
			s.take(body)
			continue
		}
		command, tag := binary.BigEndian.Uint32(body[1:]), binary.BigEndian.Uint32(body[6:])
		if s.mutes(command) {
			continue
		}
		if answer, special := s.answer[command]; special {
			if answer != nil {
				answer(tag)
			}
			continue
		}
		s.obey(command, tag, body[10:], stop)
	}
}

// obey answers a command as a server does.
func (s *server) obey(command, tag uint32, rest []byte, stop chan struct{}) {
	reply := args{}
	switch command {
	case proto.OpAuth:
		reply = reply.number(35)
	case proto.OpSetClientName:
		s.note(rest, 0)
		reply = reply.number(7)
	case proto.OpLookupSink:
		reply = reply.number(0)
	case proto.OpCreatePlaybackStream:
		channels := int(rest[2])
		s.note(rest, binary.BigEndian.Uint32(rest[7+2+channels+1:]))
		s.stream, s.size = slices.Clone(rest), uint32(4*channels)
		reply = reply.number(3, 4, buffered*s.size, 4<<20, buffered*s.size, buffered*s.size, 480*s.size)
		reply = reply.spec(48000, channels).places(channels).number(0).text("speakers").flag(false).time(10_000).format()
	case proto.OpGetServerInfo:
		reply = reply.text("fake").text("1").text("me").text("here").spec(48000, 2).text("speakers").text("none")
		reply = reply.number(1).places(2)
	case proto.OpGetSinkInfoList:
		for i, name := range s.sinks {
			reply = append(reply, s.describe(uint32(i), name)...)
		}
	case proto.OpGetSinkInfo:
		i := binary.BigEndian.Uint32(rest[1:])
		reply = s.describe(i, s.sinks[i])
	case proto.OpCorkPlaybackStream:
		if s.cork(rest[5] == '1') {
			go s.play(stop)
		}
	}
	s.say(proto.OpReply, tag, reply)
}

// describe returns the list entry of a sink.
func (s *server) describe(i uint32, name string) args {
	channels := max(s.wide[name], 2)
	a := args{}.number(i).text(name).text("The "+name).spec(44100, channels).places(channels).number(0)
	a = append(a, 'v', byte(channels))
	for range channels {
		a = append(a, 0, 1, 0, 0)
	}
	a = a.flag(i > 0).number(0).text(name + ".monitor").time(0).text("module").number(0)
	a = a.property("device.description", "The "+name).time(0)
	a = append(a, 'V', 0, 1, 0, 0) // the base volume
	return append(a.number(i*suspended, 65537, 0xffffffff, 0), 'N', 'B', 0)
}

// say sends a command.
func (s *server) say(command, tag uint32, rest args) {
	body := append(args{}.number(command, tag), rest...)
	head := binary.BigEndian.AppendUint32(nil, uint32(len(body)))
	head = append(binary.BigEndian.AppendUint32(head, 0xffffffff), make([]byte, 12)...)
	s.conn.Write(append(head, body...))
}

// refuse returns a function that answers a command with an error.
func (s *server) refuse(code proto.Error) func(tag uint32) {
	return func(tag uint32) { s.say(proto.OpError, tag, args{}.number(uint32(code))) }
}

// play requests 10 ms every 10 ms.
func (s *server) play(stop chan struct{}) {
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-stop:
			return
		case <-tick.C:
		}
		if !s.holds() {
			s.say(proto.OpRequest, 0xffffffff, args{}.number(3, 480*s.size))
		}
	}
}

func (s *server) holds() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.held || s.corked
}

// cork stops or resumes the server, and reports whether it plays for the first time.
func (s *server) cork(corked bool) (first bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	first = !s.plays && !corked
	if s.plays, s.corked = s.plays || first, corked; corked {
		s.corks++
	}
	return first
}

// mute leaves a command unanswered from now on.
func (s *server) mute(command uint32) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.muted = command
}

func (s *server) mutes(command uint32) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return command == s.muted && command != 0
}

// corking reports whether the server is corked, and how often it was corked.
func (s *server) corking() (corked bool, corks int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.corked, s.corks
}

func (s *server) hold(held bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.held = held
}

func (s *server) take(data []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for ; len(data) > 0; data = data[8:] {
		s.frames = append(s.frames, pcm.Frame{
			math.Float32frombits(binary.LittleEndian.Uint32(data)),
			math.Float32frombits(binary.LittleEndian.Uint32(data[4:])),
		})
	}
}

func (s *server) taken() []pcm.Frame {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.frames
}

func (s *server) note(request []byte, sink uint32) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.names = append(s.names, request...)
	s.sink = sink
}

// open opens a device on a server.
func open(t testing.TB, s *server, c Config) (*Device, error) {
	t.Helper()
	return openOn(t.Context(), s, c)
}

func openOn(ctx context.Context, s *server, c Config) (*Device, error) {
	c, err := c.filled()
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	d := newDevice(c)
	conn, err := native.Open(ctx, serve(s), "here", d.client())
	if err != nil {
		return nil, unavailable(err)
	}
	return d.on(ctx, conn)
}
