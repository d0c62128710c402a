package osc_test

import (
	"bytes"
	"encoding/hex"
	"errors"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"voicepool/cmd/internal/show/osc"
	"voicepool/cue"
)

// TestDecode checks the examples of the specification, and other valid and invalid packets.
func TestDecode(t *testing.T) {
	var deep, deeper, many []byte
	deep = osc.Append(nil, &cue.Message{Address: "/a"})
	for range osc.MaxDepth {
		deep = osc.AppendBundle(nil, deep)
	}
	deeper = osc.AppendBundle(nil, deep)
	one := osc.Append(nil, &cue.Message{Address: "/a"})
	full := make([][]byte, osc.MaxMessages)
	for i := range full {
		full[i] = one
	}
	many = osc.AppendBundle(nil, append(full, one)...)
	for _, c := range []struct {
		name, packet string
		want         []*cue.Message
		err          string
	}{
		{name: "oscillator", packet: "2f6f7363696c6c61746f722f342f6672657175656e637900 2c660000 43dc0000",
			want: []*cue.Message{{Address: "/oscillator/4/frequency", Args: []any{float32(440)}}}},
		{name: "all types", packet: "2f610000 2c69667362544e464968647400000000 00000001 3f800000 61620000 00000003 01020300 0000000000000002 3ff0000000000000 0000000000000001",
			want: []*cue.Message{{Address: "/a", Args: []any{int32(1), float32(1), "ab", []byte{1, 2, 3}, true, nil, false, osc.Impulse{}, int64(2), 1.0, osc.Time(1)}}}},
		{name: "no types", packet: "2f610000", want: []*cue.Message{{Address: "/a"}}},
		{name: "a bundle", packet: hex.EncodeToString(osc.AppendBundle(nil, one, osc.AppendBundle(nil, one))),
			want: []*cue.Message{{Address: "/a"}, {Address: "/a"}}},
		{name: "an empty bundle", packet: hex.EncodeToString(osc.AppendBundle(nil))},
		{name: "as deep as it may be", packet: hex.EncodeToString(deep), want: []*cue.Message{{Address: "/a"}}},
		{name: "too deep", packet: hex.EncodeToString(deeper), err: "8 deep"},
		{name: "too many", packet: hex.EncodeToString(many), err: "1024 messages"},
		{name: "too long", packet: strings.Repeat("00", osc.MaxPacket+4), err: "65536 bytes"},
		{name: "nothing", err: "multiple of 4"},
		{name: "half a word", packet: "2f6100", err: "multiple of 4"},
		{name: "no slash", packet: "61610000", err: "begins with /"},
		{name: "no end of a text", packet: "2f616161", err: "too early"},
		{name: "padding that is not zero", packet: "2f000001", err: "padded"},
		{name: "not UTF-8", packet: "2fff0000", err: "UTF-8"},
		{name: "no comma", packet: "2f610000 69000000 00000001", err: "comma"},
		{name: "types that are not ASCII", packet: "2f610000 2cc3a900", err: "ASCII"},
		{name: "no such type", packet: "2f610000 2c780000", want: []*cue.Message{{Address: "/a", Args: []any{osc.Unknown('x')}}}},
		{name: "no such type, between others and in an array", packet: "2f610000 2c695b785d690000 00000001 7fffffff 00000002",
			want: []*cue.Message{{Address: "/a", Args: []any{int32(1), []any{}, osc.Unknown('x')}}}},
		{name: "a symbol, a character, a colour, MIDI", packet: "2f610000 2c5363726d000000 61620000 00000041 01020304 00904050",
			want: []*cue.Message{{Address: "/a", Args: []any{"ab", osc.Char('A'), osc.RGBA{1, 2, 3, 4}, osc.MIDI{0, 0x90, 0x40, 0x50}}}}},
		{name: "arrays", packet: "2f610000 2c5b5d5b695b545d5d660000 00000007 3f800000",
			want: []*cue.Message{{Address: "/a", Args: []any{[]any{}, []any{int32(7), []any{true}}, float32(1)}}}},
		{name: "an array without an end", packet: "2f610000 2c5b6900 00000001", err: "not closed"},
		{name: "an end without an array", packet: "2f610000 2c5d0000", err: "not closed"},
		{name: "arrays too deep", packet: "2f610000 2c5b5b5b5b5b5b5b5b5b0000", err: "8 deep"},
		{name: "MIDI that is cut", packet: "2f610000 2c6d0000", err: "too early"},
		{name: "a value is missing", packet: "2f610000 2c690000", err: "too early"},
		{name: "a value too much", packet: "2f610000 2c690000 00000001 00000001", err: "follows"},
		{name: "a blob that is longer than the packet", packet: "2f610000 2c620000 fffffffd 00000000", err: "too early"},
		{name: "a bundle without a time", packet: "2362756e646c6500 00000000", err: "too early"},
		{name: "an element that is too long", packet: "2362756e646c6500 0000000000000001 000000ff 2f610000", err: "too early"},
		{name: "an element of nothing", packet: "2362756e646c6500 0000000000000001 00000000", err: "multiple of 4"},
	} {
		packet, err := hex.DecodeString(strings.ReplaceAll(c.packet, " ", ""))
		if err != nil {
			t.Fatal(err)
		}
		got, err := osc.Decode(packet)
		if !reflect.DeepEqual(got, c.want) || (err == nil) != (c.err == "") || err != nil && (!strings.Contains(err.Error(), c.err) || !errors.Is(err, osc.ErrPacket)) {
			t.Errorf("%s: %v, %v", c.name, got, err)
		}
	}
}

