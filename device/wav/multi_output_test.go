package wav

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"voicepool/device"
	"voicepool/pcm"
)

// grid lists the tested numbers of outputs.
var grid = []int{1, 2, 3, 4, 16}

// scene returns frames of several distinct outputs, sometimes beyond full scale and sometimes digital zero.
func scene(outputs, frames int) (mixed []pcm.Frame, alone [][]pcm.Frame) {
	alone = make([][]pcm.Frame, outputs)
	for i := range frames {
		for k := range outputs {
			x := math.Sin(float64(i*(k+1)) / 17)
			f := pcm.Frame{float32(1.2 * x), float32(x * x * x / float64(k+1))}
			if (i+k)%13 == 0 {
				f[k%2] = 0
			}
			mixed, alone[k] = append(mixed, f), append(alone[k], f)
		}
	}
	return mixed, alone
}

// braid interleaves the raw stereo files of the outputs, with simple code.
func braid(t *testing.T, c Config, alone [][]pcm.Frame) []byte {
	t.Helper()
	c.Raw, c.Outputs = true, 1
	files := make([][]byte, len(alone))
	for k, frames := range alone {
		var out bytes.Buffer
		write(t, &out, c, frames)
		files[k] = out.Bytes()
	}
	size := len(files[0]) / max(len(alone[0]), 1)
	var all []byte
	for i := range alone[0] {
		for k := range files {
			all = append(all, files[k][i*size:(i+1)*size]...)
		}
	}
	return all
}

// TestOutputsEqualStereoFiles checks that a file of several outputs contains the bytes of a stereo file per output,
// with and without a header, in blocks of any length.
func TestOutputsEqualStereoFiles(t *testing.T) {
	const frames = 5000
	for _, outputs := range grid {
		mixed, alone := scene(outputs, frames)
		for _, format := range []Format{S16, S24, F32} {
			c := Config{Format: format, Seed: 5, Rate: 1000, Outputs: outputs}
			want := braid(t, c, alone)
			for _, block := range []int{1, 64, 999, frames} {
				for _, raw := range []bool{false, true} {
					c.Raw = raw
					var out bytes.Buffer
					w, err := NewWriter(&out, c)
					if err != nil {
						t.Fatal(err)
					}
					for part := range slices.Chunk(mixed, block*outputs) {
						if err := w.Write(part); err != nil {
							t.Fatal(err)
						}
					}
					if err := w.Close(); err != nil || w.Frames() != frames || w.Outputs() != outputs {
						t.Fatalf("%v, %d frames of %d outputs", err, w.Frames(), w.Outputs())
					}
					head := w.header(-1, false)
					if got := out.Bytes(); !bytes.HasPrefix(got, head) || !bytes.Equal(got[len(head):], want) {
						t.Errorf("%d outputs, %v, blocks of %d, raw %t: not the stereo files", outputs, format, block, raw)
					}
				}
			}
		}
	}
}

// TestOutputsHeader checks Microsoft's layout of WAVEFORMATEXTENSIBLE, field by field. The header of a file of
// one output is unchanged.
func TestOutputsHeader(t *testing.T) {
	for _, outputs := range grid[1:] {
		for _, format := range []Format{S16, S24, F32} {
			channels, bits := uint64(2*outputs), uint64(format.bits())
			h := header(configOf(format, 44100, outputs), 10, false)
			tag := map[Format]uint64{S16: 1, S24: 1, F32: 3}[format]
			for _, c := range []struct {
				what string
				skip int
				size int
				want uint64
			}{
				{"size", 0, 4, 40},
				{"wFormatTag", 4, 2, 0xfffe},
				{"nChannels", 6, 2, channels},
				{"nSamplesPerSec", 8, 4, 44100},
				{"nAvgBytesPerSec", 12, 4, 44100 * channels * bits / 8},
				{"nBlockAlign", 16, 2, channels * bits / 8},
				{"wBitsPerSample", 18, 2, bits},
				{"cbSize", 20, 2, 22},
				{"wValidBitsPerSample", 22, 2, bits},
				{"dwChannelMask", 24, 4, 0},
				{"SubFormat.Data1", 28, 4, tag},
				{"SubFormat.Data2", 32, 2, 0},
				{"SubFormat.Data3", 34, 2, 0x10},
				{"SubFormat.Data4", 36, 8, 0x719b3800aa000080},
			} {
				if got := field(t, h, "fmt ", c.skip, c.size); got != c.want {
					t.Errorf("%d outputs, %v: %s is %#x, want %#x", outputs, format, c.what, got, c.want)
				}
			}
			if got := field(t, h, "data", 0, 4); got != 10*channels*bits/8 {
				t.Errorf("%d outputs, %v: %d bytes of data", outputs, format, got)
			}
			if format == F32 && field(t, h, "fact", 4, 4) != 10 {
				t.Errorf("%d outputs: the fact chunk has not the frames of an output", outputs)
			}
		}
	}
}

