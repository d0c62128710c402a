package library

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"voicepool/internal/longtest"
	"voicepool/pcm"
	"voicepool/sounds"
)

// headerEnd returns the length in bytes of the headers of a file. Damage in the headers makes the file
// unreadable.
func headerEnd(t *testing.T, file string, data []byte) int {
	t.Helper()
	switch filepath.Ext(file) {
	case ".flac":
		at := 4
		for last := false; !last; {
			last = data[at]&0x80 != 0
			at += 4 + int(data[at+1])<<16 + int(data[at+2])<<8 + int(data[at+3])
		}
		return at
	case ".mp3":
		bare := withoutID3(data)
		return len(data) - len(bare) + 2*mp3Size(bare)
	}
	at := 0
	for _, p := range oggPages(data) { // up to the first page with audio
		if granule := int64(bytesToUint64(p[6:])); granule > 0 {
			return at
		}
		at += len(p)
	}
	t.Fatalf("%s has no sound", file)
	return 0
}

func bytesToUint64(b []byte) (x uint64) {
	for i := range 8 {
		x |= uint64(b[i]) << (8 * i)
	}
	return x
}

// inPosition reports whether a byte of a file belongs to the granule position of an Ogg page. The position
// controls trimming.
func inPosition(data []byte, at int) bool {
	if !bytes.HasPrefix(data, []byte("OggS")) {
		return false
	}
	for _, p := range oggPages(data) {
		if at < len(p) {
			return at >= 6 && at < 14
		}
		at -= len(p)
	}
	return false
}

// alone reports whether damage at a byte can destroy the whole sound: the only block of a short FLAC, or the
// segment table of the only page of a short Ogg file.
func alone(t *testing.T, file string, data []byte, clip *Clip, at int) bool {
	switch filepath.Ext(file) {
	case ".flac":
		return clip.Frames() <= int64(data[10])<<8+int64(data[11])
	case ".mp3":
		return false
	}
	first := headerEnd(t, file, data)
	pages := oggPages(data[first:])
	return len(pages) == 1 && (at < first+27+int(data[first+26]) || filepath.Ext(file) == ".oga" && clip.Frames() <= 4608)
}

// compressed lists the test files of compressed formats, in which damage is detected.
func compressed(t *testing.T) (list []string) {
	t.Helper()
	for _, file := range formatFiles(t) {
		switch filepath.Ext(file) {
		case ".flac", ".oga", ".ogg", ".opus", ".mp3":
			list = append(list, file)
		}
	}
	return list
}

// streamed plays up to n frames of a file as a stream, at the rate of the file.
func streamed(t *testing.T, data []byte, clip *Clip, strict bool, from int64, n int) ([]pcm.Frame, []Damage, error) {
	t.Helper()
	var told []Damage
	lib := NewLibrary(Options{Rate: clip.Rate, Strict: strict, OnDamage: func(_ string, d Damage) { told = append(told, d) }})
	tr, err := lib.openTrack(Source{File: "x", FS: fstest.MapFS{"x": {Data: data}}}, &StreamOptions{})
	if err != nil {
		return nil, told, err
	}
	got, err := readRange(t, lib, tr, sounds.PlayRange{From: from}, n)
	return got, told, err
}

// TestDamageFlips flips one bit behind the headers of files of every format. They keep their length, and
// undamaged parts keep their bits. The damage is listed, and a strict library rejects the file. Streams behave
// the same.
func TestDamageFlips(t *testing.T) {
	t.Parallel()
	flips := 12
	if !longtest.Enabled() {
		flips = 2
	}
	for i, file := range compressed(t) {
		if !longtest.Enabled() && i%3 != 0 {
			continue
		}
		t.Run(filepath.Base(file), func(t *testing.T) {
			t.Parallel()
			data := mustRead(t, file)
			want := mustDecode(t, data)
			first := headerEnd(t, file, data)
			random := rand.New(rand.NewPCG(uint64(len(data)), 29))
			for range flips {
				bit := 8*first + random.IntN(8*(len(data)-first))
				bad := bytes.Clone(data)
				bad[bit/8] ^= 1 << (bit % 8)
				got, err := Decode(context.Background(), "x", bytes.NewReader(bad), Limits{})
				if err != nil && alone(t, file, data, want, bit/8) {
					continue
				}
				if err != nil {
					t.Errorf("bit %d of byte %d of %d: %v", bit%8, bit/8, len(data), err)
					continue
				}
				if err := sameBeside(file, got, want, bit/8, len(data), inPosition(data, bit/8)); err != nil {
					t.Errorf("bit %d of byte %d of %d: %v; %v", bit%8, bit/8, len(data), err, got.Damages)
				}
				checkStream(t, fmt.Sprintf("bit %d of byte %d", bit%8, bit/8), bad, got)
			}
		})
	}
}