// messages draws random messages with all types.
var messages = rapid.Custom(func(t *rapid.T) *cue.Message {
	text := rapid.String().Filter(func(s string) bool { return !strings.Contains(s, "\x00") })
	args := rapid.SliceOfN(rapid.OneOf(
		rapid.Int32().AsAny(), rapid.Float32().AsAny(), text.AsAny(), rapid.Bool().AsAny(),
		rapid.SliceOf(rapid.Byte()).AsAny(), rapid.Int64().AsAny(), rapid.Float64().AsAny(),
		rapid.Just(osc.Impulse{}).AsAny(), rapid.Just[any](nil), rapid.Custom(func(t *rapid.T) any {
			return []any{osc.Char(rapid.Uint32().Draw(t, "char")), []any{osc.MIDI{rapid.Byte().Draw(t, "port")}, []any{}}, osc.RGBA{rapid.Byte().Draw(t, "red")}}
		}), rapid.Custom(func(t *rapid.T) osc.Time { return osc.Time(rapid.Uint64().Draw(t, "time")) }).AsAny(),
	), 0, 10)
	m := &cue.Message{Address: "/" + text.Draw(t, "address")}
	if all := args.Draw(t, "args"); len(all) > 0 {
		m.Args = all
	}
	return m
})

// TestRoundTrip checks that encoded messages are decoded, in bundles, too, and that a cut packet is
// never misread.
func TestRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		sent := rapid.SliceOfN(messages, 1, 5).Draw(t, "messages")
		var elements [][]byte
		for _, m := range sent {
			elements = append(elements, osc.Append(nil, m))
		}
		packet := osc.AppendBundle(nil, osc.AppendBundle(nil, elements...))
		if len(sent) == 1 {
			packet = elements[0]
		}
		if len(packet) > osc.MaxPacket {
			t.Skip()
		}
		got, err := osc.Decode(packet)
		if err != nil || !slices.EqualFunc(got, sent, same) {
			t.Fatalf("%v came as %v, %v", sent, got, err)
		}
		if cut := rapid.IntRange(1, len(packet)-1).Draw(t, "cut"); cut%4 != 0 {
			if got, err := osc.Decode(packet[:cut]); err == nil {
				t.Fatalf("%d of %d bytes are %v", cut, len(packet), got)
			}
		}
	})
}

// TestFrames checks that packets are extracted from a stream, whatever the size of the reads.
func TestFrames(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		special := rapid.SampledFrom([]byte{0, 1, 0xC0, 0xDB, 0xDC, 0xDD})
		sent := rapid.SliceOf(rapid.SliceOfN(special, 1, 20)).Draw(t, "packets")
		var stream []byte
		for _, p := range sent {
			stream = osc.AppendFrame(stream, p)
		}
		var f osc.Frames
		var got [][]byte
		for len(stream) > 0 {
			n := rapid.IntRange(1, len(stream)).Draw(t, "piece")
			if bad := f.Feed(stream[:n], func(p []byte) { got = append(got, bytes.Clone(p)) }); bad != 0 {
				t.Fatalf("%d frames are bad", bad)
			}
			stream = stream[n:]
		}
		if len(got) != len(sent) || f.Pending() {
			t.Fatalf("%d frames, want %d; one is pending: %v", len(got), len(sent), f.Pending())
		}
		for i := range got {
			if !bytes.Equal(got[i], sent[i]) {
				t.Fatalf("%x came as %x", sent[i], got[i])
			}
		}
	})
}

