package reader_test

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"strings"
	"sync/atomic"
	"testing"
	"testing/iotest"
	"testing/synctest"
	"time"

	"voicepool/device/reader"
	"voicepool/mixer"
	"voicepool/pcm"
	"voicepool/sounds"
	"voicepool/sounds/library"
)

// noise returns random frames of PCM in a format.
func noise(f reader.Format, frames int) []byte {
	random := rand.New(rand.NewPCG(1, uint64(frames)))
	all := make([]pcm.Frame, frames)
	for i := range all {
		all[i] = pcm.Frame{random.Float32() - 0.5, random.Float32() - 0.5}
	}
	stereo := encoded(all, f.Encoding)
	return stereo[:len(stereo)/2*cmp.Or(f.Channels, 2)]
}

// formats lists formats of all kinds.
var formats = []reader.Format{
	{Rate: 48000, Encoding: reader.Float32},
	{Rate: 48000, Channels: 1, Encoding: reader.Float32},
	{Rate: 48000, Channels: 2, Encoding: reader.Int16},
	{Rate: 44100, Channels: 1, Encoding: reader.Int16},
	{Rate: 8000, Channels: 2, Encoding: reader.Float32},
}

// ways lists readers that return the same bytes in different pieces.
var ways = map[string]func([]byte) io.Reader{
	"a file":       func(b []byte) io.Reader { return bytes.NewReader(b) },
	"a pipe":       func(b []byte) io.Reader { return io.MultiReader(bytes.NewReader(b)) },
	"byte by byte": func(b []byte) io.Reader { return iotest.OneByteReader(bytes.NewReader(b)) },
	"by halves":    func(b []byte) io.Reader { return iotest.HalfReader(bytes.NewReader(b)) },
	"end at once":  func(b []byte) io.Reader { return iotest.DataErrReader(bytes.NewReader(b)) },
}

// heard plays a sound on its own mixer, and waits for streams.
func heard(t *testing.T, s *sounds.Sound, o mixer.Options, frames int) []pcm.Frame {
	t.Helper()
	m, err := mixer.New(mixer.Config{NoLimiter: true})
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	if _, err := m.Play(s, o); err != nil {
		t.Fatal(err)
	}
	out := make([]pcm.Frame, frames)
	for rest := out; len(rest) > 0; {
		n := min(len(rest), m.Prepare())
		m.Render(rest[:n])
		rest = rest[n:]
	}
	return out
}

// TestRead checks that each sample is decoded correctly, however the bytes are split.
func TestRead(t *testing.T) {
	for _, f := range formats {
		for _, frames := range []int{0, 1, 511, 512, 513, 3000} {
			data := noise(f, frames)
			for name, way := range ways {
				c, err := reader.Read("noise", way(data), f, int64(frames))
				if err != nil {
					t.Fatalf("%+v, %d frames, %s: %v", f, frames, name, err)
				}
				if c.Frames() != int64(frames) || c.Rate != f.Rate || c.Channels != cmp.Or(f.Channels, 2) {
					t.Errorf("%+v, %d frames, %s: a clip of %d frames at %d Hz, %d channels",
						f, frames, name, c.Frames(), c.Rate, c.Channels)
				}
				for i, x := range c.Samples {
					want := float32(0)
					if f.Encoding == reader.Int16 {
						want = float32(int16(binary.LittleEndian.Uint16(data[2*i:]))) / 32768
					} else {
						want = math.Float32frombits(binary.LittleEndian.Uint32(data[4*i:]))
					}
					if x != want {
						t.Fatalf("%+v, %d frames, %s: sample %d is %v, want %v", f, frames, name, i, x, want)
					}
				}
			}
		}
	}
}

