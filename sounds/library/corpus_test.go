package library

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"voicepool/sounds/internal/source"
)

// corpusEndings lists the file extensions in a corpus that other decoders are run on.
const corpusEndings = ".wav .wave .ogg .oga .opus .flac .mp3 .mp2 .aif .aiff .aifc .au .snd .caf .m4a .mp4 .wv .voc .gsm .g722 .w64 .spx .rf64 .aac"

// corpus lists the files of the folders in VOICEPOOL_CORPUS. If the variable is empty it skips the test, which
// takes minutes and needs programs that few machines have.
func corpus(t *testing.T) (files []string) {
	t.Helper()
	folders := filepath.SplitList(os.Getenv("VOICEPOOL_CORPUS"))
	if len(folders) == 0 {
		t.Skip("needs recorded sounds and other decoders: run .ci/recorded-sounds-reach-goals -decoders, which sets VOICEPOOL_CORPUS")
	}
	for _, folder := range folders {
		err := filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
			if ending := strings.ToLower(filepath.Ext(path)); err == nil && d.Type().IsRegular() && ending != "" && slices.Contains(strings.Fields(corpusEndings), ending) {
				files = append(files, path)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if len(files) == 0 {
		t.Fatalf("there are no sounds in %v", folders)
	}
	return files
}

// playing is the result of another decoder for a file.
type playing struct {
	by     string
	frames int64
}

// otherDecoder counts the frames that an external program decodes from a file. The program writes raw samples
// of the given size in bytes to its standard output. mono reports whether it mixes all channels to one.
type otherDecoder struct {
	endings string
	bytes   int
	mono    bool
	command []string
}

var otherDecoders = [...]otherDecoder{
	{".mp3", 1, true, []string{"mpg123", "-q", "-s", "-m", "-e", "u8", "FILE"}},
	{".ogg .oga", 1, false, []string{"oggdec", "-Q", "-R", "-b", "8", "-o", "-", "FILE"}},
	{".opus", 2, false, []string{"opusdec", "--quiet", "--rate", "48000", "FILE", "-"}},
	{".flac", 0, false, []string{"flac", "-s", "-d", "-F", "-c", "--force-raw-format", "--endian=little", "--sign=signed", "FILE"}},
	{corpusEndings, 1, true, []string{"ffmpeg", "-nostdin", "-v", "error", "-i", "FILE", "-map", "0:a:0", "-ac", "1", "-c:a", "pcm_u8", "-f", "u8", "-"}},
}

// playedBy returns the results of the other decoders, the reference decoder of the format first. clip is our
// result, or nil.
func playedBy(t *testing.T, path string, clip *Clip) (list []playing) {
	t.Helper()
	for _, d := range otherDecoders {
		if !slices.Contains(strings.Fields(d.endings), strings.ToLower(filepath.Ext(path))) {
			continue
		}
		args := slices.Clone(d.command)
		args[slices.Index(args, "FILE")] = path
		out, err := exec.Command(args[0], args[1:]...).Output() // the output counts even if the program fails on a damaged file
		if errors.Is(err, exec.ErrNotFound) {
			t.Fatal(err)
		}
		size := int64(max(d.bytes, 1))
		if clip != nil && d.bytes == 0 {
			size = map[string]int64{"s8": 1, "s16": 2, "s24": 3, "s32": 4}[clip.Encoding]
		}
		if clip != nil && !d.mono {
			size *= int64(clip.Channels)
		}
		if frames := int64(len(out)) / max(size, 1); frames > 0 {
			list = append(list, playing{args[0], frames})
		}
	}
	return list
}

// hasReason reports whether docs/sounds.md lists the format of an error, or the extension of a name, as not
// read.
func hasReason(page, path string, err error) bool {
	name := regexp.MustCompile(`: (?:an? )?([^:;]+?)(?: in WAV)? is not read`)
	if m := name.FindStringSubmatch(err.Error()); m != nil {
		return errors.Is(err, ErrFormat) && strings.Contains(page, m[1])
	}
	return errors.Is(err, ErrFormat) && strings.Contains(page, "`"+strings.ToLower(filepath.Ext(path))+"`")
}

// TestUnreadAreListed checks that docs/sounds.md lists each known format that is not read, and each encoding of
// WAV.
func TestUnreadAreListed(t *testing.T) {
	page := string(mustRead(t, "../../docs/sounds.md"))
	listed := 0
	for tag := range 1 << 16 {
		data := wavOfWords(binary.LittleEndian, tag, 16, 16, 2, make([]byte, 64))
		_, err := formats[0].open(source.FromMemory(data), Limits{}.withDefaults().bounds())
		if err == nil || strings.Contains(err.Error(), "the WAV encoding") || !errors.Is(err, ErrFormat) || tag == 3 {
			continue
		}
		if listed++; !hasReason(page, "x.wav", withName("x.wav", err)) {
			t.Errorf("tag %#x: %v", tag, err)
		}
	}
	for _, u := range unsupported {
		if err := withName("x", u.unsupportedError()); u.tool != "" && !hasReason(page, "x", err) {
			t.Error(err)
		}
	}
	if listed < 20 {
		t.Errorf("%d encodings of WAV are known by name", listed)
	}
}

// TestCorpus checks that each file that another decoder plays is read with the same number of frames, loaded
// and streamed. Otherwise docs/sounds.md must list why the file is not read.
func TestCorpus(t *testing.T) {
	files := corpus(t)
	page := string(mustRead(t, "../../docs/sounds.md"))
	var mutex sync.Mutex
	counts := map[string]int{}
	count := func(what string) {
		mutex.Lock()
		defer mutex.Unlock()
		counts[what]++
	}
	t.Cleanup(func() { t.Logf("%d files: %v", len(files), counts) })
	for _, path := range files {
		t.Run(filepath.Base(path), func(t *testing.T) {
			t.Parallel()
			data := mustRead(t, path)
			clip, err := Decode(context.Background(), filepath.Base(path), bytes.NewReader(data), Limits{})
			list := playedBy(t, path, clip)
			switch {
			case err != nil && len(list) > 0 && !hasReason(page, path, err):
				t.Errorf("%s: %v play it: %v", path, list, err)
				return
			case err != nil && len(list) > 0:
				count("not read, with a reason")
				return
			case err != nil:
				count("played by none")
				return
			case len(list) == 0:
				count("played here alone")
			case !slices.ContainsFunc(list, func(p playing) bool { return asLong(clip, p.frames) }):
				t.Errorf("%s: %s of %d frames, %v: %v %v", path, clip.Format, clip.Frames(), list, clip.Damages, clip.Notes)
			case !asLong(clip, list[0].frames):
				count("other than " + list[0].by)
				t.Logf("%s: %s of %d frames, %v", path, clip.Format, clip.Frames(), list)
			default:
				count(clip.Format)
			}
			if err := streamLength(t, data, clip); err != nil {
				t.Errorf("%s: %v", path, err)
			}
		})
	}
}

// asLong reports whether a clip has the given number of frames. A damaged clip may be one packet off.
func asLong(clip *Clip, frames int64) bool {
	off := max(clip.Frames()-frames, frames-clip.Frames())
	packet := map[string]int64{"mp3": 1152, "vorbis": 8192, "opus": 5760, "flac": 65535, "oggflac": 65535}[clip.Format]
	return off == 0 || len(clip.Damages) > 0 && off <= packet
}

// streamLength compares the length of a stream of a file with the loaded clip.
func streamLength(t *testing.T, data []byte, clip *Clip) error {
	t.Helper()
	frames, _, err := streamed(t, data, clip, false, 0, int(clip.Frames())+100_000)
	if err == nil && int64(len(frames)) != clip.Frames() {
		err = fmt.Errorf("%d frames, loaded %d", len(frames), clip.Frames())
	}
	if err != nil {
		return fmt.Errorf("streamed: %w", err)
	}
	return nil
}

// lightDamage flips one to three bits of a file, or overwrites up to eight bytes in a row.
func lightDamage(r *rand.Rand, data []byte) []byte {
	bad := bytes.Clone(data)
	if r.IntN(2) == 0 {
		for range 1 + r.IntN(3) {
			bad[r.IntN(len(bad))] ^= 1 << r.IntN(8)
		}
		return bad
	}
	at := r.IntN(len(bad))
	for i := range min(1+r.IntN(8), len(bad)-at) {
		bad[at+i] = byte(r.Uint32())
	}
	return bad
}

// TestCorpusDamaged damages files lightly. Each that other decoders still play must be read, loaded and
// streamed alike. Its length must match the undamaged file or another decoder's result. For FLAC the reference
// is the flac program.
func TestCorpusDamaged(t *testing.T) {
	files := corpus(t)
	for _, kind := range []struct {
		ending string
		copies int
	}{{".mp3", 200}, {".flac", 50}, {".ogg", 50}, {".opus", 50}} {
		t.Run(kind.ending[1:], func(t *testing.T) {
			var list []string
			for _, path := range files {
				if stat, err := os.Stat(path); err == nil && stat.Size() < 500_000 && strings.HasSuffix(strings.ToLower(path), kind.ending) {
					list = append(list, path)
				}
			}
			if len(list) == 0 {
				t.Fatal("no files")
			}
			var mutex sync.Mutex
			counts := map[string]int{}
			count := func(what string) {
				mutex.Lock()
				defer mutex.Unlock()
				counts[what]++
			}
			t.Cleanup(func() { t.Logf("%d files: %v", kind.copies, counts) })
			folder := t.TempDir()
			for i := range kind.copies {
				t.Run(fmt.Sprint(i), func(t *testing.T) {
					t.Parallel()
					whole := list[i*len(list)/kind.copies]
					data := mustRead(t, whole)
					want := mustDecode(t, data)
					bad := lightDamage(rand.New(rand.NewPCG(29, uint64(i))), data)
					path := filepath.Join(folder, fmt.Sprint(i)+kind.ending)
					if err := os.WriteFile(path, bad, 0o600); err != nil {
						t.Fatal(err)
					}
					got, err := Decode(t.Context(), "x", bytes.NewReader(bad), Limits{})
					others := playedBy(t, path, want)
					switch {
					case err != nil && kind.ending == ".flac" && !slices.ContainsFunc(others, func(p playing) bool { return p.by == "flac" }):
						count("refused, as by flac") // each block is damaged; ffmpeg ignores checksums
						return
					case err != nil && len(others) > 0:
						t.Fatalf("%s, damage %d: %v play it, of %d frames: %v", filepath.Base(whole), i, others, want.Frames(), err)
					case err != nil:
						count("played by none")
						return
					case len(others) > 0 && !asLong(got, want.Frames()) && !slices.ContainsFunc(others, func(p playing) bool { return asLong(got, p.frames) }):
						t.Errorf("%s, damage %d: %d frames, it had %d; %v; %v", filepath.Base(whole), i, got.Frames(), want.Frames(), others, got.Damages)
					}
					checkStream(t, fmt.Sprint(i), bad, got)
					if len(got.Damages) > 0 {
						count("concealed")
					} else {
						count("played without a fault")
					}
				})
			}
		})
	}
}
