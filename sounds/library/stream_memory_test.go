package library

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"runtime"
	"testing"
	"testing/fstest"
	"time"

	"voicepool/internal/longtest"
	"voicepool/pcm"
	"voicepool/sounds"
	"voicepool/sounds/internal/source"
)

// endless is a file system with one file that is generated on reading: a head and a repeated body.
type endless struct {
	head, body []byte
	size       int64
}

type endlessFile struct {
	endless
	at int64
}

func (e endless) Open(string) (fs.File, error) { return &endlessFile{endless: e}, nil }

func (f *endlessFile) Read(p []byte) (int, error) {
	if f.at >= f.size {
		return 0, io.EOF
	}
	p = p[:min(int64(len(p)), f.size-f.at)]
	from := f.head[min(f.at, int64(len(f.head))):]
	if len(from) == 0 {
		from = f.body[(f.at-int64(len(f.head)))%int64(len(f.body)):]
	}
	n := copy(p, from)
	f.at += int64(n)
	return n, nil
}

func (f *endlessFile) Seek(to int64, from int) (int64, error) {
	switch from {
	case io.SeekCurrent:
		to += f.at
	case io.SeekEnd:
		to += f.size
	}
	f.at = to
	return to, nil
}

func (f *endlessFile) Stat() (fs.FileInfo, error) { return endlessInfo{size: f.size}, nil }
func (f *endlessFile) Close() error               { return nil }

type endlessInfo struct {
	fs.FileInfo
	size int64
}

func (i endlessInfo) Size() int64        { return i.size }
func (i endlessInfo) ModTime() time.Time { return time.Time{} }
func (i endlessInfo) IsDir() bool        { return false }
func (endlessInfo) Mode() fs.FileMode    { return 0o444 }

// maxStreamHeap is the limit in bytes for the memory of one stream together with its library.
const maxStreamHeap = 8 << 20

// TestStreamMemory checks that a stream's memory depends neither on the length of the file nor on the position.
func TestStreamMemory(t *testing.T) {
	wav := wavBytes16(48000, 2, noise(1000, 1), [2]uint32{1, 0})[:44]
	const half = 48000 * 1800 * 4 // bytes of half an hour
	wav[40], wav[41], wav[42], wav[43] = half&255, half>>8&255, half>>16&255, half>>24
	mp3 := longMP3(t, "mp3-48000-2-vbr.mp3", 1)
	for _, c := range []struct {
		name    string
		fsys    fs.FS
		rate    int
		seconds int // seconds to read from the beginning and after a seek
		frames  int64
	}{
		{
			name: "half an hour of WAV",
			fsys: endless{head: wav, body: make([]byte, 4*12345), size: 44 + half},
			rate: 48000, seconds: longtest.Amount(60, 300), frames: 48000 * 1800,
		},
		{
			name: "half an hour of WAV, converted",
			fsys: endless{head: wav, body: make([]byte, 4*12345), size: 44 + half},
			rate: 44100, seconds: 5, frames: 44100 * 1800,
		},
		{name: "half an hour of MP3", fsys: endless{body: mp3, size: int64(len(mp3)) * 9000}, rate: 48000, seconds: 10},
		{
			name: "half an hour of MP3, converted", fsys: endless{body: mp3, size: int64(len(mp3)) * 9000},
			rate: 44100, seconds: 3,
		},
		{
			name: "minutes of Vorbis",
			fsys: fstest.MapFS{"x": {Data: longOgg(t, "vorbis-48000-2.ogg", 600)}},
			rate: 48000, seconds: 10,
		},
		{
			name: "a minute of FLAC", fsys: fstest.MapFS{"x": {Data: longFLAC(t, 704)}},
			rate: 48000, seconds: 30, frames: 704 * 4096,
		},
	} {
		runtime.GC()
		var before, now runtime.MemStats
		runtime.ReadMemStats(&before)
		b := NewLibrary(Options{Rate: c.rate, Loop: true})
		tr, err := b.openTrack(Source{File: "x", FS: c.fsys}, &StreamOptions{})
		if err != nil {
			t.Fatal(err)
		}
		p := b.conversionFrom(tr.clip.Rate, tr.clip.Loop)
		frames := tr.frames
		if p.resampler != nil {
			frames = p.total(frames)
		}
		if c.frames > 0 && frames != c.frames || frames < 50*48000 {
			t.Errorf("%s: %d frames", c.name, frames)
		}
		worst := uint64(0)
		buf := make([]pcm.Frame, 1<<17+2048) // the stream buffer, and the memory of the goroutine
		for _, from := range []int64{0, frames * 9 / 10, frames - 1000} {
			cur, err := tr.cursor()
			if err != nil {
				t.Fatal(err)
			}
			r := newRangeReader(cur, tr.channels, b.conversionFrom(tr.clip.Rate, tr.clip.Loop), sounds.PlayRange{From: from, Loop: [2]int64{0, frames}})
			n := int64(0)
			for reads := 0; n < int64(c.seconds*c.rate); reads++ {
				k, err := r.Read(buf[:2048])
				if err != nil {
					t.Fatalf("%s: %v", c.name, err)
				}
				n += int64(k)
				if reads%50 == 0 {
					runtime.ReadMemStats(&now)
					if now.HeapAlloc > before.HeapAlloc {
						worst = max(worst, now.HeapAlloc-before.HeapAlloc)
					}
				}
			}
			_ = r.Close()
		}
		t.Logf("%s: at most %.1f MB", c.name, float64(worst)/(1<<20))
		if worst > maxStreamHeap {
			t.Errorf("%s: %d bytes, at most %d are to be", c.name, worst, maxStreamHeap)
		}
		runtime.KeepAlive(buf)
	}
}

// BenchmarkStream reports the speed of a stream as a multiple of real time, and the time to start at an unknown
// seek point.
func BenchmarkStream(b *testing.B) {
	files := longFiles(b)
	files["long.wav"] = &fstest.MapFile{Data: wavBytes16(48000, 2, noise(48000*10, 1), [2]uint32{1, 0})}
	for _, name := range []string{"long.wav", "long.flac", "long.ogg", "vbr.mp3"} {
		for _, converted := range []bool{false, true} {
			lib := NewLibrary(Options{})
			tr, err := lib.openTrack(Source{File: name, FS: files}, &StreamOptions{})
			if err != nil {
				b.Fatal(err)
			}
			if lib.opt.Rate = tr.clip.Rate; converted {
				lib.opt.Rate = 44100
				if tr.clip.Rate == 44100 {
					lib.opt.Rate = 48000
				}
			}
			buf := make([]pcm.Frame, 2048)
			begin := func(from int64) *rangeReader {
				c, err := tr.cursor()
				if err != nil {
					b.Fatal(err)
				}
				return newRangeReader(c, tr.channels, lib.conversionFrom(tr.clip.Rate, nil), sounds.PlayRange{From: from})
			}
			b.Run(fmt.Sprintf("%s-%d", name, lib.opt.Rate), func(b *testing.B) {
				frames := 0
				for b.Loop() {
					r := begin(0)
					for {
						n, err := r.Read(buf)
						frames += n
						if errors.Is(err, io.EOF) {
							break
						} else if err != nil {
							b.Fatal(err)
						}
					}
				}
				b.ReportMetric(float64(frames)/float64(lib.opt.Rate)/b.Elapsed().Seconds(), "x-realtime")
			})
			if converted {
				continue
			}
			b.Run("seek-"+name, func(b *testing.B) {
				for b.Loop() {
					tr.marks = source.Marks{}
					if _, err := begin(tr.frames * 9 / 10).Read(buf); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
