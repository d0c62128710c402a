package bank_test

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"voicepool/bank"
	"voicepool/mixer"
	"voicepool/pcm"
	"voicepool/sounds/embedded"
	"voicepool/sounds/library"
)

const layered = `
voices: 8
master: {limiter: false}
sounds:
  low:  {file: sfx/d.wav, pan: -1}
  high: {file: sfx/d.wav, pan: 1, gain: -20}
  tail: {file: sfx/b.wav, pan: -1, loop: true}
  boom: {layers: [low, high, {sound: tail, delay: 50ms}], gain: -6}
  motor:
    file: sfx/d.wav
    pan: -1
    loop: true
    parameters:
      rpm:    {from: 800, to: 7000, gain: [[800, -20], [2000, -6], [7000, 0]], pitch: [[800, -12], [7000, 12]]}
      health: {from: 0, to: 1, at: 1, gain: [[0, -40], [1, 0]]}
  pair: {layers: [low, high], parameters: {health: {from: 0, to: 1, at: 1, gain: [[0.5, -20], [1, 0]]}}}
`

func db(x float64) float64 { return math.Pow(10, x/20) }

func near(t *testing.T, what string, got pcm.Frame, left, right float64) {
	t.Helper()
	if math.Abs(float64(got[0])-left) > 2e-4 || math.Abs(float64(got[1])-right) > 2e-4 {
		t.Errorf("%s: heard %v, want %.5f, %.5f", what, got, left, right)
	}
}

// TestLayers checks that each layer follows its own rules and delay under one handle.
func TestLayers(t *testing.T) {
	b, m := ready(t, layered)
	h := start(t, b, "boom", bank.Options{Gain: -4})
	out := render(m, 401)
	gain := db(-10)
	near(t, "before the delay", out[399], 0.5*gain, 0.05*gain)
	if got := m.Stats().Playing; got != 3 {
		t.Fatalf("%d voices at 50 ms, want 3", got)
	}
	near(t, "after the delay", render(m, 100)[99], 0.75*gain, 0.05*gain)
	if err := h.SetGain(-20); err != nil {
		t.Fatal(err)
	}
	near(t, "lowered", render(m, 100)[99], 0.75*db(-26), 0.05*db(-26))
	render(m, 400) // low and high have ended, the tail loops
	if h.State() != mixer.StatePlaying || h.Handle.State() != mixer.StateEnded {
		t.Errorf("with one layer left the play is %v, the first %v", h.State(), h.Handle.State())
	}
	if err := h.SetGain(-10); err != nil {
		t.Errorf("with one layer left SetGain says %v", err)
	}
	if err := h.Stop(10 * time.Millisecond); err != nil {
		t.Fatal(err)
	}
	render(m, 200)
	if h.State() == mixer.StatePlaying || h.SetGain(0) != mixer.ErrGone {
		t.Errorf("when all have ended the play is %v, SetGain says %v", h.State(), h.SetGain(0))
	}
	differences := start(t, b, "boom", bank.Options{})
	render(m, 10)
	if err := differences.Stop(0); err != nil {
		t.Fatal(err)
	}
	near(t, "a delayed layer that was stopped", render(m, 1000)[999], 0, 0)
}

// TestLayersDrawForThemselves checks that two layers with the same sound have independent choices.
func TestLayersDrawForThemselves(t *testing.T) {
	b, m := ready(t, `
sounds:
  step: {files: [sfx/a.wav, sfx/b.wav, sfx/c.wav, sfx/d.wav]}
  both: {layers: [step, step]}
`)
	differ := 0
	for range 20 {
		start(t, b, "both", bank.Options{Tag: 7})
		render(m, 1)
		var names []string
		for h := range m.Voices() {
			names = append(names, h.Sound().Name())
		}
		if len(names) == 2 && names[0] != names[1] {
			differ++
		}
		m.StopAll(0)
		render(m, 200)
	}
	if differ < 5 || differ == 20 {
		t.Errorf("%d of 20 pairs differ, want some 15", differ)
	}
}

