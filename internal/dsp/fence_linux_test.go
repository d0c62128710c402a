package dsp

import (
	"syscall"
	"testing"
	"unsafe"
)

// fenced returns memory for n values between two inaccessible pages: an access one byte outside crashes the
// test. The last value touches the upper page.
func fenced[T any](t testing.TB, n int) []T {
	var x T
	page := syscall.Getpagesize()
	size := (n*int(unsafe.Sizeof(x)) + page - 1) / page * page
	m, err := syscall.Mmap(-1, 0, size+2*page, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { syscall.Munmap(m) })
	for _, fence := range [][]byte{m[:page], m[page+size:]} {
		if err := syscall.Mprotect(fence, syscall.PROT_NONE); err != nil {
			t.Fatal(err)
		}
	}
	room := unsafe.Slice((*T)(unsafe.Pointer(&m[page])), size/int(unsafe.Sizeof(x)))
	return room
}
