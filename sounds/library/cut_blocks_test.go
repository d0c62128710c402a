package library

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestCutBlocks: an ADPCM file that ends within its last block has all frames of the earlier blocks, and the
// complete frames of the last one.
func TestCutBlocks(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	le := binary.LittleEndian
	try := func(tag, channels, align, head, frames int, partly func(bytes int) int) {
		data := make([]byte, 3*align)
		for i := range data {
			if i%align >= head {
				data[i] = byte(random.Uint32())
			}
		}
		format := bit(le, "fmt ", adpcmFmt(tag, channels, align, frames))
		whole := mustDecode(t, riff(format, bit(le, "data", data)))
		if whole.Frames() != int64(3*frames) {
			t.Fatalf("%d frames, want %d", whole.Frames(), 3*frames)
		}
		for cut := range align {
			name := fmt.Sprintf("%d channels of %#x, %d of %d bytes", channels, tag, cut, align)
			c, err := Decode(context.Background(), "cut", bytes.NewReader(riff(format, bit(le, "data", data[:2*align+cut]))), Limits{})
			if err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			if want := 2*frames + partly(cut); c.Frames() != int64(want) || !slices.Equal(c.Samples, whole.Samples[:want*channels]) {
				t.Errorf("%s: %d frames, or other ones, want %d", name, c.Frames(), want)
			}
		}
	}
	for channels := 1; channels <= 6; channels++ {
		word := 4 * channels
		try(0x11, channels, 4*word, word, 25, func(n int) int {
			if n < word {
				return 0
			}
			return n/word*8 - 7
		})
	}
	for channels := 1; channels <= 2; channels++ {
		head := 7 * channels
		try(2, channels, head+11*channels, head, 24, func(n int) int {
			if n < head {
				return 0
			}
			return 2 + (n-head)*2/channels
		})
	}
}
