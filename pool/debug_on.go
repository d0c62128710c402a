//go:build pooldebug

package pool

import (
	"reflect"
	"unsafe"
)

// debug tells whether reclaimed objects are filled with Reclaimed.
const debug = true

// filler knows where in an object the pattern goes: nowhere near a pointer.
type filler []span

// span is a row of numbers, one after the other, all of the same size.
type span struct {
	offset, size, count uintptr
	isBool              bool
}

func newFiller[T any]() filler {
	return filler(nil).of(reflect.TypeFor[T](), 0)
}

// of adds the numbers of a value of type t at an offset.
func (f filler) of(t reflect.Type, offset uintptr) filler {
	switch kind := t.Kind(); kind {
	case reflect.Struct:
		for i := range t.NumField() {
			field := t.Field(i)
			f = f.of(field.Type, offset+field.Offset)
		}
	case reflect.Array:
		for i := range uintptr(t.Len()) {
			f = f.of(t.Elem(), offset+i*t.Elem().Size())
		}
	case reflect.Complex64, reflect.Complex128:
		half := t.Size() / 2
		f = f.add(span{offset, half, 2, false})
	case reflect.Bool,
		reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
		reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr,
		reflect.Float32, reflect.Float64:
		f = f.add(span{offset, t.Size(), 1, kind == reflect.Bool})
	}
	return f
}

// add appends a span, or makes the last one longer.
func (f filler) add(s span) filler {
	if n := len(f); n > 0 {
		last := &f[n-1]
		if last.size == s.size && last.isBool == s.isBool && last.offset+last.size*last.count == s.offset {
			last.count += s.count
			return f
		}
	}
	return append(f, s)
}

// bytes is one number of the span, filled.
func (s span) bytes() [8]byte {
	if s.isBool {
		return [8]byte{1}
	}
	var b [8]byte
	switch at := unsafe.Pointer(&b); s.size {
	case 1:
		*(*uint8)(at) = Reclaimed & 0xff
	case 2:
		*(*uint16)(at) = Reclaimed & 0xffff
	case 4:
		*(*uint32)(at) = Reclaimed
	case 8:
		*(*uint64)(at) = Reclaimed<<32 | Reclaimed
	}
	return b
}

// fill sets the numbers of x, which has been cleared, so that its references are
// nil already.
func fill[T any](f filler, x *T) {
	for _, s := range f {
		pattern := s.bytes()
		field := unsafe.Slice((*byte)(unsafe.Add(unsafe.Pointer(x), s.offset)), s.size*s.count)
		for i := range field {
			field[i] = pattern[uintptr(i)%s.size]
		}
	}
}

// renew clears x, which fill has filled, and returns 1 if it was not as fill had
// left it.
func renew[T any](f filler, x *T) (scribbled uint64) {
	for _, s := range f {
		pattern := s.bytes()
		field := unsafe.Slice((*byte)(unsafe.Add(unsafe.Pointer(x), s.offset)), s.size*s.count)
		for i := range field {
			if field[i] != pattern[uintptr(i)%s.size] {
				scribbled = 1
			}
		}
	}
	var zero T
	*x = zero
	return scribbled
}
