package blocks

import "testing"

// TestCompanding checks the smallest and the largest values of G.711.
func TestCompanding(t *testing.T) {
	var x [4]float32
	decodeALaw(x[:], []byte{0xd5, 0x55, 0xaa, 0x2a})
	if x != [4]float32{8. / 32768, -8. / 32768, 32256. / 32768, -32256. / 32768} {
		t.Errorf("A-law: %v", x)
	}
	decodeULaw(x[:], []byte{0xff, 0x7f, 0x80, 0x00})
	if x != [4]float32{0, 0, 32124. / 32768, -32124. / 32768} {
		t.Errorf("u-law: %v", x)
	}
}
