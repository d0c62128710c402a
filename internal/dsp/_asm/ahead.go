package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// ahead is what the next kernel is going to read, of which this one asks for as
// much in a turn as it reads itself, at a step of one frame. What is asked for is
// not read: it may lie anywhere.
type ahead struct {
	next Register
	size int // bytes of a turn
}

func loadAhead(size int) *ahead { return &ahead{Load(Param("next"), GP64()), size} }

// ask asks for what a turn needs.
func (a *ahead) ask() {
	for at := 0; at < a.size; at += 64 {
		PREFETCHT0(Mem{Base: a.next, Disp: at})
	}
	ADDQ(U8(a.size), a.next)
}
