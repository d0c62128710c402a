package wav

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"voicepool/pcm"
)

// TestRaw checks that raw output is exactly the data chunk of the WAV file with the same settings, for writers
// and files, of any length.
func TestRaw(t *testing.T) {
	for _, format := range []Format{S24, S16, F32} {
		for _, length := range []int{0, 1, 511, 100_000} {
			frames := make([]pcm.Frame, length)
			for i := range frames {
				frames[i] = pcm.Frame{float32(i%1000) / 700, -float32(i%77) / 99}
			}
			var whole, raw bytes.Buffer
			path := filepath.Join(t.TempDir(), "out.raw")
			config := Config{Format: format, Seed: 7, Frames: int64(length)}
			write(t, &whole, config, frames)
			config.Raw = true
			write(t, &raw, config, frames)
			config.Frames = 0
			file, err := Create(path, config)
			if err != nil {
				t.Fatal(err)
			}
			if err := file.Write(frames); err != nil {
				t.Fatal(err)
			}
			if err := file.Close(); err != nil {
				t.Fatal(err)
			}
			size := length * configOf(format, 48000, 1).frameBytes()
			want := whole.Bytes()[whole.Len()-size:]
			on, err := os.ReadFile(path)
			if err != nil || raw.Len() != size || !bytes.Equal(raw.Bytes(), want) || !bytes.Equal(on, want) {
				t.Errorf("%v, %d frames: %d bytes on a writer, %d in a file, want %d, the data of the WAV; %v",
					format, length, raw.Len(), len(on), size, err)
			}
		}
	}
}

// write writes frames with a Writer.
func write(t *testing.T, out *bytes.Buffer, c Config, frames []pcm.Frame) {
	t.Helper()
	w, err := NewWriter(out, c)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Write(frames); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
}
