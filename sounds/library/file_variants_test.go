package library

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"voicepool/internal/longtest"
)

// same decodes data and compares it with a clip, and if streamed, compares the stream, too.
func same(t *testing.T, what string, data []byte, want *Clip, streamed bool) {
	t.Helper()
	got, err := Decode(t.Context(), "x", bytes.NewReader(data), Limits{})
	switch {
	case err != nil:
		t.Errorf("%s: %v", what, err)
	case got.Channels != want.Channels || got.Rate != want.Rate || !slices.Equal(got.Samples, want.Samples):
		t.Errorf("%s: %d channels at %d Hz, %d frames, want %d, %d, %d, or others", what, got.Channels, got.Rate, got.Frames(), want.Channels, want.Rate, want.Frames())
	case streamed:
		if err := streamsAsLoaded(t, data, got, false); err != nil {
			t.Errorf("%s: %v", what, err)
		}
	}
}

// TestAround checks that tags and zeros before and after a sound change nothing, in any format, loaded and
// streamed.
func TestAround(t *testing.T) {
	zeros := make([]byte, 4096)
	tag := append([]byte("ID3\x04\x00\x00\x00\x00\x03\x74"), make([]byte, 500)...)
	id3v1 := append([]byte("TAG"), make([]byte, 125)...)
	ape := append([]byte("APETAGEX\xd0\x07\x00\x00\x20\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00"), make([]byte, 8)...)
	next, fronts := longtest.Every(3), [][]byte{nil, zeros[:64], tag, slices.Concat(tag, zeros), slices.Concat(zeros, tag)}
	tails := [][]byte{nil, zeros, make([]byte, 70000), tag, id3v1, ape, slices.Concat(zeros, tag, id3v1), slices.Concat(ape, id3v1, zeros[:3])}
	for _, name := range []string{
		"flac-16-2.flac", "oggflac-2.oga", "oggflac-ffmpeg-1.oga", "vorbis-many-pages.ogg", "vorbis-8000-1.ogg", "opus-music-20-2.opus",
		"opus-speech-1.opus", "mp3-44100-2-vbr.mp3", "mp3-no-note.mp3", "wav-f32le-2.wav", "aiff-s16be-2.aiff",
	} {
		data := withoutID3(formatFile(t, name))
		want := mustDecode(t, data)
		for i, front := range fronts {
			for j, tail := range tails {
				what := fmt.Sprintf("%s, front %d, tail %d", name, i, j)
				stream := i == j%len(fronts) && (j < len(fronts) || longtest.Enabled())
				if next() || stream {
					same(t, what, slices.Concat(front, data, tail), want, stream)
				}
			}
		}
	}
}

// TestZerosInFront checks that up to a mebibyte of zeros before a sound changes nothing, in any format, loaded
// and streamed. An ID3v2 tag may precede or follow the zeros. Longer runs are rejected.
func TestZerosInFront(t *testing.T) {
	tag := id3("A=b")
	const most = 1 << 20
	for i, name := range []string{
		"wav-s16le-2.wav", "aiff-s16be-2.aiff", "flac-16-2.flac", "oggflac-2.oga", "vorbis-8000-1.ogg", "opus-speech-1.opus", "mp3-no-note.mp3", "mp3-44100-2-vbr.mp3",
	} {
		data := withoutID3(formatFile(t, name))
		want := mustDecode(t, data)
		for j, n := range []int{1, 3, 64<<10 - 1, 64 << 10, 64<<10 + 1, 68 << 10, 200_001, most - 1, most} {
			zeros := make([]byte, n)
			for k, front := range [][]byte{zeros, slices.Concat(tag, zeros), slices.Concat(zeros, tag), slices.Concat(zeros[:n/2], tag, zeros[:n/2], tag)} {
				if !longtest.Enabled() && (i+j+k)%10 != 0 || (i+j+k)%5 != 0 && (i+j+k)%2 != 0 {
					continue
				}
				same(t, fmt.Sprintf("%s, front %d with %d zeros", name, k, n), slices.Concat(front, data, tag, zeros), want, (i+j+k)%5 == 0)
			}
		}
		if _, err := Decode(t.Context(), "x", bytes.NewReader(slices.Concat(make([]byte, 2*most), data)), Limits{}); !errors.Is(err, ErrFormat) {
			t.Errorf("%s behind %d zeros: %v", name, 2*most, err)
		}
	}
}

// variant is a WAV file of 16-bit samples in one of the encodings that programs write.
type variant struct {
	order             binary.AppendByteOrder
	tag, bits, align  int
	sample            func(order binary.AppendByteOrder, x int16) []byte
	announced, riffed int // bytes that are announced but missing, in the data chunk and in the RIFF chunk
}

