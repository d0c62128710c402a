package pool_test

import (
	"runtime"
	"testing"
	"weak"

	"voicepool/pool"
)

type holder struct {
	ref  *[64]byte
	list []*[64]byte
	any  any
	next func() *[64]byte
}

// TestReleasedReferencesAreCollected checks the warning of the chapter on object pools: an object in the pool
// must not keep other objects alive.
func TestReleasedReferencesAreCollected(t *testing.T) {
	p := must(t, pool.Config[holder]{Size: 1, Max: 3, Overflow: pool.Kill, Order: pool.ByAge})
	hold := func() (pool.Handle, []weak.Pointer[[64]byte]) {
		var refs []weak.Pointer[[64]byte]
		fresh := func() *[64]byte {
			ref := new([64]byte)
			refs = append(refs, weak.Make(ref))
			return ref
		}
		h, x := take(t, p)
		kept := fresh()
		*x = holder{fresh(), []*[64]byte{fresh()}, fresh(), func() *[64]byte { return kept }}
		return h, refs
	}
	alive := func(refs []weak.Pointer[[64]byte]) int {
		runtime.GC()
		n := 0
		for _, r := range refs {
			if r.Value() != nil {
				n++
			}
		}
		return n
	}
	h, released := hold()
	if n := alive(released); n != 4 {
		t.Errorf("%d of 4 references of an active object are alive", n)
	}
	p.Release(h)
	_, killed := hold()
	_, active := hold()
	if n := alive(released); n != 0 {
		t.Errorf("%d references of a released object are still alive", n)
	}
	if n := alive(killed); n != 0 {
		t.Errorf("%d references of a killed object are still alive", n)
	}
	if n := alive(active); n != 4 {
		t.Errorf("%d of 4 references of an active object are alive", n)
	}
	runtime.KeepAlive(p)
}
