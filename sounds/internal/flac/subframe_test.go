package flac

import (
	"testing"

	"voicepool/sounds/internal/source"
)

// FuzzFLACSubframe fuzzes the subframe decoder directly, because frame checksums hide it from FuzzFLAC.
func FuzzFLACSubframe(f *testing.F) {
	f.Add(uint8(16), uint16(192), []byte{0x10, 0, 0, 1, 2, 3, 4, 5})
	f.Add(uint8(33), uint16(4096), []byte{0x7e, 1, 2, 3, 4, 5, 6, 7, 8, 9})
	f.Fuzz(func(t *testing.T, bits uint8, size uint16, data []byte) {
		if bits < 4 || bits > 33 || size == 0 {
			return
		}
		r := source.NewMSB(data)
		_ = readSubframe(r, make([]int64, size), uint(bits))
		if r.Position()/8 > len(data)+8 && !r.PastEnd() {
			t.Fatal("it read beyond the end and did not notice")
		}
	})
}