func (v *variant) file(samples []int16, channels int) []byte {
	var data []byte
	for _, x := range samples {
		data = append(data, v.sample(v.order, x)...)
	}
	size := uint32(36 + len(data) + v.riffed)
	b := v.order.AppendUint32([]byte(map[bool]string{true: "RIFX", false: "RIFF"}[v.order == binary.BigEndian]), size)
	b = v.order.AppendUint32(append(b, "WAVEfmt "...), 16)
	b = v.order.AppendUint16(v.order.AppendUint16(b, uint16(v.tag)), uint16(channels))
	b = v.order.AppendUint32(v.order.AppendUint32(b, 48000), uint32(48000*v.align*channels))
	b = v.order.AppendUint16(v.order.AppendUint16(b, uint16(v.align*channels)), uint16(v.bits))
	return append(v.order.AppendUint32(append(b, "data"...), uint32(len(data)+v.announced)), data...)
}

// TestWAVVariants checks variants that libsndfile and ffmpeg read, loaded and streamed.
func TestWAVVariants(t *testing.T) {
	samples := make([]int16, 4800)
	for i := range samples {
		samples[i] = int16(12000 * math.Sin(float64(i)/17))
	}
	bytesOf := func(n int, x uint32, order binary.AppendByteOrder) []byte {
		b := order.AppendUint32(nil, x)
		if order == binary.BigEndian {
			return b[4-n:]
		}
		return b[:n]
	}
	int16s := func(order binary.AppendByteOrder, x int16) []byte { return order.AppendUint16(nil, uint16(x)) }
	int24s := func(order binary.AppendByteOrder, x int16) []byte {
		return bytesOf(3, uint32(int32(x)<<8)&0xffffff, order)
	}
	above := func(order binary.AppendByteOrder, x int16) []byte {
		return order.AppendUint32(nil, uint32(int32(x)<<8))
	}
	below := func(order binary.AppendByteOrder, x int16) []byte {
		return order.AppendUint32(nil, uint32(int32(x)<<16))
	}
	floats := func(order binary.AppendByteOrder, x int16) []byte {
		return order.AppendUint32(nil, math.Float32bits(float32(x)/32768))
	}
	doubles := func(order binary.AppendByteOrder, x int16) []byte {
		return order.AppendUint64(nil, math.Float64bits(float64(x)/32768))
	}
	for name, v := range map[string]variant{
		"16 bits": {tag: 1, bits: 16, align: 2, sample: int16s}, "no align": {tag: 1, bits: 16, sample: int16s},
		"align of another": {tag: 1, bits: 16, align: 3, sample: int16s}, "24 bits": {tag: 1, bits: 24, align: 3, sample: int24s},
		"24 bits, no align": {tag: 1, bits: 24, sample: int24s}, "padded above": {tag: 1, bits: 24, align: 4, sample: above},
		"padded below": {tag: 1, bits: 24, align: 4, sample: below}, "floats": {tag: 3, bits: 32, align: 4, sample: floats},
		"floats, no align": {tag: 3, bits: 32, sample: floats}, "doubles": {tag: 3, bits: 64, align: 8, sample: doubles},
		"data too large": {tag: 1, bits: 16, align: 2, sample: int16s, announced: 90000}, "44 too many": {tag: 1, bits: 16, align: 2, sample: int16s, announced: 44, riffed: 44},
	} {
		for _, v.order = range []binary.AppendByteOrder{binary.LittleEndian, binary.BigEndian} {
			for channels := 1; channels <= 2; channels++ {
				want := &Clip{Channels: channels, Rate: 48000}
				for _, x := range samples {
					want.Samples = append(want.Samples, float32(x)/32768)
				}
				data := v.file(samples, channels)
				same(t, fmt.Sprintf("%s, %v, %d channels", name, v.order, channels), data, want, true)
				if got, err := Decode(t.Context(), "x", bytes.NewReader(data), Limits{}); err == nil && (v.announced > 0) != (len(got.Notes) == 1 && strings.Contains(got.Notes[0], "announces")) {
					t.Errorf("%s: notes %q", name, got.Notes)
				}
			}
		}
	}
	cut := variant{order: binary.LittleEndian, tag: 1, bits: 16, align: 2, sample: int16s, announced: 90000, riffed: 90000}
	if _, err := Decode(t.Context(), "x", bytes.NewReader(cut.file(samples, 1)), Limits{}); err == nil {
		t.Error("a file that is cut short in the middle is no error")
	}
}

