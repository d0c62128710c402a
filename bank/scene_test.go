package bank_test

import (
	"errors"
	"fmt"
	"math"
	"testing"
	"testing/fstest"
	"time"

	"voicepool/bank"
	"voicepool/mixer"
	"voicepool/pcm"
	"voicepool/sounds/library"
)

const fights = `
voices: 4
master: {limiter: false}
buses:
  sfx: {gain: -6}
  music: {gain: -12, duck: {when: sfx, by: 12, attack: 50ms, release: 50ms}}
  speech: {}
sounds:
  hit:  {file: sfx/high.wav, loop: true, pan: -1, bus: sfx}
  song: {file: sfx/d.wav, loop: true, pan: 1, bus: music}
scenes:
  menu:  {voices: 2, buses: {sfx: {gain: -80}, music: {gain: 0}}}
  fight: {voices: 16, buses: {sfx: {gain: 0}, music: {duck: {when: sfx, by: 24, attack: 50ms, release: 50ms}}}}
  still: {buses: {sfx: {mute: true}, master: {gain: -20}}}
  plain: {}
`

// heard renders some time and returns the last frame and the largest step between samples.
func heard(m *mixer.Mixer, d time.Duration) (last pcm.Frame, step float64) {
	return steepest(render(m, int(pcm.Frames(d, rate))))
}

// heardHigh is heard for high.wav on the left, with its alternating signs removed.
func heardHigh(m *mixer.Mixer, d time.Duration) (last pcm.Frame, step float64) {
	out := render(m, int(pcm.Frames(d, rate)))
	for i := 1; i < len(out); i += 2 {
		out[i][0] *= -1
	}
	return steepest(out)
}

func steepest(out []pcm.Frame) (last pcm.Frame, step float64) {
	for i := 1; i < len(out); i++ {
		for c := range out[i] {
			step = max(step, math.Abs(float64(out[i][c]-out[i-1][c])))
		}
	}
	return out[len(out)-1], step
}

// TestScenes checks each transition between scenes: the final levels and pool size are right, and no step
// exceeds the steepest fade. 80 dB in 300 ms is 0.4 % per frame, a tail of 10 ms 2 %.
func TestScenes(t *testing.T) {
	want := map[string]struct {
		sfx, music float64 // in dB
		voices     int
	}{
		"":      {sfx: -6, music: -24, voices: 4},
		"menu":  {sfx: -80, music: 0, voices: 2}, // sfx, the trigger of the duck, is silent
		"fight": {sfx: 0, music: -36, voices: 16},
		"still": {sfx: -120, music: -32, voices: 4},
		"plain": {sfx: -6, music: -24, voices: 4},
	}
	for from := range want {
		for to, w := range want {
			b, m := ready(t, fights)
			start(t, b, "hit", bank.Options{})
			start(t, b, "song", bank.Options{})
			if err := b.Scene(from, 0); err != nil {
				t.Fatal(err)
			}
			heardHigh(m, time.Second)
			if err := b.Scene(to, 300*time.Millisecond); err != nil {
				t.Fatal(err)
			}
			last, step := heardHigh(m, time.Second)
			for c, db := range []float64{w.sfx, w.music} {
				level := 0.5 * math.Pow(10, db/20)
				if db <= -80 {
					level = 0
				}
				if math.Abs(float64(last[c])-level) > 1e-4 {
					t.Errorf("from %q to %q channel %d is %v, want %v", from, to, c, last[c], level)
				}
			}
			if step > 0.011 {
				t.Errorf("from %q to %q a sample steps by %v", from, to, step)
			}
			if st := m.Stats(); st.Voices != int64(w.voices) {
				t.Errorf("from %q to %q the pool has %d voices, want %d", from, to, st.Voices, w.voices)
			}
		}
	}
}

// TestSceneAfterScene checks that a scene set during another transition wins over the pending changes of that
// one.
func TestSceneAfterScene(t *testing.T) {
	for _, names := range [][]string{{"menu", "fight"}, {"fight", "menu"}, {"menu", "", "menu"}, {"menu", "fight", "menu", "fight"}, {"fight", "menu", ""}} {
		b, m := ready(t, fights)
		for _, name := range names {
			if err := b.Scene(name, 300*time.Millisecond); err != nil {
				t.Fatal(err)
			}
			before := m.Stats().Voices
			heard(m, 100*time.Millisecond)
			if now := m.Stats().Voices; name == "menu" && now < before {
				t.Errorf("after %q the pool shrinks before the fade is over", name)
			}
		}
		heard(m, time.Second)
		want := map[string]int64{"menu": 2, "fight": 16, "": 4}[names[len(names)-1]]
		if st := m.Stats(); st.Voices != want {
			t.Errorf("after %q the pool has %d voices, want %d", names, st.Voices, want)
		}
	}
}

