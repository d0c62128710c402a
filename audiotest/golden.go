package audiotest

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"voicepool/device/wav"
	"voicepool/pcm"
	"voicepool/sounds/library"
)

// Golden asserts that the current mix equals a WAV file bit by bit. The flag -audiotest.update writes that
// file. If they differ, Golden saves the mix next to the file as .got.wav. It reports the first difference with
// the voices at that frame, and the largest difference.
func (r *mixRecording) Golden(file string) {
	r.t.Helper()
	mix := r.mix.read(0, r.frames)
	got := strings.TrimSuffix(file, ".wav") + ".got.wav"
	if r.update {
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o777), r.write(file, mix)); err != nil {
			r.fail("%v", err)
		}
		os.Remove(got)
		return
	}
	want, rate, err := readGolden(file)
	differs := ""
	switch {
	case errors.Is(err, fs.ErrNotExist):
		differs = fmt.Sprintf("there is no %s, which go test -audiotest.update writes", file)
	case err != nil:
		differs = err.Error()
	case rate != r.rate:
		differs = fmt.Sprintf("%s is at %d Hz, the mix at %d", file, rate, r.rate)
	default:
		differs = r.compare(file, mix, want)
	}
	if differs == "" {
		os.Remove(got)
		return
	}
	if err := errors.Join(os.MkdirAll(filepath.Dir(got), 0o777), r.write(got, mix)); err != nil {
		r.fail("%s; the mix is lost: %v", differs, err)
		return
	}
	r.fail("%s; the mix is in %s", differs, got)
}

// compare describes the difference between mix and want, the contents of a file. It returns "" if they are equal.
func (r *mixRecording) compare(file string, mix, want []pcm.Frame) string {
	n := min(len(mix), len(want))
	first, most := difference(mix[:n], want[:n])
	if first >= 0 {
		text := fmt.Sprintf("the mix differs from %s at %s first, by %.1f dB at most", file, r.formatFrame(first), float64(pcm.FromLinear(most)))
		if r.describeVoices != nil {
			text += "; " + r.describeVoices(first)
		}
		return text
	}
	if len(mix) != len(want) {
		return fmt.Sprintf("the mix has %d frames and %s has %d, the same up to there", len(mix), file, len(want))
	}
	return ""
}

// GoldenHash asserts the SHA-256 hash of the current mix, in hexadecimal. The hash covers the samples as
// float32, little endian, left before right. It is the same on every machine.
func (r *mixRecording) GoldenHash(want string) {
	r.t.Helper()
	sum := sha256.New()
	binary.Write(sum, binary.LittleEndian, r.mix.read(0, r.frames))
	if got := hex.EncodeToString(sum.Sum(nil)); !strings.EqualFold(got, want) {
		r.fail("the mix has the hash %s, want %q", got, want)
	}
}

// write saves frames as a WAV file of float32.
func (r *mixRecording) write(file string, frames []pcm.Frame) error {
	f, err := wav.Create(file, wav.Config{Rate: r.rate, Format: wav.F32, Frames: int64(len(frames))})
	if err != nil {
		return err
	}
	if err := f.Write(frames); err != nil {
		f.Abort()
		return err
	}
	return f.Close()
}

// readGolden reads the frames and the sample rate in Hz of a WAV file.
func readGolden(file string) ([]pcm.Frame, int, error) {
	in, err := os.Open(file)
	if err != nil {
		return nil, 0, err
	}
	defer in.Close()
	return decode(file, in)
}

// decode reads the frames and the sample rate in Hz of mono or stereo audio. name is for errors.
func decode(name string, r io.Reader) ([]pcm.Frame, int, error) {
	c, err := library.Decode(context.Background(), name, r, library.Limits{})
	if err != nil {
		return nil, 0, err
	}
	if c.Channels > 2 {
		return nil, 0, fmt.Errorf("%s has %d channels; mono and stereo can be heard", name, c.Channels)
	}
	frames := make([]pcm.Frame, c.Frames())
	for i := range frames {
		at := i * c.Channels
		frames[i] = pcm.Frame{c.Samples[at], c.Samples[at+c.Channels-1]}
	}
	return frames, c.Rate, nil
}
