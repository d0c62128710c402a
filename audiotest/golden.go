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
	"slices"
	"strings"

	"voicepool/device/wav"
	"voicepool/internal/metric/mixes"
	"voicepool/pcm"
	"voicepool/sounds/library"
)

// Golden asserts that the current mix equals a WAV file bit by bit. The flag -audiotest.update writes that
// file. If they differ, Golden saves the mix next to the file as .got.wav. It reports the first difference with
// the voices at that frame, and the largest difference.
func (r *mixRecording) Golden(file string) {
	r.t.Helper()
	r.golden(file, r.compare)
}

// Likeness is a threshold of GoldenLike for the difference between a mix and its file.
type Likeness int

// Imperceptible requires that listeners can hardly hear a difference, by two metrics that were fitted to listening
// tests. The 2f-model must give a score of at least 90 of 100. The distance of Zimtohrli must be at most 0.0001. Both
// metrics compare left and right, and also mid and side, since they measure each channel alone.
const Imperceptible Likeness = 0

// The limits of Imperceptible.
const (
	leastScore   = 90
	mostDistance = 0.0001
)

// GoldenLike asserts that the current mix sounds like a WAV file, as defined by like. It suits audio that may change
// slightly, such as by another codec or rounding; Golden requires equal bits. The extension .wav may be omitted. The
// flag -audiotest.update writes the file. The mix must have the rate and the length of the file. It must last 0.53 s,
// unless it equals the file. A second of audio takes about 0.4 s.
//
// If they sound different, GoldenLike saves the mix next to the file as .got.wav. It reports the results of the metrics
// and the voices that changed, newest first.
func (r *mixRecording) GoldenLike(file string, like Likeness) {
	r.t.Helper()
	if like != Imperceptible {
		r.fail("unknown likeness %d, want Imperceptible", like)
		return
	}
	r.golden(strings.TrimSuffix(file, ".wav")+".wav", r.compareSound)
}

// golden compares the current mix with a WAV file, or writes that file. It fails the test with the text of compare, the
// difference of the two, unless that is empty.
func (r *mixRecording) golden(file string, compare func(file string, mix, want []pcm.Frame) string) {
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
		differs = compare(file, mix, want)
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

// compareSound describes the audible difference between mix and want, the contents of a file. If listeners can hardly
// hear a difference, it returns "".
func (r *mixRecording) compareSound(file string, mix, want []pcm.Frame) string {
	if len(mix) != len(want) {
		return fmt.Sprintf("the mix has %d frames and %s has %d, want the same number", len(mix), file, len(want))
	}
	got, err := r.worst(file, mix, want)
	switch {
	case err != nil:
		return err.Error()
	case got.TwoF == nil:
		return fmt.Sprintf("the mix differs from %s and lasts %v, want at least 0.53 s for GoldenLike", file, pcm.Duration(r.frames, r.rate))
	case *got.TwoF >= leastScore && got.Zimtohrli <= mostDistance:
		return ""
	}
	text := fmt.Sprintf("the mix sounds different from %s: the 2f score is %s, want at least %d; the Zimtohrli distance is %s, want at most %g",
		file, mixes.Figure(*got.TwoF, leastScore), leastScore, mixes.Figure(got.Zimtohrli, mostDistance), mostDistance)
	if r.describeChange != nil {
		change := slices.Clone(mix)
		for i, f := range want {
			change[i][0] -= f[0]
			change[i][1] -= f[1]
		}
		text += "; " + r.describeChange(change)
	}
	return text
}

// worst compares mix with want, the contents of a file. It compares left and right, and mid and side. It compares them
// with exchanged roles, too, because the 2f-model ignores what precedes and follows the sound of the reference. The
// result has the worst values. They are the first ones if the mix is too short for a score.
func (r *mixRecording) worst(file string, mix, want []pcm.Frame) (mixes.Result, error) {
	worst := mixes.Same()
	for _, pair := range [...][2][]pcm.Frame{{want, mix}, {mix, want}, {midSide(want), midSide(mix)}, {midSide(mix), midSide(want)}} {
		reference, err := mixes.NewReference(pair[0], r.rate)
		if err != nil {
			return worst, fmt.Errorf("%s: %w", file, err)
		}
		got, err := reference.Compare(pair[1])
		if err != nil || got.TwoF == nil {
			return got, err
		}
		worst = mixes.Result{Zimtohrli: max(worst.Zimtohrli, got.Zimtohrli), TwoF: new(min(*worst.TwoF, *got.TwoF))}
	}
	return worst, nil
}

// midSide returns (left+right)/2 and (left-right)/2 of frames. The metrics measure the power of each channel alone, so
// only these signals show the relation of left and right, such as an inverted channel.
func midSide(frames []pcm.Frame) []pcm.Frame {
	out := make([]pcm.Frame, len(frames))
	for i, f := range frames {
		out[i] = pcm.Frame{(f[0] + f[1]) / 2, (f[0] - f[1]) / 2}
	}
	return out
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
