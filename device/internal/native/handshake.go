//go:build (linux || freebsd || netbsd || openbsd || dragonfly) && !android

package native

import (
	"encoding/binary"
	"errors"
	"io"

	"github.com/jfreymuth/pulse/proto"
)

const (
	version = 32       // protocol version of package proto
	longest = 64 << 10 // maximum size of an answer in bytes
	noOne   = 0xffffffff
)

// errForeign reports that the peer speaks another protocol.
var errForeign = errors.New("not a sound server")

// letIn authenticates a client with cookie, and returns the protocol version that both sides support. Package
// proto trusts its input, so letIn also verifies the protocol of the peer, and returns errForeign
// otherwise.
func letIn(rw io.ReadWriter, cookie []byte) (proto.Version, error) {
	be := binary.BigEndian
	args := be.AppendUint32([]byte{'L'}, version)
	args = append(be.AppendUint32(append(args, 'x'), uint32(len(cookie))), cookie...)
	if _, err := rw.Write(packet(proto.OpAuth, 0, args)); err != nil {
		return 0, err
	}
	var head [20]byte
	if _, err := io.ReadFull(rw, head[:]); err != nil {
		return 0, err
	}
	size := be.Uint32(head[:])
	if size > longest || size < 15 {
		return 0, errForeign
	}
	body := make([]byte, size)
	if _, err := io.ReadFull(rw, body); err != nil {
		return 0, err
	}
	// Three numbers, each after an L: the command, the tag, and the argument.
	if body[0] != 'L' || body[5] != 'L' || body[10] != 'L' || be.Uint32(body[6:]) != 0 {
		return 0, errForeign
	}
	told := be.Uint32(body[11:])
	switch be.Uint32(body[1:]) {
	case proto.OpReply:
		return proto.Version(told & 0xffff), nil
	case proto.OpError:
		return 0, proto.Error(told)
	}
	return 0, errForeign
}

// packet encodes a command with its tag as a packet. args are its encoded arguments.
func packet(command, tag uint32, args []byte) []byte {
	be := binary.BigEndian
	p := be.AppendUint32(nil, uint32(10+len(args)))
	p = be.AppendUint32(p, noOne)      // stream index: a command
	p = append(p, make([]byte, 12)...) // offset and flags: unused
	p = be.AppendUint32(append(p, 'L'), command)
	p = be.AppendUint32(append(p, 'L'), tag)
	return append(p, args...)
}
