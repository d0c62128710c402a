package eventcode

import (
	"encoding/binary"
	"math"
	"reflect"
	"testing"

	"voicepool/internal/ring"
)

type (
	kind   uint8
	reason uint8
	policy uint8
	group  int
	stem   string

	event  = Event[kind, reason, policy, group, stem]
	record = Record[group, stem]
)

// fill sets v and all of its fields from the bytes of data and returns the remaining bytes. Missing bytes are zero.
// A pointer becomes nil or a new pointer.
func fill(v reflect.Value, data []byte) []byte {
	if v.Kind() == reflect.Struct {
		for i := range v.NumField() {
			data = fill(v.Field(i), data)
		}
		return data
	}
	var word [8]byte
	data = data[copy(word[:v.Type().Size()], data):]
	bits := binary.LittleEndian.Uint64(word[:])
	switch v.Kind() {
	case reflect.Bool:
		v.SetBool(bits&1 != 0)
	case reflect.Uint8, reflect.Uint16, reflect.Uint64:
		v.SetUint(bits)
	case reflect.Int32, reflect.Int64:
		v.SetInt(int64(bits))
	case reflect.Float32:
		v.SetFloat(float64(math.Float32frombits(uint32(bits))))
	case reflect.Float64:
		v.SetFloat(math.Float64frombits(bits))
	case reflect.Pointer:
		if bits&1 != 0 {
			v.Set(reflect.New(v.Type().Elem()))
		}
	default:
		panic("a field of kind " + v.Kind().String())
	}
	return data
}

// same reports whether two values have equal fields; NaN equals NaN.
func same(a, b reflect.Value) bool {
	switch a.Kind() {
	case reflect.Struct:
		for i := range a.NumField() {
			if !same(a.Field(i), b.Field(i)) {
				return false
			}
		}
		return true
	case reflect.Float32, reflect.Float64:
		x, y := a.Float(), b.Float()
		return x == y || x != x && y != y
	}
	return a.Equal(b)
}

// rounded returns the event that Decode must return for e.
func rounded(e event) event {
	if !e.Explained {
		e.Choice = Choice[reason, policy, group]{}
	}
	for _, x := range []*float64{&e.Audibility, &e.Newcomer, &e.RunnerUp} {
		*x = float64(float32(*x))
	}
	return e
}

// seeds returns data for fill: zeros, ones, and different bytes in all fields with and without a choice.
func seeds() [][]byte {
	size := int(reflect.TypeFor[event]().Size())
	list := [][]byte{nil, make([]byte, size), make([]byte, size)}
	for i := range size {
		list[1][i], list[2][i] = 255, byte(37*i+1)
	}
	odd := append([]byte(nil), list[2]...)
	for i := range odd {
		odd[i] |= 1 // all pointers and the choice
	}
	return append(list, odd)
}

// FuzzRoundTrip checks that Decode returns an equal event for all fields, that the event takes at most MaxRecords,
// and that the ring buffer keeps no reference afterwards. The events surround the seam of the ring buffer.
func FuzzRoundTrip(f *testing.F) {
	for i, data := range seeds() {
		f.Add(data, uint8(i))
	}
	f.Fuzz(func(t *testing.T, data []byte, before uint8) {
		r := ring.New[record](2 * MaxRecords)
		for range before % 8 {
			Encode(r, &event{})
			Decode(r, new(event))
		}
		var first, second event
		fill(reflect.ValueOf(&second).Elem(), fill(reflect.ValueOf(&first).Elem(), data))
		for _, e := range []*event{&first, &second} {
			was := *e
			if n := ring.Len(r); !Encode(r, e) || ring.Len(r)-n > MaxRecords {
				t.Fatalf("%+v is not queued, or takes more than %d records", *e, MaxRecords)
			}
			if !same(reflect.ValueOf(was), reflect.ValueOf(*e)) {
				t.Fatalf("Encode changed %+v to %+v", was, *e)
			}
		}
		for _, e := range []*event{&first, &second} {
			got, want := event{Details: Details{Play: 1}}, rounded(*e)
			if !Decode(r, &got) {
				t.Fatalf("%+v is missing", want)
			}
			if !same(reflect.ValueOf(got), reflect.ValueOf(want)) {
				t.Fatalf("got %+v, want %+v", got, want)
			}
		}
		if Decode(r, &first) || ring.Len(r) != 0 {
			t.Fatalf("%d records are left over", ring.Len(r))
		}
		for range 2 * MaxRecords {
			if at := ring.Back(r, 1); *at != (record{}) {
				t.Fatalf("the ring buffer keeps %+v", *at)
			}
			ring.Push(r, record{})
			ring.Pop(r)
		}
	})
}

// FuzzDecode checks that Decode neither panics nor loops on arbitrary records, even if some are missing.
func FuzzDecode(f *testing.F) {
	for _, data := range seeds() {
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		r := ring.New[record](8)
		for range 8 {
			var words [5]uint64
			for i := range words {
				var word [8]byte
				data = data[copy(word[:], data):]
				words[i] = binary.LittleEndian.Uint64(word[:])
			}
			x := words[3]
			ring.Push(r, record{words: [3]uint64(words[:3]), number: int32(x), small: uint16(x >> 32), codes: [2]uint8{uint8(x >> 48), uint8(x >> 56)}})
			if words[4]&1 != 0 {
				break
			}
		}
		for e, n := (event{}), ring.Len(r); Decode(r, &e); n = ring.Len(r) {
			if left := ring.Len(r); left >= n || n-left > MaxRecords {
				t.Fatalf("an event took %d records", n-left)
			}
		}
	})
}
