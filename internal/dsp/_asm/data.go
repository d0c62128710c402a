package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
)

var constants = map[string]Mem{}

// ints returns a constant of the given lanes, made once.
func ints(name string, lanes ...uint32) Mem {
	return constant(name, len(lanes), 4, func(i int) Constant { return U32(lanes[i]) })
}

func constant(name string, n, size int, at func(i int) Constant) Mem {
	if m, ok := constants[name]; ok {
		return m
	}
	m := GLOBL(name, NOPTR|RODATA)
	for i := range n {
		DATA(i*size, at(i))
	}
	constants[name] = m
	return m
}

// shuffle returns a constant for VPSHUFB; -1 gives a zero.
func shuffle(name string, lanes ...int8) Mem {
	return constant(name, len(lanes), 1, func(i int) Constant { return U8(uint8(lanes[i])) })
}

// all returns a constant of 16 equal lanes.
func all(name string, x Constant) Mem {
	return constant(name, 16, 4, func(int) Constant { return x })
}
