package main_test

import (
	"bytes"
	"crypto/md5"
	"encoding/binary"
	"fmt"
	"io/fs"
	"math"
	"slices"
	"sort"
	"testing"

	"github.com/mewkiz/flac"
	"github.com/mewkiz/flac/meta"

	"voicepool/sounds/embedded"
	"voicepool/sounds/embedded/gen/synth"
)

// sound is a decoded embedded file.
type sound struct {
	channels [][]int16
	tags     [][2]string
}

func (s sound) frames() int { return len(s.channels[0]) }

// power returns the mean square of a part of a sound, relative to full scale.
func (s sound) power(from, to float64) float64 {
	sum := 0.0
	a, b := int(from*synth.Rate), int(to*synth.Rate)
	for _, c := range s.channels {
		for _, v := range c[a:b] {
			sum += float64(v) * float64(v) / (1 << 30)
		}
	}
	return sum / float64((b-a)*len(s.channels))
}

// stream opens the file of a sound and reads its header.
func stream(t *testing.T, name string) *flac.Stream {
	t.Helper()
	data, ok := embedded.Open(name)
	if !ok {
		t.Fatalf("Open(%q): there is none; run go generate", name)
	}
	s, err := flac.Parse(bytes.NewReader(data))
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return s
}

// seconds returns the length of a sound.
func seconds(s *flac.Stream) float64 { return float64(s.Info.NSamples) / synth.Rate }

// open decodes a sound and checks the properties in its header.
func open(t *testing.T, name string) sound {
	t.Helper()
	stream := stream(t, name)
	if stream.Info.SampleRate != synth.Rate || stream.Info.BitsPerSample != 16 {
		t.Errorf("%s: %d Hz, %d bits, want %d Hz, 16 bits", name, stream.Info.SampleRate, stream.Info.BitsPerSample, synth.Rate)
	}
	s := sound{channels: make([][]int16, stream.Info.NChannels)}
	for _, b := range stream.Blocks {
		if c, ok := b.Body.(*meta.VorbisComment); ok {
			s.tags = c.Tags
		}
	}
	var raw []byte
	for uint64(len(s.channels[0])) < stream.Info.NSamples {
		f, err := stream.ParseNext()
		if err != nil {
			t.Fatalf("%s: frame %d: %v", name, len(s.channels[0]), err)
		}
		for i := range f.Subframes[0].Samples {
			for c, sub := range f.Subframes {
				v := int16(sub.Samples[i])
				s.channels[c] = append(s.channels[c], v)
				raw = binary.LittleEndian.AppendUint16(raw, uint16(v))
			}
		}
	}
	if sum := md5.Sum(raw); sum != stream.Info.MD5sum {
		t.Errorf("%s: the samples have MD5 %x, the file says %x", name, sum, stream.Info.MD5sum)
	}
	return s
}

// TestFilesAreWhatTheRecipesMake checks that the embedded files have exactly the samples that the recipes make,
// on every machine.
func TestFilesAreWhatTheRecipesMake(t *testing.T) {
	for _, r := range synth.Recipes() {
		t.Run(r.Name, func(t *testing.T) {
			t.Parallel()
			got, want := open(t, r.Name).channels, r.PCM()
			if !slices.EqualFunc(got, want, slices.Equal[[]int16]) {
				t.Errorf("%d channels of %d frames in the file are not the %d of %d that the recipe makes; run go generate",
					len(got), len(got[0]), len(want), len(want[0]))
			}
		})
	}
}

