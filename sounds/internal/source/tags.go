package source

import (
	"bytes"
	"encoding/binary"
	"math"
	"strconv"
	"strings"
	"unicode/utf16"

	"voicepool/pcm"
)

// Comments parses a block of Vorbis comments, as in FLAC and Ogg, and returns its entries. The block b begins with
// the vendor string, which is left out. Entries should be "KEY=value" but are not checked. An entry that is cut short
// ends the list, which may be nil: invalid tags do not make a sound invalid.
func Comments(b []byte) []string {
	next := func() (string, bool) {
		if len(b) < 4 {
			return "", false
		}
		n := uint64(binary.LittleEndian.Uint32(b))
		b = b[4:]
		if n > uint64(len(b)) {
			return "", false
		}
		s := string(b[:n])
		b = b[n:]
		return s, true
	}
	if _, ok := next(); !ok || len(b) < 4 { // the vendor string
		return nil
	}
	count := binary.LittleEndian.Uint32(b)
	b = b[4:]
	var list []string
	for range count {
		s, ok := next()
		if !ok {
			break
		}
		list = append(list, s)
	}
	return list
}

// readTags parses tags, each "KEY=value", into maps by upper-case key. values has all values, without spaces around
// them. numbers has those values that are integers from 0 to below 2^40. Malformed tags are ignored; if a key occurs
// twice, the last one wins, in numbers the last valid one.
func readTags(tags []string) (values map[string]string, numbers map[string]int64) {
	values, numbers = map[string]string{}, map[string]int64{}
	for _, tag := range tags {
		key, value, ok := strings.Cut(tag, "=")
		if !ok {
			continue
		}
		key, value = strings.ToUpper(key), strings.TrimSpace(value)
		values[key] = value
		if n, err := strconv.ParseInt(value, 10, 64); err == nil && n >= 0 && n < 1<<40 {
			numbers[key] = n
		}
	}
	return values, numbers
}

// Loop returns the loop of a sound with the given number of frames, or nil if the file has no loop. Loop tags count
// first. Without them, or if they give no valid loop, the loop of the smpl chunk or instrument counts. Loop tags
// without an end reach to the end of the sound. A loop that ends after the sound is truncated, and a loop that begins
// after it is ignored; both add a note to h.
func (h *Head) Loop(frames int64) *pcm.Loop {
	_, tags := readTags(h.Tags)
	if from, ok := firstOf(tags, "LOOPSTART", "LOOP_BEGIN", "LOOP_START"); ok {
		to := frames
		if n, ok := tags["LOOPLENGTH"]; ok {
			to = from + n
		} else if n, ok := firstOf(tags, "LOOP_END", "LOOPEND"); ok {
			to = n
		}
		if l := h.clipLoop(pcm.Loop{from, to}, frames); l != nil {
			return l
		}
	}
	if h.Smpl != (pcm.Loop{}) {
		return h.clipLoop(h.Smpl, frames)
	}
	return nil
}

// clipLoop returns the part of the loop l inside a sound with the given number of frames, or nil if l has no valid part
// inside. If it cuts or drops the loop, it adds a note to h, except for an empty sound.
func (h *Head) clipLoop(l pcm.Loop, frames int64) *pcm.Loop {
	switch cut := (pcm.Loop{l[0], min(l[1], frames)}); {
	case frames == 0:
		return nil
	case l.Inside(frames):
		return &l
	case cut.Inside(frames):
		h.Note("its loop ends at frame %d, the sound at frame %d: it is played up to there", l[1], frames)
		return &cut
	}
	h.Note("its loop [%d, %d) is not inside its %d frames, so it has none", l[0], l[1], frames)
	return nil
}

// firstOf returns the value in m of the first of keys that m contains, and true. If m contains no such key, it
// returns 0 and false.
func firstOf(m map[string]int64, keys ...string) (int64, bool) {
	for _, k := range keys {
		if n, ok := m[k]; ok {
			return n, true
		}
	}
	return 0, false
}

// TagReference is the target loudness of gain tags in LUFS, as in ReplayGain 2.0. R128 tags target -23.
const TagReference = -18

// MaxTagGain is the largest plausible gain of a tag, up or down, in dB.
const MaxTagGain = 64

