package opus

import (
	"encoding/binary"
	"math"
	"path/filepath"
	"testing"
)

// FuzzPackets decodes arbitrary packets, each after its length in two bytes. Each ends in an error or in finite
// samples of the announced number.
func FuzzPackets(f *testing.F) {
	files, err := filepath.Glob("../../library/testdata/formats/opus-*.opus")
	if err != nil {
		f.Fatal(err)
	}
	for _, file := range files {
		first, list := packets(f, file)
		if first[18] != 0 {
			continue
		}
		var data []byte
		for _, p := range list[:min(len(list), 8)] {
			data = append(binary.LittleEndian.AppendUint16(data, uint16(len(p))), p...)
		}
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		c, _, err := opened(head(2, 0, 0, 0))
		if err != nil {
			t.Fatal(err)
		}
		for range 16 {
			if len(data) < 2 {
				return
			}
			n := min(int(binary.LittleEndian.Uint16(data)), len(data)-2)
			p := data[2:][:n]
			data = data[2+n:]
			out, err := c.Decode(nil, p)
			if frames, wrong := c.FramesIn(p); err == nil && (wrong != nil || frames != int64(len(out)/2)) {
				t.Fatalf("%d frames, %d are announced, %v", len(out)/2, frames, wrong)
			}
			for i, x := range out {
				if math.IsNaN(float64(x)) || math.IsInf(float64(x), 0) {
					t.Fatalf("sample %d is %v", i, x)
				}
			}
		}
	})
}
