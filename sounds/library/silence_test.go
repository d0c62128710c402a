package library

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"math/bits"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"unicode/utf8"

	"voicepool/internal/longtest"
)

// silentFLAC returns a file of silent blocks of 4096 frames. Its header announces the given number of blocks.
func silentFLAC(blocks, channels, announced int) []byte {
	return silentFLACOf(4096, blocks, channels, announced)
}

// silentFLACOf is silentFLAC with blocks of size frames: 4096, 8192, 16384 or 32768.
func silentFLACOf(size, blocks, channels, announced int) []byte {
	info := make([]byte, 34)
	binary.BigEndian.PutUint16(info, uint16(size))
	binary.BigEndian.PutUint16(info[2:], uint16(size))
	binary.BigEndian.PutUint64(info[10:], 48000<<44|uint64(channels-1)<<41|15<<36|uint64(announced*size))
	code := byte(bits.Len(uint(size))-1) << 4 // of the block size
	b := append([]byte("fLaC\x80\x00\x00\x22"), info...)
	for i := range blocks {
		start := len(b)
		b = utf8.AppendRune(append(b, 0xff, 0xf8, code, byte(channels-1)<<4), rune(i))
		b = append(b, byte(crc(b[start:], 8, 0x07)))
		b = append(b, make([]byte, 3*channels)...) // constant: zero
		b = binary.BigEndian.AppendUint16(b, uint16(crc(b[start:], 16, 0x8005)))
	}
	return b
}

// silentOgg returns the headers of a file and one repeated packet, each of which adds a fixed number of frames.
func silentOgg(t *testing.T, name string, packet string, frames, packets int) []byte {
	t.Helper()
	var out, last []byte
	for _, page := range oggPages(formatFile(t, name)) {
		if last = page; binary.LittleEndian.Uint64(page[6:]) > 0 {
			break
		}
		out = append(out, page...)
	}
	sequence := binary.LittleEndian.Uint32(last[18:])
	for done := 0; done < packets; sequence++ {
		n := min(255, packets-done)
		page := append(bytes.Clone(last[:26]), byte(n))
		page = append(page, bytes.Repeat([]byte{byte(len(packet))}, n)...)
		page = append(page, strings.Repeat(packet, n)...)
		done += n
		page[5] = 0
		if done == packets {
			page[5] = 4
		}
		binary.LittleEndian.PutUint64(page[6:], uint64(done*frames))
		binary.LittleEndian.PutUint32(page[18:], sequence)
		setOggSum(page)
		out = append(out, page...)
	}
	return out
}

// TestSilence checks that minutes of silence are read, loaded and streamed alike, within the memory limit.
func TestSilence(t *testing.T) {
	const minutes = 300 * 48000 / 4096
	size, blocks := 4096, minutes
	if !longtest.Enabled() {
		size, blocks = 32768, 138 // a minute and a half
	}
	wide, packets := longtest.Amount(352, minutes/2), longtest.Amount(1650, 3000)
	for name, c := range map[string]struct {
		data   []byte
		frames int64
	}{
		"flac":               {silentFLACOf(size, blocks, 2, blocks), int64(blocks * size)},
		"flac without count": {silentFLACOf(size, blocks, 2, 0), int64(blocks * size)},
		"flac, 8 channels":   {silentFLAC(wide, 8, wide), int64(wide) * 4096},
		"vorbis, 8 channels": {silentOgg(t, "vorbis-44100-8.ogg", "\x0e", 1024, packets), int64(packets-1) * 1024},
		"opus":               {silentOgg(t, "opus-music-20-2.opus", "\xff\x06"+strings.Repeat("\xff\xfe", 6), 5760, 1120), 1120*5760 - 312}, // six blocks in each packet
	} {
		t.Run(name, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			clip := mustDecode(t, c.data)
			runtime.ReadMemStats(&after)
			size := int64(4 * clip.Channels * int(clip.Frames()))
			if clip.Frames() != c.frames {
				t.Errorf("%d frames, want %d", clip.Frames(), c.frames)
			}
			if size < 32<<20+1000*int64(len(c.data)) {
				t.Errorf("%d bytes of a file of %d are no test of the limit", size, len(c.data))
			}
			if slices.ContainsFunc(clip.Samples, func(x float32) bool { return x != 0 }) && name != "opus" {
				t.Error("it is not silent")
			}
			if took := int64(after.TotalAlloc - before.TotalAlloc); took > size+72<<20 {
				t.Errorf("%d bytes were allocated for %d of samples", took, size)
			}
			s, err := NewLibrary(Options{Rate: clip.Rate}).OpenStream(Source{File: "x", FS: fstest.MapFS{"x": {Data: c.data}}}, StreamOptions{})
			if err != nil || s.Frames() != c.frames && name != "flac without count" { // its length is unknown before its end
				t.Errorf("as a stream it has %d frames, %v", s.Frames(), err)
			}
		})
	}
}

// TestSwollen checks that larger sounds are rejected before their memory is allocated, with the rule and remedy
// in the error.
func TestSwollen(t *testing.T) {
	for name, c := range map[string]struct {
		data []byte
		lim  Limits
		want string
	}{
		"times the file":  {swelling(30), Limits{}, "its samples take more than 32 MiB plus 16000 times its 1062 bytes; play it as a stream (stream: true)"},
		"a large file":    {silentFLAC(8000, 8, longtest.Amount(8000, 0)), Limits{}, "its samples take more than 536870912 bytes; play it as a stream (stream: true)"},
		"memory":          {silentFLAC(4000, 8, 4000), Limits{Memory: 40 << 20}, "its samples take more than 41943040 bytes; play it as a stream (stream: true)"},
		"memory, unknown": {silentFLAC(4000, 8, 0), Limits{Memory: 40 << 20}, "its samples take more than 41943040 bytes; play it as a stream (stream: true)"},
		"frames":          {silentFLAC(4000, 1, 0), Limits{Frames: 1 << 20}, "more than 1048576 frames; play it as a stream (stream: true)"},
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := Decode(context.Background(), "x", bytes.NewReader(c.data), c.lim)
		runtime.ReadMemStats(&after)
		if !errors.Is(err, ErrLimit) || err.Error() != "sounds: x: "+c.want {
			t.Errorf("%s: error %v, want %s", name, err, c.want)
		}
		if took := after.TotalAlloc - before.TotalAlloc; took > uint64(longtest.Amount(160, 300))<<20 {
			t.Errorf("%s: %d bytes were allocated", name, took)
		}
	}
}

// TestCutShort checks that truncation is reported for any announced length.
func TestCutShort(t *testing.T) {
	const blocks = 300 * 48000 / 4096
	data := silentFLAC(blocks, 2, blocks)
	for _, length := range []int{len(data) / 2, 200, 60, 50, 42} {
		c, err := Decode(context.Background(), "x", bytes.NewReader(data[:length]), Limits{})
		if err == nil && len(c.Damages) > 0 {
			err = c.Damages[len(c.Damages)-1].Err
		}
		if !errors.Is(err, ErrDecode) || !strings.Contains(err.Error(), "cut short") {
			t.Errorf("%d bytes of %d: error %v, want that it is cut short", length, len(data), err)
		}
	}
}
