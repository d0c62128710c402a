// Command filters writes the impulse responses of voice filters and equalizer bands, as rendered by a mixer.
// compare.py in the same folder reads them.
package main

import (
	"bufio"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"voicepool/effect"
	"voicepool/mixer"
	"voicepool/pcm"
	"voicepool/sounds"
)

// filter is a filter of the grid, with the position of its response in the file.
type filter struct {
	Kind             string // voice-lowpass, voice-highpass, or a type of bands
	Rate             int
	Freq, Gain, Q    float64
	Offset, Length   int64 // in samples
	makes            func(f *filter) (mixer.Config, mixer.Options, error)
	frames, silences int // frames of the sound, which starts with the impulse; the response ends after silences silent frames
}

var (
	rates = []int{8000, 11025, 44100, 48000, 96000, 192000}
	freqs = []float64{20, 150, 1000, 3500, 9000, 20000}
	gains = []float64{-24, -5, 7, 24}
	qs    = []float64{0.1, 0.7071, 3, 18}
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: filters FOLDER")
		os.Exit(2)
	}
	if err := write(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "filters:", err)
		os.Exit(1)
	}
}

// write renders the grid into a folder.
func write(folder string) error {
	data, err := os.Create(filepath.Join(folder, "impulses.f32"))
	if err != nil {
		return err
	}
	defer data.Close()
	out, at := bufio.NewWriter(data), int64(0)
	all := grid()
	for i := range all {
		f := &all[i]
		response, err := f.render()
		if err != nil {
			return fmt.Errorf("%s at %d Hz: %w", f.Kind, f.Rate, err)
		}
		if err := binary.Write(out, binary.LittleEndian, response); err != nil {
			return err
		}
		f.Offset, f.Length = at, int64(len(response))
		at += f.Length
	}
	if err := out.Flush(); err != nil {
		return err
	}
	index, err := json.Marshal(all)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(folder, "index.json"), index, 0o600)
}

// grid returns all filters to compare.
func grid() (all []filter) {
	for _, rate := range rates {
		for _, freq := range freqs {
			all = append(all,
				filter{Kind: "voice-lowpass", Rate: rate, Freq: freq, makes: ofVoice, frames: rate, silences: rate},
				filter{Kind: "voice-highpass", Rate: rate, Freq: freq, makes: ofVoice, frames: rate, silences: rate})
			for _, q := range qs {
				for _, kind := range []string{"lowshelf", "peak", "highshelf"} {
					for _, gain := range gains {
						all = append(all, filter{Kind: kind, Rate: rate, Freq: freq, Gain: gain, Q: q, makes: ofBand, frames: 1, silences: 2048})
					}
				}
				for _, kind := range []string{"lowpass", "highpass", "notch"} {
					all = append(all, filter{Kind: kind, Rate: rate, Freq: freq, Q: q, makes: ofBand, frames: 1, silences: 2048})
				}
			}
		}
	}
	return all
}

func ofVoice(f *filter) (c mixer.Config, o mixer.Options, err error) {
	if f.Kind == "voice-lowpass" {
		o.LowPass = f.Freq
	} else {
		o.HighPass = f.Freq
	}
	return c, o, nil
}

func ofBand(f *filter) (c mixer.Config, o mixer.Options, err error) {
	kind, err := effect.New("eq", nil)
	if err != nil {
		return c, o, err
	}
	p := kind.Kind().Param(kind.Kind().Find("bands.1.type"))
	for i, name := range p.Choices {
		if name == f.Kind {
			c.Effects = []effect.Effect{kind}
			e := &c.Effects[0]
			for value, x := range map[string]float64{"bands.1.type": float64(i), "bands.1.freq": f.Freq, "bands.1.gain": f.Gain, "bands.1.q": f.Q} {
				if err := e.Set(value, x); err != nil {
					return c, o, err
				}
			}
			return c, o, nil
		}
	}
	return c, o, fmt.Errorf("there is no type %q", f.Kind)
}

// render returns the response to an impulse, until it falls below 10^-13 of its peak.
func (f *filter) render() (out []float32, err error) {
	c, o, err := f.makes(f)
	if err != nil {
		return nil, err
	}
	c.Rate, c.Voices, c.NoLimiter = f.Rate, 1, true
	m, err := mixer.New(c)
	if err != nil {
		return nil, err
	}
	data := make([]float32, f.frames)
	data[0] = 1
	s, err := sounds.NewSound(sounds.Samples{Rate: f.Rate, Channels: 1, Data: data})
	if err != nil {
		return nil, err
	}
	if _, err := m.Play(s, o); err != nil {
		return nil, err
	}
	block, peak, silent := make([]pcm.Frame, 512), float32(0), 0
	for silent < f.silences && (f.frames == 1 || len(out) < f.frames) {
		m.Render(block)
		for i, x := range block {
			if x[0] != x[1] {
				return nil, fmt.Errorf("frame %d has %v", len(out)+i, x)
			}
			size := max(x[0], -x[0])
			peak = max(peak, size)
			if silent++; size > 1e-13*peak {
				silent = 0
			}
			out = append(out, x[0])
		}
		if len(out) > 60*f.Rate {
			return nil, fmt.Errorf("it rings for more than a minute")
		}
	}
	return out, nil
}
