package codecs

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// oracle is another decoder. It writes interleaved samples, float32 or little-endian integers, to the file
// OUT.
type oracle struct {
	name      string
	command   []string // for a FILE; nil: the source itself
	many      bool     // all files have been decoded together
	bits      int      // of the output, 32 for float32; 0: as the source
	tolerance float64  // largest allowed difference between samples; full scale is 1
	padded    bool     // decodes the last block completely; frames behind our end are not compared
	quality   float64  // minimum by RFC 8251; 0: not checked
	ways      bool     // Opus channels are compared according to their coding
	vorbis    bool     // channels are in the order of Vorbis, not of WAV
	wrong     []exception
}

// exception is a known fault of an oracle that another oracle confirms.
type exception struct {
	applies func(x *file) bool
	end     bool // only the end is wrong; the frames before it are compared
	why     string
}

// ffmpeg decodes every format.
func ffmpeg(tolerance float64, wrong ...exception) oracle {
	return oracle{name: "ffmpeg", many: true, bits: 32, tolerance: tolerance, wrong: wrong}
}

// decodeAll runs ffmpeg for many files at once, because starting it takes longer than decoding.
func (o *oracle) decodeAll(t *testing.T, files []*file) {
	for some := range slices.Chunk(files, 100) {
		command := []string{"ffmpeg", "-nostdin", "-v", "error", "-y"}
		for _, x := range some {
			command = append(command, "-threads", "1", "-i", x.path)
		}
		for i, x := range some {
			command = append(command, "-map", strconv.Itoa(i), "-c:a", "pcm_f32le", "-f", "f32le", o.out(x))
		}
		execute(t, command)
	}
}

// out returns the path of the samples of a file.
func (o *oracle) out(x *file) string { return x.path + "." + o.name }

var formats = []format{
	{name: "mp3", ending: ".mp3", least: 160, grid: mp3Grid, oracles: []oracle{
		{name: "mpg123", command: []string{"mpg123", "-q", "-e", "f32", "--no-resync", "-O", "OUT", "FILE"}, bits: 32, tolerance: 4e-6},
		ffmpeg(4e-6, exception{
			applies: func(x *file) bool { return x.clip.Rate == 24000 },
			why:     "24 kHz, of which it has a wrong edge of a band",
		}),
	}},
	{name: "vorbis", ending: ".ogg", least: 160, grid: vorbisGrid, oracles: []oracle{
		{name: "oggdec", command: []string{"oggdec", "-Q", "-R", "-b", "16", "-o", "OUT", "FILE"}, bits: 16, tolerance: 0.5/(1<<15) + 2e-6, vorbis: true},
		ffmpeg(4e-6,
			exception{applies: func(x *file) bool { return x.pages == 3 }, end: true, why: "one page of sound, whose end it cuts wrongly"},
			exception{applies: func(x *file) bool { return strings.HasSuffix(x.name, "-6-q-1") }, why: "5.1 at quality -1, of which its LFE is another"},
		),
	}},
	{name: "opus", ending: ".opus", least: 160, grid: opusGrid, oracles: []oracle{
		{name: "opusdec.wav", command: []string{"opusdec", "--quiet", "--float", "FILE", "OUT"}, bits: 32, tolerance: 4e-6, quality: 99},
		{name: "ffmpeg", many: true, bits: 32, tolerance: 4e-6, ways: true},
	}},
	{name: "flac", ending: ".flac", least: 160, grid: flacGrid, oracles: []oracle{
		{name: "source"},
		{name: "flac", command: []string{"flac", "--silent", "-d", "-f", "--force-raw-format", "--endian=little", "--sign=signed", "FILE", "-o", "OUT"}},
		ffmpeg(0,
			exception{applies: func(x *file) bool { return x.name == "4-8-48000-88" }, why: "of which its parser loses two blocks of 192 frames"},
			exception{applies: func(x *file) bool { return x.name == "5-24-8000-119" }, why: "of which its parser does not find the only frame, of 280 kB"},
		),
	}},
	{name: "oggflac", ending: ".oga", least: 160, grid: oggFLACGrid, oracles: []oracle{
		{name: "source"},
		{name: "flac", command: []string{"flac", "--silent", "-d", "-f", "--ogg", "--force-raw-format", "--endian=little", "--sign=signed", "FILE", "-o", "OUT"}},
		ffmpeg(0, exception{applies: func(x *file) bool { return x.name == "4-8-48000-88" }, why: "of which its parser loses two blocks of 192 frames"}),
	}},
	{name: "adpcm", ending: ".wav", least: 160, grid: adpcmGrid, oracles: []oracle{
		{name: "source", tolerance: 1, wrong: []exception{{
			applies: func(x *file) bool { return !strings.HasSuffix(x.name, "-sox") },
			why:     "by ffmpeg, whose fact chunk counts what fills its last block up",
		}}},
		{name: "sox", command: []string{"sox", "-D", "FILE", "-t", "s16", "OUT"}, bits: 16, padded: true},
		// writes a WAV file with the data chunk at the end
		{name: "sndfile.wav", command: []string{"sndfile-convert", "-pcm16", "FILE", "OUT"}, bits: 16, padded: true},
		{name: "ffmpeg", many: true, bits: 32, padded: true, tolerance: 0.02},
	}},
	{name: "wide-adpcm", ending: ".wav", least: 30, grid: wideGrid, oracles: []oracle{
		{name: "source", tolerance: 1},
		{name: "sox", command: []string{"sox", "-D", "FILE", "-t", "s16", "OUT"}, bits: 16, padded: true},
	}},
	{name: "aiff", ending: ".aiff", least: 160, grid: aiffGrid, oracles: []oracle{
		{name: "sox", command: []string{"sox", "-D", "FILE", "-t", "f32", "OUT"}, bits: 32, tolerance: 1. / (1 << 24)},
		ffmpeg(0),
	}},
	{name: "aiff-law", ending: ".aiff", least: 40, grid: lawGrid, oracles: []oracle{
		{name: "sndfile.wav", command: []string{"sndfile-convert", "-pcm16", "FILE", "OUT"}, bits: 16},
		ffmpeg(0),
	}},
	{name: "wav", ending: ".wav", least: 160, grid: wavGrid, oracles: []oracle{
		{name: "sox", command: []string{"sox", "-D", "FILE", "-t", "f32", "OUT"}, bits: 32, tolerance: 1. / (1 << 24)},
		ffmpeg(0),
	}},
}

