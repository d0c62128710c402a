package source

import (
	"bytes"
	"encoding/binary"
	"math"
	"slices"
	"testing"

	"voicepool/pcm"
)

// comments returns a block of Vorbis comments.
func comments(list ...string) []byte {
	b := binary.LittleEndian.AppendUint32(nil, 2)
	b = append(b, "me"...)
	b = binary.LittleEndian.AppendUint32(b, uint32(len(list)))
	for _, s := range list {
		b = binary.LittleEndian.AppendUint32(b, uint32(len(s)))
		b = append(b, s...)
	}
	return b
}

func TestLoopTags(t *testing.T) {
	for _, c := range []struct {
		tags []string
		want *pcm.Loop
	}{
		{nil, nil},
		{[]string{"TITLE=x", "LOOPSTART=100", "LOOPLENGTH=50"}, &pcm.Loop{100, 150}},
		{[]string{"LoopStart= 100"}, &pcm.Loop{100, 1000}},
		{[]string{"LOOP_BEGIN=0", "LOOP_END=999"}, &pcm.Loop{0, 999}},
		{[]string{"LOOPSTART=100", "LOOPEND=900"}, &pcm.Loop{100, 900}},
		{[]string{"LOOPSTART=100", "LOOPLENGTH=901"}, &pcm.Loop{100, 1000}},
		{[]string{"LOOPSTART=1000", "LOOPLENGTH=1"}, nil},
		{[]string{"LOOPSTART=-1"}, nil},
		{[]string{"LOOPSTART=99999999999999999999"}, nil},
		{[]string{"LOOPLENGTH=10"}, nil},
		{[]string{"LOOPSTART"}, nil},
	} {
		got := (&Head{Tags: Comments(comments(c.tags...))}).Loop(1000)
		if (got == nil) != (c.want == nil) || got != nil && *got != *c.want {
			t.Errorf("%q: %v, want %v", c.tags, got, c.want)
		}
	}
	whole := comments("LOOPSTART=1")
	for n := range whole { // cut short anywhere
		Comments(whole[:n])
	}
}

func TestGainTags(t *testing.T) {
	for _, c := range []struct {
		tags []string
		want float64 // NaN for no value
	}{
		{nil, math.NaN()},
		{[]string{"REPLAYGAIN_TRACK_GAIN=-7.03 dB"}, -7.03},
		{[]string{"replaygain_track_gain= +1.5dB "}, 1.5},
		{[]string{"REPLAYGAIN_TRACK_GAIN=3"}, 3},
		{[]string{"R128_TRACK_GAIN=-256"}, 4},
		{[]string{"R128_TRACK_GAIN=512", "REPLAYGAIN_TRACK_GAIN=-1 dB"}, -1},
		{[]string{"R128_TRACK_GAIN=512", "REPLAYGAIN_TRACK_GAIN=loud"}, 7},
		{[]string{"REPLAYGAIN_TRACK_GAIN="}, math.NaN()},
		{[]string{"REPLAYGAIN_TRACK_GAIN=1 2 dB"}, math.NaN()},
		{[]string{"REPLAYGAIN_TRACK_GAIN=NaN dB"}, math.NaN()},
		{[]string{"REPLAYGAIN_TRACK_GAIN=-65 dB"}, math.NaN()},
		{[]string{"REPLAYGAIN_TRACK_GAIN=1e999 dB"}, math.NaN()},
		{[]string{"R128_TRACK_GAIN=40000"}, math.NaN()},
		{[]string{"REPLAYGAIN_ALBUM_GAIN=-7 dB"}, math.NaN()},
	} {
		got := (&Head{Tags: Comments(comments(c.tags...))}).Gain()
		if (got == nil) != math.IsNaN(c.want) || got != nil && float64(*got) != c.want {
			t.Errorf("%q: %v, want %v", c.tags, got, c.want)
		}
	}
}

// Id3 returns a tag of the given version with frames.
func Id3(version, flags byte, frames ...[]byte) []byte {
	body := slices.Concat(frames...)
	n := len(body)
	return append([]byte{'I', 'D', '3', version, 0, flags, 0, byte(n >> 14), byte(n >> 7 & 0x7f), byte(n & 0x7f)}, body...)
}

