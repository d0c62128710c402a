package main

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"voicepool/sounds"
)

// file is an encoding, and what package sounds makes of it.
type file struct {
	encoding
	path   string
	pages  int // of Ogg
	source []int32
	clip   *sounds.Clip
}

// workers is how many processes run at a time.
const workers = 2

// batch is how many files one ffmpeg decodes.
const batch = 12

// check encodes the grid, decodes it in every way, prints a line for each decoder,
// and returns how many comparisons failed.
func (f *format) check(folder string) (failed int, err error) {
	grid := f.grid()
	if len(grid) < f.least {
		return 0, fmt.Errorf("%s: %d encodings, at least %d are to be", f.name, len(grid), f.least)
	}
	files := make([]*file, len(grid))
	err = parallel(len(grid), func(i int) (err error) {
		files[i], err = f.encode(folder, grid[i])
		return err
	})
	if err != nil {
		return 0, err
	}
	if f.lossless {
		failed += f.tell("source", files, func(x *file) verdict { return compare(x.clip, x.exact(), 0) })
	}
	for i := range f.oracles {
		o := &f.oracles[i]
		out := func(x *file) string { return x.path + "." + o.name }
		if o.command == nil {
			chunks := slices.Collect(slices.Chunk(files, batch))
			err = parallel(len(chunks), func(i int) error {
				var in, outs []string
				for _, x := range chunks[i] {
					in, outs = append(in, x.path), append(outs, out(x))
				}
				return decodeMany(in, outs)
			})
		} else {
			err = parallel(len(files), func(i int) error { return o.decodeOne(files[i].path, out(files[i])) })
		}
		if err != nil {
			return failed, err
		}
		failed += f.tell(o.name, files, func(x *file) verdict {
			samples, err := o.read(out(x), x.bits, x.channels)
			if err != nil {
				return verdict{wrong: err.Error()}
			}
			ours := *x.clip
			if o.bits == 16 { // which is clipped
				ours.Samples = clipped(ours.Samples)
			}
			for _, w := range o.wrong {
				switch {
				case !w.applies(x):
				case !w.end:
					return verdict{excused: w.why}
				case abs(len(samples)-len(ours.Samples)) <= ending*x.clip.Channels:
					n := min(len(samples), len(ours.Samples))
					ours.Samples = ours.Samples[:n]
					v := compare(&ours, samples[:n], o.tolerance)
					v.end = w.why
					return v
				}
			}
			return compare(&ours, samples, o.tolerance)
		})
	}
	return failed, nil
}

// encode makes a file, and decodes it with package sounds.
func (f *format) encode(folder string, e encoding) (*file, error) {
	x := &file{encoding: e, path: filepath.Join(folder, f.name+"-"+e.name+f.ending), source: signal(e)}
	source := x.path + ".source.wav"
	if err := writeWAV(source, e, x.source); err != nil {
		return nil, err
	}
	if err := execute(fill(e.command, "SOURCE", source, "FILE", x.path)); err != nil {
		return nil, err
	}
	data, err := os.ReadFile(x.path)
	if err != nil {
		return nil, err
	}
	x.pages = bytes.Count(data, []byte("OggS"))
	x.clip, err = sounds.Decode(context.Background(), x.path, bytes.NewReader(data), sounds.Limits{})
	if err != nil { // a finding, which the comparison tells
		fmt.Println(err)
		x.clip = &sounds.Clip{Channels: e.channels, Rate: e.rate}
	}
	return x, nil
}

// exact returns the source as a file without a loss has it.
func (x *file) exact() []float32 {
	out := make([]float32, len(x.source))
	for i, s := range x.source {
		out[i] = float32(s) / float32(int32(1)<<(x.bits-1))
	}
	return out
}

// verdict is what a comparison has found.
type verdict struct {
	difference float64
	wrong      string // empty: nothing
	excused    string // not compared, and why
	end        string // compared up to the end alone, and why
}

// compare holds what package sounds has decoded against what it should be.
func compare(c *sounds.Clip, want []float32, tolerance float64) verdict {
	switch {
	case len(c.Samples) != len(want):
		return verdict{wrong: fmt.Sprintf("%d frames instead of %d%s", len(c.Samples)/c.Channels, len(want)/c.Channels, lag(c, want))}
	case len(want) > 1000 && peak(want) < 0.1:
		return verdict{wrong: "what it is compared with is silent"}
	}
	v := verdict{}
	for i, x := range c.Samples {
		v.difference = max(v.difference, math.Abs(float64(x)-float64(want[i])))
	}
	if !(v.difference <= tolerance) {
		v.wrong = fmt.Sprintf("differs by %.3g, at most %.3g%s", v.difference, tolerance, lag(c, want))
	}
	return v
}

// ending is how many frames an oracle may have too many or too few at an end that it is known
// to cut wrongly: a block of Vorbis, and less than the shortest file has.
const ending = 2048

func abs(n int) int { return max(n, -n) }

// clipped returns samples as 16 bits can have them.
func clipped(x []float32) []float32 {
	out := make([]float32, len(x))
	for i, x := range x {
		out[i] = min(max(x, -1), 1-1./(1<<15))
	}
	return out
}

func peak(x []float32) (most float64) {
	for _, x := range x {
		most = max(most, math.Abs(float64(x)))
	}
	return most
}

// lag says by how many frames ours is late, where that explains a difference.
func lag(c *sounds.Clip, want []float32) string {
	const reach = 1200
	best, at := 0.0, 0
	n := c.Channels
	ours, theirs := len(c.Samples)/n, len(want)/n
	for d := -reach; d <= reach; d++ {
		sum := 0.0
		for i := max(0, -d); i < theirs && i+d < ours; i++ {
			sum += float64(c.Samples[(i+d)*n]) * float64(want[i*n])
		}
		if sum > best {
			best, at = sum, d
		}
	}
	if at == 0 {
		return ""
	}
	return fmt.Sprintf(", %d frames late", at)
}

// tell prints a line about a decoder, after one for each failure, and returns how many there
// were.
func (f *format) tell(decoder string, files []*file, judge func(*file) verdict) (failed int) {
	worst, at, compared := 0.0, "", 0
	excused, ends := map[string]int{}, map[string]int{}
	for _, x := range files {
		v := judge(x)
		switch {
		case v.excused != "":
			excused[v.excused]++
			continue
		case v.wrong != "":
			failed++
			fmt.Printf("%s %s, against %s: %s\n", f.name, x.name, decoder, v.wrong)
		}
		if v.end != "" {
			ends[v.end]++
		}
		compared++
		if v.difference > worst {
			worst, at = v.difference, " in "+x.name
		}
	}
	fmt.Printf("%-6s %3d encodings, %3d compared with %-6s: %d wrong, lengths and places to the frame, worst difference %.2g%s", f.name, len(files), compared, decoder, failed, worst, at)
	for why, n := range excused {
		fmt.Printf("; %d not compared (%s)", n, why)
	}
	for why, n := range ends {
		fmt.Printf("; %d compared without the end (%s)", n, why)
	}
	fmt.Println()
	return failed
}

// parallel does n things, some at a time, and returns the first error.
func parallel(n int, do func(i int) error) error {
	var (
		wait  sync.WaitGroup
		errs  = make([]error, n)
		slots = make(chan struct{}, workers)
	)
	for i := range n {
		slots <- struct{}{}
		wait.Go(func() {
			defer func() { <-slots }()
			errs[i] = do(i)
		})
	}
	wait.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
