package library

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

// containers returns the expected errors for the files in testdata/containers, which are the beginnings of
// files by ffmpeg, sox and libsndfile. Many contain MP3 frames or similar bytes.
func containers() map[string]string {
	return map[string]string{
		"a.m4a": "M4A is not read; convert it: ffmpeg -i a.m4a -vn a.flac",
		"a.mp4": "MP4 is not read; convert it: ffmpeg -i a.mp4 -vn a.flac", "f.mp4": "MP4 is not read; convert it: ffmpeg -i f.mp4 -vn f.flac",
		"a.mov": "QuickTime (MOV) is not read; convert it: ffmpeg -i a.mov -vn a.flac", "old.mov": "QuickTime (MOV) is not read; convert it: ffmpeg -i old.mov -vn old.flac",
		"a.3gp": "3GP is not read; convert it: ffmpeg -i a.3gp -vn a.flac",
		"a.caf": "Core Audio (CAF) is not read; convert it: ffmpeg -i a.caf a.flac", "b.caf": "Core Audio (CAF) is not read; convert it: ffmpeg -i b.caf b.flac",
		"a.mka": "Matroska or WebM is not read; convert it: ffmpeg -i a.mka -vn a.flac", "a.webm": "Matroska or WebM is not read; convert it: ffmpeg -i a.webm -vn a.flac",
		"a.avi": "AVI is not read; convert it: ffmpeg -i a.avi -vn a.flac", "a.flv": "Flash video is not read; convert it: ffmpeg -i a.flv -vn a.flac",
		"a.swf": "Flash (SWF) is not read; convert it: ffmpeg -i a.swf -vn a.flac", "a.nut": "NUT is not read; convert it: ffmpeg -i a.nut -vn a.flac",
		"a.ts": "an MPEG transport stream is not read; convert it: ffmpeg -i a.ts -vn a.flac", "a.m2ts": "an MPEG transport stream is not read; convert it: ffmpeg -i a.m2ts -vn a.flac",
		"a.mpg": "an MPEG program stream is not read; convert it: ffmpeg -i a.mpg -vn a.flac", "a.wma": "WMA is not read; convert it: ffmpeg -i a.wma -vn a.flac",
		"a.rm": "RealAudio is not read; convert it: ffmpeg -i a.rm -vn a.flac", "a.au": "AU is not read; convert it: ffmpeg -i a.au a.flac",
		"a.w64": "Wave64 is not read; convert it: ffmpeg -i a.w64 a.flac", "a.wv": "WavPack is not read; convert it: ffmpeg -i a.wv a.flac",
		"a.tta": "True Audio is not read; convert it: ffmpeg -i a.tta a.flac", "a.aac": "AAC is not read; convert it: ffmpeg -i a.aac a.flac",
		"a.latm": "AAC is not read; convert it: ffmpeg -i a.latm a.flac", "a.ac3": "AC-3 is not read; convert it: ffmpeg -i a.ac3 a.flac",
		"a.eac3": "AC-3 is not read; convert it: ffmpeg -i a.eac3 a.flac", "a.dts": "DTS is not read; convert it: ffmpeg -i a.dts a.flac",
		"a.voc": "Creative Voice is not read; convert it: ffmpeg -i a.voc a.flac", "a.8svx": "IFF 8SVX is not read; convert it: ffmpeg -i a.8svx a.flac",
		"a.svx": "IFF 16SV is not read; convert it: sndfile-convert a.svx a.wav", "a.ircam": "IRCAM is not read; convert it: ffmpeg -i a.ircam a.flac",
		"a.sph": "NIST SPHERE is not read; convert it: ffmpeg -i a.sph a.flac", "a.pvf": "PVF is not read; convert it: ffmpeg -i a.pvf a.flac",
		"a.paf": "Ensoniq PARIS is not read; convert it: ffmpeg -i a.paf a.flac", "a.avr": "AVR is not read; convert it: ffmpeg -i a.avr a.flac",
		"a.sox": "a file of sox is not read; convert it: sox a.sox a.wav", "a.sndt": "SNDT is not read; convert it: sox a.sndt a.wav",
		"a.xi": "an XI instrument is not read; convert it: sndfile-convert -pcm16 a.xi a.wav", "a.mat5": "MATLAB is not read; convert it: sndfile-convert a.mat5 a.wav",
		"a.mmf": "SMAF is not read; convert it: ffmpeg -i a.mmf a.flac", "a.ast": "AST is not read; convert it: ffmpeg -i a.ast a.flac",
		"a.spx": "Speex is not read; convert it: ffmpeg -i a.spx a.flac",
		"a.mp2": "MPEG audio of layer 2 is not read; convert it: mpg123 -w a.wav a.mp2",
	}
}

