package bank_test

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"pgregory.net/rapid"

	"voicepool/bank"
	"voicepool/internal/longtest"
	"voicepool/mixer"
	"voicepool/pcm"
	"voicepool/sounds/library"
)

// modelFile is a bank file. Its values are by key, such as "a.gain" of a bus or "voices".
type modelFile struct {
	values map[string]float64 // of the file
	scenes map[string]map[string]float64
}

// modelValues has the values that a modelFile can set, and their choices. A duck is 1000 times its depth in dB, and its
// release in ms.
var modelValues = map[string][]float64{
	"voices": {2, 3, 4, 6},
	"a.gain": {-90, -80, -6, 0, 3.5, 20}, "b.gain": {-120, -2, 0, 4}, "hall.gain": {-80, -1, 2}, "master.gain": {-85, -30, -3, 0},
	"a.mute": {0, 1}, "b.mute": {0, 1}, "a.lowpass": {0, 500, 900, 2000}, "master.lowpass": {0, 700, 800}, "a.highpass": {0, 50, 70}, "b.highpass": {0, 60},
	"a.duck": {0, 6050, 6200, 12050, 12200}, "hall.duck": {0, 3100, 3300, 9100},
	"a.send": {-100, -80, -12, -4, 1}, "hall.time": {0.1, 0.2, 0.3}, "hall.feedback": {0.25, 0.5},
}

// drawFile draws a file with some of the scenes s0 to s4.
func drawFile(t *rapid.T) modelFile {
	draw := func(key string) float64 { return rapid.SampledFrom(modelValues[key]).Draw(t, key) }
	f := modelFile{map[string]float64{}, map[string]map[string]float64{}}
	keys := slices.Sorted(maps.Keys(modelValues))
	for _, key := range keys {
		f.values[key] = draw(key)
	}
	for i := range 5 {
		if rapid.IntRange(0, 5).Draw(t, "has") == 0 {
			continue
		}
		s := map[string]float64{"priority": float64(rapid.IntRange(-1, 1).Draw(t, "priority"))}
		for _, key := range keys {
			if rapid.IntRange(0, 2).Draw(t, "sets") == 0 {
				s[key] = draw(key)
			}
		}
		f.scenes[fmt.Sprint("s", i)] = s
	}
	return f
}

// text returns the file as YAML.
func (f *modelFile) text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "rate: 8000\nvoices: %v\nmaster: {limiter: false, gain: %v, lowpass: %v}\nbuses: {%s}\n", f.values["voices"], f.values["master.gain"], cutoffText(f.values["master.lowpass"]), busesText(f.values, true))
	b.WriteString("sounds: {hit: {file: sfx/d.wav}}\nscenes:\n  other: {}\n")
	for _, name := range slices.Sorted(maps.Keys(f.scenes)) {
		s := f.scenes[name]
		voices := ""
		if x, ok := s["voices"]; ok {
			voices = fmt.Sprintf("voices: %v, ", x)
		}
		fmt.Fprintf(&b, "  %s: {%spriority: %v, buses: {%s}}\n", name, voices, s["priority"], busesText(s, false))
	}
	return b.String()
}

// busesText returns the buses of a file or of a scene as YAML. A scene lists the master, too.
func busesText(values map[string]float64, file bool) string {
	var out []string
	for _, bus := range []string{"a", "b", "hall", "master"} {
		var keys, effects []string
		for _, key := range slices.Sorted(maps.Keys(values)) {
			x := values[key]
			switch field, ok := strings.CutPrefix(key, bus+"."); {
			case !ok, field == "duck" && x == 0 && file:
			case field == "mute":
				keys = append(keys, fmt.Sprintf("mute: %v", x == 1))
			case field == "duck":
				keys = append(keys, fmt.Sprintf("duck: {when: b, by: %v, release: %vms}", math.Floor(x/1000), math.Mod(x, 1000)))
			case field == "send":
				keys = append(keys, fmt.Sprintf("sends: {hall: %v}", x))
			case field == "time" || field == "feedback":
				effects = append(effects, fmt.Sprintf("%s: %v", field, x))
			case strings.HasSuffix(field, "pass"):
				keys = append(keys, fmt.Sprintf("%s: %s", field, cutoffText(x)))
			default:
				keys = append(keys, fmt.Sprintf("%s: %v", field, x))
			}
		}
		switch delay := strings.Join(effects, ", "); {
		case delay != "" && file:
			keys = append(keys, "effects: [{delay: {"+delay+"}}]")
		case delay != "":
			keys = append(keys, "effects: {delay: {"+delay+"}}")
		}
		if bus != "master" || !file {
			out = append(out, bus+": {"+strings.Join(keys, ", ")+"}")
		}
	}
	return strings.Join(out, ", ")
}

