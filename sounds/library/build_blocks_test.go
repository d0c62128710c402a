package library

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
	"testing"

	"voicepool/pcm"
)

// flacFrames splits a FLAC file into its metadata blocks and its numbered frames.
func flacFrames(data []byte) (meta, frames [][]byte) {
	at := 4
	for last := false; !last; {
		last = data[at]&0x80 != 0
		size := 4 + int(binary.BigEndian.Uint32(data[at:])&0xffffff)
		meta, at = append(meta, data[at:at+size]), at+size
	}
	from := at
	for at++; at+16 < len(data); at++ {
		number, size := 0, 1
		for _, x := range [...]struct{ mask, mark, size int }{{0x80, 0, 1}, {0xe0, 0xc0, 2}, {0xf0, 0xe0, 3}} {
			if int(data[at+4])&x.mask == x.mark {
				number, size = int(data[at+4])&^x.mask, x.size
			}
		}
		for _, x := range data[at+5 : at+4+size] {
			number = number<<6 | int(x&0x3f)
		}
		end := at + 4 + size
		if data[at+2]>>4 == 7 { // the last block ends with its length
			end += 2
		} else if data[at+2]>>4 == 6 {
			end++
		}
		next := data[at] == 0xff && data[at+1] == 0xf8 && number == len(frames)+1
		if next && byte(crc(data[at:end], 8, 0x07)) == data[end] {
			frames, from = append(frames, data[from:at]), at
		}
	}
	return meta, append(frames, data[from:])
}

// inOgg wraps a FLAC file with blocks of 4096 frames in Ogg, with several frames per page.
func inOgg(flac []byte, serial uint32) (out []byte) {
	meta, frames := flacFrames(flac)
	sequence := uint32(0)
	page := func(flags byte, granule int64, packets ...[]byte) {
		var lacing, body []byte
		for _, p := range packets {
			lacing = append(append(lacing, bytes.Repeat([]byte{255}, len(p)/255)...), byte(len(p)%255))
			body = append(body, p...)
		}
		b := append([]byte("OggS\x00"), flags)
		b = binary.LittleEndian.AppendUint64(b, uint64(granule))
		b = binary.LittleEndian.AppendUint32(b, serial)
		b = binary.LittleEndian.AppendUint32(b, sequence)
		b = append(append(append(b, 0, 0, 0, 0, byte(len(lacing))), lacing...), body...)
		setOggSum(b)
		out = append(out, b...)
		sequence++
	}
	first := append([]byte("\x7fFLAC\x01\x00"), byte(len(meta)>>8), byte(len(meta)-1))
	page(2, 0, append(append(first, "fLaC"...), meta[0]...))
	for _, m := range meta[1:] {
		page(0, 0, m)
	}
	total := int64(binary.BigEndian.Uint64(flac[18:]) & (1<<36 - 1))
	for i := 0; i < len(frames); {
		n, size := 0, 0
		for i+n < len(frames) && (n == 0 || size+len(frames[i+n]) < 40000) {
			size += len(frames[i+n])
			n++
		}
		flags := byte(0)
		if i+n == len(frames) {
			flags = 4
		}
		page(flags, min(total, int64(i+n)*4096), frames[i:i+n]...)
		i += n
	}
	return out
}

// riff returns a WAV file with the given chunks.
func riff(chunks ...string) []byte {
	b := []byte("RIFF\x00\x00\x00\x00WAVE")
	for _, c := range chunks {
		b = append(b, c...)
	}
	binary.LittleEndian.PutUint32(b[4:], uint32(len(b)-8))
	return b
}

// bit returns a chunk of a WAV or AIFF file.
func bit(order binary.AppendByteOrder, id string, body []byte) string {
	b := append(order.AppendUint32([]byte(id), uint32(len(body))), body...)
	if len(body)%2 == 1 {
		b = append(b, 0)
	}
	return string(b)
}

