package library

import (
	"cmp"
	"encoding/binary"
	"unicode/utf8"

	"voicepool/sounds/internal/source"
)

// formatOf detects the format of the file in by its content, skipping ID3v2 tags and zeros at the beginning. It leaves
// in at the beginning of the file. Formats with magic bytes are tried first, including unsupported ones. MP3 has no
// magic bytes, so formatOf last searches for MP3 frames; unknown data after an ID3v2 tag also counts as MP3. The error
// wraps ErrFormat and names the unsupported format or describes the file. If the file cannot be read from its
// beginning, it is the read error.
func formatOf(in *source.Input) (*format, error) {
	if len(in.Peek(source.Probe)) == 0 {
		return nil, cmp.Or(in.Err, source.FormatErrorf("the file is empty"))
	}
	defer in.MoveTo(0)
	var f *format
	var err error
	tagged := in.SkipFront(func(beginning []byte) bool {
		f, err = detectMagic(beginning)
		return f != nil || err != nil
	})
	body := in.Peek(source.Probe)
	switch {
	case f != nil || err != nil:
		return f, err
	case tagged || mp3Format.matches(body):
		return &mp3Format, nil
	case len(body) > 0 && isText(body[:min(len(body), 256)]):
		return nil, source.FormatErrorf("this is text, not a sound")
	}
	return nil, source.FormatErrorf("neither WAV, AIFF, FLAC, Ogg Vorbis, Opus nor MP3")
}

// detectMagic detects a format by the magic bytes at the beginning of body. For an unsupported format it returns nil
// and an error that wraps ErrFormat and names the format. If it recognizes no format, both results are nil.
func detectMagic(body []byte) (*format, error) {
	for i := range formats {
		if formats[i].matches(body) {
			return &formats[i], nil
		}
	}
	for i := range unsupported {
		if unsupported[i].matches(body) {
			return nil, unsupported[i].unsupportedError()
		}
	}
	return nil, nil
}

// unsupportedFormat is an unsupported format that is recognized only to name it in the error.
type unsupportedFormat struct {
	at       int // offset of the magic bytes
	magic    string
	riffForm string                 // bytes at offset 8 after the magic, as in RIFF; empty: any
	check    func(body []byte) bool // further check if the magic bytes are too few; nil: unnecessary
	name     string
	tool     string // the command that converts it; empty: the file is not a sound
}

// matches reports whether body, the beginning of a file, has the magic bytes of the format at their offset and passes
// its further checks. It returns false if fewer than 8 bytes of body follow that offset.
func (u *unsupportedFormat) matches(body []byte) bool {
	return hasBytes(body, u.at, u.magic) && hasBytes(body, u.at+8, u.riffForm) && (u.check == nil || u.check(body))
}

// hasBytes reports whether b contains text at the byte offset at. It returns false if b ends before at+len(text),
// even for an empty text.
func hasBytes(b []byte, at int, text string) bool {
	return len(b) >= at+len(text) && string(b[at:at+len(text)]) == text
}

// unsupportedError returns an error that wraps ErrFormat and names the format. Its text also has the command that
// converts the file, with placeholders such as {file} for the name. Without such a command, the text reports that the
// format is not a sound.
func (u *unsupportedFormat) unsupportedError() error {
	if u.tool == "" {
		return source.FormatErrorf("%s is not a sound", u.name)
	}
	return source.FormatErrorf("%s is not read; convert it: %s", u.name, u.tool)
}

// Commands that convert unsupported formats. fillFileName replaces the placeholders.
const (
	byFFmpeg  = source.ConvertCommand
	fromVideo = "ffmpeg -i {file} -vn {file.flac}"
	bySndfile = "sndfile-convert {file} {file.wav}"
	bySox     = "sox {file} {file.wav}"
	byFont    = "fluidsynth -F {file.wav} font.sf2 {file}"
	byOpenMPT = "openmpt123 --render {file}"
)