// cutoffText returns a cutoff as YAML.
func cutoffText(hz float64) string {
	if hz == 0 {
		return "off"
	}
	return fmt.Sprint(hz)
}

// state returns all values while scenes are active, by the definition: value by value, over all active scenes that the
// file has.
func (f *modelFile) state(active []string) map[string]float64 {
	names := slices.DeleteFunc(slices.Compact(slices.Sorted(slices.Values(active))), func(name string) bool { return f.scenes[name] == nil })
	out := map[string]float64{}
	for key, file := range f.values {
		var set []float64
		best := "" // of the scene that wins
		for _, name := range names {
			x, ok := f.scenes[name][key]
			if !ok {
				continue
			}
			set = append(set, x)
			switch now := f.scenes[best]; {
			case best == "":
				best = name
			case strings.HasSuffix(key, ".duck"):
				if x > now[key] {
					best = name
				}
			case f.scenes[name]["priority"] > now["priority"]: // of an effect
				best = name
			}
		}
		if len(set) == 0 {
			out[key] = file
			continue
		}
		switch _, field, _ := strings.Cut(key, "."); field {
		case "gain", "send":
			if least := slices.Min(set); least <= -80 {
				out[key] = least
				continue
			}
			if file <= -80 { // a difference from silence has no meaning
				file = 0
			}
			sum := file
			for _, x := range set {
				sum += x - file
			}
			out[key] = min(max(sum, -120), 24)
		case "mute", "highpass":
			out[key] = slices.Max(set)
		case "lowpass":
			slices.SortFunc(set, func(a, b float64) int { return cmp.Compare(cmp.Or(a, 1e9), cmp.Or(b, 1e9)) })
			out[key] = set[0]
		case "duck", "time", "feedback":
			out[key] = f.scenes[best][key]
		default: // voices
			out[key] = slices.Min(set)
		}
	}
	for key, x := range out { // all ducks that are off are alike
		if strings.HasSuffix(key, ".duck") && x == 0 {
			delete(out, key)
		}
	}
	return out
}

// observe applies the journal of m to seen, the values of its buses.
func observe(m *mixer.Mixer, seen map[string]float64) {
	entries := make([]mixer.Entry, 500)
	for _, e := range entries[:m.Engine().Journal(entries)] {
		put := func(fields mixer.Fields, key string, x float64) {
			if e.Change.Fields&fields != 0 {
				seen[e.Bus+"."+key] = x
			}
		}
		switch e.Kind {
		case mixer.EntrySet:
			put(mixer.FieldGain, "gain", float64(e.Change.Gain))
			put(mixer.FieldLowPass, "lowpass", e.Change.LowPass)
			put(mixer.FieldHighPass, "highpass", e.Change.HighPass)
			put(mixer.FieldMute, "mute", map[bool]float64{true: 1}[e.Change.Mute])
		case mixer.EntrySend:
			seen[e.Bus+".send"] = float64(e.Send.Gain)
		case mixer.EntryEffect:
			for name, x := range e.Values {
				seen[e.Bus+"."+name] = x
			}
		case mixer.EntryDuck:
			if delete(seen, e.Bus+".duck"); e.Duck.By != 0 {
				seen[e.Bus+".duck"] = 1000*float64(e.Duck.By) + float64(e.Duck.Release/time.Millisecond)
			}
		}
	}
	seen["voices"] = float64(m.Stats().Voices)
}

// enteredScene is a scene that was entered.
type enteredScene struct {
	name  string
	scene bank.ActiveScene
}

