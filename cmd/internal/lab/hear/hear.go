// Package hear compares two sound files by the perceptual metrics, without reading a whole file into memory.
package hear

import (
	"context"
	"fmt"
	"sync/atomic"

	"voicepool/internal/metric"
	"voicepool/internal/metric/peaq"
	"voicepool/internal/metric/zimtohrli"
	"voicepool/pcm"
	"voicepool/sounds"
	"voicepool/sounds/library"
)

// Result holds how different two sounds are.
type Result struct {
	Zimtohrli float64 `json:"zimtohrli"` // distance, 0 (no difference) to 1
	TwoF      float64 `json:"2f"`        // score, 0 to 100 (no difference)

	Resampled int `json:"-"` // the rate of the files, if it is not metric.Rate
}

const blockFrames = 4096

// Files compares the sound files reference and test. Their rates, channels and lengths must be equal. A rate that is
// not metric.Rate is converted by the library. Each damaged place of a file is passed to onDamage. done is called with
// the number of compared frames and the length of the files, or 0 if the length is unknown. Errors name the files. If ctx ends, the error is
// its cause.
func Files(ctx context.Context, reference, test string, onDamage func(string, library.Damage), done func(frames, length int64)) (Result, error) {
	lib := library.NewLibrary(library.Options{Rate: metric.Rate, OnDamage: onDamage})
	var files [2]*file
	for i, name := range [...]string{reference, test} {
		f, err := open(lib, name)
		if err != nil {
			return Result{}, err
		}
		defer f.buffer.Close()
		files[i] = f
	}
	r, t := files[0], files[1]
	switch {
	case r.info.Rate != t.info.Rate:
		return Result{}, fmt.Errorf("%s has a rate of %d Hz, %s %d Hz; want the same rate", r.name, r.info.Rate, t.name, t.info.Rate)
	case r.info.Channels != t.info.Channels:
		return Result{}, fmt.Errorf("%s has %d channels, %s %d; want the same number", r.name, r.info.Channels, t.name, t.info.Channels)
	case r.info.Channels > 2:
		return Result{}, fmt.Errorf("%s and %s have %d channels; want 1 or 2", r.name, t.name, r.info.Channels)
	}
	distance, outputs := zimtohrli.NewMeter(r.info.Channels), peaq.NewMeter(r.info.Channels)
	for ctx.Err() == nil {
		a, err := r.next()
		if err != nil {
			return Result{}, err
		}
		b, err := t.next()
		if err != nil {
			return Result{}, err
		}
		if len(a) != len(b) {
			return Result{}, differentLengths(r, t)
		}
		if len(a) == 0 {
			break
		}
		distance.Add(a, b)
		outputs.Add(a, b)
		done(r.read, r.length)
	}
	if ctx.Err() != nil {
		return Result{}, context.Cause(ctx)
	}
	out, err := outputs.Outputs()
	if err != nil {
		return Result{}, fmt.Errorf("%s and %s: %w", r.name, t.name, err)
	}
	result := Result{Zimtohrli: distance.Distance(), TwoF: out.Score()}
	if r.info.Rate != metric.Rate {
		result.Resampled = r.info.Rate
	}
	return result, nil
}

// differentLengths reads both files to their ends and returns the error that names their lengths.
func differentLengths(files ...*file) error {
	for _, f := range files {
		for {
			block, err := f.next()
			if err != nil {
				return err
			}
			if len(block) == 0 {
				break
			}
		}
	}
	r, t := files[0], files[1]
	return fmt.Errorf("%s has %d frames at %d Hz, %s %d; want the same number", r.name, r.read, metric.Rate, t.name, t.read)
}

// file is a sound file that is being read.
type file struct {
	name    string
	info    library.Info
	length  int64 // frames at metric.Rate; 0: unknown
	read    int64 // frames
	buffer  *sounds.StreamBuffer
	failure atomic.Pointer[error] // why the file ended early
	samples [2 * blockFrames]float32
	frames  [blockFrames]pcm.Frame
}

func open(lib *library.Library, name string) (*file, error) {
	f := &file{name: name}
	failed := func(_ string, err error) { f.failure.Store(&err) }
	s, err := lib.OpenStream(library.Source{File: name}, library.StreamOptions{OnError: failed})
	if err != nil {
		return nil, err
	}
	f.info, _ = lib.Info(s)
	f.length = s.Frames()
	f.buffer, err = s.Open(sounds.PlayRange{})
	return f, err
}

// next returns the next frames of the file: blockFrames, or less at its end.
func (f *file) next() ([]pcm.Frame, error) {
	f.buffer.Wait(blockFrames)
	n := min(f.buffer.Written()-f.read, blockFrames)
	if n < blockFrames && f.buffer.Failed() {
		if err := f.failure.Load(); err != nil {
			return nil, *err
		}
	}
	f.buffer.CopyTo(f.samples[:2*n], f.read)
	for i := range f.frames[:n] {
		f.frames[i] = pcm.Frame{f.samples[2*i], f.samples[2*i+1]}
	}
	f.read += n
	f.buffer.Release(f.read)
	return f.frames[:n], nil
}