var unsupported = [...]unsupportedFormat{
	{at: 4, magic: "ftypM4A", name: "M4A", tool: fromVideo},
	{at: 4, magic: "ftypM4B", name: "M4B", tool: fromVideo},
	{at: 4, magic: "ftypqt  ", name: "QuickTime (MOV)", tool: fromVideo},
	{at: 4, magic: "ftyp3g", name: "3GP", tool: fromVideo},
	{at: 4, magic: "ftyp", name: "MP4", tool: fromVideo},
	{at: 4, magic: "moov", check: isAtom, name: "QuickTime (MOV)", tool: fromVideo},
	{at: 4, magic: "mdat", check: isAtom, name: "QuickTime (MOV)", tool: fromVideo},
	{at: 4, magic: "wide", check: isAtom, name: "QuickTime (MOV)", tool: fromVideo},
	{at: 4, magic: "free", check: isAtom, name: "QuickTime (MOV)", tool: fromVideo},
	{at: 4, magic: "skip", check: isAtom, name: "QuickTime (MOV)", tool: fromVideo},
	{magic: "caff", name: "Core Audio (CAF)", tool: byFFmpeg},
	{magic: "\x1aE\xdf\xa3", name: "Matroska or WebM", tool: fromVideo},
	{magic: "RIFF", riffForm: "AVI ", name: "AVI", tool: fromVideo},
	{magic: "FLV\x01", name: "Flash video", tool: fromVideo},
	{magic: "FWS", check: isFlash, name: "Flash (SWF)", tool: fromVideo},
	{magic: "CWS", check: isFlash, name: "Flash (SWF)", tool: fromVideo},
	{magic: "nut/multimedia container", name: "NUT", tool: fromVideo},
	{magic: "G", check: isTS, name: "an MPEG transport stream", tool: fromVideo},
	{at: 4, magic: "G", check: isM2TS, name: "an MPEG transport stream", tool: fromVideo},
	{magic: "\x00\x00\x01\xba", name: "an MPEG program stream", tool: fromVideo},
	{magic: "\x06\x0e\x2b\x34\x02\x05\x01\x01", name: "MXF", tool: fromVideo},
	{magic: "0&\xb2u\x8ef\xcf\x11", name: "WMA", tool: fromVideo},
	{magic: ".RMF", name: "RealAudio", tool: fromVideo},
	{magic: ".ra\xfd", name: "RealAudio", tool: byFFmpeg},
	{magic: ".snd", name: "AU", tool: byFFmpeg},
	{magic: "dns.", name: "AU", tool: bySox},
	{magic: "riff\x2e\x91\xcf\x11", name: "Wave64", tool: byFFmpeg},
	{magic: "wvpk", name: "WavPack", tool: byFFmpeg},
	{magic: "MPCK", name: "Musepack", tool: byFFmpeg},
	{magic: "MP+", name: "Musepack", tool: byFFmpeg},
	{magic: "MAC ", name: "Monkey's Audio", tool: byFFmpeg},
	{magic: "TTA1", name: "True Audio", tool: byFFmpeg},
	{magic: "tBaK", name: "TAK", tool: byFFmpeg},
	{magic: "ajkg", name: "Shorten", tool: byFFmpeg},
	{magic: "OFR ", name: "OptimFROG", tool: "ofr --decode {file} --output {file.wav}"},
	{magic: "ADIF", name: "AAC", tool: byFFmpeg},
	{magic: "\xff", check: isADTS, name: "AAC", tool: byFFmpeg},
	{magic: "\x56", check: isLOAS, name: "AAC", tool: byFFmpeg},
	{magic: "\x0b\x77", check: isAC3, name: "AC-3", tool: byFFmpeg},
	{magic: "\x7f\xfe\x80\x01", name: "DTS", tool: byFFmpeg},
	{magic: "\xfe\x7f\x01\x80", name: "DTS", tool: byFFmpeg},
	{magic: "\x1f\xff\xe8\x00", name: "DTS", tool: byFFmpeg},
	{magic: "\xff\x1f\x00\xe8", name: "DTS", tool: byFFmpeg},
	{magic: "#!AMR", name: "AMR", tool: byFFmpeg},
	{magic: "DSD ", name: "DSD", tool: byFFmpeg},
	{magic: "FRM8", name: "DSD", tool: byFFmpeg},
	{magic: "Creative Voice File", name: "Creative Voice", tool: byFFmpeg},
	{magic: "FORM", riffForm: "8SVX", name: "IFF 8SVX", tool: byFFmpeg},
	{magic: "FORM", riffForm: "16SV", name: "IFF 16SV", tool: bySndfile},
	{magic: "\x64\xa3", check: isIRCAM, name: "IRCAM", tool: byFFmpeg},
	{magic: "\x00\x00", check: isIRCAM, name: "IRCAM", tool: byFFmpeg},
	{magic: "NIST_1A\n", name: "NIST SPHERE", tool: byFFmpeg},
	{magic: "PVF1\n", name: "PVF", tool: byFFmpeg},
	{magic: " paf", name: "Ensoniq PARIS", tool: byFFmpeg},
	{magic: "fap ", name: "Ensoniq PARIS", tool: byFFmpeg},
	{magic: "2BIT", name: "AVR", tool: byFFmpeg},
	{magic: ".SoX", name: "a file of sox", tool: bySox},
	{magic: "XoS.", name: "a file of sox", tool: bySox},
	{magic: "SOUND\x1a", name: "SNDT", tool: bySox},
	{magic: "Extended Instrument: ", name: "an XI instrument", tool: "sndfile-convert -pcm16 {file} {file.wav}"},
	{magic: "MATLAB 5.0 MAT-file", name: "MATLAB", tool: bySndfile},
	{magic: "MMMD", name: "SMAF", tool: byFFmpeg},
	{magic: "STRM", name: "AST", tool: byFFmpeg},
	{magic: "qoaf", name: "QOA", tool: byFFmpeg},
	{magic: "OMA", name: "ATRAC", tool: byFFmpeg},
	{magic: "ea3\x03", name: "ATRAC", tool: byFFmpeg},
	{magic: "MThd", name: "MIDI", tool: byFont},
	{magic: "RIFF", riffForm: "RMID", name: "MIDI", tool: byFont},
	{magic: "IMPM", name: "an Impulse Tracker module", tool: byOpenMPT},
	{magic: "Extended Module: ", name: "an XM module", tool: byOpenMPT},
	{at: 44, magic: "SCRM", name: "an S3M module", tool: byOpenMPT},
	{at: 1080, magic: "M.K.", name: "a MOD module", tool: byOpenMPT},
	{at: 1080, magic: "M!K!", name: "a MOD module", tool: byOpenMPT},
	{at: 1080, magic: "FLT4", name: "a MOD module", tool: byOpenMPT},
	{at: 1080, magic: "FLT8", name: "a MOD module", tool: byOpenMPT},
	{at: 1080, magic: "4CHN", name: "a MOD module", tool: byOpenMPT},
	{at: 1080, magic: "6CHN", name: "a MOD module", tool: byOpenMPT},
	{at: 1080, magic: "8CHN", name: "a MOD module", tool: byOpenMPT},
	{magic: "RIFF", riffForm: "sfbk", name: "a SoundFont"},
	{magic: "RIFF", name: "RIFF without WAVE"},
	{magic: "RIFX", name: "RIFX without WAVE"},
	{magic: "FORM", name: "an IFF file that is no AIFF"},
	{magic: "PK\x03\x04", name: "ZIP"},
	{magic: "\x1f\x8b\x08", name: "gzip"},
	{magic: "7z\xbc\xaf\x27\x1c", name: "7z"},
	{magic: "Rar!\x1a\x07", name: "RAR"},
	{magic: "%PDF-", name: "PDF"},
	{magic: "GIF8", name: "GIF"},
	{magic: "\x89PNG", name: "PNG"},
	{magic: "\xff\xd8\xff", name: "JPEG"},
}