// TestSceneStack enters, leaves and replaces scenes of random files in random order, and reloads other files. After
// each step the mixer must have the values that the active scenes have by definition, however they were entered.
func TestSceneStack(t *testing.T) {
	defer longtest.Checks(20)()
	rapid.Check(t, func(t *rapid.T) {
		file := drawFile(t)
		fsys := files(file.text())
		b, err := bank.Open(fsys, "sounds.yaml", library.NewLibrary(library.Options{Rate: rate}))
		if err != nil {
			t.Fatalf("%v\n%s", err, file.text())
		}
		c := b.Config()
		c.Journal, c.MaxVoices = 1000, 6
		m, err := mixer.New(c)
		if err != nil {
			t.Fatal(err)
		}
		defer m.Close()
		if err := b.Use(m); err != nil {
			t.Fatal(err)
		}
		player, _ := m.Bus("a")
		if err := player.SetVolume(-13); err != nil {
			t.Fatal(err)
		}
		seen, block := file.state(nil), make([]pcm.Frame, 100)
		var set []string // by Scene: at most one
		var entered, left []enteredScene
		for range rapid.IntRange(1, 20).Draw(t, "steps") {
			over := time.Duration(rapid.SampledFrom([]int{0, 0, 40}).Draw(t, "over")) * time.Millisecond
			name := fmt.Sprint("s", rapid.IntRange(0, 4).Draw(t, "scene"))
			switch step := rapid.IntRange(0, 9).Draw(t, "step"); {
			case step < 5:
				s, err := b.EnterScene(name, over)
				if known := file.scenes[name] != nil; known != (err == nil) || !known && !errors.Is(err, bank.ErrName) {
					t.Fatalf("entering %s: %v", name, err)
				} else if known {
					entered = append(entered, enteredScene{name, s})
				}
			case step < 8 && len(entered) > 0:
				i := rapid.IntRange(0, len(entered)-1).Draw(t, "leaves")
				if err := entered[i].scene.Leave(over); err != nil {
					t.Fatal(err)
				}
				left = append(left, entered[i])
				entered = slices.Delete(entered, i, i+1)
			case step == 8 && file.scenes[name] != nil:
				if err := b.Scene(name, over); err != nil {
					t.Fatal(err)
				}
				left = append(left, entered...)
				set, entered = []string{name}, nil
			case step == 8:
				if err := b.Scene("", over); err != nil {
					t.Fatal(err)
				}
				left = append(left, entered...)
				set, entered = nil, nil
			case step == 9:
				file = drawFile(t)
				fsys["sounds.yaml"] = &fstest.MapFile{Data: []byte(file.text())}
				if err := b.Reload(); err != nil {
					t.Fatalf("%v\n%s", err, file.text())
				}
			}
			if len(left) > 0 {
				if err := rapid.SampledFrom(left).Draw(t, "again").scene.Leave(0); !errors.Is(err, bank.ErrLeft) || strings.Contains(err.Error(), "\n") {
					t.Fatalf("leaving again: %v", err)
				}
			}
			for range 5 {
				m.Render(block)
			}
			observe(m, seen)
			active := slices.Clone(set)
			for _, e := range entered {
				active = append(active, e.name)
			}
			if want := file.state(active); !maps.Equal(seen, want) {
				t.Fatalf("with %v active: %v\nwant %v\n%s", active, seen, want, file.text())
			}
			if volume := player.Volume(); volume != -13 {
				t.Fatalf("the player's volume is %v", volume)
			}
		}
	})
}

