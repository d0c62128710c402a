package sounds

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"math"
	"slices"
	"testing"

	"voicepool/pcm"
)

// hum is half a second of a sine, whose loudness is 3 dB less than its level.
func hum(level float64) *Clip {
	c := &Clip{Name: "hum", Format: "wav", Channels: 1, Rate: 48000}
	for i := range 24000 {
		c.Samples = append(c.Samples, float32(math.Pow(10, level/20)*math.Sin(2*math.Pi*997*float64(i)/48000)))
	}
	return c
}

func tagged(level, gain float64) *Clip {
	c := hum(level)
	c.Gain = (*pcm.Decibels)(&gain)
	return c
}

// TestLeveling: what comes out has the loudness that was asked for, unless its
// peaks are in the way; without a wish the bits stay.
func TestLeveling(t *testing.T) {
	for _, c := range []struct {
		name  string
		clip  *Clip
		level Leveling
		gain  float64 // within 0.05 dB
	}{
		{"nothing asked", tagged(-20, 5), Leveling{}, 0},
		{"lowered", hum(-5), Leveling{LUFS: -18}, -9.99},
		{"raised", hum(-35), Leveling{LUFS: -18}, 20.01},
		{"raised to its peak", hum(-10), Leveling{LUFS: -2}, 9},
		{"peak already over", hum(-0.5), Leveling{LUFS: -1}, 0},
		{"tag, not asked", tagged(-35, -7), Leveling{LUFS: -18}, 20.01},
		{"tag", tagged(-35, -7.03), Leveling{Tags: true}, -7.03},
		{"tag, to another level", tagged(-35, -7), Leveling{LUFS: -23, Tags: true}, -12},
		{"tag, to its peak", tagged(-10, 20), Leveling{Tags: true}, 9},
		{"no tag", hum(-35), Leveling{Tags: true}, 0},
		{"no tag, measured", hum(-35), Leveling{LUFS: -18, Tags: true}, 20.01},
		{"silence", &Clip{Name: "none", Channels: 1, Rate: 48000, Samples: make([]float32, 48000)}, Leveling{LUFS: -18}, 0},
		{"empty", &Clip{Name: "none", Channels: 1, Rate: 48000}, Leveling{LUFS: -18}, 0},
	} {
		before := slices.Clone(c.clip.Samples)
		s, err := Prepare(c.clip, Options{Leveling: c.level})
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if !slices.Equal(before, c.clip.Samples) {
			t.Errorf("%s: the clip was changed", c.name)
		}
		if c.gain == 0 {
			if !slices.Equal(s.Samples(), c.clip.Samples) {
				t.Errorf("%s: samples are changed", c.name)
			}
			continue
		}
		got := 20 * math.Log10(float64(slices.Max(s.Samples()))/float64(slices.Max(c.clip.Samples)))
		if math.Abs(got-c.gain) > 0.05 {
			t.Errorf("%s: changed by %.3f dB, want %.2f", c.name, got, c.gain)
		}
		if e := s.Envelope().Once[0]; math.Abs(10*math.Log10(float64(e))-(-3.01+20*math.Log10(float64(slices.Max(s.Samples())))+0.7)) > 0.2 {
			t.Errorf("%s: the index is %.2f dB, it does not know of the gain", c.name, 10*math.Log10(float64(e)))
		}
	}
	for _, lufs := range []float64{1, -70.1, math.NaN(), math.Inf(-1)} {
		if _, err := Prepare(hum(-20), Options{Leveling: Leveling{LUFS: lufs}}); !errors.Is(err, ErrLimit) {
			t.Errorf("%v LUFS: error %v", lufs, err)
		}
	}
}

func TestGainTags(t *testing.T) {
	for _, c := range []struct {
		tags []string
		want float64 // NaN: none
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
		clip := &Clip{Channels: 1}
		applyTags(clip, parseComments(comments(c.tags...)))
		if (clip.Gain == nil) != math.IsNaN(c.want) || clip.Gain != nil && float64(*clip.Gain) != c.want {
			t.Errorf("%q: %v, want %v", c.tags, clip.Gain, c.want)
		}
	}
}

// id3 is a tag with frames of a version.
func id3(version, flags byte, frames ...[]byte) []byte {
	body := slices.Concat(frames...)
	n := len(body)
	return append([]byte{'I', 'D', '3', version, 0, flags, 0, byte(n >> 14), byte(n >> 7 & 0x7f), byte(n & 0x7f)}, body...)
}