// decode returns the samples of a file as decoded by an oracle.
func (o *oracle) decode(t *testing.T, x *file) []float32 {
	switch {
	case o.many:
	case o.command == nil:
		return x.exact()
	default:
		execute(t, o.command, "FILE", x.path, "OUT", o.out(x))
	}
	b, err := os.ReadFile(o.out(x))
	if err != nil {
		t.Fatal(err)
	}
	if at := bytes.Index(b, []byte("data")); strings.HasSuffix(o.name, ".wav") && at >= 0 {
		b = b[at+8:]
	}
	bits := cmp.Or(o.bits, x.bits)
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
	if o.vorbis && x.channels == 6 {
		order := [...]int{0, 2, 1, 5, 3, 4} // index of each WAV channel in Vorbis
		for frame := range slices.Chunk(samples, 6) {
			in := slices.Clone(frame)
			for c := range frame {
				frame[c] = in[order[c]]
			}
		}
	}
	return samples
}

// ending is how many frames an oracle with a known fault at the end may have too many or too few: a block of
// Vorbis, less than the shortest file.
const ending = 2048

// judge compares the samples of an oracle with the samples of package library.
func (o *oracle) judge(x *file, samples []float32) verdict {
	ours, channels := x.clip.Samples, x.clip.Channels
	if o.bits == 16 { // the output is clipped
		ours = slices.Clone(ours)
		for i, s := range ours {
			ours[i] = min(max(s, -1), 1-1./(1<<15))
		}
	}
	if o.padded && len(samples) > len(ours) {
		samples = samples[:len(ours)]
	}
	if o.ways {
		return o.judgeWays(x, samples)
	}
	for _, w := range o.wrong {
		switch {
		case !w.applies(x):
		case !w.end:
			return verdict{excused: w.why}
		case max(len(samples)-len(ours), len(ours)-len(samples)) <= ending*channels:
			n := min(len(samples), len(ours))
			v := compare(ours[:n], samples[:n], channels, o.tolerance)
			v.partly = w.why
			return v
		}
	}
	v := compare(ours, samples, channels, o.tolerance)
	if o.quality > 0 && len(ours) == len(samples) {
		if v.quality = qualityOf(ours, samples, channels); !(v.quality >= o.quality) {
			v.wrong += fmt.Sprintf(" quality by RFC 8251 %.1f, want %v", v.quality, o.quality)
		}
	}
	return v
}

// execute runs a command after replacing words by paths.
func execute(t *testing.T, command []string, words ...string) {
	replacer := strings.NewReplacer(words...)
	args := make([]string, len(command))
	for i, a := range command {
		args[i] = replacer.Replace(a)
	}
	if out, err := exec.Command(args[0], args[1:]...).CombinedOutput(); err != nil {
		t.Fatalf("%s: %v: %s", strings.Join(args, " "), err, out)
	}
}
