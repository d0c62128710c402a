package mixer_test

import (
	"errors"
	"reflect"
	"testing"
	"time"

	"voicepool/effect"
	"voicepool/mixer"
	"voicepool/space"
)

// TestZeroValues calls every method of the zero values of copyable types, with zero arguments and with
// valid ones. They must not panic, and must return an error if they can.
func TestZeroValues(t *testing.T) {
	m := at1k(t, mixer.BusConfig{Name: "a"})
	sound := level(t, 1000, 900, 1)
	h := play(t, m.Engine().At(0), sound, mixer.Options{Emitter: &space.Emitter{}})
	left(m, 1)
	batch, count := m.Engine().NewBatch(), m.Engine().NewCountdown()
	good := map[reflect.Type]any{}
	for _, x := range []any{
		mixer.TargetVoice(h), busOf(t, m, "a"), batch, count, sound, mixer.Options{}, mixer.Change{Fields: mixer.FieldGain}, mixer.Duck{},
		effect.Values{"mix": 0}, space.Spot{}, space.Listener{}, time.Second, "a", 1, 1.0, int64(1), mixer.AtEnd,
	} {
		good[reflect.TypeOf(x)] = x
	}
	for _, zero := range []any{mixer.Moment{}, mixer.Handle{}, mixer.Bus{}, mixer.Event{}} {
		v := reflect.ValueOf(zero)
		for i := range v.NumMethod() {
			name := v.Type().String() + "." + v.Type().Method(i).Name
			for _, arguments := range []map[reflect.Type]any{nil, good} {
				calls(t, name, v.Method(i), arguments)
			}
		}
	}
	if err := (mixer.Moment{}).Stop(mixer.TargetAll(), 0); !errors.Is(err, mixer.ErrOption) || err.Error() != "mixer: bad argument: the zero Moment has no mixer; call Engine.At" {
		t.Errorf("Stop of the zero Moment: %v", err)
	}
}

// calls calls a method of a zero value with arguments by their types, or zeros. It must not panic, and
// must return an error if it can.
func calls(t *testing.T, name string, method reflect.Value, arguments map[reflect.Type]any) {
	t.Helper()
	defer func() {
		if x := recover(); x != nil {
			t.Errorf("%s panics: %v", name, x)
		}
	}()
	var in []reflect.Value
	for i := range method.Type().NumIn() {
		typ := method.Type().In(i)
		if x, ok := arguments[typ]; ok {
			in = append(in, reflect.ValueOf(x))
		} else {
			in = append(in, reflect.Zero(typ))
		}
	}
	out := method.Call(in)
	if n := len(out); n > 0 && out[n-1].Type() == reflect.TypeFor[error]() && out[n-1].IsNil() {
		t.Errorf("%s returns no error", name)
	}
}
