package main

import (
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"os/exec"
	"slices"
	"strings"
)

// oracle is another decoder. It leaves interleaved samples, float32 or int16 in
// little-endian order, in the file OUT.
type oracle struct {
	name      string
	command   []string // for one FILE; nil: ffmpeg, which takes many at a time
	bits      int      // of what it gives: 16, or 32 for float32
	tolerance float64  // the largest difference between samples, full scale being 1
	vorbis    bool     // channels are in Vorbis's order, not in that of WAV
	wrong     []exception
}

// exception is where an oracle is known to be wrong, and the other one says so.
type exception struct {
	applies func(x *file) bool
	end     bool // it cuts the end wrongly; what comes before is compared
	why     string
}

var formats = []format{
	{name: "mp3", ending: ".mp3", least: 160, grid: mp3Grid, oracles: []oracle{
		{name: "mpg123", command: []string{"mpg123", "-q", "-e", "f32", "--no-resync", "-O", "OUT", "FILE"}, bits: 32, tolerance: 4e-6},
		{name: "ffmpeg", bits: 32, tolerance: 4e-6, wrong: []exception{{
			applies: func(x *file) bool { return x.clip.Rate == 24000 },
			why:     "24 kHz, of which it has a wrong edge of a band",
		}}},
	}},
	{name: "vorbis", ending: ".ogg", least: 160, grid: vorbisGrid, oracles: []oracle{
		{name: "oggdec", command: []string{"oggdec", "-Q", "-R", "-b", "16", "-o", "OUT", "FILE"}, bits: 16, tolerance: 0.5/(1<<15) + 2e-6, vorbis: true},
		{name: "ffmpeg", bits: 32, tolerance: 4e-6, wrong: []exception{
			{applies: func(x *file) bool { return x.pages == 3 }, end: true, why: "one page of sound, whose end it cuts wrongly"},
			{applies: func(x *file) bool { return strings.HasSuffix(x.name, "-6-q-1") }, why: "5.1 at quality -1, of which its LFE is another"},
		}},
	}},
	{name: "flac", ending: ".flac", least: 160, grid: flacGrid, lossless: true, oracles: []oracle{
		{name: "flac", command: []string{"flac", "--silent", "-d", "-f", "--force-raw-format", "--endian=little", "--sign=signed", "FILE", "-o", "OUT"}},
		{name: "ffmpeg", bits: 32, wrong: []exception{
			{applies: func(x *file) bool { return x.name == "4-8-48000-88" }, why: "of which its parser loses two blocks of 192 frames"},
			{applies: func(x *file) bool { return x.name == "5-24-8000-119" }, why: "of which its parser does not find the only frame, of 280 kB"},
		}},
	}},
	{name: "wav", ending: ".wav", least: 160, grid: wavGrid, oracles: []oracle{
		{name: "sox", command: []string{"sox", "-D", "FILE", "-t", "f32", "OUT"}, bits: 32, tolerance: 1. / (1 << 24)},
		{name: "ffmpeg", bits: 32},
	}},
}

// decodeOne has an oracle decode a file.
func (o *oracle) decodeOne(file, out string) error {
	return execute(fill(o.command, "FILE", file, "OUT", out))
}

// decodeMany has ffmpeg decode files, all in one process.
func decodeMany(files, outs []string) error {
	args := []string{"ffmpeg", "-nostdin", "-v", "error", "-y", "-threads", "1", "-filter_threads", "1"}
	for _, f := range files {
		args = append(args, "-i", f)
	}
	for i, out := range outs {
		args = append(args, "-map", fmt.Sprint(i), "-c:a", "pcm_f32le", "-f", "f32le", out)
	}
	return execute(args)
}

// read returns what an oracle has left.
func (o *oracle) read(path string, bits, channels int) ([]float32, error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	if o.bits > 0 {
		bits = o.bits
	}
	size := bits / 8
	samples := make([]float32, len(b)/size)
	for i := range samples {
		if bits == 32 {
			samples[i] = math.Float32frombits(binary.LittleEndian.Uint32(b[4*i:]))
			continue
		}
		var word [4]byte
		copy(word[4-size:], b[i*size:(i+1)*size])
		samples[i] = float32(int32(binary.LittleEndian.Uint32(word[:]))) / (1 << 31)
	}
	if o.vorbis {
		order, in := wavOrder(channels), slices.Clone(samples)
		for i := range samples {
			samples[i] = in[i-i%channels+order[i%channels]]
		}
	}
	return samples, nil
}

// wavOrder returns, for each channel of WAV, which of Vorbis's it is.
func wavOrder(channels int) []int {
	switch channels {
	case 6:
		return []int{0, 2, 1, 5, 3, 4}
	case 2:
		return []int{0, 1}
	}
	return []int{0}
}

// fill puts paths in the place of words.
func fill(command []string, words ...string) []string {
	replacer := strings.NewReplacer(words...)
	args := make([]string, len(command))
	for i, a := range command {
		args[i] = replacer.Replace(a)
	}
	return args
}

func execute(args []string) error {
	if out, err := exec.Command(args[0], args[1:]...).CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w: %s", strings.Join(args, " "), err, out)
	}
	return nil
}