// TestWAVBits reads samples of all bit depths in words of all sizes, aligned to the top of the word. Depths
// that need fewer bytes are also tested at its bottom. An extensible header announces the word size or the
// bits.
func TestWAVBits(t *testing.T) {
	for _, order := range []binary.AppendByteOrder{binary.LittleEndian, binary.BigEndian} {
		for width := 1; width <= 4; width++ {
			for bits := 1; bits <= 8*width; bits++ {
				const frames = 600
				want := &Clip{Channels: 1, Rate: 48000}
				var top, bottom []byte
				word := func(b []byte, x uint32) []byte { // from the lowest bytes of x
					if order == binary.BigEndian {
						return append(b, order.AppendUint32(nil, x)[4-width:]...)
					}
					return append(b, order.AppendUint32(nil, x)[:width]...)
				}
				for i := range uint32(frames) {
					x := int32(i*2654435761) >> (32 - bits)
					want.Samples = append(want.Samples, float32(x)/float32(int64(1)<<(bits-1)))
					if high := uint32(x) << (8*width - bits); width > 1 {
						top = word(top, high)
					} else {
						top = append(top, byte(high+128)) // unsigned
					}
					bottom = word(bottom, uint32(x))
				}
				check := func(what string, tag, announced int, data []byte) {
					t.Helper()
					what = fmt.Sprintf("%d bits in %d bytes, %v, %s", bits, width, order, what)
					same(t, what, wavOfWords(order, tag, announced, bits, width, data), want, bits%5 == 0)
				}
				check("at the top", 1, bits, top)
				check("extensible, at the top", 0xfffe, bits, top)
				check("extensible, of whole words", 0xfffe, 8*width, top)
				if (bits+7)/8 < width {
					check("at the bottom", 1, bits, bottom)
					check("extensible, at the bottom", 0xfffe, bits, bottom)
				}
				if bits == 8*width {
					check("unannounced", 1, 0, top)
				}
			}
		}
	}
}

// wavOfWords returns a mono WAV file of integers in words with the given number of valid bits.
func wavOfWords(order binary.AppendByteOrder, tag, announced, bits, width int, data []byte) []byte {
	b := order.AppendUint16(order.AppendUint16(nil, uint16(tag)), 1)
	b = order.AppendUint32(order.AppendUint32(b, 48000), uint32(48000*width))
	b = order.AppendUint16(order.AppendUint16(b, uint16(width)), uint16(announced))
	if tag == 0xfffe {
		b = order.AppendUint16(order.AppendUint16(b, 22), uint16(bits))
		b = order.AppendUint16(order.AppendUint32(b, 4), 1)
		b = append(b, "\x00\x00\x00\x00\x10\x00\x80\x00\x00\xaa\x00\x38\x9b\x71"...)
	}
	b = append(order.AppendUint32([]byte("WAVEfmt "), uint32(len(b))), b...)
	b = append(order.AppendUint32(append(b, "data"...), uint32(len(data))), data...)
	head := map[bool]string{true: "RIFX", false: "RIFF"}[order == binary.BigEndian]
	return append(order.AppendUint32([]byte(head), uint32(len(b))), b...)
}

// TestWAVUnfinished checks that samples behind an empty data chunk are played if the header sizes were never
// written. An empty file stays empty, also with a tag behind it.
func TestWAVUnfinished(t *testing.T) {
	full := mustDecode(t, formatFile(t, "wav-s16le-2.wav"))
	var data []byte
	for _, x := range full.Samples {
		data = binary.LittleEndian.AppendUint16(data, uint16(int16(x*32768)))
	}
	none := &Clip{Channels: 2, Rate: full.Rate}
	for _, c := range []struct {
		riff   uint32
		behind []byte
		want   *Clip
	}{{0, data, full}, {8, data, full}, {36, data, full}, {36, nil, none}, {36, id3("A=b"), none}, {36 + uint32(len(data)), append([]byte("junk\x00\x00\x00\x00"), data[8:]...), none}} {
		head := binary.LittleEndian.AppendUint32([]byte("RIFF"), c.riff)
		head = append(head, "WAVEfmt \x10\x00\x00\x00\x01\x00\x02\x00"...)
		head = binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint32(head, uint32(full.Rate)), uint32(4*full.Rate))
		head = append(head, "\x04\x00\x10\x00data\x00\x00\x00\x00"...)
		same(t, fmt.Sprintf("RIFF of %d bytes, %d behind", c.riff, len(c.behind)), slices.Concat(head, c.behind), c.want, len(c.want.Samples) > 0)
	}
}

