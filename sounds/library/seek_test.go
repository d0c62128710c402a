package library

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"voicepool/internal/longtest"
	"voicepool/sounds"
	"voicepool/sounds/internal/source"
)

// formatFile reads a file of testdata/formats.
func formatFile(t testing.TB, name string) []byte {
	t.Helper()
	data, err := os.ReadFile("testdata/formats/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// shipped names a sound of the package embedded, which these tests cannot import.
func shipped(name string) Source {
	return Source{Name: name, File: name + ".flac", FS: os.DirFS("../embedded")}
}

func longFiles(t testing.TB) fstest.MapFS {
	many := formatFile(t, "vorbis-many-pages.ogg")
	chain := slices.Concat(longOgg(t, "vorbis-many-pages.ogg", 12), movedSerial(many, 5), movedSerial(longOgg(t, "vorbis-many-pages.ogg", 16), 6))
	files := fstest.MapFS{}
	times := longtest.Amount(25, 70)
	music := longOgg(t, "opus-music-20-2.opus", times)
	for name, data := range map[string][]byte{
		"chain.ogg": chain,
		"long.ogg":  longOgg(t, "vorbis-44100-2.ogg", 29),
		"mono.ogg":  longOgg(t, "vorbis-8000-1.ogg", 125),
		"cbr.mp3":   longMP3(t, "mp3-44100-2-cbr.mp3", 25),
		"tiny.mp3":  longMP3(t, "mp3-44100-1-cbr.mp3", 25),
		"vbr.mp3":   longMP3(t, "mp3-48000-2-vbr.mp3", 22),
		"low.mp3":   longMP3(t, "mp3-8000-1-vbr.mp3", 90),
		"high.mp3":  longMP3(t, "mp3-320.mp3", 25),
		"long.flac": mustRead(t, "../embedded/theme.flac"),
		"long.oga":  inOgg(mustRead(t, "../embedded/theme.flac"), 1),
		"more.oga":  slices.Concat(inOgg(longFLAC(t, 20), 1), inOgg(longFLAC(t, 45), 2)),
		"ima.wav":   longADPCM(0x11, 2, 512, 8, 505),
		"ima6.wav":  longADPCM(0x11, 6, 1536, 24, 489),
		"ms.wav":    longADPCM(2, 2, 1024, 14, 1012),
		"long.aiff": longAIFF(260000),

		"speech.opus": longOgg(t, "opus-speech-1.opus", times),
		"hybrid.opus": longOgg(t, "opus-hybrid-2.opus", times),
		"music.opus":  music,
		"short.opus":  longOgg(t, "opus-music-2.5-1.opus", times+1),
		"chain.opus":  slices.Concat(longOgg(t, "opus-hybrid-2.opus", 70), movedSerial(longOgg(t, "opus-best.opus", longtest.Amount(25, 40)), 5), movedSerial(music, 6)),
	} {
		files[name] = &fstest.MapFile{Data: data}
	}
	return files
}

// TestSeek checks that seeks in a long file, in any order, give the frames of the loaded sound, using the seek
// points known so far.
func TestSeek(t *testing.T) {
	t.Parallel()
	files := longFiles(t)
	for name := range files {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			random := rand.New(rand.NewPCG(9, 9))
			b := NewLibrary(Options{Rate: map[string]int{"mono.ogg": 8000, "low.mp3": 8000, "long.flac": 48000, "long.oga": 48000, "more.oga": 48000, "vbr.mp3": 48000}[name]})
			if strings.HasSuffix(name, ".opus") {
				b.opt.Rate = 48000
			} else if b.opt.Rate == 0 {
				b.opt.Rate = 44100
			}
			want, err := b.LoadFS(files, name)
			if err != nil {
				t.Fatal(err)
			}
			all := loaded(want, sounds.PlayRange{}, int(want.Frames()))
			tr, err := b.openTrack(Source{File: name, FS: files}, &StreamOptions{})
			if err != nil {
				t.Fatal(err)
			}
			if n, err := tr.exactLength(); n != want.Frames() || err != nil || tr.frames != n {
				t.Errorf("%d frames, %v, want %d", n, err, want.Frames())
			}
			tr.marks = source.Marks{} // drop the seek points found by counting
			if strings.HasSuffix(name, ".opus") && name != "chain.opus" {
				tr.marks.Stride = 1 << 15 // with the default distance, only chain.opus has more than one
			}
			if want.Frames() < 250000 {
				t.Errorf("%d frames are not long", want.Frames())
			}
			from := []int64{0, 1, want.Frames() - 1, want.Frames(), 1151, 1152, 1153, 2304}
			for range longtest.Amount(6, 40) {
				from = append(from, random.Int64N(want.Frames()))
			}
			random.Shuffle(len(from), func(i, j int) { from[i], from[j] = from[j], from[i] })
			for _, at := range from {
				got, err := readRange(t, b, tr, sounds.PlayRange{From: at}, 5000)
				if err != nil {
					t.Fatal(err)
				}
				sameFrames(t, fmt.Sprintf("from frame %d", at), got, all[at:min(int(at)+5000, len(all))])
			}
		})
	}
}
