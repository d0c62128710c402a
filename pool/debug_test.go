//go:build pooldebug

package pool_test

import (
	"math"
	"testing"
	"unsafe"

	"voicepool/pool"
)

// all has a field of every kind.
type all struct {
	on    bool
	i8    int8
	u8    [3]uint8
	i16   int16
	u16   uint16
	i32   int32
	u32   [2]uint32
	i64   int64
	u64   uint64
	i     int
	u     uint
	ptr   uintptr
	f32   float32
	f64   float64
	c64   complex64
	c128  [2]complex128
	inner [2]struct {
		flags [2]bool
		ref   *int
		n     int32
	}
	_      int32
	empty  struct{}
	text   string
	list   []int
	ref    *int
	dict   map[int]int
	queue  chan int
	call   func()
	any    any
	unsafe unsafe.Pointer
}

func filled(t *testing.T, x *all, where string) {
	t.Helper()
	const (
		word  = pool.Reclaimed
		short = pool.Reclaimed & 0xffff
		octet = pool.Reclaimed & 0xff
		long  = pool.Reclaimed<<32 | pool.Reclaimed
		whole = long & math.MaxUint // a machine word, of 4 or 8 bytes
	)
	f32, f64 := math.Float32frombits(word), math.Float64frombits(long)
	numbers := x.on && x.i8 == octet && x.u8 == [3]uint8{octet, octet, octet} && uint16(x.i16) == short && x.u16 == short &&
		x.i32 == word && x.u32 == [2]uint32{word, word} && x.i64 == long && x.u64 == long && x.i == whole && x.u == whole &&
		x.ptr == whole && x.f32 == f32 && x.f64 == f64 && x.c64 == complex(f32, f32) &&
		x.c128 == [2]complex128{complex(f64, f64), complex(f64, f64)}
	for _, in := range x.inner {
		numbers = numbers && in.flags == [2]bool{true, true} && in.n == word && in.ref == nil
	}
	references := x.text != "" || x.list != nil || x.ref != nil || x.dict != nil || x.queue != nil || x.call != nil ||
		x.any != nil || x.unsafe != nil
	if !numbers || references {
		t.Errorf("%s: not filled as it should be: %+v", where, *x)
	}
}

func TestRecycledFieldIsFound(t *testing.T) {
	if !pool.DebugFill {
		t.Fatal("built with pooldebug, but there is no fill")
	}
	p := must(t, pool.Config[all]{Size: 2})
	h, x := take(t, p)
	if x.i64 != 0 || x.on || x.inner[1].n != 0 {
		t.Errorf("a fresh object is not zero: %+v", *x)
	}
	n := 5
	*x = all{i64: 1, text: "text", list: []int{1}, ref: &n, dict: map[int]int{}, queue: make(chan int), call: func() {}, any: n, unsafe: unsafe.Pointer(&n)}
	x.inner[0].ref = &n
	p.Release(h)
	filled(t, x, "after release")
	h, again := take(t, p)
	if again != x || x.i64 != 0 || x.on || x.u8 != [3]uint8{} || x.inner[0].flags[1] {
		t.Errorf("the second owner's object is not zero: %+v", *x)
	}
	p.Release(h)
	if c := p.Counters(); c.Scribbled != 0 {
		t.Errorf("%d objects were written to, want none", c.Scribbled)
	}
	for i, write := range []func(){
		func() { x.i64 = 1 }, func() { x.on = false }, func() { x.u8[2]++ }, func() { x.inner[1].flags[0] = false },
		func() { x.c128[1] = 0 },
	} {
		write()
		h, _ := take(t, p)
		if c := p.Counters(); c.Scribbled != uint64(i+1) {
			t.Errorf("write %d after release was not seen", i)
		}
		p.Release(h)
	}
	filled(t, x, "at the end")
}

func TestKeptObjectsAreNotFilled(t *testing.T) {
	p := must(t, pool.Config[int]{Size: 1, Keep: true})
	h, x := take(t, p)
	*x = 7
	p.Release(h)
	if *x != 7 {
		t.Errorf("kept %d, want 7", *x)
	}
}
