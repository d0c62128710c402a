package library

import (
	"context"
	"errors"
	"io"

	"voicepool/sounds/internal/aiff"
	"voicepool/sounds/internal/flac"
	"voicepool/sounds/internal/mp3"
	"voicepool/sounds/internal/ogg"
	"voicepool/sounds/internal/opus"
	"voicepool/sounds/internal/source"
	"voicepool/sounds/internal/vorbis"
	"voicepool/sounds/internal/wav"
)

// Decode reads a whole sound from r and returns it at the rate and with the channels of the file. The format is
// detected by content: WAV, AIFF, FLAC, Ogg Vorbis, Opus or MP3. Errors are one line and begin with name after
// "sounds: ". They wrap ErrFormat, ErrDecode, ErrLimit, the error of r, or the error of ctx. Malicious data causes an
// error, but never a panic, a hang or excessive memory use. Control side.
//
// Decode reads r to its end from another goroutine. Decode stops early with an error when ctx ends, or when r
// delivers no data for Limits.Time (at least one second). It then does not wait for a pending call of r.Read, and
// does not close r. A decoder has up to a second to stop when ctx ends. With Limits.Isolate a child process decodes
// the data.
//
// Places that cannot be decoded are concealed and listed in Clip.Damages. If the whole file is undecodable, Decode
// returns an error.
func Decode(ctx context.Context, name string, r io.Reader, lim Limits) (*Clip, error) {
	open := func(context.Context) (io.ReadCloser, error) { return io.NopCloser(r), nil }
	clip, err := decode(ctx, open, lim.withDefaults(), &workBuffers{})
	if err != nil {
		return nil, withName(name, err)
	}
	clip.Name = name
	return clip, nil
}

// decode opens an input with open, reads it to its end, and decodes it as a sound whose format is detected by
// content. Decoding happens in another goroutine, or with lim.Isolate in a child process. lim must have its defaults
// filled in. Errors are as in Decode, but do not name the sound.
//
// The clip may use memory of buffers. After an error the caller must not use buffers again, because
// an abandoned decoder may still write to it.
func decode(ctx context.Context, open openFunc, lim Limits, buffers *workBuffers) (*Clip, error) {
	data, err := readGuarded(ctx, open, lim.Bytes, max(lim.Time, gracePeriod))
	if err != nil {
		return nil, err
	}
	if len(lim.Isolate) > 0 {
		return decodeIsolated(ctx, data, lim)
	}
	in := source.FromMemory(data)
	f, err := formatOf(in)
	if err != nil {
		return nil, err
	}
	return decodeGuarded(ctx, lim.Time, func(ctx context.Context) (*Clip, error) {
		return decodeAll(ctx, f, in, lim.boundsOf(in.Size), buffers)
	})
}

// maxSamplesPerByte is the number of samples per byte of the file that are allocated because the header
// announces them. If a header announces more, memory grows as the samples are decoded.
const maxSamplesPerByte = 8

// When decoding produces more samples than the header announced, and more than min(smallBytes + smallFactor * file
// size, maxSmall), the frames are counted first and allocated exactly. Such a file is silence, or an attempt to
// exhaust memory.
const (
	smallBytes  = 2 << 20
	smallFactor = 64
	maxSmall    = 16 << 20
)

// count returns the number of frames in the file in, padding included, without keeping samples. It decodes from the
// beginning to the end of the file, or to the first decoding error. It does not return that error, because decodeAll
// reports it. A format that can count without decoding (Head.CheapCount) does so. The error is of opening the codec,
// wraps ErrLimit, or is of ctx.
func (f *format) count(ctx context.Context, in *source.Input, lim source.Limits) (frames int64, err error) {
	r, err := f.open(in, lim)
	if err != nil {
		return 0, err
	}
	channels := int64(r.About().Channels)
	if r.About().CheapCount {
		frames, err = r.Count(&source.Marks{})
	}
	for samples := []float32(nil); err == nil && !r.About().CheapCount; frames += int64(len(samples)) / channels {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		samples, err = r.Next(samples[:0])
	}
	if errors.Is(err, ErrLimit) {
		return 0, err
	}
	return frames, nil // decodeAll reports other errors
}

