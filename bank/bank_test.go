package bank_test

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"voicepool/bank"
	"voicepool/bank/rules"
	"voicepool/mixer"
	"voicepool/pcm"
	"voicepool/sounds/library"
)

const rate = 8000

// tone returns a WAV file with a constant level.
func tone(frames int, level float32) *fstest.MapFile {
	out := []byte("RIFF....WAVEfmt ")
	out = binary.LittleEndian.AppendUint32(out, 16)
	for _, x := range []uint16{3, 1} { // format float, one channel
		out = binary.LittleEndian.AppendUint16(out, x)
	}
	out = binary.LittleEndian.AppendUint32(out, rate)
	out = binary.LittleEndian.AppendUint32(out, 4*rate)
	for _, x := range []uint16{4, 32} {
		out = binary.LittleEndian.AppendUint16(out, x)
	}
	out = binary.LittleEndian.AppendUint32(append(out, "data"...), uint32(4*frames))
	for range frames {
		out = binary.LittleEndian.AppendUint32(out, math.Float32bits(level))
	}
	binary.LittleEndian.PutUint32(out[4:], uint32(len(out)-8))
	return &fstest.MapFile{Data: out}
}

// files is a file system with a bank and the sounds a.wav to d.wav, in sfx. It also has high.wav, which is
// d.wav with alternating signs, so that it is audible without a DC offset.
func files(text string) fstest.MapFS {
	fsys := fstest.MapFS{"sounds.yaml": {Data: []byte(text)}}
	for i, name := range []string{"a", "b", "c", "d"} {
		fsys["sfx/"+name+".wav"] = tone(800, float32(i+1)/8)
	}
	high := tone(800, 0.5)
	for i := len(high.Data) - 4; i > len(high.Data)-4*800; i -= 8 {
		high.Data[i+3] ^= 0x80 // the sign bit of the float
	}
	fsys["sfx/high.wav"] = high
	return fsys
}

func open(t testing.TB, text string) (*bank.Bank, error) {
	t.Helper()
	return bank.Open(files(text), "sounds.yaml", library.NewLibrary(library.Options{Rate: rate}))
}

// ready opens a bank and creates its mixer.
func ready(t testing.TB, text string) (*bank.Bank, *mixer.Mixer) {
	t.Helper()
	b, err := open(t, text)
	if err != nil {
		t.Fatal(err)
	}
	m, err := b.NewMixer()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { m.Close() })
	return b, m
}

