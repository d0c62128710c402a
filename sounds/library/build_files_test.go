package library

import (
	"bytes"
	"encoding/binary"
	"strings"
	"testing"
	"unicode/utf8"
)

// The helpers below build files by independent rules, not with the code of the codecs.

// crc returns the remainder of b by a polynomial, bit by bit.
func crc(b []byte, bits int, polynomial uint32) uint32 {
	var sum uint32
	for _, x := range b {
		sum ^= uint32(x) << 24
		for range 8 {
			sum = sum<<1 ^ polynomial<<(32-bits)&-(sum>>31)
		}
	}
	return sum >> (32 - bits)
}

// setOggSum sets the checksum of a page.
func setOggSum(page []byte) {
	clear(page[22:26])
	binary.LittleEndian.PutUint32(page[22:], crc(page, 32, 0x04c11db7))
}

// oggPages splits a file into its pages.
func oggPages(data []byte) (pages [][]byte) {
	for len(data) > 0 {
		size := 27 + int(data[26])
		for _, n := range data[27:size] {
			size += int(n)
		}
		pages, data = append(pages, bytes.Clone(data[:size])), data[size:]
	}
	return pages
}

// longOgg repeats the audio pages of a file as one stream.
func longOgg(t testing.TB, name string, times int) []byte {
	data := formatFile(t, name)
	var out []byte
	var pages [][]byte
	for _, page := range oggPages(data) {
		if binary.LittleEndian.Uint64(page[6:]) == 0 {
			out = append(out, page...)
		} else {
			pages = append(pages, page)
		}
	}
	first := binary.LittleEndian.Uint32(pages[0][18:])
	length := int64(binary.LittleEndian.Uint64(pages[len(pages)-1][6:]))
	for i := range times {
		for j, p := range pages {
			p = bytes.Clone(p)
			if i < times-1 {
				p[5] &^= 4
			}
			binary.LittleEndian.PutUint64(p[6:], binary.LittleEndian.Uint64(p[6:])+uint64(int64(i)*length))
			binary.LittleEndian.PutUint32(p[18:], first+uint32(i*len(pages)+j))
			setOggSum(p)
			out = append(out, p...)
		}
	}
	return out
}

func movedSerial(data []byte, serial uint32) []byte { return moved(oggPages(data), 0, serial) }

// id3 returns a tag with user-defined values, "KEY=value".
func id3(list ...string) []byte {
	var body []byte
	for _, s := range list {
		s = "\x00" + strings.Replace(s, "=", "\x00", 1)
		body = append(binary.BigEndian.AppendUint32(append(body, "TXXX"...), uint32(len(s))), "\x00\x00"+s...)
	}
	n := len(body)
	return append([]byte{'I', 'D', '3', 3, 0, 0, 0, byte(n >> 14), byte(n >> 7 & 0x7f), byte(n & 0x7f)}, body...)
}

// withoutID3 removes the tag at the beginning of a file.
func withoutID3(data []byte) []byte {
	if !bytes.HasPrefix(data, []byte("ID3")) {
		return data
	}
	return data[10+int(data[6])<<21+int(data[7])<<14+int(data[8])<<7+int(data[9]):]
}

// mp3Size returns the length in bytes of the MP3 frame at the beginning of b, or 0 if there is no frame.
func mp3Size(b []byte) int {
	if len(b) < 4 || b[0] != 0xff || b[1]&0xe0 != 0xe0 {
		return 0
	}
	rate := [...]int{44100, 48000, 32000}[b[2]>>2&3]
	bits := [...]int{0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320}[b[2]>>4] * 144000
	if version := b[1] >> 3 & 3; version != 3 {
		bits = [...]int{0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160}[b[2]>>4] * 72000
		if rate /= 2; version == 0 {
			rate /= 2
		}
	}
	return bits/rate + int(b[2]>>1&1)
}

// longMP3 repeats the frames of a file. At each repetition the bit reservoir holds data of the last frames.
func longMP3(t testing.TB, name string, times int) []byte {
	data := withoutID3(formatFile(t, name))
	return bytes.Repeat(data[mp3Size(data):], times) // without the header frame with the length
}

// longFLAC repeats the blocks of the theme (two channels, 48 kHz), all of 4096 frames, and renumbers them.
func longFLAC(t testing.TB, blocks int) []byte {
	data := mustRead(t, "../embedded/theme.flac")
	start := 4
	for last := false; !last; {
		last = data[start]&0x80 != 0
		start += 4 + int(binary.BigEndian.Uint32(data[start:])&0xffffff)
	}
	var all [][]byte // without the last block, which is shorter
	for from, at := start, start+1; at+16 < len(data); at++ {
		number, size := utf8.DecodeRune(data[at+4:]) // FLAC writes numbers so
		head := data[at : at+4+size]
		if data[at] == 0xff && data[at+1] == 0xf8 && int(number) == len(all)+1 && byte(crc(head, 8, 0x07)) == data[at+4+size] {
			all, from = append(all, data[from:at]), at
		}
	}
	out := bytes.Clone(data[:start])
	binary.BigEndian.PutUint32(out[22:], uint32(4096*blocks))
	clear(out[26:42]) // no checksum of all samples
	for i := range blocks {
		from := all[i%len(all)]
		block := utf8.AppendRune(bytes.Clone(from[:4]), rune(i))
		block = append(block, byte(crc(block, 8, 0x07)))
		_, size := utf8.DecodeRune(from[4:])
		block = append(block, from[4+size+1:len(from)-2]...)
		out = append(out, binary.BigEndian.AppendUint16(block, uint16(crc(block, 16, 0x8005)))...)
	}
	return out
}
