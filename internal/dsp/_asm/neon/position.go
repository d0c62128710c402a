package main

import "fmt"

// position is a place in src: whole frames come from a general register, the
// fractions of four frames from a vector.
type position struct {
	*kernel
	src       gp
	size      int // bytes of a frame
	pos, step gp
	bits      vec // lower halves of the positions of the next four frames
	further   vec // how far four frames are
}

// loadPosition loads the arguments src, pos and step. Taps are read from so many
// frames before a position's on.
func (k *kernel) loadPosition(before, channels int, wide bool) *position {
	p := &position{kernel: k, src: k.load("src"), size: channels * bytes(wide), pos: k.load("pos"), step: k.load("step")}
	if before > 0 {
		k.op("SUB", imm(before*p.size), p.src)
	}
	p.bits, p.further = k.vec(), k.vec()
	k.scope(func() {
		first := k.vec()
		k.op("VDUP", p.pos, first.s4())
		k.op("VDUP", p.step, p.further.s4())
		k.numbers(p.bits, 0, 1, 2, 3)
		k.mul(p.bits, p.bits, p.further)
		k.op("VADD", first.s4(), p.bits.s4(), p.bits.s4())
		k.op("VSHL", imm(2), p.further.s4(), p.further.s4())
	})
	return p
}

// next returns the address of the next frame's first tap, and moves on.
func (p *position) next() gp {
	at, shift := p.gp(), map[int]int{2: 1, 4: 2, 8: 3}[p.size]
	p.op("LSR", imm(32), p.pos, at)
	p.op("ADD", fmt.Sprintf("%v<<%d", at, shift), p.src, at)
	p.op("ADD", p.step, p.pos)
	return at
}

// fractions returns the upper 24 bits of the fractions of the next four frames,
// and moves on.
func (p *position) fractions() vec {
	f := p.vec()
	p.op("VUSHR", imm(8), p.bits.s4(), f.s4())
	p.down24(f, f)
	p.op("VADD", p.further.s4(), p.bits.s4(), p.bits.s4())
	return f
}