func start(t testing.TB, b *bank.Bank, name string, o bank.Options) bank.Handle {
	t.Helper()
	h, err := b.Play(name, o)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

func render(m *mixer.Mixer, frames int) []pcm.Frame {
	out := make([]pcm.Frame, frames)
	m.Render(out)
	return out
}

const steps = `
voices: 8
master: {limiter: false}
sounds:
  step: {files: [sfx/a.wav, sfx/b.wav, sfx/c.wav, sfx/d.wav], pick: %s, gain: [-6, -3], pan: -1}
  other: {files: [sfx/a.wav, sfx/b.wav], gain: [-60, -50]}
`

// draws returns the file and gain of each of n plays.
func draws(t *testing.T, pick string, n int, between func(b *bank.Bank, m *mixer.Mixer)) (out []string) {
	b, m := ready(t, fmt.Sprintf(steps, pick))
	for range n {
		if between != nil {
			between(b, m)
		}
		h := start(t, b, "step", bank.Options{})
		out = append(out, h.Sound().Name())
		render(m, 200)
	}
	return out
}

// TestChanceDependsOnTheNameAlone checks that other sounds, rejected plays and other banks do not affect
// random choices.
func TestChanceDependsOnTheNameAlone(t *testing.T) {
	for _, pick := range []string{"random", "shuffle", "round"} {
		alone := draws(t, pick, 20, nil)
		crowded := draws(t, pick, 20, func(b *bank.Bank, m *mixer.Mixer) {
			start(t, b, "other", bank.Options{})
			for _, o := range []bank.Options{{Pan: 2}, {Gain: 1000}, {Pitch: 99}, {Speed: -1}, {For: -1}} {
				if _, err := b.Play("step", o); !errors.Is(err, mixer.ErrOption) {
					t.Fatalf("%+v says %v", o, err)
				}
			}
			if _, err := b.Play("stp", bank.Options{}); !errors.Is(err, bank.ErrName) {
				t.Fatalf("a wrong name says %v", err)
			}
		})
		if !slices.Equal(alone, crowded) {
			t.Errorf("%s: alone %v\nin a crowd %v", pick, alone, crowded)
		}
		if distinct := len(slices.Compact(slices.Sorted(slices.Values(alone)))); distinct < 2 {
			t.Errorf("%s: %v is always the same", pick, alone)
		}
	}
}

// TestShuffle checks that each cycle has every file once and that no file plays twice in a row, although
// every second play was rejected first.
func TestShuffle(t *testing.T) {
	b, m := ready(t, fmt.Sprintf(steps, "shuffle"))
	var got []string
	for range 40 {
		if _, err := b.Play("step", bank.Options{Pan: math.NaN()}); err == nil {
			t.Fatal("a pan of NaN is taken")
		}
		got = append(got, start(t, b, "step", bank.Options{}).Sound().Name())
		render(m, 1)
	}
	for i := range got {
		if i > 0 && got[i] == got[i-1] {
			t.Errorf("play %d is %s again", i, got[i])
		}
		if i%4 == 0 && len(slices.Compact(slices.Sorted(slices.Values(got[i:i+4])))) != 4 {
			t.Errorf("plays %d to %d are %v", i, i+3, got[i:i+4])
		}
	}
}

// TestOptionsAddUp checks that the game's gain, pan, pitch, speed and priority are added to the rules.
func TestOptionsAddUp(t *testing.T) {
	for _, c := range []struct {
		rule string
		add  bank.Options
		want pcm.Frame
	}{
		{rule: "{file: sfx/d.wav, pan: -1}", want: pcm.Frame{0.5, 0}},
		{rule: "{file: sfx/d.wav, pan: -1}", add: bank.Options{Pan: -0.5}, want: pcm.Frame{0.5, 0}},
		{rule: "{file: sfx/d.wav, pan: -0.5}", add: bank.Options{Pan: -0.5}, want: pcm.Frame{0.5, 0}},
		{rule: "{file: sfx/d.wav, pan: -0.25}", add: bank.Options{Pan: 1}, want: pcm.Frame{0.097545, 0.490393}},
		{rule: "{file: sfx/d.wav, pan: -1, gain: -6}", add: bank.Options{Gain: -14}, want: pcm.Frame{0.05, 0}},
		{rule: "{file: sfx/d.wav, pan: 1, bus: low}", want: pcm.Frame{0, 0.05}},
		{rule: "sfx/d.wav", add: bank.Options{Pan: 1}, want: pcm.Frame{0, 0.5}},
	} {
		b, m := ready(t, "master: {limiter: false}\nbuses: {low: {gain: -20}}\nsounds: {s: "+c.rule+"}\n")
		start(t, b, "s", c.add)
		got := render(m, 400)[300]
		if math.Abs(float64(got[0]-c.want[0])) > 1e-4 || math.Abs(float64(got[1]-c.want[1])) > 1e-4 {
			t.Errorf("%s with %+v gives %v, want %v", c.rule, c.add, got, c.want)
		}
	}
}

// TestImportanceAddsUp checks that the importance of a play is added to the sound's, and of a layered sound to its
// layers'. The sum is limited to -60..60 dB. An importance of the play out of this range is an error.
func TestImportanceAddsUp(t *testing.T) {
	for _, c := range []struct {
		sound string
		add   pcm.Decibels
		want  pcm.Decibels
	}{
		{"{file: sfx/a.wav}", 0, 0},
		{"{file: sfx/a.wav, importance: 6}", 0, 6},
		{"{file: sfx/a.wav, importance: 6 dB}", -10, -4},
		{"{layers: [r], importance: 6}", -10, -1},
		{"{layers: [high], importance: 30}", 0, 60},
		{"{layers: [high], importance: 30}", -60, 10},
		{"{file: sfx/a.wav, importance: 30}", 40, 60},
		{"{file: sfx/a.wav, importance: -30}", -60, -60},
	} {
		b, m := ready(t, "voices: 1\nsounds:\n  s: "+c.sound+"\n  r: {file: sfx/a.wav, importance: 3}\n  high: {file: sfx/a.wav, importance: 40}\n")
		start(t, b, "s", bank.Options{Importance: c.add})
		render(m, 1)
		start(t, b, "r", bank.Options{Importance: -3})
		render(m, 1)
		events := make([]mixer.Event, 9)
		for _, e := range events[:m.Events(events)] {
			if e.Kind == mixer.EventStolen && e.Steal.Importance != c.want {
				t.Errorf("%s with %v has importance %v, want %v", c.sound, c.add, e.Steal.Importance, c.want)
			}
		}
		if n := m.Stats().Stolen; n != 1 {
			t.Errorf("%s: %d voices were stolen, want 1", c.sound, n)
		}
		for text, x := range map[string]pcm.Decibels{"61": 61, "-61": -61, "NaN": pcm.Decibels(math.NaN()), "+Inf": pcm.Decibels(math.Inf(1))} {
			for _, sound := range []string{"s", "r"} {
				if _, err := b.Play(sound, bank.Options{Importance: x}); !errors.Is(err, mixer.ErrOption) || !strings.HasSuffix(err.Error(), "importance: "+text+" dB is not in -60..60") {
					t.Errorf("%s with %v: %v", c.sound, x, err)
				}
			}
		}
	}
}

// TestRulesHold checks limits, cooldowns, groups, priorities and times of the file.
func TestRulesHold(t *testing.T) {
	for _, c := range []struct {
		sounds string
		plays  []string
		want   [4]int64 // started, stolen, limited, coalesced
	}{
		{sounds: "s: {file: sfx/a.wav, limit: 2}", plays: []string{"s", "s", "s"}, want: [4]int64{3, 1}},
		{sounds: "s: {file: sfx/a.wav, cooldown: 1s}", plays: []string{"s", "s", "s"}, want: [4]int64{1, 0, 2}},
		{sounds: "s: {file: sfx/a.wav, coalesce: 30ms}", plays: []string{"s", "s", "s"}, want: [4]int64{1, 0, 0, 2}},
		{
			sounds: "{s: {file: sfx/a.wav, limit: 1, group: g}, r: {file: sfx/b.wav, limit: 1, group: g}}",
			plays:  []string{"s", "r"}, want: [4]int64{2, 1},
		},
		{sounds: "{s: {file: sfx/a.wav, bus: one}, r: {file: sfx/b.wav, bus: one}}", plays: []string{"s", "r"}, want: [4]int64{2, 1}},
	} {
		b, m := ready(t, "buses: {one: {voices: 1}}\nsounds:\n  "+c.sounds+"\n")
		for _, name := range c.plays {
			start(t, b, name, bank.Options{})
			render(m, 1)
		}
		st := m.Stats()
		if got := [4]int64{st.Started, st.Stolen, st.Limited, st.Coalesced}; got != c.want {
			t.Errorf("%s: started, stolen, limited, coalesced are %v, want %v", c.sounds, got, c.want)
		}
	}
}

// TestErrors checks that each invalid input gives a line with its place and a remedy.
func TestErrors(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{text: "sounds: {s: {file: sfx/a.wav, gian: 3}}", want: `sounds.yaml:1:31: unknown key "gian" in a sound; did you mean "gain"?`},
		{text: "cues: []", want: "sounds.yaml:1:1: cues belongs to a cue sheet, which `voicepool run` plays; a bank has no times"},
		{text: "rate: 44100", want: "sounds.yaml:1:7: rate: the library has its sounds at 8000 Hz; write that, or give the library this rate"},
		{text: "sounds: {s: ../x.wav}", want: `sounds.yaml:1:13: "../x.wav" is outside the file system of this file; name a file in or below its root`},
		{text: "sounds: {s: /x.wav}", want: `sounds.yaml:1:13: "/x.wav" is outside the file system of this file; name a file in or below its root`},
		{text: "sounds: {s: sfx/x.wav}", want: "sounds.yaml:1:13: sfx/x.wav: file does not exist"},
		{text: "sounds: {s: sounds.yaml}", want: "sounds.yaml:1:13: sounds.yaml: this is text, not a sound"},
		{text: "buses: {sfx: {}}\nsounds: {s: {file: sfx/a.wav, bus: sxf}}", want: `sounds.yaml:2:36: bus: there is no bus "sxf"; did you mean "sfx"?`},
		{text: "sounds: [", want: "sounds.yaml:1:9: this [ is never closed"},
	} {
		_, err := open(t, c.text)
		if err == nil || !strings.HasPrefix(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s\nsays %v\nwant %s", c.text, err, c.want)
		}
		if !errors.Is(err, rules.ErrFile) && !errors.Is(err, rules.ErrSound) {
			t.Errorf("%s: %v wraps neither ErrFile nor ErrSound", c.text, err)
		}
	}
	if _, err := bank.Open(files(""), "nosuch.yaml", library.NewLibrary(library.Options{})); err == nil || err.Error() != "bank: nosuch.yaml: file does not exist" {
		t.Errorf("a file that is not there says %v", err)
	}
	if _, err := bank.Open(nil, "a.yaml", library.NewLibrary(library.Options{})); err == nil {
		t.Error("no file system is taken")
	}
}

