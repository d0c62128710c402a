// Package subnormal finds subnormal numbers in the state of audio code. Tests use it: processors compute
// with such numbers up to 35 times as slowly as with others.
package subnormal

import (
	"fmt"
	"math"
	"reflect"
	"strings"
	"unsafe"
)

// Find returns the path and the value of a subnormal number that x reaches through pointers, interfaces,
// atomic pointers, structs, slices up to their capacity, and arrays, exported or not. It returns "" if there is
// none. Maps, channels and functions are left out.
func Find(x any) string {
	return find(fmt.Sprintf("%T", x), reflect.ValueOf(x), map[reflect.Value]bool{})
}

// find returns the description of a subnormal number that v reaches, as Find does, or "". path is the path to v. seen
// contains the pointers that were followed, and find adds to it.
func find(path string, v reflect.Value, seen map[reflect.Value]bool) string {
	switch v.Kind() {
	case reflect.Float32:
		return report(path, v.Float(), 0x1p-126)
	case reflect.Float64:
		return report(path, v.Float(), 0x1p-1022)
	case reflect.Pointer:
		if v.IsNil() || seen[v] {
			return ""
		}
		seen[v] = true
		return find(path, v.Elem(), seen)
	case reflect.Interface:
		if !v.IsNil() {
			return find(path, v.Elem(), seen)
		}
	case reflect.Struct:
		if p, is := loaded(v); is {
			return find(path, p, seen)
		}
		for i := range v.NumField() {
			if found := find(path+"."+v.Type().Field(i).Name, v.Field(i), seen); found != "" {
				return found
			}
		}
	case reflect.Slice, reflect.Array:
		if !holdsFloats(v.Type().Elem(), map[reflect.Type]bool{}) {
			return ""
		}
		if v.Kind() == reflect.Slice {
			v = v.Slice(0, v.Cap())
		}
		if floats, is := flat(v); is && !floats.subnormal() {
			return ""
		}
		for i := range v.Len() {
			if found := find(path, v.Index(i), seen); found != "" {
				return fmt.Sprintf("%s (index %d)", found, i)
			}
		}
	}
	return ""
}

// memory is the memory of a slice or an array of floats, or of arrays of floats: singles or doubles.
type memory struct {
	singles []float32
	doubles []float64
}

// flat returns the memory of v, a slice or an array. It returns false if v holds more than floats, or if an array has
// no address. Reading the memory is many times as fast as a walk with reflect.
func flat(v reflect.Value) (m memory, is bool) {
	leaf, n := v.Type().Elem(), v.Len()
	for ; leaf.Kind() == reflect.Array; leaf = leaf.Elem() {
		n *= leaf.Len()
	}
	var start unsafe.Pointer
	switch {
	case v.Kind() == reflect.Slice:
		start = v.UnsafePointer()
	case v.CanAddr():
		start = v.Addr().UnsafePointer()
	default:
		return memory{}, false
	}
	switch leaf.Kind() {
	case reflect.Float32:
		return memory{singles: unsafe.Slice((*float32)(start), n)}, true
	case reflect.Float64:
		return memory{doubles: unsafe.Slice((*float64)(start), n)}, true
	}
	return memory{}, false
}

// subnormal reports whether m has a subnormal number: one whose exponent bits are 0 and whose other bits are not.
func (m memory) subnormal() bool {
	for _, x := range m.singles {
		if b := math.Float32bits(x) &^ (1 << 31); b-1 < 1<<23-1 {
			return true
		}
	}
	for _, x := range m.doubles {
		if b := math.Float64bits(x) &^ (1 << 63); b-1 < 1<<52-1 {
			return true
		}
	}
	return false
}

// loaded returns the pointer in an atomic.Pointer; false: v is a different type.
func loaded(v reflect.Value) (pointer reflect.Value, is bool) {
	t := v.Type()
	if t.PkgPath() != "sync/atomic" || !strings.HasPrefix(t.Name(), "Pointer[") {
		return reflect.Value{}, false
	}
	// Its first field, [0]*T, has the type, and its last one the pointer.
	return reflect.NewAt(t.Field(0).Type.Elem().Elem(), v.Field(t.NumField()-1).UnsafePointer()), true
}

// report describes x if its magnitude is below the smallest normal number.
func report(path string, x, normal float64) string {
	if m := math.Abs(x); m > 0 && m < normal {
		return fmt.Sprintf("%s is %g", path, x)
	}
	return ""
}

// holdsFloats reports whether a value of a type can reach a float. It spares a walk over long slices of
// integers.
func holdsFloats(t reflect.Type, seen map[reflect.Type]bool) bool {
	if seen[t] {
		return false
	}
	seen[t] = true
	switch t.Kind() {
	case reflect.Float32, reflect.Float64, reflect.Interface:
		return true
	case reflect.Pointer, reflect.Slice, reflect.Array:
		return holdsFloats(t.Elem(), seen)
	case reflect.Struct:
		for i := range t.NumField() {
			if holdsFloats(t.Field(i).Type, seen) {
				return true
			}
		}
	}
	return false
}
