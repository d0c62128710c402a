package sounds

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"slices"
	"testing"
	"testing/fstest"
	"unicode/utf8"

	"voicepool/sounds/embedded"
	"voicepool/voice"
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

// longMP3 repeats the frames of a file, of which the reservoir then has what
// other frames left there.
func longMP3(t testing.TB, name string, times int) []byte {
	data := formatFile(t, name)
	in := newWhole(data)
	in.passID3()
	at, h, err := firstMP3Frame(in.peek(probe))
	if err != nil {
		t.Fatal(err)
	}
	in.skip(int64(at) + int64(h.size)) // and the note of its length
	return bytes.Repeat(in.buf, times)
}

// longOgg repeats the pages with sound of a file, as one stream.
func longOgg(t testing.TB, name string, times int) []byte {
	data := formatFile(t, name)
	var out []byte
	var pages [][]byte
	for rest := data; len(rest) > 0; {
		p, next, err := readPage(rest)
		if err != nil {
			t.Fatal(err)
		}
		page := bytes.Clone(rest[:len(rest)-len(next)])
		if rest = next; p.granule == 0 {
			out = append(out, page...)
		} else {
			pages = append(pages, page)
		}
	}
	first := binary.LittleEndian.Uint32(pages[0][18:])
	length := int64(binary.LittleEndian.Uint64(pages[len(pages)-1][6:]))
	for i := range times {
		for j, p := range pages {
			p = bytes.Clone(p)
			if i < times-1 {
				p[5] &^= 4
			}
			binary.LittleEndian.PutUint64(p[6:], binary.LittleEndian.Uint64(p[6:])+uint64(int64(i)*length))
			binary.LittleEndian.PutUint32(p[18:], first+uint32(i*len(pages)+j))
			binary.LittleEndian.PutUint32(p[22:], oggSum(p))
			out = append(out, p...)
		}
	}
	return out
}

// embeddedFile is an embedded sound as it is.
func embeddedFile(t testing.TB, name string) []byte {
	t.Helper()
	data, ok := embedded.Open(name)
	if !ok {
		t.Fatalf("there is no embedded sound %s", name)
	}
	return data
}

// longFLAC repeats the blocks of the theme, two channels of 48 kHz, all of 4096
// frames and numbered anew.
func longFLAC(t testing.TB, blocks int) []byte {
	data := embeddedFile(t, "theme")
	r, err := openFLAC(newWhole(data), Limits{}.withDefaults())
	if err != nil {
		t.Fatal(err)
	}
	f := r.(*flacReader)
	var all [][]byte
	for rest := data[f.start:]; len(rest) > 0; {
		n, err := f.frame.read(rest, &f.info)
		if err != nil {
			t.Fatal(err)
		}
		all, rest = append(all, rest[:n]), rest[n:]
	}
	all = all[:len(all)-1] // the last one is shorter
	out := bytes.Clone(data[:f.start])
	binary.BigEndian.PutUint32(out[22:], uint32(4096*blocks))
	clear(out[26:42]) // no checksum of all samples
	for i := range blocks {
		from := all[i%len(all)]
		block := utf8.AppendRune(bytes.Clone(from[:4]), rune(i)) // FLAC writes numbers so
		block = append(block, crc8(block))
		block = append(block, from[4+codedLength(from[4])+1:len(from)-2]...)
		out = append(out, binary.BigEndian.AppendUint16(block, f.frame.sum.of(block))...)
	}
	return out
}

func longFiles(t testing.TB) fstest.MapFS {
	many := formatFile(t, "vorbis-many-pages.ogg")
	chain := slices.Concat(longOgg(t, "vorbis-many-pages.ogg", 20), movedSerial(many, 5), movedSerial(longOgg(t, "vorbis-many-pages.ogg", 30), 6))
	files := fstest.MapFS{}
	for name, data := range map[string][]byte{
		"chain.ogg": chain,
		"long.ogg":  longOgg(t, "vorbis-44100-2.ogg", 40),
		"mono.ogg":  longOgg(t, "vorbis-8000-1.ogg", 200),
		"cbr.mp3":   longMP3(t, "mp3-44100-2-cbr.mp3", 40),
		"tiny.mp3":  longMP3(t, "mp3-44100-1-cbr.mp3", 40),
		"vbr.mp3":   longMP3(t, "mp3-48000-2-vbr.mp3", 40),
		"low.mp3":   longMP3(t, "mp3-8000-1-vbr.mp3", 100),
		"high.mp3":  longMP3(t, "mp3-320.mp3", 40),
		"long.flac": embeddedFile(t, "theme"),
	} {
		files[name] = &fstest.MapFile{Data: data}
	}
	return files
}

func movedSerial(data []byte, serial uint32) []byte {
	var out []byte
	for rest := data; len(rest) > 0; {
		_, next, err := readPage(rest)
		if err != nil {
			panic(err)
		}
		p := bytes.Clone(rest[:len(rest)-len(next)])
		binary.LittleEndian.PutUint32(p[14:], serial)
		binary.LittleEndian.PutUint32(p[22:], oggSum(p))
		out, rest = append(out, p...), next
	}
	return out
}