func id3Frame(version byte, name, body string) []byte {
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
	packed := id3Frame(4, "TXXX", "\x03A\x00packed")
	packed[9] = 8
	for name, c := range map[string]struct {
		data []byte
		want []string
	}{
		"version 2":        {id3(2, 0, id3Frame(2, "TT2", "\x00x"), id3Frame(2, "TXX", "\x00A\x00b")), []string{"A=b"}},
		"version 3":        {id3(3, 0, id3Frame(3, "TIT2", long), id3Frame(3, "TXXX", "\x00A\x00b\x00"), id3Frame(3, "TXXX", "\x00C\x00")), []string{"A=b", "C="}},
		"version 4":        {id3(4, 0, id3Frame(4, "TIT2", long), id3Frame(4, "TXXX", "\x03Ä\x00ö")), []string{"Ä=ö"}},
		"Latin-1":          {id3(4, 0, id3Frame(4, "TXXX", "\x00\xc4\x00\xf6")), []string{"Ä=ö"}},
		"UTF-16":           {id3(3, 0, id3Frame(3, "TXXX", "\x01\xff\xfeA\x00\x00\x00\xff\xfeb\x00")), []string{"A=b"}},
		"UTF-16BE":         {id3(4, 0, id3Frame(4, "TXXX", "\x02\x00A\x00\x00\x00b")), []string{"A=b"}},
		"unsynchronised":   {id3(3, 0x80, bytes.ReplaceAll(id3Frame(3, "TXXX", "\x00A\x00\xff"), []byte{0xff}, []byte{0xff, 0})), []string{"A=ÿ"}},
		"extended header":  {id3(3, 0x40, []byte("\x00\x00\x00\x06123456"), id3Frame(3, "TXXX", "\x00A\x00b")), []string{"A=b"}},
		"extended, newer":  {id3(4, 0x40, []byte("\x00\x00\x00\x06\x01\x00"), id3Frame(4, "TXXX", "\x00A\x00b")), []string{"A=b"}},
		"padding":          {id3(3, 0, id3Frame(3, "TXXX", "\x00A\x00b"), make([]byte, 100)), []string{"A=b"}},
		"packed":           {id3(4, 0, packed), nil},
		"frame too long":   {id3(3, 0, []byte("TXXX\x00\x00\xff\xff\x00\x00\x00A\x00b")), nil},
		"no end of name":   {id3(3, 0, id3Frame(3, "TXXX", "\x00A")), nil},
		"unknown encoding": {id3(3, 0, id3Frame(3, "TXXX", "\x09A\x00b")), nil},
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

// TestMP3Tags: gain and loop points of an MP3 come from what users have added.
func TestMP3Tags(t *testing.T) {
	data := mustRead(t, "testdata/formats/mp3-44100-2-vbr.mp3")
	tag := id3(3, 0, id3Frame(3, "TXXX", "\x00replaygain_track_gain\x00-6.5 dB"), id3Frame(3, "TXXX", "\x00LOOPSTART\x00100"))
	c := mustDecode(t, slices.Concat(tag, data))
	if c.Gain == nil || *c.Gain != -6.5 || c.Loop == nil || c.Loop[0] != 100 {
		t.Errorf("gain %v, loop %v", c.Gain, c.Loop)
	}
}

// TestBankLeveling: a source may be asked for at several levels.
func TestBankLeveling(t *testing.T) {
	b := NewBank(Options{Measure: true})
	got, err := b.Load(context.Background(), Source{Name: "coin"}, Source{Name: "coin", Leveling: Leveling{LUFS: -30}}, Source{Name: "coin", Leveling: Leveling{LUFS: -30}})
	if err != nil {
		t.Fatal(err)
	}
	if got[0] == got[1] || got[1] != got[2] {
		t.Fatal("sounds are shared that are not the same, or are not that are")
	}
	if _, err := b.Load(context.Background(), Source{Name: "coin", Leveling: Leveling{LUFS: math.NaN()}}); !errors.Is(err, ErrLimit) || len(b.entries) != 2 {
		t.Errorf("error %v, %d entries", err, len(b.entries))
	}
	plain, _ := b.Info(got[0])
	low, _ := b.Info(got[1])
	if plain.Gain != 0 || math.Abs(float64(plain.Loudness)+float64(low.Gain)+30) > 1e-9 || plain.Loudness != low.Loudness {
		t.Errorf("gain %v and %v, loudness %v and %v", plain.Gain, low.Gain, plain.Loudness, low.Loudness)
	}
}
