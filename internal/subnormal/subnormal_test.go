package subnormal

import "testing"

type node struct {
	next   *node
	value  float64
	parts  []any
	hidden []float32
}

func TestFind(t *testing.T) {
	loop := &node{value: 1}
	loop.next = loop
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
		{x: &node{next: &node{parts: []any{1, [2]float32{0, 0x1p-130}}}}, want: "*subnormal.node.next.parts is 7.346839692639297e-40 (index 1) (index 1)"},
		{x: node{hidden: append(make([]float32, 0, 4), 0x1p-140)[:0]}, want: "subnormal.node.hidden is 7.174648137343064e-43 (index 0)"},
	} {
		if got := Find(c.x); got != c.want {
			t.Errorf("%v: %q, want %q", c.x, got, c.want)
		}
	}
}
