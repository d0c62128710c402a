package codecs

import (
	"fmt"
	"slices"
	"strconv"
)

// encoding is one file of the grid.
type encoding struct {
	name     string
	rate     int // of the source; LAME may choose another one for the file
	channels int
	frames   int
	bits     int      // of the source, as signed integers
	command  []string // the encoder; SOURCE and FILE are placeholders for paths
}

// format is a grid and its decoders.
type format struct {
	name    string
	ending  string
	least   int // required number of encodings
	grid    func() []encoding
	oracles []oracle
}

var rates = []int{8000, 11025, 12000, 16000, 22050, 24000, 32000, 44100, 48000}

// seconds returns the length of lossy files: about ten frames or blocks at any rate, and an odd number of
// samples.
func seconds(rate int) int { return rate*2/5 | 1 }

func mp3Grid() (list []encoding) {
	for _, rate := range rates {
		low, high := []string{"24", "64"}, "64" // MPEG 2.5
		switch {
		case rate >= 32000:
			low, high = []string{"64", "128"}, "320"
		case rate >= 16000:
			low, high = []string{"32", "64"}, "160"
		}
		modes := [][]string{
			{"--cbr", "-b", low[0]}, {"--cbr", "-b", low[1]}, {"--cbr", "-b", high, "-h"},
			{"-V", "2"}, {"-V", "8"}, {"--abr", low[1]},
		}
		for i, stereo := range []string{"m", "j", "s", "f", "d"} {
			for j, mode := range modes {
				args := append([]string{"lame", "--quiet", "-m", stereo}, mode...)
				if j > 0 { // without it, LAME chooses the rate, for example 24 kHz
					args = append(args, "--resample", strconv.FormatFloat(float64(rate)/1000, 'g', -1, 64))
				}
				list = append(list, encoding{
					name: fmt.Sprintf("%d-%s-%d", rate, stereo, j), rate: rate, channels: min(i+1, 2), bits: 16,
					frames: seconds(rate) + 100*j, command: append(args, "SOURCE", "FILE"),
				})
			}
		}
		if rate >= 32000 {
			for channels := 1; channels <= 2; channels++ { // an encoder other than LAME, whose files do not name their padding
				list = append(list, encoding{
					name: fmt.Sprintf("%d-shine-%d", rate, channels), rate: rate, channels: channels, bits: 16, frames: seconds(rate),
					command: []string{"ffmpeg", "-nostdin", "-v", "error", "-y", "-i", "SOURCE", "-c:a", "libshine", "-b:a", "128k", "FILE"},
				})
			}
		}
	}
	return list
}

func vorbisGrid() (list []encoding) {
	for quality := -1; quality <= 10; quality++ {
		for _, rate := range rates {
			for _, channels := range []int{1, 2, 6} {
				if channels == 6 && rate < 44100 {
					continue
				}
				list = append(list, encoding{
					name: fmt.Sprintf("%d-%d-q%d", rate, channels, quality), rate: rate, channels: channels, bits: 16,
					frames:  seconds(rate) + 37*quality,
					command: []string{"oggenc", "-Q", "-q", strconv.Itoa(quality), "SOURCE", "-o", "FILE"},
				})
			}
		}
	}
	return list
}

func opusGrid() (list []encoding) {
	for _, ms := range []string{"2.5", "5", "10", "20", "40", "60"} {
		for _, rate := range []int{6, 9, 12, 16, 20, 24, 32, 48, 64, 96, 128, 192, 256, 510} {
			for _, channels := range []int{1, 2, 6} {
				if channels == 1 && rate > 256 || channels == 6 && rate < 48 {
					continue
				}
				list = append(list, encoding{
					name: fmt.Sprintf("%s-%d-%d", ms, channels, rate),
					rate: 48000, channels: channels, bits: 16, frames: seconds(48000) + 37*rate,
					command: []string{"opusenc", "--quiet", "--framesize", ms, "--bitrate", strconv.Itoa(rate), "SOURCE", "FILE"},
				})
			}
		}
	}
	return list
}

func flacGrid() (list []encoding) {
	blocks := []int{0, 16, 192, 576, 1152, 4096, 4608, 16384, 65535}
	lengths := []int{1, 15, 16, 17, 191, 4095, 4096, 4097, 8191, 12001}
	n := 0
	for level := range 9 {
		for _, bits := range []int{8, 16, 24} {
			for _, rate := range []int{8000, 11025, 22050, 44100, 48000, 96000, 192000} {
				e := encoding{
					name: fmt.Sprintf("%d-%d-%d-%d", level, bits, rate, n), rate: rate, bits: bits,
					channels: n%8 + 1, frames: lengths[n%len(lengths)],
				}
				e.command = []string{"flac", "--silent", "-f", "--lax", "--channel-map=none", "-" + strconv.Itoa(level)}
				if block := blocks[(n+level)%len(blocks)]; block > 0 {
					e.command = append(e.command, "-b", strconv.Itoa(block))
				}
				e.command = append(e.command, "SOURCE", "-o", "FILE")
				list = append(list, e)
				n++
			}
		}
	}
	return list
}

