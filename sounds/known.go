package sounds

import (
	"cmp"
	"slices"
	"unicode/utf8"

	"voicepool/sounds/internal/source"
)

// formatOf knows a format by its content, and leaves in at the beginning.
func formatOf(in *source.Input) (*format, error) {
	data := in.Peek(source.Probe)
	if len(data) == 0 {
		return nil, cmp.Or(in.Err, source.Unknown("the file is empty"))
	}
	in.PassID3()
	tagged, body := in.At > 0, in.Peek(source.Probe)
	defer in.MoveTo(0)
	for i := range formats {
		if formats[i].is(body, tagged) {
			return &formats[i], nil
		}
	}
	for _, u := range unread {
		if at := u.at + len(u.magic); len(body) >= at && string(body[u.at:at]) == u.magic {
			return nil, u.refused()
		}
	}
	if isText(body[:min(len(body), 256)]) {
		return nil, source.Unknown("this is text, not a sound")
	}
	return nil, source.Unknown("neither WAV, AIFF, FLAC, Ogg Vorbis nor MP3")
}

// unknown is a format that is known by its name alone.
type unknown struct {
	at     int // where in the file the magic stands
	magic  string
	name   string
	ending string // of a file that ffmpeg converts
	advice string // what else makes a sound of it; both empty: nothing does
}

func (u *unknown) refused() error {
	switch {
	case u.ending != "":
		return source.Unread(u.name, u.ending)
	case u.advice != "":
		return source.Unknown("%s is not read; render it: %s", u.name, u.advice)
	}
	return source.Unknown("%s is not a sound", u.name)
}

// What renders scores and modules.
const (
	byFont    = "fluidsynth -F x.wav font.sf2 x.mid"
	byOpenMPT = "openmpt123 --render x"
)

var unread = slices.Concat([]unknown{
	{magic: "caff", name: "Core Audio", ending: "caf"},
	{at: 4, magic: "ftyp", name: "M4A or MP4 (AAC)", ending: "m4a"},
	{magic: "\x1aE\xdf\xa3", name: "Matroska or WebM", ending: "webm"},
	{magic: ".snd", name: "AU", ending: "au"},
	{magic: "wvpk", name: "WavPack", ending: "wv"},
	{magic: "MPCK", name: "Musepack", ending: "mpc"},
	{magic: "MP+", name: "Musepack", ending: "mpc"},
	{magic: "MAC ", name: "Monkey's Audio", ending: "ape"},
	{magic: "TTA1", name: "True Audio", ending: "tta"},
	{magic: "0&\xb2u", name: "WMA", ending: "wma"},
	{magic: "ADIF", name: "AAC", ending: "aac"},
	{magic: "\xff\xf0", name: "AAC", ending: "aac"},
	{magic: "\xff\xf1", name: "AAC", ending: "aac"},
	{magic: "\xff\xf8", name: "AAC", ending: "aac"},
	{magic: "\xff\xf9", name: "AAC", ending: "aac"},
	{magic: "\x0b\x77", name: "AC-3", ending: "ac3"},
	{magic: "#!AMR", name: "AMR", ending: "amr"},
	{magic: "DSD ", name: "DSD", ending: "dsf"},
	{magic: "Creative Voice File", name: "Creative Voice", ending: "voc"},
	{magic: "riff.\x91\xcf\x11", name: "Wave64", ending: "w64"},
	{magic: ".RMF", name: "RealAudio", ending: "rm"},
	{magic: ".ra\xfd", name: "RealAudio", ending: "ra"},
	{magic: "RIFX", name: "RIFX", ending: "wav"},
	{magic: "MThd", name: "MIDI", advice: byFont},
	{magic: "IMPM", name: "an Impulse Tracker module", advice: byOpenMPT + ".it"},
	{magic: "Extended Module: ", name: "an XM module", advice: byOpenMPT + ".xm"},
	{at: 44, magic: "SCRM", name: "an S3M module", advice: byOpenMPT + ".s3m"},
	{magic: "RIFF", name: "RIFF without WAVE"},
	{magic: "FORM", name: "an IFF file that is no AIFF"},
	{magic: "PK\x03\x04", name: "ZIP"},
	{magic: "\x89PNG", name: "PNG"},
	{magic: "\xff\xd8\xff", name: "JPEG"},
}, modules("M.K.", "M!K!", "FLT4", "FLT8", "4CHN", "6CHN", "8CHN"))

// modules returns the kinds of MOD, which have their magic behind the list of samples.
func modules(magics ...string) (list []unknown) {
	for _, m := range magics {
		list = append(list, unknown{at: 1080, magic: m, name: "a MOD module", advice: byOpenMPT + ".mod"})
	}
	return list
}

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
