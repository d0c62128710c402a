//go:build (linux || freebsd || netbsd || openbsd || dragonfly) && !android

package native

import (
	"encoding/binary"
	"errors"
	"io"

	"github.com/jfreymuth/pulse/proto"
)

const (
	version = 32       // of the protocol, as package proto has it
	longest = 64 << 10 // bytes of an answer
	noOne   = 0xffffffff
)

// errForeign says that what answers speaks something else.
var errForeign = errors.New("not a sound server")

// letIn asks a server to let a client in, and returns the protocol's version that both have.
// Package proto trusts what it reads; whoever passes here speaks its language.
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
	// Numbers, each after an L: the command, the tag, and what the command tells.
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

// packet makes a packet of a command.
func packet(command, tag uint32, args []byte) []byte {
	be := binary.BigEndian
	p := be.AppendUint32(nil, uint32(10+len(args)))
	p = be.AppendUint32(p, noOne)      // no stream: a command
	p = append(p, make([]byte, 12)...) // no offset, no flags
	p = be.AppendUint32(append(p, 'L'), command)
	p = be.AppendUint32(append(p, 'L'), tag)
	return append(p, args...)
}
