package library

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"voicepool/internal/dsp"
	"voicepool/internal/longtest"
	"voicepool/internal/panning"
	"voicepool/pcm"
	"voicepool/sounds"
)

// readRange returns up to n frames of a play range of a track, read in pieces of all lengths.
func readRange(t testing.TB, b *Library, tr *streamSource, c sounds.PlayRange, n int) ([]pcm.Frame, error) {
	t.Helper()
	from, err := tr.cursor()
	if err != nil {
		t.Fatal(err)
	}
	r := newRangeReader(from, tr.channels, b.conversionFrom(tr.clip.Rate, tr.clip.Loop), c)
	defer r.Close()
	return readFrames(r, n, rand.New(rand.NewPCG(1, uint64(n))))
}

func readFrames(r FrameReader, n int, random *rand.Rand) ([]pcm.Frame, error) {
	var out []pcm.Frame
	for len(out) < n {
		size := min(1+random.IntN(3000), n-len(out))
		out = slices.Grow(out, size)
		k, err := r.Read(out[len(out) : len(out)+size])
		out = out[:len(out)+k]
		if errors.Is(err, io.EOF) {
			return out, nil
		} else if err != nil {
			return out, err
		}
	}
	return out, nil
}

// loaded returns the expected frames of a stream: the frames of the loaded sound along a play range.
func loaded(s *sounds.Sound, c sounds.PlayRange, n int) []pcm.Frame {
	x := s.Samples()
	left, _ := panning.Gains(0)
	if c.Loop == (pcm.Loop{}) && s.Channels() == 2 {
		from := min(c.From, s.Frames())
		out := make([]pcm.Frame, min(int64(n), s.Frames()-from))
		copy(dsp.Interleaved(out), x[2*from:])
		return out
	}
	out := make([]pcm.Frame, 0, max(min(int64(n), s.Frames()-c.From), 0))
	for i := int64(0); len(out) < n; i++ {
		at := c.FrameAt(i)
		if at >= s.Frames() {
			break
		}
		if s.Channels() == 1 {
			y := float32(float64(x[at]) * left)
			out = append(out, pcm.Frame{y, y})
		} else {
			out = append(out, pcm.Frame{x[2*at], x[2*at+1]})
		}
	}
	return out
}

func sameFrames(t *testing.T, what string, got, want []pcm.Frame) {
	t.Helper()
	if len(got) != len(want) {
		t.Errorf("%s: %d frames, want %d", what, len(got), len(want))
	}
	for i := range min(len(got), len(want)) {
		if got[i] != want[i] {
			t.Errorf("%s: frame %d is %v, want %v", what, i, got[i], want[i])
			return
		}
	}
}

// formatFiles lists the files of testdata/formats with tests of their own.
func formatFiles(t testing.TB) []string {
	t.Helper()
	files, err := filepath.Glob("testdata/formats/*.*")
	if err != nil {
		t.Fatal(err)
	}
	var list []string
	for _, f := range files {
		if base := filepath.Base(f); !strings.HasSuffix(base, ".txt") && !strings.HasPrefix(base, "golden") {
			list = append(list, f)
		}
	}
	return list
}

// TestStreamFrames compares streams with loaded sounds to the bit, from any position, in every format. It
// covers converted and unconverted rates, with and without loops.
func TestStreamFrames(t *testing.T) {
	t.Parallel()
	libs := []*Library{
		NewLibrary(Options{}), NewLibrary(Options{Loop: true}), NewLibrary(Options{Rate: 44100}), NewLibrary(Options{Rate: 44100, Loop: true}),
	}
	for i, file := range formatFiles(t) {
		t.Run(filepath.Base(file), func(t *testing.T) {
			t.Parallel()
			random := rand.New(rand.NewPCG(1, 2))
			for k, b := range libs {
				if !longtest.Enabled() && i%9 != 0 && (i+k)%3 != 0 {
					continue
				}
				want, err := b.LoadFile(file)
				if err != nil {
					t.Fatal(err)
				}
				tr, err := b.openTrack(Source{File: file}, &StreamOptions{})
				if err != nil {
					t.Fatal(err)
				}
				loop := want.Loop()
				from, to := loop[0], loop[1]
				n := want.Frames()
				ranges := []sounds.PlayRange{
					{}, {From: random.Int64N(n)}, {From: 1}, {From: n / 2}, {From: n - 1}, {From: n}, {From: n + 100000}, {From: random.Int64N(n)}, {From: random.Int64N(n)},
					{Loop: [2]int64{from, to}}, {From: random.Int64N(n), Loop: [2]int64{from, to}}, {From: n + 5, Loop: [2]int64{n / 3, n / 2}},
				}
				length := int(2*n + 1000)
				if i%9 != 0 { // one file of each format and a few more
					ranges, length = ranges[:2], int(n+100)
				}
				for _, c := range ranges {
					length := length
					if c.Loop.Frames() == 0 && c.From > 1 && c.From < n-1 && !longtest.Enabled() {
						length = min(length, 6000) // the ranges from 0 and 1 reach the end
					}
					got, err := readRange(t, b, tr, c, length)
					if err != nil {
						t.Fatal(err)
					}
					sameFrames(t, fmt.Sprintf("%+v, range %v", b.opt, c), got, loaded(want, c, length))
				}
			}
		})
	}
}

