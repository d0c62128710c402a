package bank_test

import (
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"

	"voicepool/bank"
	"voicepool/mixer"
	"voicepool/pcm"
)

// reloadParts are the parts of a bank with alternative texts. The first texts form the base.
var reloadParts = [...][]string{
	{"voices: 4", "voices: 2"},
	{"virtual: 0", "virtual: 3"},
	{"overflow: quietest", "overflow: oldest", "overflow: grow\ngrow: {step: 2, max: 6}"},
	{"refuse: false", "refuse: true"},
	{"quality: best", "quality: cubic"},
	{"seed: 1", "seed: 2"},
	{"music: {}", "music: {theme: {tempo: 120, segments: {a: sfx/a.wav}}}"},
	{"preload: true", "preload: false"},
	{"memory: 100MB", "memory: 200MB"},
	{"groups: {}", "groups: {g: [t]}"},
	{"rate: 8000", "rate: 16000"},
	{"master: {limiter: false}", "master: {limiter: true}", "master: {limiter: false, gain: -9}", "master: {limiter: false, soft_clip: true}", "master: {limiter: false, dc_guard: true}",
		"master: {limiter: false, lowpass: 500}", "master: {limiter: false, highpass: 500}", "master: {limiter: false, effects: [{eq: {bands: [{type: peak, freq: 1000, gain: -20}]}}]}"},
	{"outputs: {main: {channels: 1-2}, aux: {channels: 3-4}}", "outputs: {main: {channels: 1-2}, aux: {channels: 5-6}}", "outputs: {main: {channels: 1-2}, aux: {channels: 3-4, gain: -9}}",
		"outputs: {main: {channels: 1-2}, other: {channels: 3-4}}", "outputs: {main: {channels: 1-2}, aux: {channels: 3-4, lowpass: 500, highpass: 100}}",
		"outputs: {main: {channels: 1-2}, aux: {channels: 3-4, effects: [{drive: {amount: 20}}]}}"},
	{"buses:\n  hall: {gain: -3}", "buses:\n  hall: {gain: -3, parent: top}\n  top: {}"},
	{"  sfx: {sends: {hall: -6}, effects: [{eq: {bands: [{type: peak, freq: 1000, gain: -20}]}}, {width: {width: 0.5}}]}",
		"  sfx: {gain: -9, sends: {hall: -6}, effects: [{eq: {bands: [{type: peak, freq: 1000, gain: -20}]}}, {width: {width: 0.5}}]}",
		"  sfx: {pan: 0.5, mute: false, sends: {hall: -6}, effects: [{eq: {bands: [{type: peak, freq: 1000, gain: -20}]}}, {width: {width: 0.5}}]}",
		"  sfx: {pitch: 3, sends: {hall: -6}, effects: [{eq: {bands: [{type: peak, freq: 1000, gain: -20}]}}, {width: {width: 0.5}}]}",
		"  sfx: {mute: true, sends: {hall: -6}, effects: [{eq: {bands: [{type: peak, freq: 1000, gain: -20}]}}, {width: {width: 0.5}}]}",
		"  sfx: {solo: true, sends: {hall: -6}, effects: [{eq: {bands: [{type: peak, freq: 1000, gain: -20}]}}, {width: {width: 0.5}}]}",
		"  sfx: {voices: 1, sends: {hall: -6}, effects: [{eq: {bands: [{type: peak, freq: 1000, gain: -20}]}}, {width: {width: 0.5}}]}",
		"  sfx: {output: aux, sends: {hall: -6}, effects: [{eq: {bands: [{type: peak, freq: 1000, gain: -20}]}}, {width: {width: 0.5}}]}",
		"  sfx: {lowpass: 500, highpass: 100, sends: {hall: -6}, effects: [{eq: {bands: [{type: peak, freq: 1000, gain: -20}]}}, {width: {width: 0.5}}]}",
		"  sfx: {duck: {when: hall, by: 6}, sends: {hall: -6}, effects: [{eq: {bands: [{type: peak, freq: 1000, gain: -20}]}}, {width: {width: 0.5}}]}",
		"  sfx: {sends: {hall: -6}, effects: [{eq: {bands: [{type: peak, freq: 1000, gain: 20}]}}, {width: {width: 1.5}}]}",  // other values
		"  sfx: {sends: {hall: -6}, effects: [{width: {width: 0.5}}, {eq: {bands: [{type: peak, freq: 1000, gain: -20}]}}]}", // swapped
		"  sfx: {sends: {hall: -6}, effects: [{width: {width: 1.5}}]}",                                                       // removed
		"  sfx: {sends: {hall: -6}, effects: [{eq: {bands: [{type: peak, freq: 1000, gain: -20}]}}, {width: {width: 0.5}}, {drive: {amount: 20}}]}",
		"  sfx: {sends: {hall: -6}, effects: [{eq: {bands: [{type: peak, freq: 1000, gain: -20}]}}, {drive: {id: width, amount: 20, mix: 0.3}}]}", // another effect with the same name
		"  sfx: {sends: {hall: -20}, effects: [{eq: {bands: [{type: peak, freq: 1000, gain: -20}]}}, {width: {width: 0.5}}]}",
		"  sfx: {sends: {hall: {gain: -6, pre: true}}, effects: [{eq: {bands: [{type: peak, freq: 1000, gain: -20}]}}, {width: {width: 0.5}}]}",
		"  sfx: {effects: [{eq: {bands: [{type: peak, freq: 1000, gain: -20}]}}, {width: {width: 0.5}}]}",
		"  other: {}", // another bus
	},
	{"scenes: {menu: {voices: 2}}", "scenes: {menu: {voices: 2, buses: {hall: {gain: -20}}}}"},
	{"sounds: {s: {file: sfx/high.wav, bus: sfx, gain: -12}, t: {file: sfx/b.wav, bus: hall}}", "sounds: {s: {file: sfx/c.wav, bus: hall}, t: {file: sfx/b.wav, gain: [-9, 0]}}"},
}