// TestWAVFloats checks that floats above full scale are kept and non-finite ones become 0 with a note. It
// covers loads, streams, and decoding by a child process.
func TestWAVFloats(t *testing.T) {
	for name, c := range map[string]struct {
		set  map[int]float32
		note string
	}{
		"hot":     {set: map[int]float32{7: 12, 8: -32768, 9: 65536}},
		"NaN":     {set: map[int]float32{777: float32(math.NaN())}, note: "the sample of frame 777 is not a finite number: it is played as 0"},
		"several": {set: map[int]float32{70: float32(math.Inf(1)), 700: float32(math.Inf(-1)), 4000: float32(math.NaN())}, note: "3 samples are not finite numbers, the first in frame 70: they are played as 0"},
	} {
		at := 0
		v := variant{order: binary.LittleEndian, tag: 3, bits: 32, align: 4, sample: func(order binary.AppendByteOrder, x int16) []byte {
			y, ok := c.set[at]
			if !ok {
				y = float32(x) / 32768
			}
			at++
			return order.AppendUint32(nil, math.Float32bits(y))
		}}
		data := v.file(make([]int16, 4800), 1)
		want := &Clip{Channels: 1, Rate: 48000, Samples: make([]float32, 4800)}
		for i, x := range c.set {
			if !math.IsNaN(float64(x)) && !math.IsInf(float64(x), 0) {
				want.Samples[i] = x
			}
		}
		same(t, name, data, want, true)
		got := mustDecode(t, data)
		if strings.Join(got.Notes, "; ") != c.note {
			t.Errorf("%s: notes %q, want %q", name, got.Notes, c.note)
		}
		lib := NewLibrary(Options{})
		src := Source{File: "x", FS: fstest.MapFS{"x": {Data: data}}}
		stream, err := lib.OpenStream(src, StreamOptions{})
		if err != nil {
			t.Fatal(err)
		}
		err = lib.Scan(t.Context(), src)
		if info, _ := lib.Info(stream); err != nil || !slices.Equal(info.Notes, got.Notes) {
			t.Errorf("%s: as a stream %q, %v", name, info.Notes, err)
		}
		a := isolateReply{Clip: got, Frames: got.Frames()}
		var back isolateReply
		if err := back.parse(&lineWords{remaining: strings.Split(strings.TrimSuffix(a.encode(), "\n"), " ")}); err != nil || !slices.Equal(back.Notes, got.Notes) {
			t.Errorf("%s: from another process %q, %v", name, back.Notes, err)
		}
		if _, err := Prepare(got, Options{Masking: true}); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestLoopBeyond checks that a loop that ends beyond the sound is shortened with a note, loaded and streamed.
func TestLoopBeyond(t *testing.T) {
	clip := mustDecode(t, formatFile(t, "flac-16-2.flac"))
	frames := clip.Frames()
	for _, c := range []struct {
		end  int64
		note string
	}{
		{end: frames},
		{end: frames + 1, note: fmt.Sprintf("its loop ends at frame %d, the sound at frame %d: it is played up to there", frames+1, frames)},
		{end: 2 * frames, note: fmt.Sprintf("its loop ends at frame %d, the sound at frame %d: it is played up to there", 2*frames, frames)},
	} {
		data := slices.Concat(id3("LOOPSTART=10", fmt.Sprintf("LOOPEND=%d", c.end)), bareMP3(t, "mp3-no-note.mp3"))
		got := mustDecode(t, data)
		c.end += got.Frames() - frames
		data = slices.Concat(id3("LOOPSTART=10", fmt.Sprintf("LOOPEND=%d", c.end)), bareMP3(t, "mp3-no-note.mp3"))
		got = mustDecode(t, data)
		if got.Loop == nil || *got.Loop != [2]int64{10, min(c.end, got.Frames())} || (len(got.Notes) > 0) != (c.note != "") {
			t.Errorf("end %d of %d: loop %v, notes %q", c.end, got.Frames(), got.Loop, got.Notes)
		}
		if err := streamsAsLoaded(t, data, got, true); err != nil {
			t.Errorf("end %d: %v", c.end, err)
		}
	}
}

// TestNothing checks that a file without samples loads as 0 frames with a note.
func TestNothing(t *testing.T) {
	v := variant{order: binary.LittleEndian, tag: 1, bits: 16, align: 2}
	for name, data := range map[string][]byte{"wav": v.file(nil, 1), "flac": silentFLAC(0, 2, 0)} {
		if got := mustDecode(t, data); got.Frames() != 0 || !slices.Equal(got.Notes, []string{"there is no sound in it: it has 0 frames"}) {
			t.Errorf("%s: %d frames, notes %q", name, got.Frames(), got.Notes)
		}
	}
}

// TestOggPositions checks that positions that begin at any offset change neither the samples nor the trimming
// at the end, loaded and streamed, as in oggdec.
func TestOggPositions(t *testing.T) {
	for _, name := range []string{"vorbis-many-pages.ogg", "oggflac-2.oga", "opus-music-20-2.opus", "opus-speech-1.opus"} {
		pages := oggPages(formatFile(t, name))
		if len(pages) < 5 {
			continue // with a single page of sound the beginning is ambiguous
		}
		want := mustDecode(t, formatFile(t, name))
		for _, by := range []int64{1, 100, 123456789, 1 << 40} {
			same(t, fmt.Sprintf("%s from %d", name, by), moved(pages, by, 7), want, true)
		}
	}
}