// isAtom reports whether b begins with a plausible size of a QuickTime atom, four bytes in big-endian order. A size
// from 8, the size of the atom's header, to below 2^31 is plausible. So is 1, which announces a 64-bit size. Requires
// at least four bytes.
func isAtom(b []byte) bool {
	size := binary.BigEndian.Uint32(b)
	return size == 1 || size >= 8 && size < 1<<31
}

// isFlash reports whether b, which begins with the magic bytes, has a whole Flash header of 8 bytes with a plausible
// version, 1..63.
func isFlash(b []byte) bool { return len(b) >= 8 && b[3] > 0 && b[3] < 64 }

// isTS reports whether the first three packets of an MPEG transport stream, 188 bytes each, begin with a sync byte. It
// returns false if b ends before the third sync byte.
func isTS(b []byte) bool { return syncs(b, 0, 188) }

// isM2TS reports whether the first three packets of 192 bytes each have a sync byte after their first four bytes. It
// returns false if b ends before the third sync byte.
func isM2TS(b []byte) bool { return syncs(b, 4, 192) }

// syncs reports whether each of the first three packets in b has the sync byte 'G' of an MPEG transport stream.
// Packets are size bytes long, and the parameter first is the offset of the sync byte in a packet. It returns false if
// b ends before the third sync byte.
func syncs(b []byte, first, size int) bool {
	for at := first; at <= first+2*size; at += size {
		if at >= len(b) || b[at] != 'G' {
			return false
		}
	}
	return true
}