// TestSceneAfterBusy checks that a mixer has the values of the scenes after scenes that it accepted only in part, for
// each number of commands that it accepts.
func TestSceneAfterBusy(t *testing.T) {
	file := modelFile{map[string]float64{}, map[string]map[string]float64{"s0": {}}}
	for key, choices := range modelValues {
		file.values[key], file.scenes["s0"][key] = choices[0], choices[1]
	}
	for commands := 1; commands <= 8; commands++ {
		b, err := open(t, file.text())
		if err != nil {
			t.Fatal(err)
		}
		c := b.Config()
		c.Journal, c.MaxVoices, c.Commands = 1000, 6, commands
		m, err := mixer.New(c)
		if err != nil {
			t.Fatal(err)
		}
		defer m.Close()
		if err := b.Use(m); err != nil {
			t.Fatal(err)
		}
		seen, busy := file.state(nil), false
		move := func(step func() error) error { // until the mixer has executed all commands of step
			err := step()
			busy = busy || errors.Is(err, mixer.ErrBusy)
			render(m, 1000)
			observe(m, seen)
			return err
		}
		enter := func() error { _, err := b.EnterScene("s0", 0); return err }
		leave := func() error { return b.Scene("", 0) }
		for i, step := range []func() error{leave, enter, leave, enter} {
			_ = move([]func() error{enter, leave}[i%2])
			tries := 0
			for err = move(step); errors.Is(err, mixer.ErrBusy) && tries < 30; tries++ {
				err = move(step)
			}
			if want := file.state([][]string{nil, {"s0"}}[i%2]); err != nil || !maps.Equal(seen, want) {
				t.Errorf("room for %d commands, step %d: %v, %v, want %v", commands, i, err, seen, want)
			}
		}
		if busy != (commands < 7) {
			t.Errorf("room for %d commands: busy is %v", commands, busy)
		}
	}
}

// TestPlayersVolume checks that neither scenes nor a reload move a slider of the player, that both act behind it, and
// that a slider at 0 stays silent.
func TestPlayersVolume(t *testing.T) {
	for _, volume := range []pcm.Decibels{pcm.FromFader(0), -20} {
		fsys := files(fights)
		b, err := bank.Open(fsys, "sounds.yaml", library.NewLibrary(library.Options{Rate: rate}))
		if err != nil {
			t.Fatal(err)
		}
		m, err := b.NewMixer()
		if err != nil {
			t.Fatal(err)
		}
		defer m.Close()
		music, _ := m.Bus("music")
		start(t, b, "song", bank.Options{})
		if err := music.SetVolume(volume); err != nil {
			t.Fatal(err)
		}
		check := func(after string, gain float64) {
			t.Helper()
			want := 0.5 * math.Pow(10, (gain+float64(volume))/20)
			if volume <= pcm.Silence {
				want = 0
			}
			if last, _ := heard(m, 500*time.Millisecond); math.Abs(float64(last[1])-want) > 1e-6 || max(music.Volume(), -120) != max(volume, -120) {
				t.Errorf("after %s: %v, want %v behind %v dB", after, last[1], want, volume)
			}
		}
		check("the start", -12)
		if err := b.Scene("menu", 100*time.Millisecond); err != nil {
			t.Fatal(err)
		}
		check("the menu", 0)
		fsys["sounds.yaml"].Data = []byte(strings.Replace(fights, "music: {gain: 0}", "music: {gain: -3}", 1))
		if err := b.Reload(); err != nil {
			t.Fatal(err)
		}
		check("a reload", -3)
		if err := b.Scene("", 0); err != nil {
			t.Fatal(err)
		}
		check("the end of the menu", -12)
	}
}

// TestEnterSceneErrors checks the messages, and that the mixer keeps its state.
func TestEnterSceneErrors(t *testing.T) {
	b, err := open(t, fights)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := b.EnterScene("menu", 0); !errors.Is(err, bank.ErrMixer) {
		t.Errorf("without a mixer: %v", err)
	}
	m, err := b.NewMixer()
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	music, _ := m.Bus("music")
	for name, want := range map[string]string{
		"meun": `bank: unknown name: there is no scene "meun"; the nearest is "menu"`,
		"":     `bank: unknown name: there is no scene ""; the nearest is "menu"`,
	} {
		if s, err := b.EnterScene(name, 0); err == nil || err.Error() != want || s != (bank.ActiveScene{}) {
			t.Errorf("%v, want %s", err, want)
		}
	}
	s, err := b.EnterScene("menu", 0)
	if err != nil || music.Gain() != 0 {
		t.Errorf("in the menu the music is at %v dB: %v", music.Gain(), err)
	}
	const want = `bank: scene left: "menu" is not active: it was left, or Scene, Use or NewMixer has replaced it; enter it again`
	for _, leaves := range []func(){
		func() { err = s.Leave(0) },
		func() { err = b.Scene("menu", 0) },
		func() { err = b.Use(m) },
	} {
		if s, err = b.EnterScene("menu", 0); err != nil {
			t.Fatal(err)
		}
		if leaves(); err != nil {
			t.Fatal(err)
		}
		gain := music.Gain()
		if err := s.Leave(0); !errors.Is(err, bank.ErrLeft) || err.Error() != want || music.Gain() != gain {
			t.Errorf("%v, want %s; the music is at %v dB", err, want, music.Gain())
		}
	}
	if err := (bank.ActiveScene{}).Leave(0); !errors.Is(err, bank.ErrLeft) {
		t.Errorf("the zero ActiveScene: %v", err)
	}
	small, _ := mixer.New(mixer.Config{Rate: rate, Buses: b.Config().Buses, Voices: 4})
	if err := b.Use(small); err != nil {
		t.Fatal(err)
	}
	if s, err = b.EnterScene("fight", 0); !errors.Is(err, mixer.ErrOption) {
		t.Errorf("a mixer that cannot grow says %v", err)
	}
	if err := s.Leave(0); err != nil {
		t.Errorf("a scene without its voices: %v", err)
	}
}

