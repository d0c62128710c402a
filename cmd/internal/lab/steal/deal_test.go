package steal

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"
)

func TestKindOf(t *testing.T) {
	for file, want := range map[string]string{
		"gun-1.wav": "gun", "a/b/Gun7.WAV": "gun", "laser/gun_1.ogg": "gun", "laser/x.ogg": "laser", "WIND/deep/down/x.flac": "wind", "bell/speech/x.wav": "speech",
		"gunfire.wav": "", "x.wav": "", "guns/x.wav": "", "1gun.wav": "", "x/gun": "gun", "pickup": "pickup", "": "", "/": "", "über/bell.mp3": "bell", "bell/über.mp3": "bell",
	} {
		got := ""
		if k, ok := KindOf(file); ok {
			got = k.String()
		}
		if got != want {
			t.Errorf("%q is of the kind %q, want %q", file, got, want)
		}
	}
}

// hum returns a take of the given seconds.
func hum(file string, seconds, level float64) Source {
	t := Source{File: file, Samples: make([]float32, int(math.Round(seconds*Rate)))}
	for i := range t.Samples {
		t.Samples[i] = float32(level * math.Sin(float64(i)/10))
	}
	return t
}

func TestDeal(t *testing.T) {
	tooDeep := Source{File: "deep.wav", Samples: make([]float32, Rate)}
	for i := range tooDeep.Samples {
		tooDeep.Samples[i] = float32(math.Sin(2 * math.Pi * float64(i) / Rate)) // 1 Hz
	}
	takes := []Source{
		hum("short.wav", 0.049, 1), hum("wind/long.wav", 10.1, 1), hum("silent.wav", 1, 1e-5), tooDeep,
		hum("wind/b.wav", 0.05, 0.5), hum("wind/a.wav", 10, 0.5), hum("loud.wav", 0.06, 4),
	}
	for i := range 19 { // together with loud.wav, two for each kind
		takes = append(takes, hum(fmt.Sprintf("x%02d.wav", i), 2-float64(i)/20, 0.5))
	}
	corpus, left := AssignKinds(takes)
	want := []Unused{{"short.wav", "shorter than 50 ms"}, {"wind/long.wav", "longer than 10 s"}, {"silent.wav", "silent"}, {"deep.wav", "a click, or too deep to be heard"}}
	if !slices.Equal(left, want) {
		t.Errorf("left are %v, want %v", left, want)
	}
	files := map[string]string{}
	for _, r := range corpus {
		files[r.Name] = r.File
		if !strings.HasPrefix(r.Name, r.Kind.String()) {
			t.Errorf("%s is of the kind %v", r.Name, r.Kind)
		}
	}
	for name, file := range map[string]string{
		"step1": "loud.wav", "step2": "x18.wav", "pickup1": "x16.wav", "pickup2": "x17.wav", "laser1": "x14.wav", "gun1": "x12.wav", "clang1": "x10.wav", "speech1": "x08.wav",
		"bell1": "x06.wav", "explosion1": "x04.wav", "engine1": "x02.wav", "wind1": "wind/a.wav", "wind2": "wind/b.wav", "wind3": "x00.wav", "wind4": "x01.wav",
	} {
		if files[name] != file {
			t.Errorf("%s is %s, want %s", name, files[name], file)
		}
	}
	if len(corpus) != 22 || len(files) != 22 {
		t.Errorf("%d sounds of %d names, want 22", len(corpus), len(files))
	}
	if none := Lacks(corpus); none != nil {
		t.Errorf("it lacks %v", none)
	}
	slices.Reverse(takes)
	if again, _ := AssignKinds(takes); !reflect.DeepEqual(again, corpus) {
		t.Error("another order of the takes gives another corpus")
	}
}

// TestDealFew checks the missing kinds of a small corpus and of an empty one.
func TestDealFew(t *testing.T) {
	if corpus, left := AssignKinds(nil); len(corpus)+len(left) != 0 || len(Lacks(corpus)) != len(kindNames) {
		t.Errorf("nothing gives %v, %v", corpus, left)
	}
	corpus, _ := AssignKinds([]Source{hum("a.wav", 1, 0.5), hum("b.wav", 2, 0.5), hum("bell-1.wav", 1, 0.5)})
	if got := fmt.Sprint(Lacks(corpus)); got != "[gun laser explosion clang pickup engine wind]" {
		t.Errorf("it lacks %s", got)
	}
}

// TestIntegers checks that 16-bit samples survive the conversion.
func TestIntegers(t *testing.T) {
	for _, r := range CorpusOne()[:3] {
		samples := make([]float32, len(r.Samples))
		for i, x := range r.Samples {
			samples[i] = float32(x) / 32768
		}
		if !slices.Equal(integers(samples), r.Samples) {
			t.Errorf("%s comes back otherwise", r.Name)
		}
	}
	if got := integers([]float32{-1, 1, 0}); !slices.Equal(got, []int16{-32768, 32767, 0}) {
		t.Errorf("full scale is %v", got)
	}
	if got := integers([]float32{2, -4, 0.5}); !slices.Equal(got, []int16{16384, -32768, 4096}) {
		t.Errorf("what is louder is %v", got)
	}
}
