package source

import (
	"math/rand/v2"
	"testing"
)

// TestBits compares numbers of any width, in both bit orders, with bitwise reads. Reads beyond the end return
// zeros, and Over reports the first one.
func TestBits(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	for range 200 {
		data := make([]byte, random.IntN(40))
		for i := range data {
			data[i] = byte(random.Uint32())
		}
		high, low := NewMSB(data), NewLSB(data)
		for at := 0; at < 8*len(data)+100; {
			n := random.IntN(33)
			var wantHigh, wantLow uint64
			for i := range n {
				if p := at + i; p < 8*len(data) {
					wantHigh |= uint64(data[p/8]>>(7-p%8)&1) << (n - 1 - i)
					wantLow |= uint64(data[p/8]>>(p%8)&1) << i
				}
			}
			if got := high.ReadBits(uint(n)); got != wantHigh {
				t.Fatalf("%d bits at %d, the highest first: %#x, want %#x", n, at, got, wantHigh)
			}
			if got := uint64(low.ReadBits(uint(n))); got != wantLow {
				t.Fatalf("%d bits at %d, the lowest first: %#x, want %#x", n, at, got, wantLow)
			}
			at += n
			over := at > 8*len(data)
			if high.PastEnd() != over || low.PastEnd() != over || high.Position() != at || low.Remaining() != 8*len(data)-at {
				t.Fatalf("at bit %d of %d: over %v and %v, at %d, %d left", at, 8*len(data), high.PastEnd(), low.PastEnd(), high.Position(), low.Remaining())
			}
		}
		low = NewLSB(data)
		if low.SkipAll(); !low.PastEnd() || low.ReadBits(32) != 0 {
			t.Fatal("End leaves something")
		}
	}
}

// TestSignedAndUnary reads two's complement numbers, and counts zeros before a one.
func TestSignedAndUnary(t *testing.T) {
	b := NewMSB([]byte{0b1011_0001, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0b0100_0000})
	if x, zero := b.Signed(3), b.Signed(0); x != -3 || zero != 0 {
		t.Errorf("signed %d and %d, want -3 and 0", x, zero)
	}
	if x := b.Unary(); x != 0 {
		t.Errorf("%d zeros, want 0", x)
	}
	if x := b.Unary(); x != 3 {
		t.Errorf("%d zeros, want 3", x)
	}
	if x := b.Unary(); x != 73 {
		t.Errorf("%d zeros, want 73", x)
	}
	b.Align()
	if b.Position() != 88 || b.PastEnd() {
		t.Errorf("at bit %d, over %v; want the end", b.Position(), b.PastEnd())
	}
	if b.Unary(); !b.PastEnd() {
		t.Error("zeros beyond the end are not noticed")
	}
}

// TestCRC compares checksums with the catalogue values for "123456789".
func TestCRC(t *testing.T) {
	for _, c := range []struct {
		bits       int
		polynomial uint32
		want       uint32
	}{
		{bits: 8, polynomial: 0x07, want: 0xf4},
		{bits: 16, polynomial: 0x8005, want: 0xfee8},
		{bits: 32, polynomial: 0x04c11db7, want: ^uint32(0x765e7680)}, // the catalogue inverts this one
	} {
		if got := CRC(c.bits, c.polynomial)([]byte("1234"), nil, []byte("56789")); got != c.want {
			t.Errorf("%d bits: %#x, want %#x", c.bits, got, c.want)
		}
	}
}

// TestRice compares runs of codes with bitwise reads, up to the end, which both must report.
func TestRice(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 8))
	for range 500 {
		data := make([]byte, random.IntN(60))
		for i := range data {
			x := random.Uint32()
			data[i] = byte(x & (x >> 8) & (x >> 16)) // many zeros
		}
		k, skip := uint(random.IntN(31)), uint(random.IntN(9))
		fast, slow := NewMSB(data), NewMSB(data)
		fast.ReadBits(skip)
		slow.ReadBits(skip)
		got := make([]int64, random.IntN(40))
		fast.Rice(got, k)
		for i, x := range got {
			code := slow.Unary()<<k | slow.ReadBits(k)
			if slow.PastEnd() {
				break
			}
			if want := int64(code>>1) ^ -int64(code&1); x != want {
				t.Fatalf("%d bits, number %d of %x is %d, want %d", k, i, data, x, want)
			}
		}
		if fast.PastEnd() != slow.PastEnd() || !slow.PastEnd() && fast.Position() != slow.Position() {
			t.Fatalf("at %d, over %v; want %d, %v", fast.Position(), fast.PastEnd(), slow.Position(), slow.PastEnd())
		}
	}
}

// TestCRCParts checks that parts of any length, processed eight bytes at a time, give the bitwise remainder.
func TestCRCParts(t *testing.T) {
	random := rand.New(rand.NewPCG(9, 9))
	data := make([]byte, 100)
	for i := range data {
		data[i] = byte(random.Uint32())
	}
	for _, c := range []struct {
		bits       int
		polynomial uint32
	}{{8, 0x07}, {16, 0x8005}, {32, 0x04c11db7}} {
		sum := CRC(c.bits, c.polynomial)
		for n := range data {
			want := uint64(0)
			for _, x := range data[:n] {
				for bit := 7; bit >= 0; bit-- {
					top := want>>(c.bits-1)&1 ^ uint64(x>>bit&1)
					want = want<<1&(1<<c.bits-1) ^ top*uint64(c.polynomial)
				}
			}
			if got := sum(data[:n/3], data[n/3:n]); uint64(got) != want {
				t.Fatalf("%d bits, %d bytes: %#x, want %#x", c.bits, n, got, want)
			}
		}
	}
}