// BenchmarkEnterScene enters and leaves a scene that sets the gain and the low-pass of 64 buses, while another one is
// active. It reports the medians: a busy machine delays some calls.
func BenchmarkEnterScene(b *testing.B) {
	var text, scene strings.Builder
	for i := range 64 {
		fmt.Fprintf(&text, "  bus%02d: {gain: -%d}\n", i, i%9)
		fmt.Fprintf(&scene, "bus%02d: {gain: -%d, lowpass: %d}, ", i, 12+i%5, 500+i)
	}
	file := "buses:\n" + text.String() + "sounds: {hit: {file: sfx/d.wav}}\nscenes:\n  menu: {buses: {" + scene.String() + "}}\n  cave: {buses: {" + scene.String() + "}}\n"
	bk, m := ready(b, file)
	if _, err := bk.EnterScene("cave", 0); err != nil {
		b.Fatal(err)
	}
	block, spent := make([]pcm.Frame, 160), [2][]time.Duration{}
	for b.Loop() {
		m.Render(block)
		began := time.Now()
		s, err := bk.EnterScene("menu", 300*time.Millisecond)
		spent[0] = append(spent[0], time.Since(began))
		if err != nil {
			b.Fatal(err)
		}
		m.Render(block)
		began = time.Now()
		err = s.Leave(300 * time.Millisecond)
		spent[1] = append(spent[1], time.Since(began))
		if err != nil {
			b.Fatal(err)
		}
	}
	for i, unit := range []string{"ns/enter", "ns/leave"} {
		slices.Sort(spent[i])
		b.ReportMetric(float64(spent[i][len(spent[i])/2]), unit)
	}
}

// Scenes that are active together are combined.
func ExampleBank_EnterScene() {
	file := fstest.MapFS{"sounds.yaml": {Data: []byte(`
buses: {music: {gain: -6}, sfx: {}}
scenes:
  menu:       {buses: {music: {gain: -3}, sfx: {mute: true}}}
  underwater: {buses: {music: {gain: -12, lowpass: 800}, sfx: {lowpass: 400}}}
`)}}
	b, _ := bank.Open(file, "sounds.yaml", library.NewLibrary(library.Options{}))
	m, _ := b.NewMixer()
	defer m.Close()
	music, _ := m.Bus("music")
	music.SetVolume(pcm.FromFader(0.5)) // the player's slider: no scene changes it
	underwater, _ := b.EnterScene("underwater", 300*time.Millisecond)
	menu, _ := b.EnterScene("menu", 300*time.Millisecond)
	fmt.Println(music.Gain()) // 3 dB up for the menu, 6 dB down under water
	underwater.Leave(300 * time.Millisecond)
	fmt.Println(music.Gain())
	menu.Leave(300 * time.Millisecond)
	fmt.Println(music.Gain())
	fmt.Println(menu.Leave(0))
	// Output:
	// -9
	// -3
	// -6
	// bank: scene left: "menu" is not active: it was left, or Scene, Use or NewMixer has replaced it; enter it again
}