// TestBadFrames checks that a bad frame is skipped and counted, and that the next one is read.
func TestBadFrames(t *testing.T) {
	good := osc.AppendFrame(nil, []byte("good"))
	for _, c := range []struct {
		name, bad string
	}{
		{"an escape of nothing", "\xc0ab\xdbxyz\xc0"},
		{"an escape at the end", "\xc0ab\xdb\xc0"},
		{"too long", "\xc0" + strings.Repeat("x", osc.MaxPacket+1) + "\xc0"},
	} {
		var f osc.Frames
		var got []string
		bad := f.Feed(append([]byte(c.bad), good...), func(p []byte) { got = append(got, string(p)) })
		if bad != 1 || len(got) != 1 || got[0] != "good" || f.Pending() {
			t.Errorf("%s: %d are bad, got %q", c.name, bad, got)
		}
	}
	var f osc.Frames
	frames := 0
	f.Feed(append(bytes.Repeat([]byte{0xC0}, 9), bytes.Repeat([]byte{'x'}, osc.MaxPacket)...), func([]byte) { frames++ })
	if f.Feed([]byte{0xC0}, func([]byte) { frames++ }) != 0 || frames != 1 {
		t.Errorf("the longest frame, behind empty ones, came %d times", frames)
	}
}

func FuzzDecode(f *testing.F) {
	f.Add(osc.Append(nil, &cue.Message{Address: "/go", Args: []any{"1", int32(2), float32(0.5), true, nil, []byte("b"), int64(1), 1.5, osc.Time(7), osc.Impulse{}}}))
	f.Add(osc.AppendBundle(nil, osc.Append(nil, &cue.Message{Address: "/a"})))
	f.Add([]byte("/a\x00\x00,\xc3\xa9\x00")) // the type é
	f.Fuzz(func(t *testing.T, packet []byte) {
		all, err := osc.Decode(packet)
		if err != nil {
			if len(all) > 0 {
				t.Errorf("%v with an error, %v", all, err)
			}
			return
		}
		for _, m := range all {
			again, err := osc.Decode(osc.Append(nil, m))
			if err != nil || len(again) != 1 || !same(again[0], m) {
				t.Errorf("%v came as %v, %v", m, again, err)
			}
		}
	})
}

// same compares messages. NaN equals itself.
func same(a, b *cue.Message) bool {
	if a.Address != b.Address || len(a.Args) != len(b.Args) {
		return false
	}
	for i := range a.Args {
		switch x := a.Args[i].(type) {
		case float32:
			y, ok := b.Args[i].(float32)
			if !ok || math.Float32bits(x) != math.Float32bits(y) {
				return false
			}
		case float64:
			y, ok := b.Args[i].(float64)
			if !ok || math.Float64bits(x) != math.Float64bits(y) {
				return false
			}
		default:
			if !reflect.DeepEqual(x, b.Args[i]) {
				return false
			}
		}
	}
	return true
}

func FuzzSLIP(f *testing.F) {
	f.Add([]byte("\xc0ab\xdb\xdc\xc0\xc0\xdb\xdd\xc0\xdbx\xc0"), uint8(3))
	f.Fuzz(func(t *testing.T, stream []byte, at uint8) {
		whole, cut := read(stream), read(stream[:min(int(at), len(stream))], stream[min(int(at), len(stream)):])
		if !reflect.DeepEqual(whole, cut) {
			t.Errorf("%x is %q in one piece, %q in two", stream, whole, cut)
		}
		var again []byte
		for _, p := range whole {
			again = osc.AppendFrame(again, []byte(p))
		}
		if !reflect.DeepEqual(read(again), whole) {
			t.Errorf("%q came as %q", whole, read(again))
		}
	})
}

// read returns the frames of a stream.
func read(pieces ...[]byte) (frames []string) {
	var f osc.Frames
	for _, p := range pieces {
		f.Feed(p, func(frame []byte) { frames = append(frames, string(frame)) })
	}
	return frames
}
