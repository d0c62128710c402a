package main

import (
	"fmt"

	"voicepool/internal/dsp/_asm/formula"
)

// word writes a vector instruction that Go's assembler lacks. A comment beside it has the instruction in the
// syntax of the Arm manual, destination first. The encodings are from section C7.2 of the manual (DDI 0487).
func (k *kernel) word(bits uint32, meaning string, registers ...any) {
	fmt.Fprintf(&k.body, "\tWORD    $0x%08x // %s\n", bits, fmt.Sprintf(meaning, registers...))
}

// three writes an instruction with three registers of the same lanes: d from n and m.
func (k *kernel) three(bits uint32, name string, d, n, m vec, lanes string) {
	k.word(bits|uint32(m)<<16|uint32(n)<<5|uint32(d), "%[1]s v%[2]d.%[5]s, v%[3]d.%[5]s, v%[4]d.%[5]s", name, int(d), int(n), int(m), lanes)
}

// two writes an instruction with two registers: d from n.
func (k *kernel) two(bits uint32, meaning string, d, n vec) {
	k.word(bits|uint32(n)<<5|uint32(d), meaning, int(d), int(n))
}

// f32 and f64 emit arithmetic on vectors of float32 and float64.

func (k *kernel) f32() formula.Machine[vec] {
	return formula.Machine[vec]{Add: k.fadd, Sub: k.fsub, Mul: k.fmul, Max: k.fmax, Abs: k.fabs, Move: k.move}
}

func (k *kernel) f64() formula.Machine[vec] {
	return formula.Machine[vec]{Add: k.fadd64, Sub: k.fsub64, Mul: k.fmul64, Max: k.fmax64, Abs: k.fabs64, Move: k.move}
}

// move copies a vector.
func (k *kernel) move(d, n vec) { k.op("VORR", n.b16(), n.b16(), d.b16()) }

// Instructions on four lanes of float32.

func (k *kernel) fadd(d, n, m vec) { k.three(0x4e20d400, "fadd", d, n, m, "4s") }
func (k *kernel) fsub(d, n, m vec) { k.three(0x4ea0d400, "fsub", d, n, m, "4s") }
func (k *kernel) fmul(d, n, m vec) { k.three(0x6e20dc00, "fmul", d, n, m, "4s") }

// faddp adds adjacent lanes: d = n0+n1, n2+n3, m0+m1, m2+m3.
func (k *kernel) faddp(d, n, m vec) { k.three(0x6e20d400, "faddp", d, n, m, "4s") }

// fmulLane multiplies all lanes of n by one lane of m.
func (k *kernel) fmulLane(d, n, m vec, lane int) {
	bits := 0x4f809000 | uint32(lane&1)<<21 | uint32(lane>>1)<<11
	k.word(bits|uint32(m)<<16|uint32(n)<<5|uint32(d), "fmul v%d.4s, v%d.4s, v%d.s[%d]", int(d), int(n), int(m), lane)
}

func (k *kernel) fmax(d, n, m vec) { k.three(0x4e20f400, "fmax", d, n, m, "4s") }
func (k *kernel) fabs(d, n vec)    { k.two(0x4ea0f800, "fabs v%d.4s, v%d.4s", d, n) }

// fcvtns rounds to integers, ties to even.
func (k *kernel) fcvtns(d, n vec) { k.two(0x4e21a800, "fcvtns v%d.4s, v%d.4s", d, n) }

// fcmgt sets all bits of lanes where n > m.
func (k *kernel) fcmgt(d, n, m vec) { k.three(0x6ea0e400, "fcmgt", d, n, m, "4s") }

// Instructions on two lanes of float64.

func (k *kernel) fadd64(d, n, m vec)  { k.three(0x4e60d400, "fadd", d, n, m, "2d") }
func (k *kernel) fsub64(d, n, m vec)  { k.three(0x4ee0d400, "fsub", d, n, m, "2d") }
func (k *kernel) fmul64(d, n, m vec)  { k.three(0x6e60dc00, "fmul", d, n, m, "2d") }
func (k *kernel) fmax64(d, n, m vec)  { k.three(0x4e60f400, "fmax", d, n, m, "2d") }
func (k *kernel) fmaxp64(d, n, m vec) { k.three(0x6e60f400, "fmaxp", d, n, m, "2d") }
func (k *kernel) faddp64(d, n, m vec) { k.three(0x6e60d400, "faddp", d, n, m, "2d") }

// fmulLane64 multiplies both lanes of n by one lane of m.
func (k *kernel) fmulLane64(d, n, m vec, lane int) {
	bits := 0x4fc09000 | uint32(lane)<<11
	k.word(bits|uint32(m)<<16|uint32(n)<<5|uint32(d), "fmul v%d.2d, v%d.2d, v%d.d[%d]", int(d), int(n), int(m), lane)
}

// longer converts the lower two lanes to float64, longer2 the upper two.
func (k *kernel) longer(d, n vec)  { k.two(0x0e617800, "fcvtl v%d.2d, v%d.2s", d, n) }
func (k *kernel) longer2(d, n vec) { k.two(0x4e617800, "fcvtl2 v%d.2d, v%d.4s", d, n) }