func TestIndex(t *testing.T) {
	names := embedded.Names()
	if !sort.StringsAreSorted(names) {
		t.Errorf("Names() is not sorted: %v", names)
	}
	var made, files []string
	loops := 0
	for _, r := range synth.Recipes() {
		made = append(made, r.Name)
		files = append(files, r.Name+".flac")
		if r.Loop {
			loops++
		}
		if got := embedded.IsLoop(r.Name); got != r.Loop {
			t.Errorf("IsLoop(%q) = %v, want %v", r.Name, got, r.Loop)
		}
	}
	if !slices.Equal(names, made) {
		t.Errorf("Names() = %v, the recipes are %v", names, made)
	}
	if len(names)-loops < 18 || loops < 3 {
		t.Errorf("%d effects and %d loops, want at least 18 and 3", len(names)-loops, loops)
	}

	total := int64(0)
	var found []string
	err := fs.WalkDir(embedded.FS(), ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		found = append(found, path)
		info, err := d.Info()
		total += info.Size()
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(found, files) {
		t.Errorf("FS() holds %v, want %v", found, files)
	}
	if total >= 2_000_000 {
		t.Errorf("the files have %d bytes, want less than 2,000,000", total)
	}

	names[0] = "overwritten"
	if embedded.Names()[0] == names[0] {
		t.Error("Names() hands out its own list")
	}
	for _, name := range []string{"", "a", "coin.flac", "Coin", "zzz", "../embedded"} {
		if _, ok := embedded.Open(name); ok || embedded.IsLoop(name) {
			t.Errorf("there is a sound called %q", name)
		}
	}
	data, _ := embedded.Open("coin")
	data[0] = 0
	if again, _ := embedded.Open("coin"); again[0] != 'f' {
		t.Error("Open hands out its own bytes")
	}
}

// TestSoundsAreClean checks every sound's level, DC offset and silence at its ends.
func TestSoundsAreClean(t *testing.T) {
	for _, name := range embedded.Names() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := open(t, name)
			loop := embedded.IsLoop(name)
			want := ""
			if loop {
				want = fmt.Sprintf("[[LOOPSTART 0] [LOOPLENGTH %d]]", s.frames())
			}
			if got := fmt.Sprint(s.tags); got != want && got != "[]"+want {
				t.Errorf("tags %s, want %s", got, want)
			}
			if d := float64(s.frames()) / synth.Rate; d < 0.05 || d > 4 && !loop || d > 8 {
				t.Errorf("it lasts %v s, want 0.05 to 4, a loop to 8", d)
			}
			if len(s.channels) == 2 && slices.Equal(s.channels[0], s.channels[1]) {
				t.Error("it has two equal channels, want one")
			}
			top := 0.0
			for c, samples := range s.channels {
				sum := 0
				for _, v := range samples {
					sum += int(v)
					top = max(top, math.Abs(float64(v)))
				}
				if mean := float64(sum) / float64(len(samples)); math.Abs(mean) > 0.5 {
					t.Errorf("channel %d has a mean of %v steps of 1/32768, want at most 0.5", c, mean)
				}
				if loop {
					checkSeam(t, samples)
				} else {
					checkEnds(t, samples)
				}
			}
			if peak := 20 * math.Log10(top/32767); peak < -12.01 || peak > -0.99 {
				t.Errorf("its peak is %.2f dBFS, want -12 to -1", peak)
			}
		})
	}
}

// checkSeam compares the first and second differences at the loop seam with the largest elsewhere.
func checkSeam(t *testing.T, samples []int16) {
	t.Helper()
	n := len(samples)
	at := func(i int) int { return int(samples[(i+n)%n]) }
	step := func(i int) int { return abs(at(i) - at(i-1)) }
	bend := func(i int) int { return abs(at(i+1) - 2*at(i) + at(i-1)) }
	maxStep, maxBend := 0, 0
	for i := 1; i < n-1; i++ {
		maxStep, maxBend = max(maxStep, step(i)), max(maxBend, bend(i))
	}
	maxStep = max(maxStep, step(n-1))
	if step(0) > maxStep {
		t.Errorf("the step at the seam is %d, the largest elsewhere %d", step(0), maxStep)
	}
	if b := max(bend(0), bend(n-1)); b > maxBend {
		t.Errorf("the bend at the seam is %d, the largest elsewhere %d", b, maxBend)
	}
}

func checkEnds(t *testing.T, samples []int16) {
	t.Helper()
	n := len(samples)
	if samples[0] != 0 || samples[n-1] != 0 {
		t.Errorf("it begins at %d and ends at %d, want 0 and 0", samples[0], samples[n-1])
	}
	// -60 dBFS: the inaudible last millisecond of a fade.
	for i, v := range samples[n-48:] {
		if abs(int(v)) > 33 {
			t.Errorf("%d frames before its end it is at %d, want at most 33", 48-i, v)
			return
		}
	}
}

func abs(v int) int { return max(v, -v) }

// TestKnockPausesAndSwellSwells checks properties that scenes rely on: a pause in knock and a slow attack in
// swell.
func TestKnockPausesAndSwellSwells(t *testing.T) {
	knock := open(t, "knock")
	if p := 10 * math.Log10(knock.power(0.6, 1.29)+1e-12); p > -70 {
		t.Errorf("the pause of knock is at %.1f dBFS, want at most -70", p)
	}
	if p := 10 * math.Log10(knock.power(1.3, 1.4)); p < -30 {
		t.Errorf("after its pause knock is at %.1f dBFS, want at least -30", p)
	}
	swell := open(t, "swell")
	if rise := 10 * math.Log10(swell.power(2, 2.3)/swell.power(0.1, 0.4)); rise < 18 {
		t.Errorf("swell rises by %.1f dB in two seconds, want at least 18", rise)
	}
}

func TestSoundsVary(t *testing.T) {
	briefest, most, stereo := math.Inf(1), 0.0, 0
	for _, name := range embedded.Names() {
		s := stream(t, name)
		if !embedded.IsLoop(name) {
			briefest, most = min(briefest, seconds(s)), max(most, seconds(s))
		}
		if s.Info.NChannels == 2 {
			stereo++
		}
	}
	if briefest > 0.06 || most < 3.5 || stereo < 4 {
		t.Errorf("effects of %v to %v s, %d sounds in stereo; want 0.06 to 3.5 and more, 4 and more", briefest, most, stereo)
	}
}
