//go:build pooldebug

package pool

import (
	"encoding/binary"
	"reflect"
	"slices"
	"unsafe"
)

// debug reports whether released objects are filled with Reclaimed.
const debug = true

// filler holds the pattern of a released object, byte by byte. leftAlone marks references and padding.
type filler []int16

const leftAlone = -1

// newFiller returns the pattern that fill writes to released objects of type T.
func newFiller[T any]() filler {
	t := reflect.TypeFor[T]()
	f := slices.Repeat(filler{leftAlone}, int(t.Size()))
	f.add(t, 0)
	return f
}

// add sets the pattern of a value of type t at an offset in bytes. References stay leftAlone.
func (f filler) add(t reflect.Type, offset uintptr) {
	switch kind := t.Kind(); kind {
	case reflect.Struct:
		for i := range t.NumField() {
			field := t.Field(i)
			f.add(field.Type, offset+field.Offset)
		}
	case reflect.Array:
		for i := range uintptr(t.Len()) {
			f.add(t.Elem(), offset+i*t.Elem().Size())
		}
	case reflect.Bool:
		f[offset] = 1
	case reflect.Complex64, reflect.Complex128:
		f.number(offset, t.Size()/2)
		f.number(offset+t.Size()/2, t.Size()/2)
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
		reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr,
		reflect.Float32, reflect.Float64:
		f.number(offset, t.Size())
	}
}

// number sets the pattern of a number of size bytes at an offset in bytes. Short numbers get the low bytes of
// Reclaimed.
func (f filler) number(offset, size uintptr) {
	for i := range size {
		shift := 8 * i
		if binary.NativeEndian.Uint16([]byte{0, 1}) == 1 {
			shift = 8 * (size - 1 - i)
		}
		f[offset+i] = int16(byte(uint64(Reclaimed<<32|Reclaimed) >> shift))
	}
}

// fill writes the pattern f to x, which has been cleared, so its references are nil already.
func fill[T any](f filler, x *T) {
	bytes := unsafe.Slice((*byte)(unsafe.Pointer(x)), len(f))
	for i, b := range f {
		if b != leftAlone {
			bytes[i] = byte(b)
		}
	}
}

// renew clears x and returns 1 if x was changed since fill with the same pattern f, otherwise 0.
func renew[T any](f filler, x *T) (scribbled uint64) {
	bytes := unsafe.Slice((*byte)(unsafe.Pointer(x)), len(f))
	for i, b := range f {
		if b != leftAlone && bytes[i] != byte(b) {
			scribbled = 1
		}
	}
	var zero T
	*x = zero
	return scribbled
}
