// Command asm writes the amd64 assembly of package dsp, kernels_amd64.s. Each kernel performs the same operations as
// the Go code of package dsp, so both give the same bits. It fuses no products with sums, and keeps the order of sums.
//
// The kernels process groups of 8 (AVX2) or 16 (AVX-512) frames; the caller does the rest.
package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"

	"voicepool/internal/dsp/_asm/formula"
)

// main emits all kernels and writes the file that the flags of avo name.
func main() {
	ConstraintExpr("!purego")
	for _, wide := range []bool{true, false} {
		for _, s := range []*set{avx2, avx512} {
			for channels := 1; channels <= 2; channels++ {
				unity(s, channels, wide, false)
				unity(s, channels, wide, true)
			}
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
	sum()
	window()
	peak()
	levels()
	flushTiny()
	deinterleave()
	interleave()
	filter(1, 8, false)
	filter(2, 4, false)
	filter(2, 8, true)
	between()
	columns()
	peakGroups()
	truePeaks()
	finePeak()
	integers24()
	biquads("energy", false)
	biquads("power", true)
	stateVariable()
	stateVariableWide()
	doubled()
	singled()
	means()
	reductions()
	lower()
	line()
	factors()
	cosPi()
	pans()
	flushStates()
	for _, s := range []*set{avx2, avx512} {
		weakest(s)
		oldest(s)
		numbered(s)
		sumTaps(s)
		allpasses(s)
		readLines(s)
		absorb(s)
		scatter(s)
		filterLanes(s, false, false)
		filterLanes(s, true, false)
		filterLanes(s, false, true)
		filterLanes(s, true, true)
	}
	Generate()
}

// argument loads a 64-bit argument.
func argument(name string) Register { return Load(Param(name), GP64()) }

// f32 and f64 emit arithmetic on vectors of float32 and float64.
var (
	f32 = machine(VADDPS, VSUBPS, VMULPS, VMAXPS, VANDPS, VMOVAPS, func() Op { return all("magnitude", U32(1<<31-1)) })
	f64 = machine(VADDPD, VSUBPD, VMULPD, VMAXPD, VANDPD, VMOVAPD, magnitude64)
)

// machine returns a machine with the given instructions. magnitude returns the bits of a number without its sign.
func machine(add, sub, mul, larger, and, move func(...Op), magnitude func() Op) formula.Machine[Op] {
	three := func(do func(...Op)) func(d, a, b Op) { return func(d, a, b Op) { do(b, a, d) } }
	return formula.Machine[Op]{
		Add: three(add), Sub: three(sub), Mul: three(mul), Max: three(larger),
		Abs: func(d, a Op) { and(magnitude(), a, d) }, Move: func(d, a Op) { move(a, d) },
	}
}

// memory returns the memory at the address in an argument.
func memory(name string) Mem { return Mem{Base: argument(name)} }

// loop repeats its body until n is 0, decreasing n by by.
func loop(n Register, by int, body func()) {
	again := label("loop")
	Label(again)
	body()
	SUBQ(U8(by), n)
	JNZ(LabelRef(again))
}

// end returns from a kernel that used vectors.
func end() {
	VZEROUPPER()
	RET()
}

var labels int

// label returns a unique label.
func label(what string) string {
	labels++
	return fmt.Sprintf("%s%d", what, labels)
}

// named is a constant with a name.
type named struct {
	at     Mem
	values string
}

var constants = map[string]named{}

// ints returns a constant with the given lanes. It is created once.
func ints(name string, lanes ...uint32) Mem {
	return constant(name, len(lanes), 4, func(i int) Constant { return U32(lanes[i]) })
}

// constant returns the memory of a constant called name with n elements of size bytes; at returns element i. It is
// created once: a second call with the same name must have the same elements, or it panics.
func constant(name string, n, size int, at func(i int) Constant) Mem {
	values := fmt.Sprint(size)
	for i := range n {
		values += fmt.Sprint(" ", at(i))
	}
	if c, ok := constants[name]; ok {
		if c.values != values {
			panic("two constants are called " + name)
		}
		return c.at
	}
	m := GLOBL(name, NOPTR|RODATA)
	for i := range n {
		DATA(i*size, at(i))
	}
	constants[name] = named{m, values}
	return m
}

// shuffle returns a constant for VPSHUFB; -1 means a zero.
func shuffle(name string, lanes ...int8) Mem {
	return constant(name, len(lanes), 1, func(i int) Constant { return U8(uint8(lanes[i])) })
}

// all returns a constant of 16 equal lanes.
func all(name string, x Constant) Mem {
	return constant(name, 16, 4, func(int) Constant { return x })
}
