// Command asm writes the amd64 assembly of package dsp: kernels_amd64.s and its
// declarations. Each kernel does what the Go function of the same name does, operation by
// operation, so both give the same bits: it fuses no product with a sum and reorders no
// sum.
//
// The kernels process groups of 8 (AVX2) or 16 (AVX-512) frames; the caller does the rest.
package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
)

func main() {
	ConstraintExpr("!purego")
	for _, wide := range []bool{true, false} {
		for _, s := range []*set{avx2, avx512} {
			unity(s, 1, wide)
			unity(s, 2, wide)
		}
		for _, channels := range []int{1, 2} {
			pitched(linear, channels, wide)
			pitched(cubic, channels, wide)
			windowed(linear, channels, wide)
			windowed(cubic, channels, wide)
		}
	}
	best(1)
	best(2)
	blocks()
	publish()
	victims(avx2)
	victims(avx512)
	Generate()
}

// title returns the name of a kernel.
func title(channels int, kind string, wide bool, isa string) string {
	name := map[int]string{1: "mono", 2: "stereo"}[channels] + kind
	if !wide {
		name += "16"
	}
	return name + isa
}

// sample returns the Go type of a sample.
func sample(wide bool) string {
	if wide {
		return "float32"
	}
	return "int16"
}

// bytes returns its size.
func bytes(wide bool) int {
	if wide {
		return 4
	}
	return 2
}

var labels int

// label returns a label that no other place has.
func label(what string) string {
	labels++
	return fmt.Sprintf("%s%d", what, labels)
}