// checkStream compares a stream of a damaged file with the loaded clip.
func checkStream(t *testing.T, what string, bad []byte, clip *Clip) {
	t.Helper()
	sound, err := Prepare(clip, Options{Rate: clip.Rate})
	if err != nil {
		t.Fatal(err)
	}
	for _, from := range []int64{0, clip.Frames() / 3, clip.Frames() * 2 / 3} {
		n := int(clip.Frames()) + 100_000
		if from == clip.Frames()/3 && !longtest.Enabled() {
			n = int(from) + 2000
		}
		frames, told, err := streamed(t, bad, clip, false, from, n)
		if err != nil {
			t.Errorf("%s, streamed: %v", what, err)
			return
		}
		want := loaded(sound, sounds.PlayRange{From: from}, n)
		flushTiny(frames)
		flushTiny(want)
		sameFrames(t, fmt.Sprintf("%s, streamed from frame %d", what, from), frames, want)
		if from == 0 && fmt.Sprint(told) != fmt.Sprint(clip.Damages) {
			t.Errorf("%s: a stream tells of %v, loaded %v", what, told, clip.Damages)
		}
	}
	if len(clip.Damages) == 0 {
		return
	}
	if _, err := Prepare(clip, Options{Strict: true}); !errors.Is(err, ErrDecode) {
		t.Errorf("%s: a strict Prepare says %v", what, err)
	}
	if _, err := NewLibrary(Options{Strict: true}).LoadFS(fstest.MapFS{"x": {Data: bad}}, "x"); !errors.Is(err, ErrDecode) {
		t.Errorf("%s: a strict library says %v", what, err)
	}
	frames, _, err := streamed(t, bad, clip, true, 0, int(clip.Frames())+100_000)
	if !errors.Is(err, ErrDecode) || int64(len(frames)) > clip.Damages[0].Frame+maxSlack {
		t.Errorf("%s: a strict stream has %d frames and says %v", what, len(frames), err)
	}
}

// maxSlack is an upper bound for the frames of one packet plus the lookahead of the sample rate converter.
const maxSlack = 1 << 14

// sameBeside compares a clip of a damaged file with the clip of the original outside the damaged part.
func sameBeside(file string, got, want *Clip, at, size int, position bool) error {
	channels := int64(want.Channels)
	mp3, opus := strings.HasSuffix(file, ".mp3"), strings.HasSuffix(file, ".opus")
	stated := !strings.HasPrefix(filepath.Base(file), "mp3-no-note") && !position
	frames := min(got.Frames(), want.Frames())
	if got.Frames() != want.Frames() && stated && !(len(got.Damages) > 0 && got.Damages[len(got.Damages)-1].Frames == 0) {
		return fmt.Errorf("%d frames, want %d", got.Frames(), want.Frames())
	}
	if len(got.Damages) == 0 && !mp3 {
		return errors.New("no damage is listed")
	}
	from, to := want.Frames(), int64(0)
	for _, d := range got.Damages {
		from, to = min(from, d.Frame), max(to, d.Frame+d.Frames)
	}
	if strings.HasSuffix(file, ".ogg") {
		to += 4096 // a block overlaps the next one
	}
	if mp3 { // the damage may go undetected, so compare outside the place of the byte
		place := int64(float64(at) / float64(size) * float64(want.Frames()))
		from, to = min(from, place-12*1152), max(to, place+12*1152)
	}
	for i := range frames * channels {
		if frame := i / channels; frame >= from && frame < to || got.Samples[i] == want.Samples[i] {
			continue
		} else if opus && frame >= to {
			if math.Abs(float64(got.Samples[i])) > 2 {
				return fmt.Errorf("frame %d is %v", frame, got.Samples[i])
			}
		} else {
			return fmt.Errorf("frame %d is %v, want %v", frame, got.Samples[i], want.Samples[i])
		}
	}
	return nil
}

