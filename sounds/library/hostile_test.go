package library_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"voicepool/internal/cputime"
	"voicepool/sounds/library"
)

// hostile holds the expected result for each file in testdata/hostile: the error, or the channels, rate,
// frames, samples and damage.
var hostile = map[string]struct {
	err            error
	text           string
	channels, rate int
	frames         int64
	sum            string
	damage         string // the concealed damage
}{
	"aiff-0-bits.aiff":                   {err: library.ErrDecode, text: "samples of 0 bits, they have 1 to 32"},
	"aiff-32767-channels.aiff":           {err: library.ErrLimit, text: "32767 channels, at most 8 are read"},
	"aiff-40-bits.aiff":                  {err: library.ErrDecode, text: "samples of 40 bits, they have 1 to 32"},
	"aiff-chunk-2gb.aiff":                {err: library.ErrDecode, text: `cut short: a chunk "MARK" of 2147483647 bytes is announced, 24 bytes are there`},
	"aiff-cut-short.aiff":                {channels: 1, rate: 44100, frames: 4, sum: "5f02ceedced9ace7"},
	"aiff-empty-sound.aiff":              {channels: 1, rate: 44100, frames: 0, sum: "e3b0c44298fc1c14"},
	"aiff-ima4.aifc":                     {err: library.ErrFormat, text: `AIFC with the compression "ima4" is not read; convert it: ffmpeg -i aiff-ima4.aifc aiff-ima4.flac`},
	"aiff-marks-cut.aiff":                {channels: 1, rate: 44100, frames: 4, sum: "5f02ceedced9ace7"},
	"aiff-no-comm.aiff":                  {err: library.ErrDecode, text: "there is no COMM chunk"},
	"aiff-no-ssnd.aiff":                  {err: library.ErrDecode, text: "there is no SSND chunk"},
	"aiff-offset-huge.aiff":              {err: library.ErrDecode, text: "cut short: 4 frames are announced, 0 are there"},
	"aiff-rate-infinite.aiff":            {err: library.ErrDecode, text: "its rate of 7fff0000000000000000 is not a number of Hz"},
	"aiff-rate-negative.aiff":            {err: library.ErrDecode, text: "its rate of c00eac44000000000000 is not a number of Hz"},
	"aiff-samples-first.aiff":            {channels: 1, rate: 44100, frames: 4, sum: "5f02ceedced9ace7"},
	"aiff-short-comm.aifc":               {err: library.ErrDecode, text: "a COMM chunk of 18 bytes, it has at least 18, in AIFC 22"},
	"aiff-zero-channels.aiff":            {err: library.ErrDecode, text: "the header says 0 channels"},
	"flac-bitflip.flac":                  {err: library.ErrDecode, text: "frame 0: a subframe of the reserved kind 13"},
	"flac-blocksize-0.flac":              {err: library.ErrDecode, text: "blocks of 0 to 0 frames, they have at least 16"},
	"flac-bps1.flac":                     {err: library.ErrDecode, text: "samples of 1 bits, they have 4 to 32"},
	"flac-empty.flac":                    {err: library.ErrFormat, text: "the file is empty"},
	"flac-magic-only.flac":               {err: library.ErrDecode, text: "there is no STREAMINFO"},
	"flac-metadata-16mb.flac":            {err: library.ErrDecode, text: "cut short: 16777215 bytes of metadata are announced, 64 are there"},
	"flac-nsamples-0.flac":               {channels: 2, rate: 44100, frames: 2000, sum: "9743d4e2306eba68"},
	"flac-si-8ch-frames-stereo.flac":     {err: library.ErrDecode, text: "frame 0: it has 2 channels, the file says 8"},
	"flac-si-mono-frames-stereo.flac":    {err: library.ErrDecode, text: "frame 0: it has 2 channels, the file says 1"},
	"flac-truncated.flac":                {err: library.ErrDecode, text: "frame 0: cut short"},
	"flac-zero-rate.flac":                {err: library.ErrLimit, text: "rate: 0 Hz is not in 1000..768000"},
	"mp3-empty.mp3":                      {err: library.ErrFormat, text: "the file is empty"},
	"mp3-noise.mp3":                      {err: library.ErrFormat, text: "neither WAV, AIFF, FLAC, Ogg Vorbis, Opus nor MP3"},
	"mp3-reservoir-cut.mp3":              {channels: 2, rate: 44100, frames: 5760, sum: "f2660ef362af9b38", damage: "cut short: the last MP3 frame has 418 bytes, 76 are there"},
	"mp3-sync-only.mp3":                  {err: library.ErrDecode, text: "frame 0: cut short"},
	"mp3-sync-zeros.mp3":                 {err: library.ErrFormat, text: "neither WAV, AIFF, FLAC, Ogg Vorbis, Opus nor MP3"},
	"mp3-truncated-midframe.mp3":         {channels: 2, rate: 44100, frames: 47, sum: "df5f37dd5ca83cec", damage: "cut short: 11 MP3 frames are announced, 1 are there"},
	"ogg-255-channels.ogg":               {err: library.ErrLimit, text: "255 channels, at most 8 are read"},
	"ogg-51.ogg":                         {err: library.ErrDecode, text: "cut short: an Ogg page of 7360 bytes is announced, 4942 are there"},
	"ogg-bitflip.ogg":                    {channels: 2, rate: 44100, frames: 11025, sum: "47446c76b09b9572", damage: "the checksum of Ogg page 2 is wrong"},
	"ogg-comment-vendor-2gb.ogg":         {channels: 2, rate: 44100, frames: 11025, sum: "8e4d3465df08a583"},
	"ogg-empty.ogg":                      {err: library.ErrFormat, text: "the file is empty"},
	"ogg-nothing-known.ogg":              {err: library.ErrFormat, text: "an Ogg file with neither Vorbis nor FLAC in it"},
	"ogg-truncated-header.ogg":           {err: library.ErrDecode, text: "cut short: an Ogg page of 4338 bytes is announced, 142 are there"},
	"ogg-zero-channels.ogg":              {err: library.ErrDecode, text: "the header says 0 channels"},
	"ogg-zero-rate-badcrc.ogg":           {err: library.ErrDecode, text: "the checksum of Ogg page 0 is wrong"},
	"ogg-zero-rate.ogg":                  {err: library.ErrLimit, text: "rate: 0 Hz is not in 1000..768000"},
	"oggflac-bitflip.oga":                {err: library.ErrDecode, text: "the checksum of Ogg page 4 is wrong"},
	"oggflac-frame-crc.oga":              {err: library.ErrDecode, text: "frame 0: its checksum is wrong"},
	"oggflac-headers-only.oga":           {err: library.ErrDecode, text: "cut short before its last header"},
	"oggflac-md5.oga":                    {channels: 2, rate: 44100, frames: 441, sum: "698c3050273be7c5", damage: "the checksum of all samples is not the one announced"},
	"oggflac-no-last-page.oga":           {err: library.ErrDecode, text: "cut short: 441 frames are announced, 0 are there"},
	"oggflac-no-streaminfo.oga":          {err: library.ErrDecode, text: "there is no STREAMINFO"},
	"oggflac-truncated.oga":              {err: library.ErrDecode, text: "cut short: an Ogg page of 894 bytes is announced, 885 are there"},
	"oggflac-version-2.oga":              {err: library.ErrFormat, text: "FLAC in Ogg of version 2 is not read"},
	"ok-flac-seek-panics.flac":           {channels: 2, rate: 44100, frames: 5000, sum: "9ab545729b8bad58"},
	"ok-mp3-seek-glitches.mp3":           {channels: 2, rate: 44100, frames: 11025, sum: "544ba285d169cfde"},
	"ok-vorbis-5.1-rejected.ogg":         {channels: 6, rate: 44100, frames: 11025, sum: "d599b69580cb6851"},
	"ok-wav-float32-rejected.wav":        {channels: 1, rate: 44100, frames: 11025, sum: "12b7c035c7652695"},
	"wav-12bit.wav":                      {channels: 1, rate: 44100, frames: 50, sum: "ced4bcaf4c45f5d6"},
	"wav-24bit-stereo.wav":               {channels: 2, rate: 44100, frames: 10, sum: "c42d974d317f4a73"},
	"wav-32767-channels.wav":             {err: library.ErrLimit, text: "32767 channels, at most 8 are read"},
	"wav-bpf-huge.wav":                   {channels: 1, rate: 44100, frames: 50, sum: "ced4bcaf4c45f5d6"},
	"wav-bpf-negative.wav":               {channels: 1, rate: 44100, frames: 50, sum: "ced4bcaf4c45f5d6"},
	"wav-bpf-one-16bit.wav":              {channels: 1, rate: 44100, frames: 50, sum: "ced4bcaf4c45f5d6"},
	"wav-chunk-2gb.wav":                  {err: library.ErrDecode, text: `cut short: a chunk "LIST" of 2147483646 bytes is announced, 108 bytes are there`},
	"wav-chunk-7fffffff.wav":             {err: library.ErrDecode, text: `cut short: a chunk "LIST" of 2147483647 bytes is announced, 108 bytes are there`},
	"wav-data-before-fmt.wav":            {err: library.ErrDecode, text: "the data chunk comes before the fmt chunk"},
	"wav-data-size-80000000.wav":         {channels: 1, rate: 44100, frames: 50, sum: "ced4bcaf4c45f5d6"},
	"wav-empty.wav":                      {err: library.ErrFormat, text: "the file is empty"},
	"wav-extensible-fmt18.wav":           {err: library.ErrDecode, text: "an extensible fmt chunk of 18 bytes, it has at least 40"},
	"wav-extensible-pcm16.wav":           {channels: 1, rate: 44100, frames: 50, sum: "ced4bcaf4c45f5d6"},
	"wav-f32-nan.wav":                    {err: library.ErrDecode, text: "the sample of frame 3 is 1e+30, not within -65536..+65536"},
	"wav-f32.wav":                        {channels: 1, rate: 44100, frames: 8, sum: "cc7b4a169308cf58"},
	"wav-fmtsize-8.wav":                  {err: library.ErrDecode, text: "a fmt chunk of 8 bytes, it has at least 16"},
	"wav-fmtsize-negative.wav":           {err: library.ErrDecode, text: `cut short: a chunk "fmt " of 4294967295 bytes is announced, 124 bytes are there`},
	"wav-header-only-nodata.wav":         {err: library.ErrDecode, text: "cut short: 1000 bytes of samples are announced, 0 are there"},
	"wav-ima-3-bits.wav":                 {err: library.ErrFormat, text: "the WAV encoding 0x11 with 3 bits is not read; convert it: ffmpeg -i wav-ima-3-bits.wav wav-ima-3-bits.flac"},
	"wav-ima-block-0.wav":                {err: library.ErrDecode, text: "9 frames a block, in 0 bytes there is room for 0"},
	"wav-ima-block-3.wav":                {err: library.ErrDecode, text: "0 frames a block, in 3 bytes there is room for 0"},
	"wav-ima-fact-halved.wav":            {channels: 2, rate: 44100, frames: 9, sum: "e99a1066afffe440"},
	"wav-ima-fact-huge.wav":              {channels: 1, rate: 44100, frames: 9, sum: "7af6c908dfe27928"},
	"wav-ima-half-block.wav":             {channels: 1, rate: 44100, frames: 9, sum: "7af6c908dfe27928"},
	"wav-ima-nothing.wav":                {channels: 1, rate: 44100, frames: 0, sum: "e3b0c44298fc1c14"},
	"wav-ima-step-89.wav":                {err: library.ErrDecode, text: "frame 0: the step 89 of an ADPCM block, the last is 88"},
	"wav-ima-too-many.wav":               {err: library.ErrDecode, text: "10 frames a block, in 8 bytes there is room for 9"},
	"wav-mp3-inside.wav":                 {err: library.ErrFormat, text: "MP3 in WAV is not read; convert it: ffmpeg -i wav-mp3-inside.wav wav-mp3-inside.flac"},
	"wav-ms-3-channels.wav":              {err: library.ErrDecode, text: "MS ADPCM of 3 channels, it has at most 2"},
	"wav-ms-predictor-7.wav":             {err: library.ErrDecode, text: "frame 0: the predictor 7 of an ADPCM block, the last is 6"},
	"wav-ms-predictors-cut.wav":          {err: library.ErrDecode, text: "a fmt chunk of 50 bytes, with 200 predictors it has 822"},
	"wav-ms-step-huge.wav":               {channels: 1, rate: 44100, frames: 128, sum: "8d3e252b0f509a67"},
	"wav-neg-rate.wav":                   {err: library.ErrLimit, text: "rate: 2147483649 Hz is not in 1000..768000"},
	"wav-no-chunks.wav":                  {err: library.ErrDecode, text: "there is no fmt chunk"},
	"wav-odd-chunk-padded.wav":           {channels: 1, rate: 44100, frames: 50, sum: "ced4bcaf4c45f5d6"},
	"wav-odd-data-then-chunk.wav":        {channels: 1, rate: 44100, frames: 33, sum: "115bad14f1c9f2c0"},
	"wav-ok.wav":                         {channels: 1, rate: 44100, frames: 50, sum: "ced4bcaf4c45f5d6"},
	"wav-s32.wav":                        {channels: 1, rate: 44100, frames: 8, sum: "25bff2f4d7678df6"},
	"wav-seek-overflow-3gb-declared.wav": {channels: 2, rate: 44100, frames: 16, sum: "1b8925dcf30382cd"},
	"wav-streamed-ffffffff.wav":          {channels: 1, rate: 44100, frames: 50, sum: "ced4bcaf4c45f5d6"},
	"wav-streamed-zero-size.wav":         {channels: 1, rate: 44100, frames: 50, sum: "ced4bcaf4c45f5d6"},
	"wav-truncated.wav":                  {channels: 1, rate: 44100, frames: 10},
	"wav-zero-channels.wav":              {err: library.ErrDecode, text: "the header says 0 channels"},
	"wav-zero-length-data.wav":           {channels: 1, rate: 44100, frames: 0, sum: "e3b0c44298fc1c14"},
	"wav-zero-rate.wav":                  {err: library.ErrLimit, text: "rate: 0 Hz is not in 1000..768000"},
}

