package soundcheck

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"testing"

	"voicepool/device/wav"
	"voicepool/pcm"
)

// ErrWAV is wrapped by the errors for a file that this package cannot read.
var ErrWAV = errors.New("soundcheck: not a WAV file of 16, 24, 32 or float32 stereo")

// Read reads a stereo WAV file of integers or floats. Unknown sizes, as an interrupted recorder leaves them,
// extend to the end of the file. The file must be trusted.
func Read(path string) (frames []pcm.Frame, rate int, err error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, 0, fmt.Errorf("soundcheck: %w", err)
	}
	frames, rate, err = parse(b)
	if err != nil {
		return nil, 0, fmt.Errorf("%w: %s", err, path)
	}
	return frames, rate, nil
}

func parse(b []byte) (frames []pcm.Frame, rate int, err error) {
	le := binary.LittleEndian
	if len(b) < 12 || string(b[8:12]) != "WAVE" {
		return nil, 0, ErrWAV
	}
	var tag, bits int
	for at := 12; at+8 <= len(b); {
		id, size := string(b[at:at+4]), int64(le.Uint32(b[at+4:]))
		body := b[at+8:]
		if id == "data" {
			if size == 0 || size > int64(len(body)) {
				size = int64(len(body))
			}
			frames, err := samples(body[:size], tag, bits)
			return frames, rate, err
		}
		if size > int64(len(body)) {
			return nil, 0, fmt.Errorf("%w: %w", ErrWAV, io.ErrUnexpectedEOF)
		}
		if id == "fmt " && size >= 16 {
			tag, rate, bits = int(le.Uint16(body)), int(le.Uint32(body[4:])), int(le.Uint16(body[14:]))
			if channels := le.Uint16(body[2:]); channels != 2 {
				return nil, 0, fmt.Errorf("%w: %d channels", ErrWAV, channels)
			}
			if tag == 0xfffe && size >= 26 {
				tag = int(le.Uint16(body[24:]))
			}
		}
		at += 8 + int(size+size%2)
	}
	return nil, 0, fmt.Errorf("%w: no data", ErrWAV)
}

// samples converts bytes to frames; an incomplete frame at the end is dropped.
func samples(b []byte, tag, bits int) ([]pcm.Frame, error) {
	le := binary.LittleEndian
	float := tag == 3 && bits == 32
	if !float && (tag != 1 || bits != 16 && bits != 24 && bits != 32) {
		return nil, fmt.Errorf("%w: tag %d, %d bits", ErrWAV, tag, bits)
	}
	size := bits / 8
	frames := make([]pcm.Frame, len(b)/(2*size))
	for i := range frames {
		for c := range frames[i] {
			s := b[(2*i+c)*size:]
			if float {
				frames[i][c] = math.Float32frombits(le.Uint32(s))
				continue
			}
			var word [4]byte
			copy(word[4-size:], s[:size])
			frames[i][c] = float32(float64(int32(le.Uint32(word[:]))) / (1 << 31))
		}
	}
	return frames, nil
}

func TestRead(t *testing.T) {
	want := signal()
	for _, format := range []wav.Format{wav.S24, wav.F32} {
		name := filepath.Join(t.TempDir(), "x.wav")
		f, err := wav.Create(name, wav.Config{Rate: 44100, Format: format})
		if err != nil {
			t.Fatal(err)
		}
		f.Write(want)
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
		got, rate, err := Read(name)
		if err != nil || rate != 44100 {
			t.Fatalf("%v: rate %d, %v", format, rate, err)
		}
		r, err := Compare(want, got, 1.0/(1<<24))
		if err != nil || !r.Whole() || len(got) != len(want) {
			t.Errorf("%v: %d frames, %v, %v, want %d, whole", format, len(got), r, err, len(want))
		}
	}
	name := filepath.Join(t.TempDir(), "text")
	os.WriteFile(name, []byte("this is no sound at all"), 0o600)
	if _, _, err := Read(name); !errors.Is(err, ErrWAV) {
		t.Errorf("a text: %v, want %v", err, ErrWAV)
	}
}