// damage holds several ways to damage a file behind the byte at first.
var damage = map[string]func(r *rand.Rand, data []byte, first int) []byte{
	"zeros": func(r *rand.Rand, data []byte, first int) []byte {
		at, n := stretchOf(r, data, first)
		clear(data[at : at+n])
		return data
	},
	"noise": func(r *rand.Rand, data []byte, first int) []byte {
		at, n := stretchOf(r, data, first)
		for i := range n {
			data[at+i] = byte(r.Uint32())
		}
		return data
	},
	"removed": func(r *rand.Rand, data []byte, first int) []byte {
		at, n := stretchOf(r, data, first)
		return append(data[:at], data[at+n:]...)
	},
	"twice": func(r *rand.Rand, data []byte, first int) []byte {
		at, n := stretchOf(r, data, first)
		return append(data[:at+n:at+n], data[at:]...)
	},
	"cut short": func(r *rand.Rand, data []byte, first int) []byte {
		at, _ := stretchOf(r, data, first)
		return data[:at]
	},
	"many bits": func(r *rand.Rand, data []byte, first int) []byte {
		for range 20 {
			data[first+r.IntN(len(data)-first)] ^= 1 << r.IntN(8)
		}
		return data
	},
}

// stretchOf returns a random range of at most a third of a file.
func stretchOf(r *rand.Rand, data []byte, first int) (at, n int) {
	at = first + r.IntN(len(data)-first)
	return at, min(1+r.IntN(1+(len(data)-first)/3), len(data)-at)
}

// damageKinds damages a file in each way, rounds times. It decodes each result, calls report with the error,
// and compares streams with the loaded clip.
func damageKinds(t *testing.T, data []byte, first, rounds int, report func(kind string, got *Clip, err error)) {
	t.Helper()
	want := mustDecode(t, data)
	for _, kind := range slices.Sorted(maps.Keys(damage)) {
		random := rand.New(rand.NewPCG(uint64(len(data)), 31))
		for range rounds {
			bad := damage[kind](random, bytes.Clone(data), first)
			got, err := Decode(context.Background(), "x", bytes.NewReader(bad), Limits{})
			report(kind, got, err)
			if err != nil {
				if !errors.Is(err, ErrDecode) {
					t.Errorf("%s: %v", kind, err)
				}
				continue
			}
			if got.Frames() > 2*want.Frames() {
				t.Errorf("%s: %d frames, it had %d: %v", kind, got.Frames(), want.Frames(), got.Damages)
			}
			checkStream(t, kind, bad, got)
		}
	}
}

// TestDamageKinds damages files of every format in every way. They play up to about their length or are
// rejected as broken. Streams match loaded clips. In most of these short files all sound is in one block or
// page.
func TestDamageKinds(t *testing.T) {
	t.Parallel()
	for i, file := range compressed(t) {
		if !longtest.Enabled() && i%5 != 0 {
			continue
		}
		t.Run(filepath.Base(file), func(t *testing.T) {
			t.Parallel()
			data := mustRead(t, file)
			damageKinds(t, data, headerEnd(t, file, data), longtest.Amount(1, 2), func(string, *Clip, error) {})
		})
	}
}