// sparse serves files that can only be read in order, like files in a zip archive.
type sparse struct{ fs.FS }

type unseekable struct{ f fs.File }

func (u unseekable) Read(p []byte) (int, error) { return u.f.Read(p[:min(len(p), 1000)]) }
func (u unseekable) Stat() (fs.FileInfo, error) { return u.f.Stat() }
func (u unseekable) Close() error               { return u.f.Close() }

func (s sparse) Open(name string) (fs.File, error) {
	f, err := s.FS.Open(name)
	if err != nil {
		return nil, err
	}
	return unseekable{f}, nil
}

// TestStreamLoops streams intros and loops, short and long, over several rounds, from files that can seek and
// that cannot.
func TestStreamLoops(t *testing.T) {
	random, next := rand.New(rand.NewPCG(3, 4)), longtest.Every(3)
	x := make([]int16, 2*3000)
	for i := range x {
		x[i] = int16(random.IntN(40000) - 20000)
	}
	files := fstest.MapFS{}
	for i, loop := range [][2]uint32{{0, 2999}, {1000, 2999}, {1000, 2000}, {100, 103}, {2998, 2998}, {0, 0}} {
		files[fmt.Sprint(i)] = &fstest.MapFile{Data: wavBytes16(44100, 2, x, loop)}
	}
	for _, rate := range []int{48000, 44100, 8000} {
		b := NewLibrary(Options{Rate: rate})
		for _, name := range slices.Sorted(maps.Keys(files)) {
			for _, fsys := range []fs.FS{files, sparse{files}} {
				want, err := b.LoadFS(fsys, name)
				if err != nil {
					t.Fatal(err)
				}
				tr, err := b.openTrack(Source{File: name, FS: fsys}, &StreamOptions{})
				if err != nil {
					t.Fatal(err)
				}
				loop := want.Loop()
				from, to := loop[0], loop[1]
				for _, c := range []sounds.PlayRange{
					{}, {Loop: [2]int64{from, to}}, {From: from + (to-from)/3, Loop: [2]int64{from, to}}, {From: to + 7, Loop: [2]int64{from, to}}, {From: to - 1},
					{From: from / 2, Loop: [2]int64{from / 3, to}},
					{Loop: loop, Rounds: 1}, {Loop: loop, Rounds: 2}, {Loop: loop, Rounds: 5}, {From: to + 7, Loop: loop, Rounds: 40},
					{From: from + (to-from)/3, Loop: loop, Rounds: 2}, {From: to + 7, Loop: loop, Rounds: 3},
					{From: from / 2, Loop: [2]int64{from / 3, to}, Rounds: 4}, {From: from / 2, Loop: [2]int64{from / 3, to}, Rounds: 3},
				} {
					if !next() {
						continue
					}
					length := int(3*want.Frames() + 100)
					got, err := readRange(t, b, tr, c, length)
					if err != nil {
						t.Fatal(err)
					}
					sameFrames(t, fmt.Sprintf("%s at %d Hz, range %v", name, rate, c), got, loaded(want, c, length))
				}
			}
		}
	}
}

// wavBytes16 returns a 16-bit WAV file with a loop that includes its last frame.
func wavBytes16(rate, channels int, samples []int16, loop [2]uint32) []byte {
	b := []byte("RIFF\x00\x00\x00\x00WAVEfmt \x10\x00\x00\x00\x01\x00")
	b = append(b, byte(channels), 0, byte(rate), byte(rate>>8), byte(rate>>16), 0, 0, 0, 0, 0, byte(channels*2), 0, 16, 0)
	b = append(b, "data"...)
	n := 2 * len(samples)
	b = append(b, byte(n), byte(n>>8), byte(n>>16), byte(n>>24))
	for _, x := range samples {
		b = append(b, byte(x), byte(x>>8))
	}
	body := make([]byte, 60)
	body[28] = 1
	for i, x := range loop {
		body[44+4*i], body[45+4*i], body[46+4*i] = byte(x), byte(x>>8), byte(x>>16)
	}
	b = append(b, "smpl\x3c\x00\x00\x00"...)
	b = append(b, body...)
	n = len(b) - 8
	b[4], b[5], b[6], b[7] = byte(n), byte(n>>8), byte(n>>16), byte(n>>24)
	return b
}

// TestStreamHostile checks that files that fail to load also fail as streams or are rejected when opened.
// Loadable ones give the same frames.
func TestStreamHostile(t *testing.T) {
	files, err := os.ReadDir("testdata/hostile")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		b := NewLibrary(Options{Rate: 44100})
		path := filepath.Join("testdata/hostile", file.Name())
		want, loadErr := b.LoadFile(path)
		tr, err := b.openTrack(Source{File: path}, &StreamOptions{})
		var got []pcm.Frame
		if err == nil {
			got, err = readRange(t, b, tr, sounds.PlayRange{}, 1<<20)
		}
		if (err == nil) != (loadErr == nil) {
			t.Errorf("%s: %v, loaded: %v", file.Name(), err, loadErr)
		}
		if loadErr == nil {
			sameFrames(t, file.Name(), got, loaded(want, sounds.PlayRange{}, 1<<20))
		} else if s := withName(path, err).Error(); s != loadErr.Error() {
			t.Errorf("%q, loaded %q", s, loadErr)
		}
	}
}
