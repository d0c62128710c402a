package archtest

import (
	"fmt"
	"math"
	"reflect"
	"regexp"
	"testing"
	"testing/fstest"
	"time"

	"voicepool/bank"
	"voicepool/mixer"
	"voicepool/pcm"
	"voicepool/sounds"
	"voicepool/sounds/embedded"
	"voicepool/sounds/library"
	"voicepool/space"
)

// badNumbers calls try for every floating-point and time field of the struct that p points to, and for every
// value that is invalid for any option, with the field set to that value. It includes fields of nested
// structs, pointers and slices. It restores the struct after each call.
func badNumbers(p any, try func(what string)) {
	visitNumbers(reflect.ValueOf(p).Elem(), "", try)
}

func visitNumbers(v reflect.Value, path string, try func(what string)) {
	set := func(set func(reflect.Value)) {
		old := reflect.ValueOf(v.Interface())
		set(v)
		try(fmt.Sprintf("%s = %v", path, v.Interface()))
		v.Set(old)
	}
	switch {
	case v.Type() == reflect.TypeFor[time.Duration]():
		for _, d := range []int64{-1, math.MinInt64} {
			set(func(v reflect.Value) { v.SetInt(d) })
		}
	case v.CanFloat():
		for _, x := range []float64{math.NaN(), math.Inf(1), math.Inf(-1), math.MaxFloat32, -math.MaxFloat32} {
			set(func(v reflect.Value) { v.SetFloat(x) })
		}
	case v.Kind() == reflect.Struct:
		for i := range v.NumField() {
			if f := v.Type().Field(i); f.IsExported() {
				visitNumbers(v.Field(i), path+"."+f.Name, try)
			}
		}
	case v.Kind() == reflect.Pointer && !v.IsNil():
		visitNumbers(v.Elem(), path, try)
	case v.Kind() == reflect.Array || v.Kind() == reflect.Slice && v.Type().Elem().Kind() != reflect.Uint8:
		for i := range v.Len() {
			visitNumbers(v.Index(i), fmt.Sprintf("%s[%d]", path, i), try)
		}
	}
}

// refuses checks that make accepts the options as they are and rejects them with any invalid number. The
// caller must fill in empty parts of options, so that their fields are included. Errors whose text matches
// allowed are exceptions.
func refuses(t *testing.T, name string, options any, make func() error, allowed string) {
	t.Helper()
	if err := make(); err != nil {
		t.Fatalf("%s as it is: %v", name, err)
	}
	tries := 0
	may := regexp.MustCompile("^(" + allowed + ")$")
	badNumbers(options, func(what string) {
		tries++
		if make() == nil && !may.MatchString(what) {
			t.Errorf("%s is taken with %s", name, what)
		}
	})
	if tries == 0 {
		t.Errorf("%s has no numbers", name)
	}
}

// silence is a gain of -Inf, the logarithm of 0.
const silence = `.*\.((Master)?Gain|Volume) = -Inf`

