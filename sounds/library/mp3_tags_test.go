package library

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"voicepool/internal/longtest"
)

// tagBody returns n bytes like those of a picture, including byte sequences that resemble MP3 headers.
func tagBody(n int) []byte {
	random := rand.New(rand.NewPCG(uint64(n), 27))
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(random.Uint32())
	}
	for i := 100; i+8 < n; i += 5000 {
		copy(b[i:], "\xff\xfb\x90\x00\xff\xf3\x44\x00")
	}
	return b
}

// id3v2 returns a tag with n bytes of content.
func id3v2(n int, footer bool) []byte {
	head := []byte{'I', 'D', '3', 4, 0, 0, byte(n >> 21 & 127), byte(n >> 14 & 127), byte(n >> 7 & 127), byte(n & 127)}
	if !footer {
		return append(head, tagBody(n)...)
	}
	head[5] = 0x10
	foot := bytes.Clone(head)
	copy(foot, "3DI")
	return slices.Concat(head, tagBody(n), foot)
}

// apeV2 returns a tag with n bytes of items between its head and its foot.
func apeV2(n int, head bool) []byte {
	mark := func(flags uint32) []byte {
		b := binary.LittleEndian.AppendUint32([]byte("APETAGEX"), 2000)
		b = binary.LittleEndian.AppendUint32(b, uint32(n+32))
		b = binary.LittleEndian.AppendUint32(b, 1)
		return append(binary.LittleEndian.AppendUint32(b, flags), make([]byte, 8)...)
	}
	if !head {
		return mark(0)
	}
	return slices.Concat(mark(0xa0000000), tagBody(n), mark(0x80000000))
}

// TestMP3TagsBetween checks that tags of every kind and size between joined MP3 files do not change the result.
func TestMP3TagsBetween(t *testing.T) {
	part := bareMP3(t, "mp3-no-note.mp3")
	id3v1 := append([]byte("TAG"), tagBody(125)...)
	tags := map[string][]byte{"ID3v1": id3v1, "APE foot": apeV2(0, false), "ID3v1 and ID3v2": slices.Concat(id3v1, id3v2(70000, false))}
	for _, n := range []int{1 << 10, 50_000, 64 << 10, 68 << 10, 70_000, 2 << 20} {
		tags[fmt.Sprint("ID3v2 ", n)] = id3v2(n, false)
		tags[fmt.Sprint("ID3v2 with a footer ", n)] = id3v2(n, true)
		tags[fmt.Sprint("APE ", n)] = apeV2(n, true)
		tags[fmt.Sprint("all ", n)] = slices.Concat(apeV2(n, true), id3v1, id3v2(n, false))
	}
	next := longtest.Every(5)
	for parts := 2; parts <= 4; parts++ {
		want := mustDecode(t, bytes.Repeat(part, parts))
		if n := want.Frames(); n != int64(parts)*mustDecode(t, part).Frames() {
			t.Fatalf("%d parts have %d frames", parts, n)
		}
		for _, name := range slices.Sorted(maps.Keys(tags)) {
			tag := tags[name]
			for _, where := range []string{"between", "behind"} {
				if !next() {
					continue
				}
				data := bytes.Repeat(slices.Concat(part, tag), parts)
				if where == "between" {
					data = data[:len(data)-len(tag)]
				}
				got := mustDecode(t, data)
				if !slices.Equal(got.Samples, want.Samples) {
					t.Errorf("%d parts, %s %s: %d frames, want %d", parts, name, where, got.Frames(), want.Frames())
				}
				if parts == 3 && len(tag) > 60_000 && len(tag) < 80_000 || parts == 2 && name == "APE foot" {
					if err := streamsAsLoaded(t, data, want, false); err != nil {
						t.Errorf("%s %s, streamed: %v", name, where, err)
					}
				}
			}
		}
	}
}

// TestMP3LoneHeader checks that a single MP3 header within other data, with a frame beyond the end of the file,
// does not make it an MP3. At the beginning it is a truncated MP3.
func TestMP3LoneHeader(t *testing.T) {
	head := bareMP3(t, "mp3-no-note.mp3")[:60]
	for at, want := range map[int]error{0: ErrDecode, 1: ErrFormat, 5000: ErrFormat} {
		data := slices.Concat(bytes.Repeat([]byte{0x96, 0x53}, at)[:at], head)
		if _, err := Decode(t.Context(), "x", bytes.NewReader(data), Limits{}); !errors.Is(err, want) {
			t.Errorf("at byte %d: %v, want %v", at, err, want)
		}
	}
}

// TestMP3CutFrames checks an MP3 without a frame count whose last frame is cut: the rest plays and the damage
// is listed. A tag over the end of a frame leaves silence of its length. A single header of another kind behind
// the sound is ignored.
func TestMP3CutFrames(t *testing.T) {
	data := bareMP3(t, "mp3-no-note.mp3")
	whole := mustDecode(t, data)
	last := 0
	for at := 0; at < len(data); at += mp3Size(data[at:]) {
		last = at
	}
	size := int64(1152)
	for name, c := range map[string]struct {
		data   []byte
		frames int64
		fault  string
	}{
		"the end": {data[:last+100], whole.Frames() - size, fmt.Sprintf("cut short: the last MP3 frame has %d bytes, 100 are there", len(data)-last)},
		"a tag":   {slices.Concat(data[:last+150], apeV2(500, true)), whole.Frames(), fmt.Sprintf("frame %d: 150 bytes are not MP3 frames", whole.Frames()-size)},
		"a tag between": {slices.Concat(data[:last+150], id3v2(500, false), data), 2 * whole.Frames(),
			fmt.Sprintf("frame %d: 150 bytes are not MP3 frames", whole.Frames()-size)},
		"another header": {slices.Concat(data, bytes.Repeat([]byte{7}, 3000), []byte{0xff, 0xf3, 0x48, 0xc4}, bytes.Repeat([]byte{9}, 40)), whole.Frames(), ""},
	} {
		clip := mustDecode(t, c.data)
		var fault string
		if len(clip.Damages) == 1 {
			fault = clip.Damages[0].Err.Error()
		}
		if clip.Frames() != c.frames || fault != c.fault {
			t.Errorf("%s: %d frames, want %d, with %v, want %q", name, clip.Frames(), c.frames, clip.Damages, c.fault)
		}
		checkStream(t, name, c.data, clip)
	}
}
