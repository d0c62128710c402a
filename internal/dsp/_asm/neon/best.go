package main

import "fmt"

// best emits the kernel of 8 compensated taps.
func best(channels int) {
	m := mixing("Best", channels, true, 3, "table *float32, pos int64, step int64, ", "")
	k := &kernel8{m, m.load("table")}
	m.loadGains()
	m.twice(func() {
		for half := range 2 {
			m.scope(func() {
				f := k.within()
				if channels == 1 {
					m.addMono(half, k.mono(f))
				} else {
					m.add(half, k.stereo(f))
				}
			})
		}
	})
}

// kernel8 computes the weights of frames.
type kernel8 struct {
	*mixer
	table gp
}

// within returns the positions of the next four frames between rows of the table: the lower 24 bits of their
// fractions.
func (k *kernel8) within() vec {
	f := k.vec()
	k.op("VSHL", imm(8), k.bits.s4(), f.s4())
	k.op("VADD", k.stride.s4(), k.bits.s4(), k.bits.s4())
	k.op("VUSHR", imm(8), f.s4(), f.s4())
	k.down24(f, f)
	return f
}

// weights returns the 8 weights of the frame in a lane of f, and the address of its first sample.
func (k *kernel8) weights(f vec, lane int) (w [2]vec, at gp) {
	row := k.gp()
	k.op("UBFX", imm(24), k.pos, imm(8), row)
	k.op("ADD", fmt.Sprintf("%v<<6", row), k.table, row)
	at = k.nextTap()
	w = [2]vec(k.vecsOf(2))
	k.scope(func() {
		c := k.vecsOf(2)
		k.op("FLDPQ", mem(row, 32), pair(w[0], w[1]))
		k.op("FLDPQ", mem(row, 0), pair(c[0], c[1]))
		for _, w := range w {
			k.fmulLane(w, w, f, lane)
		}
		for i, w := range w {
			k.fadd(w, c[i], w)
		}
	})
	return w, at
}

// mono returns 4 frames in order. Each is ((q0+q2)+(q1+q3)) + ((q4+q6)+(q5+q7)).
func (k *kernel8) mono(f vec) vec {
	sums := k.vecsOf(4) // q0+q2, q1+q3, q4+q6, q5+q7
	for i, sum := range sums {
		k.scope(func() {
			w, at := k.weights(f, i)
			s := k.vecsOf(2)
			k.op("FLDPQ", mem(at, 0), pair(s[0], s[1]))
			k.fmul(w[0], s[0], w[0])
			k.fmul(w[1], s[1], w[1])
			k.zip64(sum, w[0], w[1], false)
			k.zip64(s[0], w[0], w[1], true)
			k.fadd(sum, sum, s[0])
		})
	}
	k.faddp(sums[0], sums[0], sums[1])
	k.faddp(sums[2], sums[2], sums[3])
	k.faddp(sums[0], sums[0], sums[2])
	return sums[0]
}

// stereo returns 4 interleaved frames.
func (k *kernel8) stereo(f vec) [2]vec {
	sums := k.vecsOf(4) // of the four upper and lower taps, left, then right
	for i, sum := range sums {
		k.scope(func() {
			w, at := k.weights(f, i)
			upper := k.gp()
			k.op("ADD", imm(32), at, upper)
			x := k.vecsOf(4) // left and right of the first four samples, of the others
			k.op("VLD2", mem(at, 0), fmt.Sprintf("[%s, %s]", x[0].s4(), x[1].s4()))
			k.op("VLD2", mem(upper, 0), fmt.Sprintf("[%s, %s]", x[2].s4(), x[3].s4()))
			for j, s := range x {
				k.fmul(s, s, w[j/2])
			}
			q := k.vecsOf(3) // q0+q2, q1+q3, q4+q6, q5+q7
			for channel, to := range []vec{sum, q[1]} {
				k.zip64(q[0], x[channel], x[2+channel], false)
				k.zip64(q[2], x[channel], x[2+channel], true)
				k.fadd(to, q[0], q[2])
			}
			k.faddp(sum, sum, q[1])
		})
	}
	k.faddp(sums[0], sums[0], sums[1])
	k.faddp(sums[1], sums[2], sums[3])
	return [2]vec{sums[0], sums[1]}
}