// isADTS reports whether b begins with a plausible AAC frame in ADTS. The frame's header must be valid, and behind the
// frame there must be another such header, unless b ends at most one byte later. The frame itself may be cut off.
// Requires that b begins with the magic byte 0xff.
func isADTS(b []byte) bool {
	if len(b) < 7 || b[1]&0xf6 != 0xf0 || b[2]&0x3c > 12<<2 {
		return false
	}
	size := int(b[3]&3)<<11 | int(b[4])<<3 | int(b[5])>>5
	return size >= 7 && (size >= len(b)-1 || b[size] == 0xff && b[size+1] == b[1])
}

// isLOAS reports whether b begins with a plausible AAC frame in LOAS. The frame's header must be valid, and behind the
// frame there must be another such header, unless b ends at most one byte later. The frame itself may be cut off.
// Requires that b begins with the magic byte 0x56.
func isLOAS(b []byte) bool {
	if len(b) < 3 || b[1]&0xe0 != 0xe0 {
		return false
	}
	size := 3 + (int(b[1]&0x1f)<<8 | int(b[2]))
	return size > 3 && (size >= len(b)-1 || b[size] == 0x56 && b[size+1]&0xe0 == 0xe0)
}

// isAC3 reports whether b, which begins with the magic bytes, has a plausible header of an AC-3 or E-AC-3 frame: at
// least 6 bytes, and a stream version of at most 16.
func isAC3(b []byte) bool { return len(b) >= 6 && b[5]>>3 <= 16 }

// isIRCAM reports whether b begins with a plausible IRCAM header, in either byte order. The header must have all four
// magic bytes and 1..255 channels. It returns false for fewer than 16 bytes.
func isIRCAM(b []byte) bool {
	if len(b) < 16 {
		return false
	}
	switch {
	case b[0] == 0x64 && b[1] == 0xa3 && b[2] < 5 && b[3] == 0:
		n := binary.LittleEndian.Uint32(b[8:])
		return n > 0 && n < 256
	case b[0] == 0 && b[1] < 5 && b[2] == 0xa3 && b[3] == 0x64:
		n := binary.BigEndian.Uint32(b[8:])
		return n > 0 && n < 256
	}
	return false
}

// isText reports whether b is UTF-8 text without control characters below the space, except tabs and line breaks.
// Invalid bytes among the last three are accepted, since the last character may be cut. An empty b counts as text.
func isText(b []byte) bool {
	for len(b) > 0 {
		r, size := utf8.DecodeRune(b)
		if r == utf8.RuneError && size == 1 && len(b) > 3 || r < ' ' && r != '\n' && r != '\r' && r != '\t' {
			return false
		}
		b = b[size:]
	}
	return true
}
