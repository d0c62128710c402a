package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"

	"voicepool/internal/dsp/_asm/formula"
)

// filterLanes emits a two-pole filter for 16 voices. An iteration transposes 16 frames, filters them frame by
// frame with a voice per lane, and transposes them back. It reads all input before it writes any output.
func filterLanes(s *set, high, moving bool) {
	name, need := formula.Lanes(high, moving)
	TEXT(name+s.name, NOSPLIT, "func(weights, states, turned *float32, dst, src *[]float32, n int)")
	weights, states, turned, dst, src := memory("weights"), memory("states"), memory("turned"), memory("dst"), memory("src")
	n, at, left := argument("n"), GP64(), GP64()
	XORL(at.As32(), at.As32())
	again := label("turn")
	Label(again)
	lane := func(slices Mem, i int) Mem {
		p := GP64()
		MOVQ(slices.Offset(formula.SliceSize*i), p)
		return Mem{Base: p, Index: at, Scale: 1}
	}
	rows := func(m Mem) func(int) Mem { return func(i int) Mem { return m.Offset(rowSize * i) } }
	s.transposeRows(rows(turned), func(i int) Mem { return lane(src, i) })
	MOVQ(U32(16), left)
	CMPQ(n, left)
	CMOVQLT(n, left)
	b := &banked{set: s, weights: weights, loaded: map[int][]Op{}}
	band, low, number := b.rows(states, 0), b.rows(states, 1), []VecVirtual(nil)
	if moving {
		number = b.rows(weights, formula.LanesNumber)
	}
	b.loadWeights(need)
	frame := Mem{Base: GP64()}
	MOVQ(turned.Base, frame.Base)
	loop(left, 1, func() {
		for i, at := range s.parts() {
			x := s.load(frame.Offset(at))
			now := func(row int) Op { return b.weight(row, i) }
			if moving {
				share := s.new()
				VMULPS(b.weight(formula.LanesEach, i), number[i], share)
				VADDPS(all("room_one", F32(1)), number[i], number[i])
				now = func(row int) Op { return b.now(row, i, share) }
			}
			e, v, w, t, y := b.new(), b.new(), b.new(), b.new(), b.new()
			f32.Lane(y, x, band[i], low[i], e, v, w, t, all("room_half", F32(0.5)), now, high, moving)
			VMOVUPS(y, frame.Offset(at))
		}
		ADDQ(U8(rowSize), frame.Base)
	})
	for i, at := range s.parts() {
		VMOVUPS(band[i], states.Offset(at))
		VMOVUPS(low[i], states.Offset(rowSize+at))
		if moving {
			VMOVUPS(number[i], weights.Offset(rowSize*formula.LanesNumber+at))
		}
	}
	s.transposeRows(func(i int) Mem { return lane(dst, i) }, rows(turned))
	ADDQ(U8(rowSize), at)
	SUBQ(U8(16), n)
	JGT(LabelRef(again))
	end()
}

// banked is a bank with its weights in registers, if the instruction set has enough registers.
type banked struct {
	*set
	weights Mem
	loaded  map[int][]Op
}

// rows loads a row.
func (b *banked) rows(m Mem, row int) (parts []VecVirtual) {
	for _, at := range b.parts() {
		parts = append(parts, b.load(m.Offset(rowSize*row+at)))
	}
	return parts
}

// loadWeights loads the weights that a filter needs into registers, with AVX-512.
func (b *banked) loadWeights(need []int) {
	if b.set == avx2 {
		return
	}
	for _, w := range need {
		b.loaded[w] = []Op{b.rows(b.weights, w)[0]}
	}
}

// weight returns a row of weights.
func (b *banked) weight(row, part int) Op {
	if kept := b.loaded[row]; kept != nil {
		return kept[part]
	}
	return b.weights.Offset(rowSize*row + b.parts()[part])
}

// now returns a weight at the given share of its change.
func (b *banked) now(row, part int, share VecVirtual) Op {
	w := b.new()
	VMULPS(b.weight(formula.LanesChange+row, part), share, w)
	VADDPS(b.weight(row, part), w, w)
	return w
}