func (k *kernel) fdiv64(d, n, m vec) { k.three(0x6e60fc00, "fdiv", d, n, m, "2d") }
func (k *kernel) fmin64(d, n, m vec) { k.three(0x4ee0f400, "fmin", d, n, m, "2d") }
func (k *kernel) fabs64(d, n vec)    { k.two(0x4ee0f800, "fabs v%d.2d, v%d.2d", d, n) }

// floor64 rounds down, fcvtzs64 converts to integers.
func (k *kernel) floor64(d, n vec)  { k.two(0x4e619800, "frintm v%d.2d, v%d.2d", d, n) }
func (k *kernel) fcvtzs64(d, n vec) { k.two(0x4ee1b800, "fcvtzs v%d.2d, v%d.2d", d, n) }

// fcmgt64 sets all bits of lanes where n > m.
func (k *kernel) fcmgt64(d, n, m vec) { k.three(0x6ee0e400, "fcmgt", d, n, m, "2d") }

// narrow rounds both lanes to float32.
func (k *kernel) narrow(d, n vec) { k.two(0x0e616800, "fcvtn v%d.2s, v%d.2d", d, n) }

// scvtf converts signed integers to float32.
func (k *kernel) scvtf(d, n vec) { k.two(0x4e21d800, "scvtf v%d.4s, v%d.4s", d, n) }

// down24 converts unsigned integers to float32 and divides them by 2^24.
func (k *kernel) down24(d, n vec) { k.two(0x6f28e400, "ucvtf v%d.4s, v%d.4s, #24", d, n) }

// Instructions on integers.

func (k *kernel) mul(d, n, m vec)  { k.three(0x4ea09c00, "mul", d, n, m, "4s") }
func (k *kernel) smin(d, n, m vec) { k.three(0x4ea06c00, "smin", d, n, m, "4s") }

func (k *kernel) smax(d, n, m vec) { k.three(0x4ea06400, "smax", d, n, m, "4s") }

// sar is an arithmetic right shift.
func (k *kernel) sar(d, n vec, by int) {
	k.word(0x4f000400|uint32(64-by)<<16|uint32(n)<<5|uint32(d), "sshr v%d.4s, v%d.4s, #%d", int(d), int(n), by)
}

// cmge sets all bits of lanes where n >= m.
func (k *kernel) cmge(d, n, m vec) { k.three(0x4ea03c00, "cmge", d, n, m, "4s") }

// cmhi sets all bits of 64-bit lanes where n > m, unsigned.
func (k *kernel) cmhi(d, n, m vec) { k.three(0x6ee03400, "cmhi", d, n, m, "2d") }

// sminv and umaxv reduce the lanes of a vector.
func (k *kernel) sminv(d, n vec) { k.two(0x4eb1a800, "sminv s%d, v%d.4s", d, n) }
func (k *kernel) umaxv(d, n vec) { k.two(0x6eb0a800, "umaxv s%d, v%d.4s", d, n) }

// bsl selects bits: from n where d has ones, and from m where d has zeros.
func (k *kernel) bsl(d, n, m vec) { k.three(0x6e601c00, "bsl", d, n, m, "16b") }

// bic computes n AND NOT m.
func (k *kernel) bic(d, n, m vec) { k.three(0x4e601c00, "bic", d, n, m, "16b") }

// orn computes n OR NOT m.
func (k *kernel) orn(d, n, m vec) { k.three(0x4ee01c00, "orn", d, n, m, "16b") }

// widen converts the lower or the upper four 16-bit words to 32 bits.
func (k *kernel) widen(d, n vec, upper bool) {
	if upper {
		k.two(0x4f10a400, "sshll2 v%d.4s, v%d.8h, #0", d, n)
	} else {
		k.two(0x0f10a400, "sshll v%d.4s, v%d.4h, #0", d, n)
	}
}

// sar16 is an arithmetic right shift by 16 bits.
func (k *kernel) sar16(d, n vec) { k.two(0x4f300400, "sshr v%d.4s, v%d.4s, #16", d, n) }

// nibbles narrows a mask of bytes to four bits per byte, in order.
func (k *kernel) nibbles(d, n vec) { k.two(0x0f0c8400, "shrn v%d.8b, v%d.8h, #4", d, n) }

// zip interleaves the lanes of n and m: of the lower or the upper halves.
func (k *kernel) zip(d, n, m vec, upper bool) {
	k.op(half("VZIP", upper), m.s4(), n.s4(), d.s4())
}

// zip64 is zip for pairs of lanes: one half of n, then one half of m.
func (k *kernel) zip64(d, n, m vec, upper bool) {
	k.op(half("VZIP", upper), m.d2(), n.d2(), d.d2())
}

// unzip takes the even or the odd lanes of n, then of m.
func (k *kernel) unzip(d, n, m vec, odd bool) {
	k.op(half("VUZP", odd), m.s4(), n.s4(), d.s4())
}

// half returns the name of an instruction on one half of its lanes: name with 2 for the upper half, or 1 for the
// lower.
func half(name string, upper bool) string {
	if upper {
		return name + "2"
	}
	return name + "1"
}