// TestContainers checks that unsupported formats are named, loaded and streamed. This holds behind a tag and
// with MP3 data behind their magic bytes.
func TestContainers(t *testing.T) {
	containers := containers()
	files, err := os.ReadDir("testdata/containers")
	if err != nil || len(files) != len(containers) {
		t.Fatalf("%d files, %d expectations, %v", len(files), len(containers), err)
	}
	song := bareMP3(t, "mp3-44100-2-cbr.mp3")
	for _, file := range files {
		name := file.Name()
		data := mustRead(t, filepath.Join("testdata/containers", name))
		for what, data := range map[string][]byte{
			"as it is": data, "with MP3 behind": slices.Concat(data, song), "behind a tag": slices.Concat(id3("A=b"), data), "behind zeros": slices.Concat(make([]byte, 70000), data),
			"its head, and MP3": slices.Concat(data[:min(len(data), 1100)], song),
		} {
			short := strings.Contains("a.aac a.latm a.m2ts a.mp2 a.ts", name) && what == "its head, and MP3" || name == "a.mp2" && what == "with MP3 behind" // no magic bytes, or repeating ones
			want := "sounds: " + name + ": " + containers[name]
			if _, err := Decode(t.Context(), name, bytes.NewReader(data), Limits{}); (!errors.Is(err, ErrFormat) || err.Error() != want) && !short {
				t.Errorf("%s: %v, want %s", what, err, want)
			}
			_, err := NewLibrary(Options{}).OpenStream(Source{File: name, FS: fstest.MapFS{name: {Data: data}}}, StreamOptions{})
			if (!errors.Is(err, ErrFormat) || err.Error() != want) && !short {
				t.Errorf("%s, as a stream: %v, want %s", what, err, want)
			}
		}
	}
}

// TestUnread checks that each known but unsupported format is named in a one-line error with a conversion
// command.
func TestUnread(t *testing.T) {
	for _, u := range unsupported {
		if u.check != nil {
			continue // covered by TestContainers
		}
		data := append(bytes.Repeat([]byte{1}, u.at), u.magic...)
		if u.riffForm != "" {
			data = append(append(data[:u.at+4], 0, 0, 0, 0), u.riffForm...)
		}
		data = append(data, make([]byte, 64)...)
		_, err := Decode(t.Context(), "x.y", bytes.NewReader(data), Limits{})
		if !errors.Is(err, ErrFormat) {
			t.Errorf("%s: %v", u.name, err)
			continue
		}
		text := err.Error()
		if !strings.Contains(text, u.name) || strings.Contains(text, "\n") || strings.Contains(text, "{") {
			t.Errorf("%s: %q", u.name, text)
		}
		if want := "; convert it: " + fillFileName(u.tool, "x.y"); u.tool != "" && !strings.HasSuffix(text, want) {
			t.Errorf("%s: %q does not end with %s", u.name, text, want)
		}
	}
}

// TestCommands checks that the command in a message is quoted correctly for the name of the file.
func TestCommands(t *testing.T) {
	for name, want := range map[string]string{
		"a.m4a":           "ffmpeg -i a.m4a a.flac",
		"the song.m4a":    "ffmpeg -i 'the song.m4a' 'the song.flac'",
		"it's $5 `now`.x": `ffmpeg -i 'it'\''s $5 ` + "`now`" + `.x' 'it'\''s $5 ` + "`now`" + `.flac'`,
		"song.flac":       "ffmpeg -i song.flac song-converted.flac",
		"SONG.FLAC":       "ffmpeg -i SONG.FLAC SONG-converted.flac",
		"sub/café.m4a":    "ffmpeg -i 'sub/café.m4a' 'sub/café.flac'",
		"-y.m4a":          "ffmpeg -i ./-y.m4a ./-y.flac",
		"12:30.m4a":       "ffmpeg -i ./12:30.m4a ./12:30.flac",
		"song":            "ffmpeg -i song song.flac",
		"-":               "ffmpeg -i FILE FILE.flac",
		"two\nlines.m4a":  "ffmpeg -i FILE FILE.flac",
	} {
		if filepath.Separator != '/' {
			t.Skip("another shell")
		}
		if got := fillFileName("ffmpeg -i {file} {file.flac}", name); got != want {
			t.Errorf("%q: %s, want %s", name, got, want)
		}
	}
}
