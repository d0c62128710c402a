package source

import "sync"

// CRC returns a function that computes the remainder of some bytes by a polynomial of
// so many bits, at most 32, whose highest bit is left out. Its table is made when it
// is first needed.
func CRC(bits int, polynomial uint32) func(parts ...[]byte) uint32 {
	table := sync.OnceValue(func() *[256]uint32 {
		var t [256]uint32
		for i := range t {
			sum := uint32(i) << 24
			for range 8 {
				sum = sum<<1 ^ polynomial<<(32-bits)&-(sum>>31)
			}
			t[i] = sum
		}
		return &t
	})
	return func(parts ...[]byte) uint32 {
		t, sum := table(), uint32(0)
		for _, part := range parts {
			for _, x := range part {
				sum = sum<<8 ^ t[byte(sum>>24)^x]
			}
		}
		return sum >> (32 - bits)
	}
}