// TestHostile decodes every file of testdata/hostile in at most two seconds of processor time and with at most 8 MiB of
// allocations.
func TestHostile(t *testing.T) {
	files, err := os.ReadDir("testdata/hostile")
	if err != nil {
		t.Fatal(err)
	}
	if len(files) != len(hostile) {
		t.Errorf("%d files, %d expectations", len(files), len(hostile))
	}
	for _, file := range files {
		t.Run(file.Name(), func(t *testing.T) {
			want, ok := hostile[file.Name()]
			if !ok {
				t.Fatal("nothing is expected of it")
			}
			f, err := os.Open(filepath.Join("testdata/hostile", file.Name()))
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			var c *library.Clip
			took := cputime.OfProcess(func() { c, err = library.Decode(context.Background(), file.Name(), f, library.Limits{}) })
			runtime.ReadMemStats(&after)
			if took > 2*time.Second {
				t.Errorf("it took %v of processor time", took)
			}
			if n := after.TotalAlloc - before.TotalAlloc; n > 8<<20 {
				t.Errorf("it allocated %d bytes", n)
			}
			if want.err != nil {
				text := "sounds: " + file.Name() + ": " + want.text
				if !errors.Is(err, want.err) || err.Error() != text {
					t.Fatalf("error %q, want %q", err, text)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if c.Channels != want.channels || c.Rate != want.rate || c.Frames() != want.frames {
				t.Errorf("%d channels, %d Hz, %d frames, want %d, %d, %d", c.Channels, c.Rate, c.Frames(), want.channels, want.rate, want.frames)
			}
			damage := ""
			for _, d := range c.Damages {
				damage += d.Err.Error()
			}
			if damage != want.damage {
				t.Errorf("damage %q, want %q", damage, want.damage)
			}
			if got := sum(c.Samples); want.sum != "" && !strings.HasPrefix(got, want.sum) {
				t.Errorf("samples %s, want %s", got[:16], want.sum)
			}
		})
	}
}