// decodeAll decodes the whole file in, which has the format f, and returns a clip without a name. The padding of the
// encoder is removed. Damaged places are concealed and listed in the clip. The error is of the codec, wraps ErrLimit,
// wraps ErrDecode for an invalid sample, or is of ctx. For an invalid sample decodeAll also returns the clip. The
// samples lie in the memory of buffers, and the next file that uses buffers overwrites them.
func decodeAll(ctx context.Context, f *format, in *source.Input, lim source.Limits, buffers *workBuffers) (*Clip, error) {
	r, err := f.open(in, lim)
	if err != nil {
		return nil, err
	}
	h := r.About()
	c := f.clip(h)
	samples := buffers.clip[:0]
	likely := h.Frames <= in.Size*maxSamplesPerByte/int64(h.Channels) && lim.CheckLength(h.Frames, h.Channels) == nil
	if n := h.Frames * int64(h.Channels); (h.Exact || likely) && n > int64(cap(samples)) {
		samples = make([]float32, 0, n)
	}
	for believed, counted := cap(samples), h.Exact; err == nil; {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if !counted && len(samples) > believed && int64(len(samples)) > min(smallBytes+smallFactor*in.Size, maxSmall) {
			counted = true
			n, err := f.count(ctx, in.Reopen(), lim)
			if err != nil {
				return nil, err
			}
			samples = append(make([]float32, 0, max(n*int64(h.Channels), int64(len(samples)))), samples...)
		}
		samples, err = r.Next(samples)
	}
	if !errors.Is(err, io.EOF) {
		return nil, err
	}
	buffers.clip = samples
	all := int64(len(samples) / h.Channels)
	from := min(h.Front, all)
	to := max(from, all-h.Back)
	c.Samples, c.Loop = samples[from*int64(h.Channels):to*int64(h.Channels)], h.Loop(to-from)
	c.Damages = damagesOf(h.DrainDamages(), h.Rate, from, to-from)
	c.Notes = notesOf(h, to-from)
	return &c, checkSamples(c.Samples, c.Channels, 0)
}

// notesOf returns the notes of the header h about oddities of the file. frames is the number of frames in the file,
// negative if it is unknown. If it is 0, notesOf first adds a note to h that the file is empty.
func notesOf(h *source.Head, frames int64) []string {
	if frames == 0 {
		h.Note("there is no sound in it: it has 0 frames")
	}
	return h.Notes()
}

// format is a supported file format.
type format struct {
	name string

	// matches detects this format from the first bytes of a file, after any tags and zeros.
	matches func(beginning []byte) bool
	open    func(in *source.Input, lim source.Limits) (source.Reader, error)
}

// formats lists the formats with magic bytes, in the order of detection.
var formats = [...]format{
	{"wav", wav.Is, wav.Open},
	{"aiff", aiff.Is, aiff.Open},
	{"flac", flac.Is, flac.Open},
	{"opus", opus.Is, opus.Open},
	{"oggflac", flac.InOgg, flac.OpenOgg},
	{"vorbis", ogg.Is, vorbis.Open},
}

// mp3Format is tried last because MP3 has no magic bytes.
var mp3Format = format{"mp3", mp3.Is, mp3.Open}

// clip returns a Clip with the format and the information of the header h: encoding, channels, rate, speakers and
// gain. The samples, name, loop, damages and notes are not set.
func (f *format) clip(h *source.Head) Clip {
	return Clip{Format: f.name, Encoding: h.Encoding, Channels: h.Channels, Rate: h.Rate, Speakers: h.Speakers, Gain: h.Gain()}
}