// adpcmFmt returns the fmt chunk of ADPCM.
func adpcmFmt(tag, channels, align, frames int) []byte {
	b := []byte{byte(tag), 0, byte(channels), 0, 0x44, 0xac, 0, 0, 0, 0, 0, 0, byte(align), byte(align >> 8), 4, 0}
	b = append(b, 2, 0, byte(frames), byte(frames>>8))
	if tag != 2 {
		return b
	}
	b = append(b, 7, 0)
	for _, x := range []int16{256, 0, 512, -256, 0, 0, 192, 64, 240, 0, 460, -208, 392, -232} {
		b = binary.LittleEndian.AppendUint16(b, uint16(x))
	}
	return b
}

// longADPCM returns a file with blocks of random codes and quiet headers of head bytes. Its last block has
// seven frames of sound.
func longADPCM(tag, channels, align, head, frames int) []byte {
	random := rand.New(rand.NewPCG(1, uint64(tag)))
	n := 255000/frames + 1
	data := make([]byte, n*align)
	for i := range data {
		if i%align >= head {
			data[i] = byte(random.Uint32())
		}
	}
	fact := binary.LittleEndian.AppendUint32(nil, uint32((n-1)*frames+7))
	le := binary.LittleEndian
	return riff(bit(le, "fmt ", adpcmFmt(tag, channels, align, frames)), bit(le, "fact", fact), bit(le, "data", data))
}

// longAIFF returns an AIFF file with random samples of 24 bits.
func longAIFF(frames int, more ...string) []byte {
	random := rand.New(rand.NewPCG(3, 4))
	data := make([]byte, 8+frames*6)
	for i := range data[8:] {
		data[8+i] = byte(random.Uint32())
	}
	be := binary.BigEndian
	comm := be.AppendUint16(be.AppendUint32([]byte{0, 2}, uint32(frames)), 24)
	comm = append(comm, 0x40, 0x0e, 0xac, 0x44, 0, 0, 0, 0, 0, 0)
	b := []byte("FORM\x00\x00\x00\x00AIFF" + bit(be, "COMM", comm))
	for _, m := range more {
		b = append(b, m...)
	}
	b = append(b, bit(be, "SSND", data)...)
	be.PutUint32(b[4:], uint32(len(b)-8))
	return b
}

// TestOggFLACIsFLAC checks that FLAC in Ogg gives the same samples and properties as the plain file.
func TestOggFLACIsFLAC(t *testing.T) {
	for _, name := range []string{"theme", "rain", "coin"} {
		data := mustRead(t, "../embedded/"+name+".flac")
		want, got := mustDecode(t, data), mustDecode(t, inOgg(data, 7))
		if got.Format != "oggflac" || got.Encoding != want.Encoding || got.Rate != want.Rate {
			t.Errorf("%s: %s %s at %d Hz", name, got.Format, got.Encoding, got.Rate)
		}
		sameSamples(t, name, got.Samples, want.Samples)
	}
}

func sameSamples(t *testing.T, name string, got, want []float32) {
	t.Helper()
	if len(got) != len(want) {
		t.Errorf("%s: %d samples, want %d", name, len(got), len(want))
		return
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("%s: sample %d is %v, want %v", name, i, got[i], want[i])
			return
		}
	}
}

// TestIMAChannels checks that each channel of multichannel IMA ADPCM decodes as it does in a mono file, with
// and without an EXTENSIBLE header.
func TestIMAChannels(t *testing.T) {
	le := binary.LittleEndian
	for channels := 1; channels <= 8; channels++ {
		random := rand.New(rand.NewPCG(7, uint64(channels)))
		const words = 5
		alone := make([][]byte, channels) // by channel, three blocks
		for ch := range alone {
			for range 3 {
				block := []byte{byte(random.Uint32()), byte(random.Uint32()), byte(random.IntN(89)), 0}
				for range 4 * words {
					block = append(block, byte(random.Uint32()))
				}
				alone[ch] = append(alone[ch], block...)
			}
		}
		var data []byte
		for at := 0; at < len(alone[0]); at += 4 {
			for ch := range alone {
				data = append(data, alone[ch][at:at+4]...)
			}
		}
		frames := 1 + 8*words
		head := adpcmFmt(0x11, channels, 4*(1+words)*channels, frames)
		got := mustDecode(t, riff(bit(le, "fmt ", head), bit(le, "data", data)))
		for ch := range alone {
			one := mustDecode(t, riff(bit(le, "fmt ", adpcmFmt(0x11, 1, 4*(1+words), frames)), bit(le, "data", alone[ch])))
			var mine []float32
			for i := ch; i < len(got.Samples); i += channels {
				mine = append(mine, got.Samples[i])
			}
			sameSamples(t, "a channel", mine, one.Samples)
		}
		wide := append(bytes.Clone(head), make([]byte, 20)...)
		le.PutUint16(wide, 0xfffe)
		le.PutUint16(wide[16:], 22)
		wide[24] = 0x11
		copy(wide[26:], "\x00\x00\x00\x00\x10\x00\x80\x00\x00\xaa\x00\x38\x9b\x71")
		sameSamples(t, "EXTENSIBLE", mustDecode(t, riff(bit(le, "fmt ", wide), bit(le, "data", data))).Samples, got.Samples)
	}
}

