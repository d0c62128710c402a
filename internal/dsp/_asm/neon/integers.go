package main

import (
	"fmt"
	"math"
)

// integers24 emits the rounding of frames to 24 bits, 8 per iteration. Samples must not exceed full scale.
func integers24() {
	k := newKernel("integers24", "dst *uint8, src *float32, n int")
	dst, src, n := k.load("dst"), k.load("src"), k.load("n")
	full, bytes := k.filled(1, int(math.Float32bits(1<<23)))[0], k.vec()
	k.scope(func() { // the lower three bytes of each four
		r := k.gp()
		k.op("MOVD", "$0x0908060504020100", r)
		k.op("VMOV", r, fmt.Sprintf("%v.D[0]", bytes))
		k.op("MOVD", "$0x0e0d0c0a", r)
		k.op("VMOV", r, fmt.Sprintf("%v.D[1]", bytes))
	})
	k.loop(n, turn, func() {
		word := k.gp()
		for _, x := range k.samples(src, 2*turn, true) {
			k.fmul(x, x, full)
			k.fcvtns(x, x)
			k.op("VTBL", bytes.b16(), fmt.Sprintf("[%s]", x.b16()), x.b16())
			k.op("FMOVD.P", x.f(), mem(dst, 8))
			k.op("VMOV", fmt.Sprintf("%v.S[2]", x), word)
			k.op("MOVW.P", word, mem(dst, 4))
		}
	})
}