// Gain returns the gain that the tags of the file demand, in dB, for a loudness of -18 LUFS (TagReference). It uses
// REPLAYGAIN_TRACK_GAIN, such as "-7.03 dB". Otherwise it converts R128_TRACK_GAIN, such as "-1234", which is in
// 256ths of a dB and for -23 LUFS. Without a plausible tag it returns nil.
func (h *Head) Gain() *pcm.Decibels {
	values, _ := readTags(h.Tags)
	if text, ok := values["REPLAYGAIN_TRACK_GAIN"]; ok {
		fields := strings.Fields(strings.ToLower(text))
		if len(fields) == 2 && fields[1] == "db" {
			fields = fields[:1]
		}
		if len(fields) == 1 {
			x, err := strconv.ParseFloat(strings.TrimSuffix(fields[0], "db"), 64)
			if gain := PlausibleGain(x); err == nil && gain != nil {
				return gain
			}
		}
	}
	if text, ok := values["R128_TRACK_GAIN"]; ok {
		if n, err := strconv.ParseInt(text, 10, 16); err == nil {
			return PlausibleGain(float64(float64(n)/256) + (TagReference - -23))
		}
	}
	return nil
}

// PlausibleGain returns a pointer to gain, a gain from a tag in dB. If gain is NaN or beyond ±64 dB (MaxTagGain), it
// returns nil.
func PlausibleGain(gain float64) *pcm.Decibels {
	if !(math.Abs(gain) <= MaxTagGain) {
		return nil
	}
	return (*pcm.Decibels)(&gain)
}

// maxID3 is the number of bytes of a tag that are searched: text usually precedes the pictures.
const maxID3 = 1 << 20

// ReadID3 moves in past all ID3v2 tags at the current position. It returns the user-defined texts of the first tag as
// "KEY=value", or nil without a tag. It searches only the first maxID3 bytes of that tag.
func (in *Input) ReadID3() (tags []string) {
	start := in.At
	if size := id3Tag(in.Peek(10)); size > 0 {
		tags = parseID3(in.ReadBytes(min(size, maxID3)))
	}
	in.MoveTo(start)
	in.SkipID3()
	return tags
}

// SkipID3 moves past all ID3v2 tags at the current position. Without a tag it does not move.
func (in *Input) SkipID3() {
	for {
		size := id3Tag(in.Peek(10))
		if size == 0 {
			return
		}
		in.Skip(min(size, in.Remaining()))
	}
}

// The maximum number of zeros and of runs of ID3v2 tags before a sound.
const (
	maxZeros = 1 << 20
	maxTags  = 16
)

// SkipFront skips zeros and ID3v2 tags before a sound. It stops when the function is accepts the bytes that follow,
// or when no tag or zero follows. It passes at least Probe bytes to is, or the rest of a shorter file. It skips at
// most maxTags runs of tags and maxZeros zeros. It returns true if it skipped a tag.
func (in *Input) SkipFront(is func(beginning []byte) bool) (tagged bool) {
	zeros, tags := maxZeros, maxTags
	for {
		b := in.Peek(Probe)
		if is(b) {
			return tagged
		}
		at := in.At
		if in.SkipID3(); in.At > at {
			tagged = true
			if tags--; tags == 0 {
				return tagged
			}
			continue
		}
		n := leadingZeros(b[:min(len(b), zeros)])
		if n == 0 {
			return tagged
		}
		n = max(n-3, 1) // the last three may belong to magic bytes
		in.Skip(int64(n))
		zeros -= n
	}
}

// leadingZeros returns the number of zero bytes at the beginning of b; len(b) if all are zero.
func leadingZeros(b []byte) int { return len(b) - len(bytes.TrimLeft(b, "\x00")) }

// skipZeros moves past all zero bytes at the current position.
func (in *Input) skipZeros() {
	for {
		b := in.Peek(1)
		n := leadingZeros(b)
		in.Skip(int64(n))
		if n < len(b) || n == 0 {
			return
		}
	}
}

// SkipTail moves past zeros and tags at the current position, and reports whether the end of the file follows. in
// stays after the zeros and tags even if the result is false.
func (in *Input) SkipTail() bool {
	for at := int64(-1); at != in.At; {
		at = in.At
		in.SkipTags()
		in.skipZeros()
	}
	return in.Remaining() == 0
}

// SkipTags moves past all ID3v1, ID3v2 and APE tags at the current position. Without a tag it does not move.
func (in *Input) SkipTags() {
	for {
		size := tagSize(in.Peek(apeHead), in.Remaining())
		if size == 0 {
			return
		}
		in.Skip(size)
	}
}

// BeginsTag reports whether b begins with an ID3v1, ID3v2 or APE tag.
func BeginsTag(b []byte) bool { return tagSize(b, math.MaxInt64) > 0 }

// The sizes of an ID3v1 tag, of the header of an ID3v2 tag, and of the header or footer of an APE tag.
const (
	id3v1   = 128
	id3Head = 10
	apeHead = 32
)