// TestLayersOneByOne checks that the pool accepts and rejects layers individually.
func TestLayersOneByOne(t *testing.T) {
	b, m := ready(t, strings.Replace(layered, "voices: 8", "voices: 1\noverflow: reject", 1))
	h := start(t, b, "boom", bank.Options{})
	render(m, 10)
	if st := m.Stats(); st.Playing != 1 || st.Rejected != 1 || h.State() != mixer.StatePlaying {
		t.Errorf("%d play, %d were rejected, the play is %v", st.Playing, st.Rejected, h.State())
	}
}

// TestStaleHandles checks that a handle has no effect after its play has been reused.
func TestStaleHandles(t *testing.T) {
	b, m := ready(t, layered)
	old := start(t, b, "pair", bank.Options{})
	render(m, 1000)
	now := start(t, b, "pair", bank.Options{})
	if err := old.Stop(0); err != mixer.ErrGone {
		t.Errorf("Stop of an old handle says %v", err)
	}
	if err := old.Set("health", 0.5); err != mixer.ErrGone {
		t.Errorf("Set of an old handle says %v", err)
	}
	render(m, 10)
	if now.State() != mixer.StatePlaying {
		t.Errorf("the new play is %v", now.State())
	}
}

// TestParameters checks that curves are linear between points and constant outside, are added to the game's
// values, and move without steps.
func TestParameters(t *testing.T) {
	b, m := ready(t, layered)
	h := start(t, b, "motor", bank.Options{})
	near(t, "at first", render(m, 400)[399], 0.5*db(-20), 0)
	for _, c := range []struct {
		rpm, gain, want float64
	}{
		{rpm: 1400, want: -13},
		{rpm: 2000, want: -6},
		{rpm: 4500, want: -3},
		{rpm: 7000, want: 0},
		{rpm: 7000, gain: -12, want: -12},
		{rpm: 2000, gain: -12, want: -18},
	} {
		if err := errors.Join(h.Set("rpm", c.rpm), h.SetGain(pcm.Decibels(c.gain))); err != nil {
			t.Fatal(err)
		}
		last, step := heard(m, 50*time.Millisecond)
		near(t, fmt.Sprintf("%+v", c), last, 0.5*db(c.want), 0)
		if step > 0.02 {
			t.Errorf("%+v: a sample steps by %v", c, step)
		}
	}
}

// TestBankParameters checks that Bank.Set affects playing and later sounds.
func TestBankParameters(t *testing.T) {
	b, m := ready(t, layered)
	motor := start(t, b, "motor", bank.Options{Gain: 20})
	pair := start(t, b, "pair", bank.Options{})
	if err := b.Set("health", 0.5); err != nil {
		t.Fatal(err)
	}
	near(t, "both", render(m, 400)[399], 0.5*db(-20)+0.5*db(-20), 0.05*db(-20))
	motor.Stop(0)
	pair.Stop(0)
	render(m, 200)
	start(t, b, "pair", bank.Options{})
	near(t, "what starts later", render(m, 400)[399], 0.5*db(-20), 0.05*db(-20))
}

// TestPitchOfParameters checks that an octave up doubles the speed.
func TestPitchOfParameters(t *testing.T) {
	b, m := ready(t, layered)
	h := start(t, b, "motor", bank.Options{})
	for _, c := range []struct{ rpm, speed float64 }{{rpm: 800, speed: 0.5}, {rpm: 3900, speed: 1}, {rpm: 7000, speed: 2}} {
		if err := h.Set("rpm", c.rpm); err != nil {
			t.Fatal(err)
		}
		render(m, 100)
		if err := h.Seek(0); err != nil {
			t.Fatal(err)
		}
		render(m, 1)
		before := h.Position()
		render(m, 160)
		if got := (h.Position() - before).Seconds() * rate / 160; math.Abs(got-c.speed) > 0.02 {
			t.Errorf("at %v rpm the speed is %v, want %v", c.rpm, got, c.speed)
		}
	}
}

