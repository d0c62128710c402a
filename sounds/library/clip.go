package library

import (
	"math"

	"voicepool/internal/loudness"
	"voicepool/pcm"
	"voicepool/sounds/internal/source"
)

// Clip is a decoded sound at the sample rate and with the channels of its file.
type Clip struct {
	Name     string // the name that was passed to Decode
	Format   string // wav, aiff, flac, oggflac, vorbis, opus, mp3
	Encoding string // sample encoding such as s16 or ima-adpcm; empty for compressed formats
	Channels int    // 1..8
	Rate     int    // frames per second

	// Samples are interleaved; full scale is -1..+1. Channels follow the order of the bits in Speakers: front
	// left, front right, center, LFE, back left, back right and so on.
	Samples []float32

	// Speakers is the channel mask of WAVEFORMATEXTENSIBLE, one bit per channel. 0 means the usual layout for
	// the number of channels.
	Speakers uint32

	// Gain is the gain that brings the sound to -18 LUFS, -64..+64 dB. It comes from the ReplayGain or R128 tags of
	// the file. nil: the file has no such tag.
	Gain *pcm.Decibels

	// Loop is the loop of the file, from its first frame to the frame after its last one. nil: the file has no
	// loop.
	Loop *pcm.Loop

	// Damages lists at most 100 places that could not be decoded, in order. If a file has more, the last entry covers
	// everything up to the end of the last damaged place.
	Damages []Damage

	// Notes lists oddities of the file, one sentence each: a loop that ends after the sound, samples that are
	// not finite numbers, a header that announces more samples than the file contains.
	Notes []string
}

// Frames returns the length in frames; 0 if Channels is less than 1.
func (c *Clip) Frames() int64 {
	if c.Channels < 1 {
		return 0
	}
	return int64(len(c.Samples) / c.Channels)
}

// maxSample is the largest magnitude of a valid sample, 96 dB over full scale, because some files scale floats
// like 16-bit integers. A file with larger samples is broken.
const maxSample = 1 << 16

// checkSamples searches interleaved samples for an invalid one: NaN, or outside -65536..65536 (maxSample). It returns
// nil if all are valid. Otherwise the error wraps ErrDecode, and its text has the value and the frame number of the
// first invalid sample. The parameter at is the frame number of the first frame in samples.
func checkSamples(samples []float32, channels int, at int64) error {
	i := countValid(samples)
	if i == len(samples) {
		return nil
	}
	return source.DecodeErrorf("the sample of frame %d is %v, not within -%d..+%d", at+int64(i/channels), samples[i], maxSample, maxSample)
}

// countValid returns the number of samples before the first invalid one. A sample is invalid if it is NaN, infinite,
// or outside -65536..65536 (maxSample). If all are valid, the result is len(samples).
func countValid(samples []float32) int {
	i := 0
	for ; i+8 <= len(samples); i += 8 { // the OR of the bits is at least their maximum, so one comparison clears most groups of eight
		x := (*[8]float32)(samples[i:])
		a := math.Float32bits(x[0]) | math.Float32bits(x[1]) | math.Float32bits(x[2]) | math.Float32bits(x[3])
		b := math.Float32bits(x[4]) | math.Float32bits(x[5]) | math.Float32bits(x[6]) | math.Float32bits(x[7])
		if (a|b)&^(1<<31) > math.Float32bits(maxSample) {
			if n := firstInvalid(x[:]); n < len(x) {
				return i + n
			}
		}
	}
	return i + firstInvalid(samples[i:])
}

// firstInvalid is the slow form of countValid, which compares one sample at a time. It returns the index of the first
// sample that is NaN, infinite, or outside -65536..65536 (maxSample). If all are valid, it returns len(samples).
func firstInvalid(samples []float32) int {
	for i, x := range samples {
		if math.Float32bits(x)&^(1<<31) > math.Float32bits(maxSample) { // the bits of NaN and Inf are larger
			return i
		}
	}
	return len(samples)
}

// Info describes a sound: its file, and how it was prepared.
type Info struct {
	Name     string
	File     string // the path in the operating system or in Source.FS
	Format   string // wav, aiff, flac, oggflac, vorbis, opus, mp3
	Encoding string // as in Clip
	Channels int
	Rate     int
	Frames   int64     // at its own rate
	Seconds  float64   // its length
	Loop     *pcm.Loop // in frames of the file; nil: no loop
	Bytes    int64     // memory of the prepared sound; 0: not prepared

	Damages []Damage      // as Clip.Damages; nil for a stream, which reports damage to Options.OnDamage
	Notes   []string      // as Clip.Notes; for a stream from its headers only, until Scan or Measure has read all of it
	TagGain *pcm.Decibels // as Clip.Gain
	Gain    pcm.Decibels  // applied by Leveling when the sound was prepared

	// Measured reports that Loudness and TruePeak are valid. They are -Inf for silence.
	Measured bool
	Loudness pcm.LUFS     // of the file, integrated, by BS.1770-4
	TruePeak pcm.Decibels // of the file, relative to full scale
}

// Describe returns the Info of the clip c. File, Gain and Bytes stay empty, because they depend on how a sound is
// loaded. If measure is true, it also measures the loudness and the true peak, which takes time. For an invalid clip
// the duration, loudness and peak stay zero. The Info shares its slices and pointers with c. Control side.
func Describe(c *Clip, measure bool) Info {
	info := Info{
		Name: c.Name, Format: c.Format, Encoding: c.Encoding, Channels: c.Channels, Rate: c.Rate, Frames: c.Frames(), Loop: c.Loop, Notes: c.Notes, Damages: c.Damages, TagGain: c.Gain,
	}
	if c.check() != nil {
		return info
	}
	info.Seconds = float64(info.Frames) / float64(c.Rate)
	if measure {
		info.Measured = true
		info.Loudness, info.TruePeak = c.measure()
	}
	return info
}

// measure returns the integrated loudness and the true peak in dBFS of all samples; both are -Inf for silence.
// Requires a valid clip, see Clip.check.
func (c *Clip) measure() (pcm.LUFS, pcm.Decibels) {
	m := newMeter(c)
	m.write(c.Samples)
	return m.read()
}

// meter measures the loudness and the true peak of samples block by block.
type meter struct {
	loudness *loudness.Meter
	peak     *loudness.PeakMeter
}

// newMeter returns a meter for interleaved samples with the rate and the channels of c. It uses no samples of c.
// Requires a valid clip.
func newMeter(c *Clip) meter {
	return meter{loudness.NewMeter(c.Rate, c.loudnessWeights()), loudness.NewPeakMeter(c.Rate, c.Channels)}
}

// write adds the next interleaved samples, which continue the previous ones, to the measurement.
func (m meter) write(samples []float32) {
	m.loudness.Write(samples)
	m.peak.Write(samples)
}

// read returns the integrated loudness and the true peak in dBFS of all samples written; both are -Inf for silence.
func (m meter) read() (pcm.LUFS, pcm.Decibels) {
	return m.loudness.Integrated(), pcm.FromLinear(m.peak.TruePeak())
}