// tagSize returns the length in bytes of the ID3v1, ID3v2 or APE tag at the beginning of b; 0 without a tag. left is
// the number of bytes up to the end of the file. If the announced length of an ID3v2 or APE tag exceeds left, it
// returns only the size of the tag's header. An ID3v1 tag has 128 bytes, at most left. For an APE footer, which
// follows its data, it returns 32.
func tagSize(b []byte, left int64) int64 {
	if size := id3Tag(b); size > left {
		return id3Head
	} else if size > 0 {
		return size
	}
	switch {
	case bytes.HasPrefix(b, []byte("TAG")):
		return min(id3v1, left)
	case len(b) < apeHead || !bytes.HasPrefix(b, []byte("APETAGEX")):
		return 0
	}
	if header := b[23]&0x20 != 0; header { // otherwise it is the footer, and its size refers to the data before it
		if size := apeHead + int64(binary.LittleEndian.Uint32(b[12:])); size <= left {
			return size
		}
	}
	return apeHead
}

// BeginsID3 reports whether b begins with an ID3v2 tag.
func BeginsID3(b []byte) bool { return id3Tag(b) > 0 }

// id3Tag returns the length in bytes of the ID3v2 tag at the beginning of b, including header and footer. It reads
// only the header of 10 bytes, so the tag may be longer than b. Without a valid header it returns 0.
func id3Tag(b []byte) int64 {
	if len(b) < 10 || !bytes.HasPrefix(b, []byte("ID3")) {
		return 0
	}
	size := int64(0)
	for _, x := range b[6:10] {
		if x >= 0x80 {
			return 0
		}
		size = size<<7 | int64(x)
	}
	if b[5]&0x10 != 0 {
		size += 10 // a footer
	}
	return size + 10
}

// parseID3 returns the user-defined texts (TXXX frames) of the ID3v2 tag at the beginning of file, as "KEY=value".
// Without a tag it returns nil. A truncated frame ends the list. Frames with a format flag, such as compressed and
// encrypted ones, and bytes after the first maxID3, are ignored.
func parseID3(file []byte) []string {
	size := id3Tag(file)
	if size == 0 {
		return nil
	}
	version, flags := file[3], file[5]
	b := file[10:min(size, int64(len(file)), maxID3)]
	if flags&0x80 != 0 && version < 4 {
		b = bytes.ReplaceAll(b, []byte{0xff, 0}, []byte{0xff})
	}
	if flags&0x40 != 0 { // an extended header; in version 4 its size includes itself
		if len(b) < 4 {
			return nil
		}
		skip := uint64(binary.BigEndian.Uint32(b))
		if version < 4 {
			skip += 4
		}
		b = b[min(skip, uint64(len(b))):]
	}
	name, head, width := "TXXX", 10, 8 // width: bits per byte of a size
	switch version {
	case 2:
		name, head = "TXX", 6
	case 4:
		width = 7
	}
	var list []string
	for len(b) >= head && b[0] != 0 {
		n := uint64(0)
		for _, x := range b[len(name):][:len(name)] {
			n = n<<width | uint64(x)
		}
		if n > uint64(len(b)-head) {
			return list
		}
		body := b[head:][:n]
		if string(b[:len(name)]) == name && (version == 2 || b[9] == 0) { // neither compressed nor encrypted
			if s, ok := parseID3Text(body); ok {
				list = append(list, s)
			}
		}
		b = b[head:][n:]
	}
	return list
}

// parseID3Text converts b, the body of a TXXX frame of ID3v2, into "NAME=value". The text may be Latin-1, UTF-16 with
// a byte order mark, big-endian UTF-16, or UTF-8. It returns false if the encoding is unknown or the zero after the
// name is missing; the text then has no meaning.
func parseID3Text(b []byte) (string, bool) {
	if len(b) < 1 {
		return "", false
	}
	var text []rune
	switch kind := b[0]; kind {
	case 0: // Latin-1
		for _, x := range b[1:] {
			text = append(text, rune(x))
		}
	case 1, 2: // UTF-16, with a byte order mark or big-endian
		order := binary.ByteOrder(binary.BigEndian)
		var units []uint16
		for b = b[1:]; len(b) >= 2; b = b[2:] {
			switch u := order.Uint16(b); {
			case kind == 1 && u == 0xfffe:
				order = binary.LittleEndian
			case u != 0xfeff:
				units = append(units, u)
			}
		}
		text = utf16.Decode(units)
	case 3: // UTF-8
		text = []rune(string(b[1:]))
	default:
		return "", false
	}
	name, value, ok := strings.Cut(string(text), "\x00")
	return name + "=" + strings.TrimRight(value, "\x00"), ok
}
