package wav

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"testing"

	"voicepool/pcm"
)

// configOf returns the configuration of a header.
func configOf(f Format, rate, outputs int) *Config {
	return &Config{Format: f, Rate: rate, Outputs: outputs}
}

// field reads n bytes after the first occurrence of id, with an offset of skip.
func field(t *testing.T, h []byte, id string, skip, n int) uint64 {
	t.Helper()
	at := bytes.Index(h, []byte(id))
	if at < 0 {
		t.Fatalf("no %q in %q", id, h)
	}
	var word [8]byte
	copy(word[:n], h[at+len(id)+skip:])
	return binary.LittleEndian.Uint64(word[:])
}

// TestRF64Boundary tests the last length that fits a RIFF and the first that does not, per format, with and
// without space for ds64.
func TestRF64Boundary(t *testing.T) {
	for _, f := range []Format{S16, S24, F32} {
		for _, room := range []bool{false, true} {
			small := header(configOf(f, 48000, 1), 0, room)
			size := int64(configOf(f, 48000, 1).frameBytes())
			last := (int64(streamed) - 1 - int64(len(small)-8)) / size
			t.Run(fmt.Sprint(f, room), func(t *testing.T) {
				h := header(configOf(f, 48000, 1), last, room)
				if string(h[:4]) != "RIFF" || len(h) != len(small) {
					t.Fatalf("%d frames: %q of %d bytes, want RIFF of %d", last, h[:4], len(h), len(small))
				}
				if got, want := field(t, h, "RIFF", 0, 4), uint64(int64(len(h))-8+last*size); got != want {
					t.Errorf("RIFF size %d, want %d", got, want)
				}
				if got := field(t, h, "data", 0, 4); got != uint64(last*size) {
					t.Errorf("data size %d, want %d", got, last*size)
				}

				h = header(configOf(f, 48000, 1), last+1, room)
				if string(h[:4]) != "RF64" || room && len(h) != len(small) {
					t.Fatalf("%d frames: %q of %d bytes, want RF64 of %d", last+1, h[:4], len(h), len(small))
				}
				for _, c := range []struct {
					id    string
					skip  int
					bytes int
					want  uint64
				}{
					{id: "RF64", bytes: 4, want: streamed},
					{id: "ds64", bytes: 4, want: 28},
					{id: "ds64", skip: 4, bytes: 8, want: uint64(int64(len(h)) - 8 + (last+1)*size)},
					{id: "ds64", skip: 12, bytes: 8, want: uint64((last + 1) * size)},
					{id: "ds64", skip: 20, bytes: 8, want: uint64(last + 1)},
					{id: "ds64", skip: 28, bytes: 4},
					{id: "data", bytes: 4, want: streamed},
				} {
					if got := field(t, h, c.id, c.skip, c.bytes); got != c.want {
						t.Errorf("%s+%d is %d, want %d", c.id, c.skip, got, c.want)
					}
				}
				if f == F32 {
					if got := field(t, h, "fact", 4, 4); got != streamed {
						t.Errorf("fact says %d frames, want %d", got, uint32(streamed))
					}
				}
				if bytes.Contains(h, []byte("JUNK")) {
					t.Error("an RF64 has both ds64 and the place for it")
				}
			})
		}
	}
}

func TestStreamedHeader(t *testing.T) {
	for _, room := range []bool{false, true} {
		h := header(configOf(F32, 44100, 1), -1, room)
		for _, id := range []string{"RIFF", "data"} {
			if got := field(t, h, id, 0, 4); got != streamed {
				t.Errorf("%s size %x, want %x", id, got, uint32(streamed))
			}
		}
		if got := field(t, h, "fact", 4, 4); got != streamed {
			t.Errorf("fact says %x frames, want %x", got, uint32(streamed))
		}
	}
}

// tape is a seekable writer that keeps only the first bytes.
type tape struct {
	head [128]byte
	at   int64
	end  int64
}

func (s *tape) Write(p []byte) (int, error) {
	if s.at < int64(len(s.head)) {
		copy(s.head[s.at:], p)
	}
	s.at += int64(len(p))
	s.end = max(s.end, s.at)
	return len(p), nil
}

func (s *tape) Seek(offset int64, whence int) (int64, error) {
	s.at = []int64{0, s.at, s.end}[whence] + offset
	return s.at, nil
}

// TestGrowsIntoRF64 checks that a file that grew beyond 4 GiB becomes an RF64 when it is closed. Most frames
// are only counted.
func TestGrowsIntoRF64(t *testing.T) {
	s := &tape{}
	w, err := NewWriter(s, Config{Format: F32})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Write(make([]pcm.Frame, 10000)); err != nil {
		t.Fatal(err)
	}
	if got := string(s.head[:4]) + string(s.head[12:16]); got != "RIFFJUNK" {
		t.Errorf("while it grows: %q, want RIFFJUNK", got)
	}
	const more = 1 << 30
	w.frames += more
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	want := header(configOf(F32, 48000, 1), 10000+more, true)
	if !bytes.Equal(s.head[:len(want)], want) || string(s.head[:4]) != "RF64" {
		t.Errorf("the header is\n%x\nwant\n%x", s.head[:len(want)], want)
	}
}