func TestParameterErrors(t *testing.T) {
	b, m := ready(t, layered)
	motor := start(t, b, "motor", bank.Options{})
	plain := start(t, b, "low", bank.Options{})
	render(m, 1)
	for _, c := range []struct {
		err  error
		want string
	}{
		{err: motor.Set("rmp", 900), want: `bank: unknown name: there is no parameter "rmp"; the nearest is "rpm"`},
		{err: motor.Set("rpm", 9000), want: `mixer: bad argument: sound "motor": rpm: 9000 is not in 800..7000`},
		{err: motor.Set("rpm", math.NaN()), want: `mixer: bad argument: sound "motor": rpm: NaN is not in 800..7000`},
		{err: motor.SetGain(99), want: "mixer: bad argument: gain: 99 dB is not in -120..24"},
		{err: motor.SetPitch(99), want: "mixer: bad argument: pitch: 99 semitones is not in -48..48"},
		{err: plain.Set("rpm", 900), want: `bank: unknown name: there is no parameter "rpm"; the bank has none`},
		{err: b.Set("helth", 1), want: `bank: unknown name: there is no parameter "helth"; the nearest is "health"`},
		{err: b.Set("health", 2), want: `mixer: bad argument: sound "motor": health: 2 is not in 0..1`},
		{err: bank.Handle{}.Set("rpm", 1), want: "mixer: the voice is gone"},
	} {
		if c.err == nil || c.err.Error() != c.want {
			t.Errorf("says %v\nwant %s", c.err, c.want)
		}
	}
	for _, c := range []struct{ sound, want string }{
		{sound: "{layers: [nosuch]}", want: "sounds.yaml:2:23: layers: there is no sound \"nosuch\" in `sounds`"},
		{sound: "{layers: [t]}", want: `sounds.yaml:2:23: layers: the sound "t" has layers itself; name its layers instead`},
		{sound: "{file: sfx/a.wav, then: t}", want: `sounds.yaml:2:37: then: "t" has layers; a successor must have files`},
		{sound: "{layers: [a], limit: 3}", want: "sounds.yaml:2:27: limit is a key of the layers' sounds; a sound with layers takes parameters, gain, pitch, speed, pan, priority or importance"},
		{sound: "{layers: []}", want: "sounds.yaml:2:22: layers takes a list of 1 to 8 sounds"},
		{sound: "{layers: [{delay: 1s}]}", want: "sounds.yaml:2:23: a layer needs `sound`, the name of its sound"},
		{sound: "{file: sfx/a.wav, parameters: {x: {from: 0}}}", want: "sounds.yaml:2:44: a parameter needs `from` and `to`, its range"},
		{sound: "{file: sfx/a.wav, parameters: {x: {from: 1, to: 0}}}", want: "sounds.yaml:2:44: the range of a parameter needs `from` below `to`"},
		{sound: "{file: sfx/a.wav, parameters: {x: {from: 0, to: 1, at: 2}}}", want: "sounds.yaml:2:64: at: 2 is not in the range of the parameter, 0 to 1"},
		{sound: "{file: sfx/a.wav, parameters: {x: {from: 0, to: 1, gain: [[0, 1], [2, 1]]}}}", want: "sounds.yaml:2:64: gain: the points of a curve go up from 0 to 1; 2 does not"},
		{sound: "{file: sfx/a.wav, parameters: {x: {from: 0, to: 1, pitch: [[0, 50]]}}}", want: "sounds.yaml:2:76: pitch: 50 is out of range; want a number of semitones from -48 to 48"},
		{sound: "{file: sfx/a.wav, parameters: {x: {from: 0, to: 1, lowpass: [[0, 50]]}}}", want: "sounds.yaml:2:64: lowpass is not supported: a parameter moves gain and pitch"},
	} {
		_, err := open(t, "sounds: {a: sfx/a.wav, t: {layers: [a]},\n         s: "+c.sound+"}")
		if err == nil || err.Error() != c.want {
			t.Errorf("%s\nsays %v\nwant %s", c.sound, err, c.want)
		}
	}
}

