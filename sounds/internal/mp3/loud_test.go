package mp3

import (
	"errors"
	"io"
	"slices"
	"testing"

	"voicepool/sounds/internal/source"
)

// TestLoudFirstGranule raises the gain of a granule. If the first granule of a frame is then replaced by silence, the
// damage is recorded, even if the second granule of the frame is intact.
func TestLoudFirstGranule(t *testing.T) {
	in := source.FromMemory(testFile(t, "mp3-48000-1-cbr.mp3"))
	in.SkipID3()
	begin, h, err := firstFrame(in.Peek(source.Probe))
	if err != nil {
		t.Fatal(err)
	}
	in.Skip(int64(begin) + int64(h.size)) // and the header frame with the length
	data := in.ReadBytes(in.Remaining())
	silent := func(granule []float32) bool {
		return !slices.ContainsFunc(granule, func(x float32) bool { return x != 0 })
	}
	want, alone := decodeAll(t, data), 0
	for frame := range len(data) / h.size {
		for gain := 190; gain < 230; gain++ {
			loud := slices.Clone(data)
			for bit := range 8 { // the gain of the second granule, behind bit 98 of the side information
				b, mask := &loud[frame*h.size+4+(98+bit)/8], byte(0x80)>>((98+bit)%8)
				if *b &^= mask; gain<<bit&0x80 != 0 {
					*b |= mask
				}
			}
			r, err := Open(source.FromMemory(loud), wide)
			var got []float32
			for err == nil {
				got, err = r.Next(got)
			}
			if !errors.Is(err, io.EOF) {
				t.Fatal(err)
			}
			for i := 0; i < len(want); i += 2 * 576 {
				if silent(got[i:][:576]) && !silent(want[i:][:576]) && !silent(got[i+576:][:576]) {
					if alone++; len(r.(*reader).Damages) == 0 {
						t.Fatalf("gain %d in frame %d: no damage is recorded for sample %d", gain, frame, i)
					}
				}
			}
		}
	}
	if alone == 0 {
		t.Error("in no frame is the first granule silent alone")
	}
}