// TestSeek: from any place of a long file, in any order, come the frames that
// the loaded sound has there, with the places that are known by then.
func TestSeek(t *testing.T) {
	files := longFiles(t)
	for name := range files {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			random := rand.New(rand.NewPCG(9, 9))
			b := NewBank(Options{Rate: map[string]int{"mono.ogg": 8000, "low.mp3": 8000, "long.flac": 48000, "vbr.mp3": 48000}[name]})
			if b.opt.Rate == 0 {
				b.opt.Rate = 44100
			}
			want, err := b.LoadFS(files, name)
			if err != nil {
				t.Fatal(err)
			}
			all := loaded(want, voice.Course{}, int(want.Frames()))
			tr, err := b.openTrack(Source{File: name, FS: files}, &StreamOptions{})
			if err != nil {
				t.Fatal(err)
			}
			if n, err := tr.exact(); n != want.Frames() || err != nil || tr.frames != n {
				t.Errorf("%d frames, %v, want %d", n, err, want.Frames())
			}
			tr.marks = marks{} // not what counting has found
			if want.Frames() < 250000 {
				t.Errorf("%d frames are not long", want.Frames())
			}
			from := []int64{0, 1, want.Frames() - 1, want.Frames(), 1151, 1152, 1153, 2304}
			for range 40 {
				from = append(from, random.Int64N(want.Frames()))
			}
			random.Shuffle(len(from), func(i, j int) { from[i], from[j] = from[j], from[i] })
			for _, at := range from {
				got, err := readCourse(t, b, tr, voice.Course{From: at}, 5000)
				if err != nil {
					t.Fatal(err)
				}
				sameFrames(t, fmt.Sprintf("from frame %d", at), got, all[at:min(int(at)+5000, len(all))])
			}
		})
	}
}

// TestMarks: a file of any length has a bounded number of places.
func TestMarks(t *testing.T) {
	var m marks
	for i := range int64(100000) {
		m.add(mark{frame: i * 10000, at: i})
	}
	if n := len(m.list); n < maxMarks/4 || n > maxMarks {
		t.Errorf("%d places", n)
	}
	for _, frame := range []int64{0, 9999, 123456789, 999990000} {
		x, ok := m.last(func(x mark) bool { return x.frame <= frame })
		if !ok || x.frame > frame || frame-x.frame > 2*m.stride || x.at*10000 != x.frame {
			t.Errorf("frame %d: %+v (%v), a place each %d frames", frame, x, ok, m.stride)
		}
	}
	if _, ok := m.last(func(mark) bool { return false }); ok {
		t.Error("a place before the first")
	}
}

// TestInput: what is read through a window is what is in the file, whatever the
// order; a failed read is kept.
func TestInput(t *testing.T) {
	data := make([]byte, 500000)
	random := rand.New(rand.NewPCG(2, 3))
	for i := range data {
		data[i] = byte(random.Uint32())
	}
	files := fstest.MapFS{"x": {Data: data}}
	for _, src := range []Source{{File: "x", FS: files}, {File: "x", FS: sparse{files}}} {
		in, err := openInput(src)
		if err != nil {
			t.Fatal(err)
		}
		for range 3000 {
			switch n := random.IntN(40000); random.IntN(4) {
			case 0:
				in.seek(random.Int64N(int64(len(data) + 10)))
			case 1:
				in.skip(int64(n))
			case 2:
				at := min(in.at, in.size)
				if b := in.take(int64(n)); !bytes.Equal(b, data[at:min(at+int64(n), in.size)]) {
					t.Fatalf("%d bytes at %d differ", len(b), at)
				}
			default:
				b := in.peek(n)
				at := min(in.at, in.size)
				if len(b) < n && at+int64(len(b)) < in.size || !bytes.Equal(b, data[at:at+int64(len(b))]) {
					t.Fatalf("%d bytes of %d at %d", len(b), n, at)
				}
			}
			if in.err != nil || in.size != int64(len(data)) || in.left() != max(in.size-in.at, 0) {
				t.Fatalf("%v, size %d", in.err, in.size)
			}
		}
		if n := len(in.store); n > leastWindow+40000 {
			t.Errorf("a window of %d bytes", n)
		}
		_ = in.close()
	}
	failure := errors.New("the disk is gone")
	in := &input{file: io.NopCloser(io.MultiReader(bytes.NewReader(data[:100]), failing{failure})), size: 1000}
	if b := in.peek(500); len(b) != 100 || !errors.Is(in.err, failure) {
		t.Errorf("%d bytes, %v", len(b), in.err)
	}
	in = &input{file: io.NopCloser(bytes.NewReader(data[:100])), size: 1000} // it has become shorter
	if b := in.peek(500); len(b) != 100 || in.left() != 100 || in.err != nil {
		t.Errorf("%d bytes, %d are left, %v", len(b), in.left(), in.err)
	}
}

type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }

// TestMP3Reservoir: the data of frames before, which may be many, is there when
// a decoder begins in the middle, even where every place is known.
func TestMP3Reservoir(t *testing.T) {
	for _, name := range []string{"mp3-44100-1-cbr.mp3", "mp3-44100-2-cbr.mp3", "mp3-22050-1-cbr.mp3", "mp3-48000-2-vbr.mp3"} {
		r, err := openMP3(newWhole(longMP3(t, name, 5)), Limits{}.withDefaults())
		if err != nil {
			t.Fatal(err)
		}
		d := r.(*mp3Reader)
		var all Clip
		var known marks
		size := int64(d.d.head.frames())
		for {
			known.list = append(known.list, mark{frame: d.d.count * size, at: d.in.at, packets: d.d.count, data: d.bytes})
			all.Channels = d.head.clip.Channels
			if err := d.next(&all); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				t.Fatal(err)
			}
		}
		for frame := int64(0); frame < all.Frames(); frame += size / 2 {
			at, err := d.seek(frame, &known)
			if err != nil {
				t.Fatal(err)
			}
			got := Clip{Channels: all.Channels}
			for got.Frames() < frame-at+size {
				if err := d.next(&got); err != nil {
					break
				}
			}
			channels := int64(all.Channels)
			rest := got.Samples[(frame-at)*channels:]
			if !slices.Equal(rest, all.Samples[frame*channels:][:len(rest)]) {
				t.Fatalf("%s: frame %d is not the same when decoding begins at %d", name, frame, at)
			}
		}
	}
}
