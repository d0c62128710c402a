package mp3

import (
	"testing"

	"voicepool/pcm"
)

// TestMirrors checks that the omitted rows of the matrix are bit-exact copies or negatives of the kept rows,
// and that one row is zero.
func TestMirrors(t *testing.T) {
	s := synthesis()
	for i := range 64 {
		for k := range 32 {
			want := pcm.CosPi(float64((16+i)*(2*k+1)) / 64)
			got := 0.0
			switch {
			case i < 16:
				got = s.matrix[k][i]
			case i > 16 && i <= 32:
				got = -s.matrix[k][32-i]
			case i > 32 && i <= 48:
				got = s.matrix[k][16+i-33]
			case i > 48:
				got = s.matrix[k][16+63-i]
			}
			if got != want {
				t.Fatalf("row %d of the matrix has %v at %d, want %v", i, got, k, want)
			}
		}
	}
}
