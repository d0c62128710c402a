package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// The rows of the weights of a filter bank, in the layout of package dsp, and of its states.
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

	bankBand = 0
	bankLow  = 1
)

const sliceSize = 24 // bytes

// filterLanes emits a two-pole filter for 16 voices. An iteration transposes 16 frames, filters them frame by
// frame with a voice per lane, and transposes them back. It reads all input before it writes any output.
func filterLanes(s *set, high, moving bool) {
	name := "lows"
	if high {
		name = "highs"
	}
	if moving {
		name += "Moving"
	}
	begin(name+s.name, "func(weights, states, turned *float32, dst, src *[]float32, n int)")
	weights, states, turned, dst, src := memory("weights"), memory("states"), memory("turned"), memory("dst"), memory("src")
	n, at, left := argument("n"), GP64(), GP64()
	XORL(at.As32(), at.As32())
	again := label("turn")
	Label(again)
	lane := func(slices Mem, i int) Mem {
		p := GP64()
		MOVQ(slices.Offset(sliceSize*i), p)
		return Mem{Base: p, Index: at, Scale: 1}
	}
	rows := func(m Mem) func(int) Mem { return func(i int) Mem { return m.Offset(rowSize * i) } }
	s.transposeRows(rows(turned), func(i int) Mem { return lane(src, i) })
	MOVQ(U32(16), left)
	CMPQ(n, left)
	CMOVQLT(n, left)
	b := &banked{set: s, weights: weights, loaded: map[int][]Op{}}
	band, low, number := b.rows(states, bankBand), b.rows(states, bankLow), []VecVirtual(nil)
	if moving {
		number = b.rows(weights, bankNumber)
	}
	b.keep(high, moving)
	frame := Mem{Base: GP64()}
	MOVQ(turned.Base, frame.Base)
	loop(left, 1, func() {
		for i, at := range s.parts() {
			x := s.load(frame.Offset(at))
			var share VecVirtual
			if moving {
				share = s.new()
				VMULPS(b.weight(bankEach, i), number[i], share)
				VADDPS(all("room_one", F32(1)), number[i], number[i])
			}
			y := b.step(i, x, band[i], low[i], share, high)
			if moving {
				VSUBPS(x, y, y)
				VMULPS(b.now(bankDepth, i, share), y, y)
				VADDPS(y, x, y)
			}
			VMOVUPS(y, frame.Offset(at))
		}
		ADDQ(U8(rowSize), frame.Base)
	})
	for i, at := range s.parts() {
		VMOVUPS(band[i], states.Offset(rowSize*bankBand+at))
		VMOVUPS(low[i], states.Offset(rowSize*bankLow+at))
		if moving {
			VMOVUPS(number[i], weights.Offset(rowSize*bankNumber+at))
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

// keep loads the weights that a filter needs into registers, with AVX-512.
func (b *banked) keep(high, moving bool) {
	if b.set == avx2 {
		return
	}
	need := []int{bankKeep, bankCouple, bankFollow}
	if high {
		need = append(need, bankAhead, bankDamp)
	}
	if moving {
		need = append(need, bankDepth)
		for _, w := range need {
			need = append(need, bankWays+w)
		}
		need = append(need, bankEach)
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
	VMULPS(b.weight(bankWays+row, part), share, w)
	VADDPS(b.weight(row, part), w, w)
	return w
}

// step emits one frame and returns the output.
func (b *banked) step(part int, x, band, low, share VecVirtual, high bool) VecVirtual {
	now := func(row int) Op {
		if share == nil {
			return b.weight(row, part)
		}
		return b.now(row, part, share)
	}
	e, v, w, t, y := b.new(), b.new(), b.new(), b.new(), b.new()
	VSUBPS(low, x, e)
	VMULPS(now(bankKeep), band, v)
	couple := now(bankCouple)
	VMULPS(couple, band, w)
	VADDPS(w, low, w)
	VMULPS(couple, e, t)
	VADDPS(t, v, v)
	VMULPS(now(bankFollow), e, t)
	VADDPS(t, w, w)
	if high {
		VMULPS(now(bankAhead), e, y)
		VMULPS(now(bankDamp), band, t)
		VSUBPS(t, y, y)
	} else {
		VADDPS(w, low, y)
		VMULPS(all("room_half", F32(0.5)), y, y)
	}
	VMOVAPS(v, band)
	VMOVAPS(w, low)
	return y
}