// TestStream checks that a stereo stream has the same bits as the loaded sound, from any position, looped, and
// for several voices at once.
func TestStream(t *testing.T) {
	const frames = 5000
	lib := library.NewLibrary(library.Options{})
	for _, f := range formats {
		data := noise(f, frames)
		clip, err := reader.Read("noise", bytes.NewReader(data), f, frames)
		if err != nil {
			t.Fatal(err)
		}
		for name, way := range ways {
			var broken atomic.Value
			src, err := reader.Stream("noise", f, func() (io.Reader, error) { return way(data), nil })
			if err != nil {
				t.Fatal(err)
			}
			stream, err := lib.StreamFrames(src, library.StreamOptions{OnError: func(_ string, err error) { broken.Store(err) }})
			if err != nil {
				t.Fatal(err)
			}
			options := []mixer.Options{{}, {From: 21e6}}
			if name == "a file" {
				src.Loop, clip.Loop = &pcm.Loop{1000, 3001}, &pcm.Loop{1000, 3001}
				if src.Frames != frames {
					t.Errorf("%+v: the stream has %d frames", f, src.Frames)
				}
				if stream, err = lib.StreamFrames(src, library.StreamOptions{}); err != nil {
					t.Fatal(err)
				}
				options = append(options, mixer.Options{Loop: true}, mixer.Options{From: 21e6, Loop: true})
			} else {
				clip.Loop = nil
			}
			loaded, err := library.Prepare(clip, library.Options{})
			if err != nil {
				t.Fatal(err)
			}
			for _, o := range options {
				got, want := heard(t, stream, o, 15000), heard(t, loaded, o, 15000)
				for i := range want {
					off := max(math.Abs(float64(got[i][0]-want[i][0])), math.Abs(float64(got[i][1]-want[i][1])))
					if off > 0 && f.Channels != 1 || off > 1e-7 { // a mono stream is panned before its fade-in instead of during it
						t.Fatalf("%+v, %s, %+v: frame %d is %v, loaded %v", f, name, o, i, got[i], want[i])
					}
				}
			}
			if err := broken.Load(); err != nil {
				t.Errorf("%+v, %s: %v", f, name, err)
			}
		}
	}
}

// TestSeek checks that after a seek the next frame is the target, independently of the read-ahead.
func TestSeek(t *testing.T) {
	f := formats[0]
	data := noise(f, 2000)
	src, err := reader.Stream("s", f, func() (io.Reader, error) { return bytes.NewReader(data), nil })
	if err != nil {
		t.Fatal(err)
	}
	r, err := src.Open()
	if err != nil {
		t.Fatal(err)
	}
	got := make([]pcm.Frame, 10)
	for _, at := range []int64{0, 700, 3, 1990, 1000} {
		if err := r.(library.FrameSeeker).SeekFrame(at); err != nil {
			t.Fatal(err)
		}
		n, err := r.Read(got)
		if want := math.Float32frombits(binary.LittleEndian.Uint32(data[8*at:])); n != 10 || err != nil || got[0][0] != want {
			t.Errorf("at %d: %d frames, %v, the first %v, want %v", at, n, err, got[0][0], want)
		}
	}
}

// closer counts its Close calls.
type closer struct {
	io.Reader
	closed *atomic.Int32
}

func (c closer) Close() error {
	c.closed.Add(1)
	return nil
}

// TestStreamCloses checks that every opened reader is closed, for the length and for each voice.
func TestStreamCloses(t *testing.T) { synctest.Test(t, streamCloses) }