func Id3Frame(version byte, name, body string) []byte {
	n := len(body)
	switch version {
	case 2:
		return append(append([]byte(name), byte(n>>16), byte(n>>8), byte(n)), body...)
	case 3:
		return append(binary.BigEndian.AppendUint32([]byte(name), uint32(n)), "\x00\x00"+body...)
	}
	return append([]byte{name[0], name[1], name[2], name[3], 0, byte(n >> 14), byte(n >> 7 & 0x7f), byte(n & 0x7f), 0, 0}, body...)
}

func TestID3(t *testing.T) {
	long := "TITLE" + string(bytes.Repeat([]byte{'x'}, 300))
	packed := Id3Frame(4, "TXXX", "\x03A\x00packed")
	packed[9] = 8
	for name, c := range map[string]struct {
		data []byte
		want []string
	}{
		"version 2":        {Id3(2, 0, Id3Frame(2, "TT2", "\x00x"), Id3Frame(2, "TXX", "\x00A\x00b")), []string{"A=b"}},
		"version 3":        {Id3(3, 0, Id3Frame(3, "TIT2", long), Id3Frame(3, "TXXX", "\x00A\x00b\x00"), Id3Frame(3, "TXXX", "\x00C\x00")), []string{"A=b", "C="}},
		"version 4":        {Id3(4, 0, Id3Frame(4, "TIT2", long), Id3Frame(4, "TXXX", "\x03Ä\x00ö")), []string{"Ä=ö"}},
		"Latin-1":          {Id3(4, 0, Id3Frame(4, "TXXX", "\x00\xc4\x00\xf6")), []string{"Ä=ö"}},
		"UTF-16":           {Id3(3, 0, Id3Frame(3, "TXXX", "\x01\xff\xfeA\x00\x00\x00\xff\xfeb\x00")), []string{"A=b"}},
		"UTF-16BE":         {Id3(4, 0, Id3Frame(4, "TXXX", "\x02\x00A\x00\x00\x00b")), []string{"A=b"}},
		"unsynchronised":   {Id3(3, 0x80, bytes.ReplaceAll(Id3Frame(3, "TXXX", "\x00A\x00\xff"), []byte{0xff}, []byte{0xff, 0})), []string{"A=ÿ"}},
		"extended header":  {Id3(3, 0x40, []byte("\x00\x00\x00\x06123456"), Id3Frame(3, "TXXX", "\x00A\x00b")), []string{"A=b"}},
		"extended, newer":  {Id3(4, 0x40, []byte("\x00\x00\x00\x06\x01\x00"), Id3Frame(4, "TXXX", "\x00A\x00b")), []string{"A=b"}},
		"padding":          {Id3(3, 0, Id3Frame(3, "TXXX", "\x00A\x00b"), make([]byte, 100)), []string{"A=b"}},
		"packed":           {Id3(4, 0, packed), nil},
		"frame too long":   {Id3(3, 0, []byte("TXXX\x00\x00\xff\xff\x00\x00\x00A\x00b")), nil},
		"no end of name":   {Id3(3, 0, Id3Frame(3, "TXXX", "\x00A")), nil},
		"unknown encoding": {Id3(3, 0, Id3Frame(3, "TXXX", "\x09A\x00b")), nil},
		"nothing":          {[]byte("ID3"), nil},
	} {
		if got := parseID3(c.data); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
		for n := range c.data { // cut short anywhere
			parseID3(c.data[:n])
		}
	}
}

// FuzzTags checks that any metadata around a sound leads to a valid loop and gain.
func FuzzTags(f *testing.F) {
	f.Add(comments("LOOPSTART=1", "LOOPLENGTH=2", "REPLAYGAIN_TRACK_GAIN=-1.5 dB"))
	f.Add(Id3(3, 0, Id3Frame(3, "TXXX", "\x01\xff\xfeA\x00\x00\x00\xff\xfeb\x00")))
	f.Add(Id3(4, 0x40, []byte("\x00\x00\x00\x06\x01\x00"), Id3Frame(4, "TXXX", "\x03R128_TRACK_GAIN\x00-256")))
	f.Add(Id3(2, 0x80, Id3Frame(2, "TXX", "\x00LOOPEND\x0012")))
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, tags := range [][]string{parseID3(data), Comments(data)} {
			h := &Head{Tags: tags}
			if l := h.Loop(100); l != nil && (l[0] < 0 || l[0] >= l[1] || l[1] > 100) {
				t.Fatalf("the loop %v", *l)
			}
			if gain := h.Gain(); gain != nil && !(math.Abs(float64(*gain)) <= MaxTagGain) {
				t.Fatalf("a gain of %v", *gain)
			}
		}
	})
}