// TestOptionsAreNumbers checks that options reject NaN, infinities other than silence, huge numbers and
// negative times.
func TestOptionsAreNumbers(t *testing.T) {
	config := mixer.Config{
		Overflow: mixer.GrowPool, Grow: mixer.Grow{Idle: time.Second}, Lead: time.Millisecond,
		Buses: []mixer.BusConfig{{Name: "a"}, {Name: "b", Duck: mixer.Duck{When: "a", By: 3}}},
	}
	refuses(t, "mixer.Config", &config, func() error { _, err := mixer.New(config); return err }, silence)

	m, err := mixer.New(mixer.Config{})
	if err != nil {
		t.Fatal(err)
	}
	sound, err := sounds.NewSound(sounds.Samples{Rate: 48000, Channels: 1, Data: make([]float32, 100)})
	if err != nil {
		t.Fatal(err)
	}
	table, err := space.NewPointTable(space.Point{Distance: 0}, space.Point{Distance: 1})
	if err != nil {
		t.Fatal(err)
	}
	const length = `.*\.(Forward|Up)\[.\] = -?\d.*` // a direction may be any finite number
	options := mixer.Options{Emitter: &space.Emitter{}}
	play := func() error {
		_, err := m.Play(sound, options)
		m.Render(make([]pcm.Frame, 1))
		return err
	}
	refuses(t, "mixer.Options", &options, play, length+"|"+silence)
	options.Emitter.Attenuation.Table = table
	refuses(t, "mixer.Options with a table", &options, play, length+"|"+silence)

	change := mixer.Change{Fields: mixer.FieldGain | mixer.FieldPan | mixer.FieldPitch | mixer.FieldSpeed | mixer.FieldLowPass | mixer.FieldHighPass, Speed: 1}
	h, err := m.Play(sound, mixer.Options{})
	if err != nil {
		t.Fatal(err)
	}
	refuses(t, "mixer.Change", &change, func() error {
		err := m.Engine().At(mixer.Now).Set(mixer.TargetVoice(h), change, 0)
		if err == nil { // only a bus has a volume
			err = m.Engine().At(mixer.Now).Set(mixer.TargetBus(mixer.Bus{}), mixer.Change{Fields: mixer.FieldVolume, Volume: change.Volume}, 0)
		}
		m.Render(make([]pcm.Frame, 1))
		return err
	}, silence)
	var group mixer.GroupOptions
	refuses(t, "mixer.GroupOptions", &group, func() error { _, err := m.NewGroup("g", group); return err }, "")
	var listener space.Listener
	refuses(t, "space.Listener", &listener, func() error { return m.SetListener(listener) }, length)
	points := []space.Point{{Distance: 1}, {Distance: 2}}
	refuses(t, "space.Point", &points, func() error { _, err := space.NewPointTable(points...); return err },
		`.*Gain = -.*`) // silence

	lib := library.NewLibrary(library.Options{})
	var stream library.StreamOptions
	coin := embedded.Source("coin")
	refuses(t, "library.StreamOptions", &stream, func() error { _, err := lib.OpenStream(coin, stream); return err }, "")
	refuses(t, "library.StreamOptions of a queue", &stream, func() error { _, err := lib.NewQueue("q", stream); return err }, "")
	frames := library.FrameSource{Name: "f", Rate: 48000, Open: func() (library.FrameReader, error) { return nil, nil }}
	refuses(t, "library.StreamOptions of frames", &stream, func() error { _, err := lib.StreamFrames(frames, stream); return err }, "")
	refuses(t, "library.Source", &coin, func() error { _, err := lib.Load(t.Context(), coin); return err }, "")
	refuses(t, "library.Source as a stream", &coin, func() error { _, err := lib.OpenStream(coin, stream); return err }, "")

	clip := library.Clip{Name: "c", Channels: 1, Rate: 48000, Samples: []float32{0.5, -0.5}, Gain: new(pcm.Decibels)}
	prepared := library.Options{Leveling: library.Leveling{Tags: true}}
	refuses(t, "library.Clip", &clip, func() error { _, err := library.Prepare(&clip, prepared); return err }, "")
	refuses(t, "library.Options", &prepared, func() error { _, err := library.Prepare(&clip, prepared); return err },
		`\.Limits\.Time = -.*`) // the default

	samples := sounds.Samples{Rate: 48000, Channels: 1, Data: []float32{0}, Envelope: sounds.Envelope{
		Hop: 1, Once: []float32{0}, Loop: []float32{0}, Near: []float32{0}, NearLoop: []float32{0}, Later: []float32{0},
		Masks: make([]sounds.Masks, 1), MasksLoop: make([]sounds.Masks, 1),
	}}
	refuses(t, "sounds.Samples", &samples, func() error { _, err := sounds.NewSound(samples); return err }, "")
}

// TestOptionsAreFew checks that mixer.Options has at most 15 fields. Options that few games need belong to
// mixer.EngineOptions.
func TestOptionsAreFew(t *testing.T) {
	if n := reflect.TypeFor[mixer.Options]().NumField(); n > 15 {
		t.Errorf("mixer.Options has %d fields, want at most 15", n)
	}
}

// TestBankOptionsAreNumbers does the same for bank.Options, with a sound of one layer and of two.
func TestBankOptionsAreNumbers(t *testing.T) {
	file := fstest.MapFS{"sounds.yaml": {Data: []byte(`
sounds:
  coin:
  both: {layers: [coin, coin], gain: 20, pan: 1, parameters: {x: {from: 0, to: 1, gain: [[0, 20]]}}}
`)}}
	b, err := bank.Open(file, "sounds.yaml", library.NewLibrary(library.Options{}), embedded.Sources()...)
	if err != nil {
		t.Fatal(err)
	}
	m, err := b.NewMixer()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"coin", "both"} {
		options := bank.Options{Emitter: &space.Emitter{}}
		refuses(t, "bank.Options of "+name, &options, func() error {
			_, err := b.Play(name, options)
			m.Render(make([]pcm.Frame, 1))
			return err
		}, `.*\.(Forward|Up)\[.\] = -?\d.*|`+silence)
	}
}