// TestLayersDoNotAllocate checks that ended plays are reused.
func TestLayersDoNotAllocate(t *testing.T) {
	b, m := ready(t, layered)
	block := make([]pcm.Frame, 1000)
	if n := testing.AllocsPerRun(100, func() {
		h, err := b.Play("pair", bank.Options{})
		if err != nil {
			t.Fatal(err)
		}
		h.SetGain(-6)
		b.Set("health", 0.75)
		m.Render(block)
	}); n != 0 {
		t.Errorf("a play of two layers allocates %v times", n)
	}
}

// A parameter of the game changes gain and pitch along the curves of the file.
func ExampleHandle_Set() {
	file := fstest.MapFS{"sounds.yaml": {Data: []byte(`
sounds:
  motor:
    file: engine
    loop: true
    parameters:
      rpm: {from: 800, to: 7000, gain: [[800, -12], [7000, 0]], pitch: [[800, -12], [7000, 12]]}
  thud: {file: hit, gain: -3}
  crash: {layers: [thud, {sound: glass, delay: 40ms}, {sound: debris, delay: 90ms}]}
  glass: {file: glass}
  debris: {file: rain, gain: -12}
`)}}
	b, err := bank.Open(file, "sounds.yaml", library.NewLibrary(library.Options{}), embedded.Sources()...)
	if err != nil {
		fmt.Println(err)
		return
	}
	m, _ := b.NewMixer()
	defer m.Close()
	motor, _ := b.Play("motor", bank.Options{})
	fmt.Println(motor.Set("rpm", 4200), motor.Set("rpm", 9000))
	crash, _ := b.Play("crash", bank.Options{}) // three sounds
	fmt.Println(crash.Stop(time.Second / 2))    // fades all of them
	// Output:
	// <nil> mixer: bad argument: sound "motor": rpm: 9000 is not in 800..7000
	// <nil>
}

// TestFailedLayersStealNoVoice plays layers in a full pool. The second layer fails because of a bad option or too many
// commands, and the first must not take a voice.
func TestFailedLayersStealNoVoice(t *testing.T) {
	text := `
voices: 2
master: {limiter: false}
sounds:
  hum:  {file: sfx/d.wav, loop: true, when_full: end, gain: -20}
  low:  {file: sfx/d.wav, loop: true, when_full: end}
  high: {file: sfx/d.wav, priority: 1000000}
  boom: {layers: [low, high], priority: 1000000}
  busy: {layers: [low, low]}
`
	for _, name := range []string{"boom", "busy"} {
		b, err := open(t, text)
		if err != nil {
			t.Fatal(err)
		}
		c := b.Config()
		c.Commands = 4
		m, err := mixer.New(c)
		if err != nil {
			t.Fatal(err)
		}
		defer m.Close()
		if err := b.Use(m); err != nil {
			t.Fatal(err)
		}
		for range 2 {
			start(t, b, "hum", bank.Options{})
		}
		render(m, 50)
		want := mixer.ErrOption
		if name == "busy" {
			want = mixer.ErrBusy
			for range 3 {
				if err := m.Engine().At(90).Pause(mixer.TargetTag(9)); err != nil {
					t.Fatal(err)
				}
			}
		}
		if _, err := b.Play(name, bank.Options{}); !errors.Is(err, want) {
			t.Errorf("%s: %v, want %v", name, err, want)
		}
		render(m, 50)
		if st := m.Stats(); st.Stolen != 0 || st.Playing != 2 {
			t.Errorf("%s: %d stolen, %d playing", name, st.Stolen, st.Playing)
		}
	}
}
