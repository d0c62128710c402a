package sounds

import (
	"math"

	"voicepool/internal/loudness"
	"voicepool/pcm"
	"voicepool/sounds/internal/source"
)

// Clip is a sound as its file has it: decoded, at its own rate, with all its
// channels.
type Clip struct {
	Name     string // what it was called when it was decoded
	Format   string // wav, aiff, flac, oggflac, vorbis, opus, mp3
	Encoding string // how its samples were kept, as s16 or ima-adpcm; empty where they are not
	Channels int    // 1..8
	Rate     int    // frames per second

	// Samples are interleaved; full scale is -1..+1. More than two channels are
	// in the order of the bits of Speakers: front left, front right, centre, LFE,
	// back left, back right and so on.
	Samples []float32

	// Speakers has a bit for each channel's place, as WAVEFORMATEXTENSIBLE
	// counts them. 0 means the usual places for that many channels.
	Speakers uint32

	// Gain brings the sound to -18 LUFS according to the tags of the file, -64..+64 dB. nil: it has no
	// such tag.
	Gain *pcm.Decibels

	// Loop is the part to repeat, from its first frame to the frame after its last one. nil: the file
	// has none.
	Loop *pcm.Loop

	// Damages lists at most 100 places that could not be decoded, in order. If a file has more, the
	// last one reaches to the end of the damage.
	Damages []Damage

	// Notes lists the oddities of the file, each in one sentence: a loop that ends behind the sound,
	// samples that are not finite numbers, a header that announces more samples than there are.
	Notes []string
}

// Frames returns the length in frames.
func (c *Clip) Frames() int64 {
	if c.Channels < 1 {
		return 0
	}
	return int64(len(c.Samples) / c.Channels)
}

// maxSample is the largest magnitude that a sample may have, 96 dB over full scale: floats may be scaled
// as integers of 16 bits are. Beyond it a file is not loud but broken.
const maxSample = 1 << 16

// checkSamples looks once at samples of which the first is of frame at.
func checkSamples(samples []float32, channels int, at int64) error {
	i := goodSamples(samples)
	if i == len(samples) {
		return nil
	}
	return source.Broken("the sample of frame %d is %v, not within -%d..+%d", at+int64(i/channels), samples[i], maxSample, maxSample)
}

// goodSamples returns how many samples come before the first that is none.
func goodSamples(samples []float32) int {
	i := 0
	for ; i+8 <= len(samples); i += 8 { // whose bits together make no more than 2, as of most they do
		x := (*[8]float32)(samples[i:])
		a := math.Float32bits(x[0]) | math.Float32bits(x[1]) | math.Float32bits(x[2]) | math.Float32bits(x[3])
		b := math.Float32bits(x[4]) | math.Float32bits(x[5]) | math.Float32bits(x[6]) | math.Float32bits(x[7])
		if (a|b)&^(1<<31) > math.Float32bits(maxSample) {
			if n := badSample(x[:]); n < len(x) {
				return i + n
			}
		}
	}
	return i + badSample(samples[i:])
}

// badSample is goodSamples one by one.
func badSample(samples []float32) int {
	for i, x := range samples {
		if math.Float32bits(x)&^(1<<31) > math.Float32bits(maxSample) { // NaN and Inf have the largest bits
			return i
		}
	}
	return len(samples)
}

// Info is what is told about a sound: of its file, and of what was made of it
// when it was prepared.
type Info struct {
	Name     string
	File     string // its path, of the system or in Source.FS
	Format   string // wav, aiff, flac, oggflac, vorbis, opus, mp3
	Encoding string // as in Clip
	Channels int
	Rate     int
	Frames   int64     // at its own rate
	Seconds  float64   // its length
	Loop     *pcm.Loop // in frames at its own rate; nil: it names none
	Bytes    int64     // of memory, when prepared; 0 when it was not

	Damages []Damage      // as Clip.Damages; nil for a stream, of which Options.OnDamage is told
	Notes   []string      // as Clip.Notes; those of a stream are what its headers tell, after Library.Scan or with StreamOptions.Measure all
	TagGain *pcm.Decibels // as Clip.Gain
	Gain    pcm.Decibels  // by which Leveling has changed it, when prepared

	// Measured says that the next two are known. They are -Inf for silence.
	Measured bool
	Loudness pcm.LUFS     // of the file, integrated, by BS.1770-4
	TruePeak pcm.Decibels // of the file, relative to full scale
}

// Describe returns what is to be told of a clip. measure adds loudness and true
// peak. Control side.
func Describe(c *Clip, measure bool) Info {
	info := Info{
		Name: c.Name, Format: c.Format, Encoding: c.Encoding, Channels: c.Channels, Rate: c.Rate, Frames: c.Frames(), Loop: c.Loop, Notes: c.Notes, Damages: c.Damages, TagGain: c.Gain,
	}
	if c.valid() != nil {
		return info
	}
	info.Seconds = float64(info.Frames) / float64(c.Rate)
	if measure {
		info.Measured = true
		info.Loudness, info.TruePeak = c.measure()
	}
	return info
}

func (c *Clip) measure() (pcm.LUFS, pcm.Decibels) {
	m := newMeter(c)
	m.write(c.Samples)
	return m.read()
}

// meter measures the loudness and the true peak of samples as they come.
type meter struct {
	loudness *loudness.Meter
	peak     *loudness.PeakMeter
}

// newMeter returns a meter of samples like those of c.
func newMeter(c *Clip) meter {
	return meter{loudness.NewMeter(c.Rate, c.loudnessWeights()), loudness.NewPeakMeter(c.Rate, c.Channels)}
}

func (m meter) write(samples []float32) {
	m.loudness.Write(samples)
	m.peak.Write(samples)
}

func (m meter) read() (pcm.LUFS, pcm.Decibels) {
	return m.loudness.Integrated(), pcm.FromLinear(m.peak.TruePeak())
}
