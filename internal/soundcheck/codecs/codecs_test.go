// Package codecs encodes a signal in many ways, decodes each file with package library and with other
// decoders, and compares the results. Its test needs lame, mpg123, oggenc, oggdec, flac, sox and ffmpeg;
// .ci/codecs-match-other-decoders installs them and explains each tolerance.
package codecs

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"voicepool/sounds/library"
)

// asked is the environment variable that enables the test, which takes minutes and needs rare programs. If it
// is set, a missing program is a failure.
const asked = "VOICEPOOL_CODECS"

func TestCodecs(t *testing.T) {
	if os.Getenv(asked) == "" {
		t.Skipf("needs encoders and decoders: run .ci/codecs-match-other-decoders, which sets %s=1", asked)
	}
	for _, f := range formats {
		t.Run(f.name, func(t *testing.T) {
			t.Parallel()
			grid := f.grid()
			if len(grid) < f.least {
				t.Errorf("%d encodings, want at least %d", len(grid), f.least)
			}
			files := f.encode(t, grid)
			tallies := make([]tally, len(f.oracles))
			t.Cleanup(func() {
				for i, o := range f.oracles {
					t.Logf("%s against %s: %v", f.name, o.name, &tallies[i])
				}
			})
			for _, o := range f.oracles {
				if o.many {
					o.decodeAll(t, files)
				}
			}
			for _, x := range files {
				t.Run(x.name, func(t *testing.T) {
					t.Parallel()
					x.decode(t)
					for i, o := range f.oracles {
						v := o.judge(x, o.decode(t, x))
						tallies[i].add(x.name, v)
						if v.wrong != "" {
							t.Errorf("against %s: %s", o.name, v.wrong)
						}
					}
				})
			}
		})
	}
}

// file is an encoding and its samples decoded by package library.
type file struct {
	encoding
	path   string
	pages  int // of Ogg
	source []int32
	clip   *library.Clip
}

// encode writes the files of a grid.
func (f *format) encode(t *testing.T, grid []encoding) (files []*file) {
	folder := t.ArtifactDir()
	for _, e := range grid {
		x := &file{encoding: e, path: filepath.Join(folder, e.name+f.ending), source: signal(e)}
		source := x.path + ".source.wav"
		if err := writeWAV(source, e, x.source); err != nil {
			t.Fatal(err)
		}
		execute(t, e.command, "SOURCE", source, "FILE", x.path)
		files = append(files, x)
	}
	return files
}

// decode decodes the file with package library.
func (x *file) decode(t *testing.T) {
	data, err := os.ReadFile(x.path)
	if err != nil {
		t.Fatal(err)
	}
	x.pages = bytes.Count(data, []byte("OggS"))
	if x.clip, err = library.Decode(t.Context(), x.path, bytes.NewReader(data), library.Limits{}); err != nil {
		t.Fatal(err)
	}
}

// exact returns the source as decoded from a lossless file.
func (x *file) exact() []float32 {
	out := make([]float32, len(x.source))
	for i, s := range x.source {
		out[i] = float32(s) / float32(int32(1)<<(x.bits-1))
	}
	return out
}

// verdict is the result of a comparison.
type verdict struct {
	difference float64
	wrong      string // empty: equal
	excused    string // reason for not comparing
	partly     string // reason for comparing a part differently or not at all
	quality    float64
}

// compare compares samples decoded by package library with the expected ones.
func compare(ours, want []float32, channels int, tolerance float64) verdict {
	switch {
	case len(ours) != len(want):
		return verdict{wrong: fmt.Sprintf("%d frames instead of %d%s", len(ours)/channels, len(want)/channels, lag(ours, want, channels))}
	case len(want) > 1000 && peak(want) < 0.1:
		return verdict{wrong: "what it is compared with is silent"}
	}
	v := verdict{}
	for i, x := range ours {
		v.difference = max(v.difference, math.Abs(float64(x)-float64(want[i])))
	}
	if !(v.difference <= tolerance) {
		v.wrong = fmt.Sprintf("differs by %.3g, at most %.3g%s", v.difference, tolerance, lag(ours, want, channels))
	}
	return v
}

func peak(x []float32) (most float64) {
	for _, x := range x {
		most = max(most, math.Abs(float64(x)))
	}
	return most
}

// lag returns the delay of ours in frames as text, if a delay explains a difference.
func lag(ours, want []float32, channels int) string {
	const reach = 1200
	best, at := 0.0, 0
	for d := -reach; d <= reach; d++ {
		sum := 0.0
		for i := max(0, -d) * channels; i < len(want) && i+d*channels < len(ours); i += channels {
			sum += float64(ours[i+d*channels]) * float64(want[i])
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

// tally is the sum of an oracle's verdicts.
type tally struct {
	mu              sync.Mutex
	compared, wrong int
	worst           float64
	place           string // of the worst verdict
	excused, partly map[string]int
	quality         float64 // the worst, less than 100
}

func (s *tally) add(name string, v verdict) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.excused == nil {
		s.excused, s.partly, s.quality = map[string]int{}, map[string]int{}, 100
	}
	if v.excused != "" {
		s.excused[v.excused]++
		return
	}
	s.compared++
	if v.wrong != "" {
		s.wrong++
	}
	if v.partly != "" {
		s.partly[v.partly]++
	}
	if v.quality != 0 {
		s.quality = min(s.quality, v.quality)
	}
	if v.difference > s.worst {
		s.worst, s.place = v.difference, " in "+name
	}
}

func (s *tally) String() string {
	line := fmt.Sprintf("%d compared, %d wrong, lengths and places to the frame, worst difference %.2g%s", s.compared, s.wrong, s.worst, s.place)
	for why, n := range s.excused {
		line += fmt.Sprintf("; %d not compared (%s)", n, why)
	}
	for why, n := range s.partly {
		line += fmt.Sprintf("; %d in part (%s)", n, why)
	}
	if s.quality < 100 {
		line += fmt.Sprintf("; quality by RFC 8251 %.2f and more", s.quality)
	}
	return line
}