// marks returns a MARK chunk whose names have odd and even lengths.
func marks(places ...uint32) string {
	b := []byte{0, byte(len(places))}
	for i, p := range places {
		b = append(binary.BigEndian.AppendUint32(append(b, 0, byte(i+1)), p), byte(i))
		b = append(b, "abcdefgh"[:i]...)
		if i%2 == 0 {
			b = append(b, 0)
		}
	}
	return bit(binary.BigEndian, "MARK", b)
}

// inst returns an INST chunk with the mode and the two marks of the sustain loop.
func inst(mode, from, to byte) string {
	return bit(binary.BigEndian, "INST", []byte{60, 0, 0, 127, 1, 127, 0, 0, 0, mode, 0, from, 0, to, 0, 0, 0, 0, 0, 0})
}

// TestAIFFLoop checks that the loop lies between two marks, and that tags of an ID3 chunk override it.
func TestAIFFLoop(t *testing.T) {
	for _, c := range []struct {
		name string
		more []string
		want *pcm.Loop
	}{
		{name: "none"},
		{name: "forward", more: []string{marks(5, 100, 900), inst(1, 2, 3)}, want: &pcm.Loop{100, 900}},
		{name: "the instrument first", more: []string{inst(1, 1, 4), marks(0, 7, 8, 1000)}, want: &pcm.Loop{0, 1000}},
		{name: "off", more: []string{marks(100, 900), inst(0, 1, 2)}},
		{name: "no such mark", more: []string{marks(100, 900), inst(1, 1, 3)}},
		{name: "backwards", more: []string{marks(900, 100), inst(1, 1, 2)}},
		{name: "beyond the end", more: []string{marks(100, 1001), inst(1, 1, 2)}, want: &pcm.Loop{100, 1000}},
		{name: "behind the end", more: []string{marks(1000, 1001), inst(1, 1, 2)}},
		{name: "marks cut short", more: []string{marks(100, 900)[:14] + "\x00\x00", inst(1, 1, 2)}},
		{
			name: "a tag", more: []string{marks(100, 900), inst(1, 1, 2), bit(binary.BigEndian, "ID3 ", id3("LOOPSTART=10", "LOOPLENGTH=20"))},
			want: &pcm.Loop{10, 30},
		},
	} {
		got := mustDecode(t, longAIFF(1000, c.more...)).Loop
		if (got == nil) != (c.want == nil) || got != nil && *got != *c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

// TestWAVTags checks that the loop and gain tags of an id3 chunk are read.
func TestWAVTags(t *testing.T) {
	le := binary.LittleEndian
	pcm16 := []byte{1, 0, 1, 0, 0x44, 0xac, 0, 0, 0, 0, 0, 0, 2, 0, 16, 0}
	tag := id3("LOOPSTART=1", "LOOPEND=3", "REPLAYGAIN_TRACK_GAIN=-2 dB")
	c := mustDecode(t, riff(bit(le, "fmt ", pcm16), bit(le, "id3 ", tag), bit(le, "data", make([]byte, 8))))
	if c.Loop == nil || *c.Loop != (pcm.Loop{1, 3}) || c.Gain == nil || *c.Gain != -2 {
		t.Errorf("the loop %v and the gain %v", c.Loop, c.Gain)
	}
}