// reloadTexts returns the base, and all texts that differ from it in one part.
func reloadTexts() (texts []string) {
	for part, all := range reloadParts {
		for i, text := range all {
			if i == 0 && part > 0 {
				continue
			}
			var lines []string
			for other, first := range reloadParts {
				if lines = append(lines, first[0]); other == part {
					lines[other] = text
				}
			}
			whole := strings.Join(lines, "\n") + "\n"
			if strings.Contains(text, "other:") {
				whole = strings.ReplaceAll(whole, "bus: sfx", "bus: other")
			}
			texts = append(texts, whole)
		}
	}
	return texts
}

// heardOf renders some plays of a bank after its buses have settled.
func heardOf(t *testing.T, b *bank.Bank, m *mixer.Mixer, frames int) []pcm.Frame {
	t.Helper()
	render(m, frames*m.Outputs())
	for _, name := range []string{"s", "t", "s", "s"} {
		start(t, b, name, bank.Options{})
	}
	m.Prepare()
	return render(m, 1500*m.Outputs())
}

// TestReloadIsHeardOrAnError reloads from each bank to others and back, or to other values of effects and
// sends. Either Reload returns an error with a line, or the mixer sounds like a new mixer of the new file.
// The original file, and other values of its settings, must never give an error.
func TestReloadIsHeardOrAnError(t *testing.T) {
	texts := reloadTexts()
	want := make([][]pcm.Frame, len(texts))
	for i, text := range texts {
		if strings.Contains(text, "rate: 16000") {
			continue
		}
		b, m := ready(t, text)
		want[i] = heardOf(t, b, m, 4000)
	}
	var moved []int // parts that a mixer of the base can change
	for i, text := range texts {
		if strings.Contains(text, "freq: 1000, gain: 20}") || strings.Contains(text, "hall: -20}, effects") {
			moved = append(moved, i)
		}
	}
	quiet := 0
	for i := range texts {
		for j := range texts {
			if want[i] == nil || i != 0 && j != 0 && (i*len(texts)+j)%17 != 0 {
				continue
			}
			last := []int{j, i}
			if i == 0 {
				last = append(last, moved...)
			}
			for n, to := range last {
				b, m, fsys := reloading(t, texts[i])
				rewrite(fsys, "sounds.yaml", []byte(texts[j]))
				err := b.Reload()
				frames := 4000
				if n > 0 {
					frames = 2000
					render(m, frames*m.Outputs())
					rewrite(fsys, "sounds.yaml", []byte(texts[to]))
					if err = b.Reload(); err != nil {
						t.Errorf("back from\n%s\nto\n%s\n: %v", texts[j], texts[to], err)
					}
				}
				if err != nil {
					if !strings.Contains(err.Error(), "sounds.yaml:") {
						t.Errorf("from\n%s\nto\n%s\n: %v", texts[i], texts[j], err)
					}
					continue
				}
				quiet++
				if far := farthest(heardOf(t, b, m, frames), want[to]); far > 1e-3 {
					t.Errorf("from\n%s\nto\n%s\nthen to\n%s\n: a sample is off by %v", texts[i], texts[j], texts[to], far)
				}
			}
		}
	}
	if quiet < len(texts) {
		t.Errorf("%d reloads without an error prove too little", quiet)
	}
}

// farthest returns the largest difference of two samples.
func farthest(a, b []pcm.Frame) float64 {
	if len(a) != len(b) {
		return math.Inf(1)
	}
	far := 0.0
	for i := range a {
		far = max(far, math.Abs(float64(a[i][0]-b[i][0])), math.Abs(float64(a[i][1]-b[i][1])))
	}
	return far
}

// TestReloadPartsAreAll checks that every field of a bank differs between two of the texts.
func TestReloadPartsAreAll(t *testing.T) {
	noKey := map[string]bool{"Rules.File": true, "Rules.FS": true, "Rules.Named": true, "Rules.IgnoreFilters": true, "Rules.Downmix": true}
	seen := map[string]map[string]bool{}
	note := func(x any) {
		v := reflect.ValueOf(x)
		for i := range v.NumField() {
			name := v.Type().Name() + "." + v.Type().Field(i).Name
			if seen[name] == nil {
				seen[name] = map[string]bool{}
			}
			seen[name][fmt.Sprintf("%+v", v.Field(i))] = true
		}
	}
	for _, text := range reloadTexts() {
		r, err := bank.Parse("sounds.yaml", []byte(text))
		if err != nil {
			t.Fatalf("%s\n%v", text, err)
		}
		note(*r)
		note(r.Master)
		for _, o := range r.Outputs {
			note(o)
		}
		for _, b := range r.Buses {
			note(b)
		}
	}
	for name, values := range seen {
		if len(values) < 2 && !noKey[name] {
			t.Errorf("all texts of reloadParts have the same %s: add one with another", name)
		}
	}
}
