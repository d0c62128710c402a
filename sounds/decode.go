package sounds

import (
	"bytes"
	"context"
	"io"
	"unicode/utf8"
)

// Decode reads a whole sound from r: WAV, FLAC, Ogg Vorbis or MP3, known by
// its content. name stands in errors, which are one line and wrap ErrFormat,
// ErrDecode, ErrLimit, what r failed with, or the end of ctx. Hostile data is an
// error, never a panic, a hang or much memory. Control side.
//
// Decode reads r from another goroutine. It returns when ctx ends, or when r gives
// nothing for Limits.Time, but at least a second; a Read that is under way then is left behind.
func Decode(ctx context.Context, name string, r io.Reader, lim Limits) (*Clip, error) {
	open := func(context.Context) (io.ReadCloser, error) { return io.NopCloser(r), nil }
	return decodeFrom(ctx, name, open, lim)
}

// decodeFrom is Decode for what has to be opened first.
func decodeFrom(ctx context.Context, name string, open opening, lim Limits) (*Clip, error) {
	clip, err := decode(ctx, open, lim.withDefaults())
	if err != nil {
		return nil, named(name, err)
	}
	clip.Name = name
	return clip, nil
}

// decode is Decode without the name, under limits that have their defaults.
func decode(ctx context.Context, open opening, lim Limits) (*Clip, error) {
	data, err := gather(ctx, open, lim.Bytes, max(lim.Time, grace))
	if err != nil {
		return nil, err
	}
	if len(lim.Isolate) > 0 {
		return decodeIsolated(ctx, data, lim)
	}
	in := newWhole(data)
	openFormat, err := formatOf(in)
	if err != nil {
		return nil, err
	}
	return guarded(ctx, lim.Time, func(ctx context.Context) (*Clip, error) {
		r, err := openFormat(in, lim.forSize(len(data)))
		if err != nil {
			return nil, err
		}
		clip, err := drain(ctx, r)
		if err != nil {
			return nil, err
		}
		return clip, clip.check()
	})
}

// probe is how many bytes it takes to know a format.
const probe = maxRubbish + 4<<10

// formatOf knows a format by its content, and leaves in at the beginning.
func formatOf(in *input) (opener, error) {
	data := in.peek(probe)
	if len(data) == 0 && in.err != nil {
		return nil, in.err
	}
	if len(data) == 0 {
		return nil, unknown("the file is empty")
	}
	data = bytes.Clone(data[:min(len(data), 256)])
	in.passID3()
	tagged := in.at > 0
	body := in.peek(probe)
	open := func() opener {
		switch {
		case isWAV(data):
			return openWAV
		case bytes.HasPrefix(body, []byte("fLaC")):
			return openFLAC
		case bytes.HasPrefix(data, []byte("OggS")):
			return openOgg
		case tagged || isMP3(body):
			return openMP3
		}
		return nil
	}()
	in.seek(0)
	if open != nil {
		return open, nil
	}
	for _, f := range [...]struct {
		at          int
		magic, name string
	}{
		{0, "FORM", "AIFF"}, {0, "MThd", "MIDI"}, {0, "caff", "Core Audio"}, {4, "ftyp", "MP4"}, {0, "\x1aE\xdf\xa3", "Matroska or WebM"},
		{0, ".snd", "AU"}, {0, "wvpk", "WavPack"}, {0, "MAC ", "Monkey's Audio"}, {0, "0&\xb2u", "WMA"}, {0, "RIFF", "RIFF without WAVE"},
		{0, "PK\x03\x04", "ZIP"}, {0, "\x89PNG", "PNG"}, {0, "\xff\xd8\xff", "JPEG"},
	} {
		if len(data) >= f.at+len(f.magic) && string(data[f.at:f.at+len(f.magic)]) == f.magic {
			return nil, unknown("%s is not read; WAV, FLAC, Ogg Vorbis and MP3 are", f.name)
		}
	}
	if isText(data) {
		return nil, unknown("this is text, not a sound")
	}
	return nil, unknown("neither WAV, FLAC, Ogg Vorbis nor MP3")
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

// id3Size returns the length of the ID3v2 tags that data begins with, which is
// never more than data is long.
func id3Size(data []byte) int {
	in := newWhole(data)
	in.passID3()
	return int(in.at)
}
