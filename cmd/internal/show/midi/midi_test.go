package midi

import (
	"bytes"
	"encoding/hex"
	"errors"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"voicepool/cue"
)

var table = []cue.Midi{
	{Number: 60, Action: "go"}, {Number: 60, Channel: 10, Cue: "2.5"}, {Number: 61, Cue: "Q7"},
	{Kind: cue.MidiProgram, Number: 0, Action: "panic"}, {Kind: cue.MidiControl, Number: 64, Action: "pause"},
}

func tabled() []cue.Midi { return table }

// TestListen checks the commands of raw MIDI, byte by byte.
func TestListen(t *testing.T) {
	for _, c := range []struct{ name, sent, want string }{
		{name: "a note", sent: "90 3c 40", want: "go"},
		{name: "a note that ends, in both ways", sent: "90 3c 00 80 3c 40"},
		{name: "a note of nothing", sent: "90 3e 40"},
		{name: "on a channel with an entry of its own", sent: "99 3c 01", want: "go 2.5"},
		{name: "running status", sent: "90 3c 40 3d 40 3c 00 3d 7f", want: "go|go Q7|go Q7"},
		{name: "the clock in between", sent: "90 f8 3c fe 40", want: "go"},
		{name: "one that is cut short", sent: "90 3c 90 3d 40", want: "go Q7"},
		{name: "data of nothing", sent: "3c 40 90 3c 40", want: "go"},
		{name: "a system message ends running status", sent: "90 3c 40 f6 3c 40", want: "go"},
		{name: "a programme", sent: "c5 00 c5 01 00", want: "panic|panic"},
		{name: "a pedal", sent: "b0 40 7f b0 40 3f b0 40 40 b0 41 7f", want: "pause|pause"},
		{name: "GO of MSC", sent: "f0 7f 7f 02 01 01 f7", want: "go"},
		{name: "GO of MSC with a number, a list and a path", sent: "f0 7f 01 02 10 01 32 2e 35 00 31 00 36 33 f7", want: "go 2.5"},
		{name: "STOP, RESUME and ALL_OFF of MSC", sent: "f0 7f 7f 02 01 02 f7 f0 7f 7f 02 01 03 f7 f0 7f 7f 02 01 08 f7", want: "pause|resume|panic"},
		{name: "other commands, another number, another message", sent: "f0 7f 7f 02 01 04 f7 f0 7f 7f 02 01 01 41 f7 f0 7e 7f 06 01 f7 f0 f7 f7", want: "go A"},
		{name: "one that is too long", sent: "f0 7f 7f 02 01 01 " + strings.Repeat("30 ", 300) + "f7 90 3c 40", want: "go"},
		{name: "one that never ends", sent: "f0 7f 7f 02 01 01 90 3c 40", want: "go"},
		{name: "with the clock in it", sent: "f0 7f 7f 02 f8 01 01 31 f7", want: "go 1"},
	} {
		sent, err := hex.DecodeString(strings.ReplaceAll(c.sent, " ", ""))
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		if err := Listen(iotest.OneByteReader(bytes.NewReader(sent)), tabled, func(s string) { got = append(got, s) }); err != nil {
			t.Error(err)
		}
		if strings.Join(got, "|") != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
	broken := errors.New("unplugged")
	if err := Listen(iotest.ErrReader(broken), tabled, nil); !errors.Is(err, broken) {
		t.Errorf("%v, want %v", err, broken)
	}
}

// TestSplitter checks that messages are extracted unchanged, with other data between them.
func TestSplitter(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		var sent []byte
		var want, got [][]byte
		status := byte(0)
		for range random.IntN(20) {
			var m []byte
			switch random.IntN(6) {
			case 0:
				m = append([]byte{0xF0}, make([]byte, random.IntN(maxSysEx-1))...)
				for i := range m[1:] {
					m[1+i] = byte(random.IntN(128))
				}
				m = append(m, 0xF7)
			case 1:
				m = [][]byte{{0xF1, 3}, {0xF2, 3, 4}, {0xF3, 5}, {0xF6}}[random.IntN(4)]
			default:
				m = []byte{0x80 + byte(random.IntN(0x70)), byte(random.IntN(128)), byte(random.IntN(128))}
				m = m[:1+dataOf(m[0])]
			}
			want = append(want, m)
			if m[0] < 0xF0 && m[0] == status && random.IntN(2) == 0 {
				m = m[1:]
			} else if status = 0; m[0] < 0xF0 {
				status = m[0]
			}
			for _, b := range m {
				for random.IntN(9) == 0 {
					sent = append(sent, 0xF8+byte(random.IntN(8)))
				}
				sent = append(sent, b)
			}
		}
		var s splitter
		for _, b := range sent {
			if m := s.next(b); m != nil && m[0] < 0xF8 {
				got = append(got, slices.Clone(m))
			}
		}
		if !slices.EqualFunc(got, want, bytes.Equal) {
			t.Fatalf("%x gave %x, want %x", sent, got, want)
		}
	}
}

// FuzzListen checks that any input is read to its end and gives only valid commands.
func FuzzListen(f *testing.F) {
	f.Add([]byte{0xF0, 0x7F, 1, 2, 1, 1, '2', 0xF7, 0x90, 60, 1})
	f.Fuzz(func(t *testing.T, sent []byte) {
		n := 0
		err := Listen(io.MultiReader(bytes.NewReader(sent)), tabled, func(s string) {
			if n++; s == "" || strings.ContainsAny(s, "\n\x00") {
				t.Errorf("%q", s)
			}
		})
		if err != nil || n > len(sent) {
			t.Errorf("%v after %d", err, n)
		}
	})
}