// TestDamageIsConcealed checks that files of many blocks, pages or frames still play after damage behind the
// first one.
func TestDamageIsConcealed(t *testing.T) {
	t.Parallel()
	rounds := longtest.Amount(1, 8)
	song := longFLAC(t, 24)
	for name, data := range map[string][]byte{
		"x.flac": song, "flac.oga": inOgg(song, 7), "vorbis.ogg": longOgg(t, "vorbis-many-pages.ogg", 2),
		"music.opus": longOgg(t, "opus-music-20-2.opus", 8), "speech.opus": longOgg(t, "opus-speech-1.opus", 8),
		"stereo.mp3": longMP3(t, "mp3-44100-2-cbr.mp3", 3), "mono.mp3": longMP3(t, "mp3-22050-1-vbr.mp3", 6),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			played, all := map[string]int{}, map[string]int{}
			first := headerEnd(t, name, data)
			switch filepath.Ext(name) {
			case ".flac":
				_, frames := flacFrames(data)
				first += len(frames[0])
			case ".oga", ".ogg", ".opus":
				first += len(oggPages(data[first:])[0])
			}
			damageKinds(t, data, first, rounds, func(kind string, got *Clip, err error) {
				all[kind]++
				if err == nil {
					played[kind]++
				} else {
					t.Logf("%s: %v", kind, err)
				}
			})
			for kind, n := range all {
				t.Logf("%s: %d of %d", kind, played[kind], n)
				if 100*played[kind] < leastPlayed*n {
					t.Errorf("%s: %d of %d play, want %d %%", kind, played[kind], n, leastPlayed)
				}
			}
		})
	}
}

// leastPlayed is the minimum number of damaged files, out of a hundred, that must play.
const leastPlayed = 99

// TestDamageToldAgain checks that OnDamage is called once for each damaged place of a file. It is called again
// after the file was reloaded or its last sound forgotten, and for a file of the same name in another folder.
func TestDamageToldAgain(t *testing.T) {
	whole := mustRead(t, "testdata/formats/flac-fast.flac")
	bad := bytes.Clone(whole)
	bad[20000] ^= 1
	file := filepath.Join(t.TempDir(), "x")
	told := 0
	lib := NewLibrary(Options{OnDamage: func(string, Damage) { told++ }})
	want := 0
	check := func(what string, more int) {
		t.Helper()
		if want += more; told != want {
			t.Errorf("%s: told %d times, want %d", what, told, want)
		}
		want = told
	}
	write := func(data []byte) {
		if err := os.WriteFile(file, data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var sound *sounds.Sound
	load := func(src Source) *sounds.Sound {
		t.Helper()
		list, err := lib.Load(t.Context(), src)
		if err != nil {
			t.Fatal(err)
		}
		return list[0]
	}
	write(bad)
	sound = load(Source{File: file})
	check("loaded", 1)
	looped := load(Source{File: file, Looped: true})
	check("loaded in another way", 0)
	lib.Forget(sound)
	sound = load(Source{File: file})
	check("forgotten, with another sound of the file", 0)
	lib.Forget(sound)
	lib.Forget(looped)
	if len(lib.damaged) != 0 {
		t.Errorf("%d damaged files are kept", len(lib.damaged))
	}
	load(Source{File: file})
	check("forgotten", 1)
	write(whole)
	lib.Reload(t.Context(), file, func(_, now *sounds.Sound, err error) { sound = now })
	write(bad)
	load(Source{File: file, Looped: true})
	check("reloaded", 1)
	stream, err := lib.OpenStream(Source{File: file}, StreamOptions{Measure: true})
	if err != nil {
		t.Fatal(err)
	}
	check("streamed", 0)
	lib.Forget(stream)
	for what := range 2 {
		load(Source{File: "x", FS: fstest.MapFS{"x": {Data: bad}}})
		check(fmt.Sprint("file system ", what), 1)
	}
}

// TestDamageListed checks that a file with thousands of damaged places reports at most 100, which cover the
// rest.
func TestDamageListed(t *testing.T) {
	file := swellingOf(3000, 512)
	one := (len(file) - 42) / 3000
	for i := 43; i < len(file)-one; i += 2 * one {
		file[i+one-3] ^= 1
	}
	var told []Damage
	lib := NewLibrary(Options{OnDamage: func(_ string, d Damage) { told = append(told, d) }})
	if err := lib.Scan(t.Context(), Source{File: "x", FS: fstest.MapFS{"x": {Data: file}}}); err != nil {
		t.Fatal(err)
	}
	if len(told) < 50 || len(told) > 100 {
		t.Errorf("%d places are told", len(told))
	}
}