// TestCallErrors checks the errors of invalid calls.
func TestCallErrors(t *testing.T) {
	b, err := open(t, "buses: {sfx: {}}\nsounds: {step: {file: sfx/a.wav, bus: sfx}}")
	if err != nil {
		t.Fatal(err)
	}
	_, early := b.Play("step", bank.Options{})
	plain, _ := mixer.New(mixer.Config{Rate: rate})
	slow, _ := mixer.New(mixer.Config{Rate: 1000})
	_, m := b.NewMixer()
	_, name := b.Play("stepp", bank.Options{})
	for _, c := range []struct {
		err  error
		want string
	}{
		{err: early, want: "bank: no mixer: call NewMixer before Play"},
		{err: b.Use(nil), want: "bank: no mixer: Use is given none"},
		{err: b.Use(slow), want: "bank: no mixer: the mixer has 1000 Hz, the bank 8000"},
		{err: b.Use(plain), want: `bank: no mixer: sound "step": mixer: bad argument: there is no bus "sfx"; the nearest is "master"`},
		{err: name, want: `bank: unknown name: there is no sound "stepp"; the nearest is "step"`},
	} {
		if c.err == nil || c.err.Error() != c.want {
			t.Errorf("says %v, want %s", c.err, c.want)
		}
	}
	if m != nil {
		t.Error(m)
	}
}

