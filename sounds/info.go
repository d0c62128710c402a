package sounds

import (
	"voicepool/internal/loudness"
	"voicepool/pcm"
)

// Info is what is told about a sound: of its file, and of what was made of it
// when it was prepared.
type Info struct {
	Name     string
	File     string // its path; empty for embedded sounds
	Format   string // wav, flac, vorbis, mp3
	Encoding string // as in Clip
	Channels int
	Rate     int
	Frames   int64     // at its own rate
	Seconds  float64   // its length
	Loop     *pcm.Loop // in frames at its own rate; nil: it names none
	Bytes    int64     // of memory, when prepared; 0 when it was not

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
		Name: c.Name, Format: c.Format, Encoding: c.Encoding, Channels: c.Channels, Rate: c.Rate, Frames: c.Frames(), Loop: c.Loop, TagGain: c.Gain,
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
