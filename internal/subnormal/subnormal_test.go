package subnormal

import (
	"sync/atomic"
	"testing"
)

type node struct {
	next   *node
	shared atomic.Pointer[node]
	many   []atomic.Pointer[float32]
	value  float64
	parts  []any
	hidden []float32
}

func TestFind(t *testing.T) {
	loop := &node{value: 1}
	loop.next = loop
	loop.shared.Store(loop)
	far := &node{value: 1, many: make([]atomic.Pointer[float32], 3)}
	far.shared.Store(&node{value: 0x1p-1040})
	third := &node{many: make([]atomic.Pointer[float32], 3)}
	tiny := float32(0x1p-130)
	third.many[2].Store(&tiny)
	for _, c := range []struct {
		x    any
		want string
	}{
		{x: 1.5, want: ""},
		{x: 0.0, want: ""},
		{x: float32(0x1p-126), want: ""},
		{x: float32(0x1p-127), want: "float32 is 5.877471754111438e-39"},
		{x: 0x1p-127, want: ""},
		{x: -0x1p-1030, want: "float64 is -8.691694759794e-311"},
		{x: loop, want: ""},
		{x: far, want: "*subnormal.node.shared.value is 8.487983164e-314"},
		{x: third, want: "*subnormal.node.many is 7.346839692639297e-40 (index 2)"},
		{x: &node{next: &node{parts: []any{1, [2]float32{0, 0x1p-130}}}}, want: "*subnormal.node.next.parts is 7.346839692639297e-40 (index 1) (index 1)"},
		{x: &[]float32{0, 1, -1, 0x1p-126, -0x1p-126}, want: ""},
		{x: []float32{1, 0x1p-126 - 0x1p-149}, want: "[]float32 is 1.1754942106924411e-38 (index 1)"},
		{x: []float64{0, 0x1p-1022, -0x1p-1022}, want: ""},
		{x: [][2]float64{{}, {1, 0x1p-1022 - 0x1p-1074}}, want: "[][2]float64 is 2.225073858507201e-308 (index 1) (index 1)"},
		{x: &[3][2]float32{2: {1: -0x1p-149}}, want: "*[3][2]float32 is -1.401298464324817e-45 (index 1) (index 2)"},
		{x: &node{hidden: append(make([]float32, 0, 4), 0x1p-140)[:0]}, want: "*subnormal.node.hidden is 7.174648137343064e-43 (index 0)"},
	} {
		if got := Find(c.x); got != c.want {
			t.Errorf("%v: %q, want %q", c.x, got, c.want)
		}
	}
}
