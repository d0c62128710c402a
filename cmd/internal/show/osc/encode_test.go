package osc_test

import (
	"encoding/hex"
	"errors"
	"math"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"voicepool/cmd/internal/show/osc"
	"voicepool/cue"
)

// TestAppend checks the examples of the OSC 1.0 specification byte for byte.
func TestAppend(t *testing.T) {
	for _, c := range []struct {
		m    cue.Message
		want string
	}{
		{cue.Message{Address: "/oscillator/4/frequency", Args: []any{float32(440)}},
			"2f6f7363696c6c61746f722f342f6672657175656e637900 2c660000 43dc0000"},
		{cue.Message{Address: "/foo", Args: []any{int32(1000), int32(-1), "hello", float32(1.234), float32(5.678)}},
			"2f666f6f00000000 2c69697366660000 000003e8 ffffffff 68656c6c6f000000 3f9df3b6 40b5b22d"},
		{cue.Message{Address: "/a", Args: []any{true, false, ""}}, "2f610000 2c54467300000000 00000000"},
		{cue.Message{Address: "/abc"}, "2f61626300000000 2c000000"},
	} {
		got := osc.Append(nil, &c.m)
		if want := strings.ReplaceAll(c.want, " ", ""); hex.EncodeToString(got) != want || c.m.Size() != len(got) {
			t.Errorf("%s: %x, want %s; it says %d bytes", c.m.Address, got, want, c.m.Size())
		}
	}
}

// decode reads a message in words of 4 bytes, as described in the specification.
func decode(b []byte) (address string, args []any, err error) {
	if len(b)%4 != 0 {
		return "", nil, errors.New("not whole words")
	}
	word := func() (w [4]byte) {
		if len(b) == 0 {
			err = errors.New("it ends too early")
			return w
		}
		copy(w[:], b)
		b = b[4:]
		return w
	}
	text := func() string {
		var out []byte
		for err == nil {
			w := word()
			for i, c := range w {
				if c == 0 {
					if w[i] != 0 || strings.Trim(string(w[i:]), "\x00") != "" {
						err = errors.New("what pads is not zero")
					}
					return string(out)
				}
				out = append(out, c)
			}
		}
		return ""
	}
	number := func() uint32 {
		w := word()
		return uint32(w[0])<<24 | uint32(w[1])<<16 | uint32(w[2])<<8 | uint32(w[3])
	}
	address = text()
	types := text()
	if !strings.HasPrefix(types, ",") {
		return "", nil, errors.New("no types")
	}
	for _, t := range types[1:] {
		switch t {
		case 'i':
			args = append(args, int32(number()))
		case 'f':
			args = append(args, math.Float32frombits(number()))
		case 's':
			args = append(args, text())
		case 'T', 'F':
			args = append(args, t == 'T')
		default:
			err = errors.New("unknown type")
		}
	}
	if len(b) > 0 {
		err = errors.New("something follows")
	}
	return address, args, err
}

func FuzzAppend(f *testing.F) {
	f.Add("/a", "text", uint64(0))
	f.Add("/eos/cue/12/fire", "", uint64(7))
	f.Fuzz(func(t *testing.T, address, text string, seed uint64) {
		if strings.ContainsRune(address+text, 0) {
			t.Skip("no sheet has it")
		}
		draw := rand.New(rand.NewPCG(seed, 1))
		m := cue.Message{Address: address}
		for range draw.IntN(12) {
			m.Args = append(m.Args, [...]any{
				int32(draw.Uint32()), draw.Float32(), text[:draw.IntN(len(text)+1)], draw.IntN(2) == 0,
			}[draw.IntN(4)])
		}
		head := []byte("head")
		b := osc.Append(head, &m)
		got, args, err := decode(b[len(head):])
		if err != nil || got != address || !reflect.DeepEqual(args, m.Args) || m.Size() != len(b)-len(head) || string(b[:4]) != "head" {
			t.Errorf("%q %v came as %q %v, %v; %d bytes, it says %d", address, m.Args, got, args, err, len(b), m.Size())
		}
	})
}