// TestPlayFromManyGoroutines checks that every play is counted once, with the same choices as on one
// goroutine.
func TestPlayFromManyGoroutines(t *testing.T) {
	text := "voices: 256\n" + strings.TrimPrefix(fmt.Sprintf(steps, "random"), "\nvoices: 8\n")
	count := func(workers int) map[string]int {
		b, m := ready(t, text)
		got, mu, wait := map[string]int{}, sync.Mutex{}, sync.WaitGroup{}
		for range workers {
			wait.Go(func() {
				for range 96 / workers {
					h, err := b.Play("step", bank.Options{})
					if err != nil {
						t.Error(err)
						return
					}
					mu.Lock()
					got[h.Sound().Name()]++
					mu.Unlock()
				}
			})
		}
		wait.Wait()
		render(m, 1)
		return got
	}
	one, many := count(1), count(8)
	for name, n := range one {
		if many[name] != n {
			t.Errorf("%s is taken %d times by eight goroutines, %d times by one", name, many[name], n)
		}
	}
}

func TestPlayDoesNotAllocate(t *testing.T) {
	b, m := ready(t, fmt.Sprintf(steps, "shuffle"))
	block := make([]pcm.Frame, 64)
	if n := testing.AllocsPerRun(200, func() {
		if _, err := b.Play("step", bank.Options{Pan: 0.5}); err != nil {
			t.Fatal(err)
		}
		m.Render(block)
	}); n != 0 {
		t.Errorf("Play allocates %v times", n)
	}
}

func BenchmarkPlay(b *testing.B) {
	k, m := ready(b, fmt.Sprintf(steps, "shuffle"))
	block := make([]pcm.Frame, 8)
	b.ReportAllocs()
	for b.Loop() {
		for range 64 {
			k.Play("step", bank.Options{Pan: 0.5})
		}
		b.StopTimer()
		m.Render(block)
		b.StartTimer()
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/64, "ns/play")
}

// TestRangeErrors checks that numbers out of range, in the file and in calls, are a *pcm.RangeError.
func TestRangeErrors(t *testing.T) {
	_, err := bank.Parse("s.yaml", []byte("sounds: {a: {file: a.wav, gain: 40}}\nbuses: {b: {voices: 2}}\n"))
	if got, ok := errors.AsType[*pcm.RangeError](err); !ok || *got != (pcm.RangeError{Name: "gain", Value: 40, Min: -120, Max: 24, Unit: "dB"}) {
		t.Errorf("%v: %+v", err, got)
	}
	if first, ok := errors.AsType[*rules.Error](err); !ok || first.Range == nil || first.Line != 1 {
		t.Errorf("%v: %+v", err, first)
	}
}
