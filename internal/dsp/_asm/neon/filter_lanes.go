package main

import "voicepool/internal/dsp/_asm/formula"

// filterLanes emits a two-pole filter for 16 voices. An iteration transposes 16 frames, filters them frame by
// frame with a voice per lane, and transposes them back. It reads all input before it writes any output.
func filterLanes(high, moving bool) {
	name, need := formula.Lanes(high, moving)
	k := newKernel(name, "weights *float32, states *float32, turned *float32, dst *[]float32, src *[]float32, n int")
	weights, states, turned, dst, src, n := k.load("weights"), k.load("states"), k.load("turned"), k.load("dst"), k.load("src"), k.load("n")
	at, left, frame, most := k.gp(), k.gp(), k.gp(), k.gp()
	k.op("MOVD", imm(0), at)
	k.op("MOVD", imm(16), most)
	half, one := k.float(0.5), k.float(1)
	lane := func(slices gp) func(row, offset int) string {
		return func(row, offset int) string {
			r := k.gp()
			k.op("MOVD", mem(slices, formula.SliceSize*row), r)
			k.op("ADD", at, r)
			return mem(r, offset)
		}
	}
	rows := func(row, offset int) string { return mem(turned, rowSize*row+offset) }
	abreast := 2 // vectors of voices, so that a vector does not have to wait for its own result
	if moving {
		abreast, need = 1, append(need, formula.LanesNumber)
	}
	again := k.label("turn")
	k.at(again)
	k.transposeRows(rows, lane(src))
	for first := 0; first < 4; first += abreast {
		k.scope(func() {
			all := make([]banked, abreast)
			for i := range all {
				b := &all[i]
				*b = banked{quarter * (first + i), map[int]vec{}, k.vec(), k.vec()}
				k.op("FMOVQ", mem(states, b.at), b.band.f())
				k.op("FMOVQ", mem(states, rowSize+b.at), b.low.f())
				for _, w := range need {
					b.weights[w] = k.vec()
					k.op("FMOVQ", mem(weights, rowSize*w+b.at), b.weights[w].f())
				}
			}
			k.op("CMP", most, n)
			k.op("CSEL", "LT", n, most, left)
			k.op("MOVD", turned, frame)
			k.loop(left, 1, func() {
				for i := range all {
					b := &all[i]
					x, e, v, w, t, y := k.vec(), k.vec(), k.vec(), k.vec(), k.vec(), k.vec()
					k.op("FMOVQ", mem(frame, b.at), x.f())
					now := func(row int) vec { return b.weights[row] }
					if moving {
						share, changed, number := k.vec(), k.vec(), b.weights[formula.LanesNumber]
						k.fmul(share, number, b.weights[formula.LanesEach])
						k.fadd(number, number, one)
						now = func(row int) vec {
							k.fmul(changed, b.weights[formula.LanesChange+row], share)
							k.fadd(changed, b.weights[row], changed)
							return changed
						}
					}
					k.f32().Lane(y, x, b.band, b.low, e, v, w, t, half, now, high, moving)
					k.op("FMOVQ", y.f(), mem(frame, b.at))
				}
				k.op("ADD", imm(rowSize), frame)
			})
			for i := range all {
				b := &all[i]
				k.op("FMOVQ", b.band.f(), mem(states, b.at))
				k.op("FMOVQ", b.low.f(), mem(states, rowSize+b.at))
				if moving {
					k.op("FMOVQ", b.weights[formula.LanesNumber].f(), mem(weights, rowSize*formula.LanesNumber+b.at))
				}
			}
		})
	}
	k.transposeRows(lane(dst), rows)
	k.op("ADD", imm(rowSize), at)
	k.op("SUBS", imm(16), n, n)
	k.op("BGT", again)
}

// banked is four voices of a bank.
type banked struct {
	at        int // the position in a row
	weights   map[int]vec
	band, low vec
}
