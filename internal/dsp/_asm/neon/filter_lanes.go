package main

// The rows of the weights of a filter bank, in the layout of package dsp.
const (
	bankKeep = iota
	bankCouple
	bankFollow
	bankAhead
	bankDamp
	bankDepth
	bankWays   // the rows from here on hold each weight's change
	bankNumber = 12
	bankEach   = 13
)

const sliceSize = 24 // bytes

// filterLanes emits a two-pole filter for 16 voices. An iteration transposes 16 frames, filters them frame by
// frame with a voice per lane, and transposes them back. It reads all input before it writes any output.
func filterLanes(high, moving bool) {
	name := "lows"
	if high {
		name = "highs"
	}
	if moving {
		name += "Moving"
	}
	k := newKernel(name+"NEON", "weights *float32, states *float32, turned *float32, dst *[]float32, src *[]float32, n int")
	weights, states, turned, dst, src, n := k.load("weights"), k.load("states"), k.load("turned"), k.load("dst"), k.load("src"), k.load("n")
	at, left, frame, most := k.gp(), k.gp(), k.gp(), k.gp()
	k.op("MOVD", imm(0), at)
	k.op("MOVD", imm(16), most)
	half, one := k.float(0.5), k.float(1)
	lane := func(slices gp) func(row, offset int) string {
		return func(row, offset int) string {
			r := k.gp()
			k.op("MOVD", mem(slices, sliceSize*row), r)
			k.op("ADD", at, r)
			return mem(r, offset)
		}
	}
	rows := func(row, offset int) string { return mem(turned, rowSize*row+offset) }
	abreast := 2 // vectors of voices, so that a vector does not have to wait for its own result
	need := []int{bankKeep, bankCouple, bankFollow}
	if high {
		need = append(need, bankAhead, bankDamp)
	}
	if moving {
		abreast, need = 1, append(need, bankDepth)
		for _, w := range need {
			need = append(need, bankWays+w)
		}
		need = append(need, bankNumber, bankEach)
	}
	again := k.label("turn")
	k.at(again)
	k.transposeRows(rows, lane(src))
	for first := 0; first < 4; first += abreast {
		k.scope(func() {
			all := make([]banked, abreast)
			for i := range all {
				b := &all[i]
				*b = banked{k, quarter * (first + i), map[int]vec{}, k.vec(), k.vec()}
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
					x := k.vec()
					k.op("FMOVQ", mem(frame, b.at), x.f())
					y := b.step(x, half, one, high, moving)
					k.op("FMOVQ", y.f(), mem(frame, b.at))
				}
				k.op("ADD", imm(rowSize), frame)
			})
			for i := range all {
				b := &all[i]
				k.op("FMOVQ", b.band.f(), mem(states, b.at))
				k.op("FMOVQ", b.low.f(), mem(states, rowSize+b.at))
				if moving {
					k.op("FMOVQ", b.weights[bankNumber].f(), mem(weights, rowSize*bankNumber+b.at))
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
	*kernel
	at        int // the position in a row
	weights   map[int]vec
	band, low vec
}

// step emits one frame and returns the output. It uses registers of the loop.
func (b *banked) step(x, half, one vec, high, moving bool) (y vec) {
	now := func(row int) vec { return b.weights[row] }
	if moving {
		share, w := b.vec(), b.vec()
		b.fmul(share, b.weights[bankNumber], b.weights[bankEach])
		b.fadd(b.weights[bankNumber], b.weights[bankNumber], one)
		now = func(row int) vec {
			b.fmul(w, b.weights[bankWays+row], share)
			b.fadd(w, b.weights[row], w)
			return w
		}
	}
	e, v, w, t := b.vec(), b.vec(), b.vec(), b.vec()
	y = b.vec()
	b.fsub(e, x, b.low)
	b.fmul(v, now(bankKeep), b.band)
	couple := now(bankCouple)
	b.fmul(w, couple, b.band)
	b.fadd(w, b.low, w)
	b.fmul(t, couple, e)
	b.fadd(v, v, t)
	b.fmul(t, now(bankFollow), e)
	b.fadd(w, w, t)
	if high {
		b.fmul(y, now(bankAhead), e)
		b.fmul(t, now(bankDamp), b.band)
		b.fsub(y, y, t)
	} else {
		b.fadd(y, b.low, w)
		b.fmul(y, y, half)
	}
	b.op("VORR", v.b16(), v.b16(), b.band.b16())
	b.op("VORR", w.b16(), w.b16(), b.low.b16())
	if moving {
		b.fsub(y, y, x)
		b.fmul(y, now(bankDepth), y)
		b.fadd(y, x, y)
	}
	return y
}