// oggFLACGrid has the encodings of FLAC in Ogg, and files from ffmpeg with other pages.
func oggFLACGrid() (list []encoding) {
	for _, e := range flacGrid() {
		e.command = slices.Insert(slices.Clone(e.command), 1, "--ogg")
		list = append(list, e)
		if e.bits == 16 {
			e.name += "-ffmpeg"
			e.command = []string{"ffmpeg", "-nostdin", "-v", "error", "-y", "-i", "SOURCE", "-c:a", "flac", "-f", "ogg", "FILE"}
			list = append(list, e)
		}
	}
	return list
}

// adpcmGrid has all block sizes of ffmpeg and those that sox chooses by rate, up to stereo. wideGrid has more
// channels, which Microsoft's ADPCM does not support and ffmpeg does not read.
func adpcmGrid() []encoding { return adpcm(0, 2) }

func wideGrid() []encoding { return adpcm(2, 8) }

func adpcm(from, to int) (list []encoding) {
	for _, kind := range []string{"ima", "ms"} {
		codec := map[string]string{"ima": "adpcm_ima_wav", "ms": "adpcm_ms"}[kind]
		for _, rate := range []int{8000, 11025, 22050, 44100, 48000} {
			for channels := from; channels < to; channels++ {
				e := encoding{rate: rate, channels: channels + 1, bits: 16, frames: seconds(rate) + len(list)}
				if channels < 2 || kind == "ima" {
					e.name = fmt.Sprintf("%s-%d-%d-sox", kind, rate, channels+1)
					e.command = []string{"sox", "-D", "SOURCE", "-e", kind + "-adpcm", "FILE"}
					list = append(list, e)
				}
				for size := 32; size <= 8192 && channels < 2; size *= 2 {
					e.frames = seconds(rate) + len(list)
					e.name = fmt.Sprintf("%s-%d-%d-%d", kind, rate, channels+1, size)
					e.command = []string{"ffmpeg", "-nostdin", "-v", "error", "-y", "-i", "SOURCE", "-c:a", codec, "-block_size", strconv.Itoa(size), "FILE"}
					list = append(list, e)
				}
			}
		}
	}
	return list
}

// aiffGrid has AIFF without A-law and µ-law, which sox cannot read in AIFF; lawGrid has them.
func aiffGrid() []encoding {
	return aiff([]int{8, 16, 24, 32}, "s8", "s16be", "s16le", "s24be", "s32be", "f32be", "f64be")
}

func lawGrid() []encoding { return aiff(nil, "alaw", "mulaw") }

func aiff(bits []int, codecs ...string) (list []encoding) {
	for _, rate := range []int{8000, 44100, 192000} {
		for _, channels := range []int{1, 2, 3, 4, 5, 6, 7, 8} {
			for _, codec := range codecs {
				list = append(list, encoding{
					name: fmt.Sprintf("%s-%d-%d", codec, rate, channels), rate: rate, channels: channels, bits: 24, frames: 700 + len(list),
					command: []string{"ffmpeg", "-nostdin", "-v", "error", "-y", "-i", "SOURCE", "-c:a", "pcm_" + codec, "-f", "aiff", "FILE"},
				})
			}
			for _, bits := range bits {
				list = append(list, encoding{
					name: fmt.Sprintf("sox%d-%d-%d", bits, rate, channels), rate: rate, channels: channels, bits: 24, frames: 700 + len(list),
					command: []string{"sox", "-D", "SOURCE", "-b", strconv.Itoa(bits), "-t", []string{"aiff", "aifc"}[len(list)%2], "FILE"},
				})
			}
		}
	}
	return list
}

func wavGrid() (list []encoding) {
	kinds := [][]string{
		{"unsigned-integer", "8"}, {"signed-integer", "16"}, {"signed-integer", "24"}, {"signed-integer", "32"},
		{"floating-point", "32"}, {"floating-point", "64"}, {"a-law", "8"}, {"u-law", "8"},
	}
	for _, kind := range kinds {
		for _, rate := range []int{8000, 11025, 22050, 44100, 48000, 96000, 192000} {
			for _, channels := range []int{1, 2, 6} {
				list = append(list, encoding{
					name: fmt.Sprintf("%s%s-%d-%d", kind[0], kind[1], rate, channels), rate: rate, channels: channels,
					bits: 24, frames: 1000 + len(list),
					command: []string{"sox", "-D", "SOURCE", "-e", kind[0], "-b", kind[1], "FILE"},
				})
			}
		}
	}
	return list
}