// TestOutputsRF64 checks that the limit for RF64 applies to the size of all channels together.
func TestOutputsRF64(t *testing.T) {
	for _, outputs := range grid {
		for _, format := range []Format{S16, S24, F32} {
			for _, room := range []bool{false, true} {
				c := configOf(format, 48000, outputs)
				size := int64(c.frameBytes())
				last := (int64(streamed) - 1 - int64(len(header(c, 0, room))-8)) / size
				if h := header(c, last, room); string(h[:4]) != "RIFF" || field(t, h, "data", 0, 4) != uint64(last*size) {
					t.Errorf("%d outputs, %v: %q, %d bytes", outputs, format, h[:4], field(t, h, "data", 0, 4))
				}
				h := header(c, last+1, room)
				if string(h[:4]) != "RF64" || field(t, h, "ds64", 12, 8) != uint64((last+1)*size) || field(t, h, "ds64", 20, 8) != uint64(last+1) {
					t.Errorf("%d outputs, %v: %q, %d bytes of %d frames", outputs, format, h[:4], field(t, h, "ds64", 12, 8), field(t, h, "ds64", 20, 8))
				}
			}
		}
	}
}

// TestOutputsRecord checks that a recording of several outputs is valid after every second, before Close.
func TestOutputsRecord(t *testing.T) {
	for _, outputs := range grid {
		path := filepath.Join(t.TempDir(), "out.wav")
		mixed, alone := scene(outputs, 2500)
		c := Config{Format: S16, Rate: 1000, Outputs: outputs}
		want := braid(t, c, alone)
		f, err := Record(path, c)
		if err != nil {
			t.Fatal(err)
		}
		told := func(frames int) {
			t.Helper()
			data, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if got := field(t, data, "data", 0, 4); got != uint64(frames*4*outputs) {
				t.Fatalf("%d outputs: the header tells of %d bytes, want %d frames", outputs, got, frames)
			}
			if at := bytes.Index(data, []byte("data")) + 8; !bytes.Equal(data[at:at+frames*4*outputs], want[:frames*4*outputs]) {
				t.Errorf("%d outputs: other samples than the stereo files", outputs)
			}
		}
		for part := range slices.Chunk(mixed, 500*outputs) {
			if err := f.Write(part); err != nil {
				t.Fatal(err)
			}
		}
		told(2500) // updated after 500, 1500 and 2500 frames
		if err := f.Close(); err != nil || f.Outputs() != outputs || f.Frames() != 2500 {
			t.Fatalf("%v, %d frames of %d outputs", err, f.Frames(), f.Outputs())
		}
		told(2500)
	}
}

// TestOutputsErrors checks that invalid numbers of outputs and partial frames are rejected.
func TestOutputsErrors(t *testing.T) {
	for _, outputs := range []int{-1, 17} {
		want := fmt.Sprintf("wav: no such format: %d outputs, want 1..16", outputs)
		if _, err := NewWriter(&bytes.Buffer{}, Config{Outputs: outputs}); err == nil || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
	path := filepath.Join(t.TempDir(), "out.wav")
	f, err := Create(path, Config{Outputs: 4})
	if err != nil {
		t.Fatal(err)
	}
	want := "wav: " + path + ": 7 stereo frames are not as many of each of 4 outputs"
	for _, err := range []error{f.Write(make([]pcm.Frame, 7)), f.Write(make([]pcm.Frame, 8)), f.Close()} {
		if err == nil || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
	w, err := NewWriter(&bytes.Buffer{}, Config{Outputs: 4, Frames: 2})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Write(make([]pcm.Frame, 8)); err != nil {
		t.Error(err)
	}
	if err := w.Write(make([]pcm.Frame, 4)); err == nil || !strings.Contains(err.Error(), "more than 2 frames") {
		t.Errorf("a frame too many: %v", err)
	}
}

// numbers is a source with several outputs.
type numbers struct{ outputs, n int }

func (s *numbers) Outputs() int { return s.outputs }

func (s *numbers) Render(dst []pcm.Frame) {
	for i := range dst {
		dst[i] = pcm.Frame{float32(s.n), -float32(s.n)}
		s.n++
	}
}

// TestOutputsDevice records a minute for each number of outputs.
func TestOutputsDevice(t *testing.T) {
	for _, outputs := range grid {
		synctest.Test(t, func(t *testing.T) {
			var out bytes.Buffer
			w, err := NewWriter(&out, Config{Rate: 512, Format: F32, Raw: true, Outputs: outputs})
			if err != nil {
				t.Fatal(err)
			}
			d := NewDevice(w)
			if err := d.Start(&numbers{outputs: outputs}); err != nil || d.Outputs() != outputs {
				t.Fatalf("%v, %d outputs", err, d.Outputs())
			}
			time.Sleep(time.Minute - 1)
			if err := d.Close(); err != nil {
				t.Fatal(err)
			}
			if w.Frames() != 60*512 || out.Len() != 60*512*8*outputs {
				t.Fatalf("%d outputs: %d frames, %d bytes", outputs, w.Frames(), out.Len())
			}
			for i := range out.Len() / 8 {
				if x := math.Float32frombits(binary.LittleEndian.Uint32(out.Bytes()[8*i:])); x != float32(i) {
					t.Fatalf("%d outputs: sample %d is %v", outputs, i, x)
				}
			}
		})
	}
}

var _ device.MultiOutput = (*numbers)(nil)