func streamCloses(t *testing.T) {
	var opened, closed atomic.Int32
	f := formats[0]
	src, err := reader.Stream("s", f, func() (io.Reader, error) {
		opened.Add(1)
		return closer{bytes.NewReader(noise(f, 600)), &closed}, nil
	})
	if err != nil || opened.Load() != 1 || closed.Load() != 1 {
		t.Fatalf("for the length: %d opened, %d closed, %v", opened.Load(), closed.Load(), err)
	}
	lib := library.NewLibrary(library.Options{})
	stream, err := lib.StreamFrames(src, library.StreamOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for range 3 {
		buffer, err := stream.Open(sounds.PlayRange{})
		if err != nil {
			t.Fatal(err)
		}
		buffer.Wait(600)
		buffer.Close()
	}
	time.Sleep(time.Minute) // time for the decoding goroutines to notice
	if opened.Load() != 4 || closed.Load() != 4 {
		t.Errorf("for three voices: %d opened, %d closed", opened.Load()-1, closed.Load()-1)
	}
}

// panics is an io.Reader that panics.
type panics struct{}

func (panics) Read([]byte) (int, error) { panic("broken") }

func TestFaults(t *testing.T) {
	gone := errors.New("the disk is gone")
	stereo := reader.Format{Rate: 48000}
	for _, c := range []struct {
		name   string
		r      io.Reader
		f      reader.Format
		frames int64
		cause  error
		text   string
	}{
		{
			name: "no rate", f: reader.Format{}, cause: reader.ErrFormat,
			text: "reader: s: bad format: a rate of 0, want 1..768000",
		},
		{
			name: "six channels", f: reader.Format{Rate: 1, Channels: 6}, cause: reader.ErrFormat,
			text: "reader: s: bad format: 6 channels, want 1 or 2",
		},
		{
			name: "no encoding", f: reader.Format{Rate: 1, Encoding: 2}, cause: reader.ErrFormat,
			text: "reader: s: bad format: there is no encoding 2, want Float32 or Int16",
		},
		{
			name: "a part of a frame", r: strings.NewReader(strings.Repeat("x", 8*700+5)), f: stereo, frames: 1e4,
			cause: reader.ErrFormat,
			text:  "reader: s: bad format: it ends 5 bytes into a frame of 8; are Channels and Encoding right?",
		},
		{
			name: "too long", r: bytes.NewReader(noise(stereo, 600)), f: stereo, frames: 599,
			text: "reader: s: it gives more than 599 frames",
		},
		{
			name: "fails", r: io.MultiReader(bytes.NewReader(noise(stereo, 600)), iotest.ErrReader(gone)),
			f: stereo, frames: 1e4, cause: gone,
			text: "reader: s: the disk is gone",
		},
		{name: "no reader", f: stereo, text: "reader: s: there is nothing to read from"},
		{name: "panics", r: panics{}, f: stereo, frames: 1e4, text: "reader: s: it panics: broken"},
		{
			name: "gives nothing", r: idle{}, f: stereo, frames: 1e4, cause: io.ErrNoProgress,
			text: "reader: s: multiple Read calls return no data or error",
		},
	} {
		clip, err := reader.Read("s", c.r, c.f, c.frames)
		if clip != nil || err == nil || err.Error() != c.text || c.cause != nil && !errors.Is(err, c.cause) {
			t.Errorf("%s: %v, want %s", c.name, err, c.text)
		}
		if errors.Is(c.cause, reader.ErrFormat) && c.r == nil { // only the format is invalid
			if _, err := reader.Stream("s", c.f, nil); err == nil || err.Error() != c.text {
				t.Errorf("%s, streamed: %v, want %s", c.name, err, c.text)
			}
		}
	}
	_, err := reader.Stream("s", stereo, func() (io.Reader, error) { return nil, gone })
	if !errors.Is(err, gone) || err.Error() != "reader: s: the disk is gone" {
		t.Errorf("a stream that cannot be opened: %v", err)
	}
}

// idle returns no data and no error.
type idle struct{}

func (idle) Read([]byte) (int, error) { return 0, nil }

// The bytes of another library's decoder, such as Ebitengine's, become a sound.
func ExampleRead() {
	var decoded io.Reader = bytes.NewReader(make([]byte, 4*4800)) // wav.DecodeWithoutResampling(file)
	format := reader.Format{Rate: 48000, Encoding: reader.Int16}
	clip, err := reader.Read("jump", decoded, format, 10*48000) // at most ten seconds
	if err != nil {
		fmt.Println(err)
		return
	}
	jump, err := library.Prepare(clip, library.Options{Rate: 48000})
	fmt.Println(jump.Name(), jump.Frames(), err)
	// Output:
	// jump 4800 <nil>
}

// Another library decodes music as it plays: each voice has its own decoder.
func ExampleStream() {
	file := make([]byte, 8*480_000)
	open := func() (io.Reader, error) { return bytes.NewReader(file), nil } // vorbis.DecodeF32(file)
	source, err := reader.Stream("music", reader.Format{Rate: 48000}, open)
	if err != nil {
		fmt.Println(err)
		return
	}
	lib := library.NewLibrary(library.Options{})
	music, err := lib.StreamFrames(source, library.StreamOptions{})
	fmt.Println(music.Name(), music.Frames(), music.Streamed(), err)
	// Output:
	// music 480000 true <nil>
}
