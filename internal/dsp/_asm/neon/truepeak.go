package main

import "fmt"

// The kernels of true peaks measure the places after frame 15 of src and after the following frames. They
// receive taps for half of the window, because package dsp mirrors them: for the middle, for the sum, and for
// the difference of two places.
const (
	windowFrames = 32
	beforePlace  = windowFrames/2 - 1
)

// peakGroups emits the search for places that may be beyond a level, in float32. It stores a byte per four places and
// processes eight per iteration.
func peakGroups() {
	k := newKernel("peakGroups", "groups *uint8, src *float32, n int, taps *float32, least float32")
	out, src, n, taps := k.load("groups"), k.load("src"), k.load("n"), k.load("taps")
	least := k.given("least")
	k.loop(n, turn, func() {
		row, up, down := k.gp(), k.gp(), k.gp()
		k.op("MOVD", taps, row)
		k.op("MOVD", src, up)
		k.op("ADD", imm(8*(windowFrames-1)), src, down)
		sums := k.zeroes(12) // of the middle, the sum, the difference: two frames each
		h := k.vec()
		for range windowFrames / 2 {
			k.op("FMOVQ", mem(row, 0), h.f())
			k.op("ADD", imm(12), row)
			for pair := 0; pair < 4; pair += 2 {
				k.scope(func() {
					x, y, z := k.twoVectors(up, 16*pair), k.twoVectors(down, 16*pair), k.vec()
					for i := range x {
						k.fadd(z, x[i], y[i])
						k.fsub(x[i], x[i], y[i])
						for j, from := range []vec{z, z, x[i]} {
							k.fmulLane(y[i], from, h, j)
							s := sums[4*j+pair+i]
							k.fadd(s, s, y[i])
						}
					}
				})
			}
			k.op("ADD", imm(8), up)
			k.op("SUB", imm(8), down)
		}
		for pair := 0; pair < 4; pair += 2 { // four frames, and a byte
			k.scope(func() {
				x := k.vec()
				beyond := [2]vec{}
				for i := range beyond {
					middle := sums[pair+i]
					k.f32().Peak(middle, sums[4+pair+i], sums[8+pair+i], x)
					for frame := beforePlace; frame <= beforePlace+1; frame++ {
						k.op("ADD", imm(8*frame+16*(pair+i)), src, up)
						k.op("FMOVQ", mem(up, 0), x.f())
						k.f32().Larger(middle, x)
					}
					k.fcmgt(middle, middle, least)
					beyond[i] = middle
				}
				k.op("VORR", beyond[1].b16(), beyond[0].b16(), beyond[0].b16())
				k.umaxv(beyond[0], beyond[0])
				k.op("VMOV", fmt.Sprintf("%v.S[0]", beyond[0]), up)
				k.op("MOVB.P", up, mem(out, 1))
			})
		}
		k.op("ADD", imm(8*turn), src)
	})
}

// truePeaks emits TruePeaks for two places per iteration. A vector holds a place in float64, left and right.
// The sums of even and odd taps are separate.
func truePeaks() {
	k := newKernel("truePeaks", "dst *float64, src *float32, n int, taps *float64")
	dst, src, n, taps := k.load("dst"), k.load("src"), k.load("n"), k.load("taps")
	k.loop(n, 2, func() {
		row, up, down := k.gp(), k.gp(), k.gp()
		k.op("MOVD", taps, row)
		k.op("MOVD", src, up)
		k.op("ADD", imm(8*(windowFrames-1)), src, down)
		sums := k.zeroes(12) // of two places, even and odd: the middle, the sum, the difference
		h := k.vecsOf(3)
		for tap := range windowFrames / 2 {
			for i := range h { // each tap is stored four times; two of them suffice
				k.op("FMOVQ.P", mem(row, 32), h[i].f())
			}
			k.scope(func() {
				x, y, z := k.vecsOf(2), k.vecsOf(2), k.vec()
				k.bothPlaces(x, up)
				k.bothPlaces(y, down)
				for i := range x {
					k.fadd64(z, x[i], y[i])
					k.fsub64(x[i], x[i], y[i])
					for j, from := range []vec{z, z, x[i]} {
						k.f64().Plus(sums[6*i+3*(tap%2)+j], from, h[j], y[i])
					}
				}
			})
			k.op("ADD", imm(8), up)
			k.op("SUB", imm(8), down)
		}
		k.scope(func() {
			x := k.vecsOf(2)
			k.op("ADD", imm(8*beforePlace), src, up)
			for i := range 2 {
				even, odd := sums[6*i:6*i+3], sums[6*i+3:6*i+6]
				for j := range even {
					k.fadd64(even[j], even[j], odd[j])
				}
				k.f64().Peak(even[0], even[1], even[2], odd[0])
				k.bothPlaces(x, up)
				k.op("ADD", imm(8), up)
				for _, y := range x {
					k.f64().Larger(even[0], y)
				}
			}
			k.fmaxp64(sums[0], sums[0], sums[6])
			k.op("FMOVQ.P", sums[0].f(), mem(dst, 16))
		})
		k.op("ADD", imm(16), src)
	})
}

// zeroes returns n registers of zeroes.
func (k *kernel) zeroes(n int) []vec {
	v := k.vecsOf(n)
	for _, v := range v {
		k.op("VEOR", v.b16(), v.b16(), v.b16())
	}
	return v
}

// twoVectors loads two consecutive vectors from any address.
func (k *kernel) twoVectors(base gp, offset int) [2]vec {
	x := [2]vec(k.vecsOf(2))
	k.op("FLDPQ", mem(base, offset), pair(x[0], x[1]))
	return x
}

// bothPlaces loads two frames as float64.
func (k *kernel) bothPlaces(x []vec, base gp) {
	k.op("FMOVQ", mem(base, 0), x[0].f())
	k.longer2(x[1], x[0])
	k.longer(x[0], x[0])
}