// TestSceneTakenBack checks that a scene set during another transition also replaces its pool size. No voice
// may be stolen before the last fade has ended, and then only beyond the size of the last scene.
func TestSceneTakenBack(t *testing.T) {
	sizes := map[string]int64{"menu": 2, "": 4, "fight": 16}
	for _, first := range []string{"menu", "", "fight"} {
		for _, second := range []string{"menu", "", "fight"} {
			for _, third := range []string{"menu", "", "fight"} {
				b, m := ready(t, fights)
				if err := b.Scene("fight", 0); err != nil {
					t.Fatal(err)
				}
				for range 16 {
					start(t, b, "hit", bank.Options{})
				}
				heard(m, 100*time.Millisecond)
				last, size, end := "fight", int64(16), 0
				for i, name := range []string{first, second, third} {
					if err := b.Scene(name, 300*time.Millisecond); err != nil {
						t.Fatal(err)
					}
					if name != last { // otherwise the first fade to it continues
						last, end = name, 200*i+300
					}
					heard(m, 200*time.Millisecond)
					if size = max(size, sizes[name]); 200*(i+1) >= end {
						size = sizes[name]
					}
					if got := m.Stats().Voices; got != size {
						t.Errorf("%q of %q, %q, %q: the pool has %d voices, want %d", name, first, second, third, got, size)
					}
				}
				heard(m, time.Second)
				if got := m.Stats().Voices; got != sizes[third] {
					t.Errorf("after %q, %q, %q the pool has %d voices, want %d", first, second, third, got, sizes[third])
				}
			}
		}
	}
}

// TestSceneLeavesTheGameItsGains checks that buses outside all scenes keep the game's gains.
func TestSceneLeavesTheGameItsGains(t *testing.T) {
	b, m := ready(t, fights)
	speech, _ := m.Bus("speech")
	if err := speech.SetGain(-33); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"menu", "fight", ""} {
		if err := b.Scene(name, 0); err != nil {
			t.Fatal(err)
		}
		heard(m, 100*time.Millisecond)
	}
	if got := speech.Gain(); got != -33 {
		t.Errorf("speech is at %v dB, want -33", got)
	}
}

func TestSceneErrors(t *testing.T) {
	b, err := open(t, fights)
	if err != nil {
		t.Fatal(err)
	}
	if err := b.Scene("menu", 0); !errors.Is(err, bank.ErrMixer) {
		t.Errorf("without a mixer Scene says %v", err)
	}
	small, _ := mixer.New(mixer.Config{Rate: rate, Buses: b.Config().Buses, Voices: 4})
	if err := b.Use(small); err != nil {
		t.Fatal(err)
	}
	if err := b.Scene("fight", 0); !errors.Is(err, mixer.ErrOption) {
		t.Errorf("a mixer that cannot grow says %v", err)
	}
	const want = `bank: unknown name: there is no scene "figth"; the nearest is "fight"`
	if err := b.Scene("figth", 0); err == nil || err.Error() != want {
		t.Errorf("says %v, want %s", err, want)
	}
	for _, c := range []struct{ scene, want string }{
		{scene: "{voices: 0}", want: `sounds.yaml:1:25: voices takes a whole number from 1 to 65536, not "0"`},
		{scene: "{buses: {sxf: {}}}", want: `sounds.yaml:1:25: there is no bus "sxf"`},
		{scene: "{buses: {master: {gian: 1}}}", want: `sounds.yaml:1:34: unknown key "gian" in a bus of a scene; did you mean "gain"?`},
		{scene: "{buses: {master: {gain: 30}}}", want: `sounds.yaml:1:40: gain: 30 is out of range; want a number of decibels from -120 to 24`},
		{scene: "{virtual: 3}", want: `sounds.yaml:1:17: unknown key "virtual" in a scene`},
		{scene: "3", want: "sounds.yaml:1:16: a scene is a mapping, such as {voices: ...}, not a value"},
	} {
		if _, err := open(t, fmt.Sprintf("scenes: {menu: %s}", c.scene)); err == nil || err.Error() != c.want {
			t.Errorf("%s says %v\nwant %s", c.scene, err, c.want)
		}
	}
}

// A scene changes the size of the pool and the buses, with a fade.
func ExampleBank_Scene() {
	file := fstest.MapFS{"sounds.yaml": {Data: []byte(`
voices: 8
buses: {sfx: {}, music: {gain: -6}}
scenes:
  menu:  {voices: 4, buses: {sfx: {gain: -80}, music: {gain: 0}}}
  fight: {voices: 32, buses: {music: {gain: -12}}}
`)}}
	b, _ := bank.Open(file, "sounds.yaml", library.NewLibrary(library.Options{}))
	m, _ := b.NewMixer()
	defer m.Close()
	fmt.Println(b.Scene("fight", 300*time.Millisecond))
	m.Render(make([]pcm.Frame, 480)) // called by the device in a real game
	music, _ := m.Bus("music")
	fmt.Println(m.Stats().Voices, "voices, music at", music.Gain())
	// Output:
	// <nil>
	// 32 voices, music at -12
}
