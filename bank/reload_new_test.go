package bank_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"voicepool/bank"
	"voicepool/mixer"
)

// TestReloadWhatTheMixerLacks checks that a bus and a pool size that need a new mixer are reported, and that
// scenes and other reloads still work.
func TestReloadWhatTheMixerLacks(t *testing.T) {
	const old = "voices: 4\nbuses: {sfx: {}}\nsounds: {s: {file: sfx/d.wav, bus: sfx}}\nscenes: {menu: {voices: 2}}\n"
	for name, now := range map[string]string{
		"a bus":  strings.Replace(old, "sfx: {}", "sfx: {gain: -20}, ui: {}", 1),
		"voices": strings.Replace(strings.Replace(old, "sfx: {}", "sfx: {gain: -20}", 1), "voices: 4", "voices: 40", 1),
	} {
		b, m, fsys := reloading(t, old)
		rewrite(fsys, "sounds.yaml", []byte(now))
		if err := b.Reload(); !errors.Is(err, bank.ErrMixer) {
			t.Errorf("%s: the reload says %v", name, err)
		}
		render(m, 400)
		sfx, err := m.Bus("sfx")
		if err != nil || sfx.Gain() != -20 {
			t.Errorf("%s: the gain of the bus is %v, %v", name, sfx.Gain(), err)
		}
		if err := b.Scene("menu", time.Millisecond); err != nil {
			t.Errorf("%s: the scene says %v", name, err)
		}
		render(m, 400)
		if n := m.Stats().Voices; n != 2 {
			t.Errorf("%s: the scene has %d voices, want 2", name, n)
		}
	}
}

// TestReloadOfNothing checks that a partly written file does not become a bank without sounds.
func TestReloadOfNothing(t *testing.T) {
	b, _, fsys := reloading(t, "sounds: {s: {file: sfx/d.wav}}")
	for _, text := range []string{"", "# soon\n", "buses: {sfx: {}}\n"} {
		rewrite(fsys, "sounds.yaml", []byte(text))
		if err := b.Reload(); err == nil || !strings.Contains(err.Error(), "no `sounds` any more") {
			t.Errorf("%q: the reload says %v", text, err)
		}
		if _, err := b.Play("s", bank.Options{}); err != nil {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// TestWatchWaitsForASound checks that a sound whose file does not exist yet is loaded when the file appears.
func TestWatchWaitsForASound(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, _, fsys := reloaded(t)
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		var told []error
		go b.Watch(ctx, func(err error) { told = append(told, err) })
		time.Sleep(2 * time.Second)
		rewrite(fsys, "sounds.yaml", []byte(before+"  late: {file: sfx/late.wav}\n"))
		time.Sleep(2 * time.Second)
		rewrite(fsys, "sfx/late.wav", tone(700, 0.25).Data)
		time.Sleep(2 * time.Second)
		synctest.Wait()
		if len(told) != 2 || told[0] == nil || told[1] != nil {
			t.Fatalf("told %v", told)
		}
		if _, err := b.Play("late", bank.Options{}); err != nil {
			t.Error(err)
		}
	})
}

// TestReloadOfManyThings checks that one reload applies all possible changes, and reports each impossible
// change with a line and its place.
func TestReloadOfManyThings(t *testing.T) {
	const old = `voices: 4
master: {limiter: false}
buses:
  sfx: {}
  music: {}
sounds:
  s: {file: sfx/d.wav, bus: sfx, pan: -1}
  gone: {file: sfx/a.wav, bus: sfx}
`
	const now = `voices: 40
virtual: 3
master: {limiter: false, dc_guard: true}
buses:
  sfx: {gain: -20}
  steps: {parent: sfx, gain: -6}
  ui: {}
  music: {gain: -9, parent: sfx, voices: 2, duck: {when: ui, by: 6}}
sounds:
  s: {file: sfx/d.wav, bus: steps, pan: -1, gain: -20}
  click: {file: sfx/d.wav, bus: ui, pan: -1}
  plain: {file: sfx/d.wav, bus: sfx, pan: -1}
`
	const want = `sounds.yaml:1:1: voices: it takes a new mixer to have 40; call NewMixer. Until then there are 4
sounds.yaml:2:1: virtual: only a new mixer takes this; call NewMixer. Until then it stays as it was
sounds.yaml:3:26: dc_guard: only a new mixer takes this; call NewMixer. Until then it stays as it was
sounds.yaml:6:3: steps: only a new mixer has this bus; call NewMixer. Until then its sounds are on the bus "sfx"
sounds.yaml:7:3: ui: only a new mixer has this bus; call NewMixer. Until then its sounds are on the master
sounds.yaml:8:21: parent: only a new mixer takes this; call NewMixer. Until then it stays as it was
sounds.yaml:8:34: voices: only a new mixer takes this; call NewMixer. Until then it stays as it was
sounds.yaml:8:52: when: only a new mixer has the bus "ui"; call NewMixer. Until then the duck stays as it was`
	b, m, fsys := reloading(t, old)
	rewrite(fsys, "sounds.yaml", []byte(now))
	for range 2 { // pending changes are reported each time
		if err := b.Reload(); !errors.Is(err, bank.ErrMixer) || err.Error() != want {
			t.Fatalf("the reload says\n%v\nwant\n%s", err, want)
		}
	}
	render(m, 800)
	for _, c := range []struct {
		name string
		want float64
	}{
		{name: "s", want: 0.5 * db(-40)}, {name: "click", want: 0.5}, {name: "plain", want: 0.5 * db(-20)},
	} {
		h := start(t, b, c.name, bank.Options{})
		near(t, c.name, render(m, 400)[399], c.want, 0)
		h.Stop(0)
		render(m, 400)
	}
	if bus, _ := m.Bus("music"); bus.Gain() != -9 {
		t.Errorf("the music is at %v", bus.Gain())
	}
	if _, err := b.Play("gone", bank.Options{}); !errors.Is(err, bank.ErrName) {
		t.Errorf("what is gone says %v", err)
	}
	next, err := b.NewMixer()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(next.Close)
	if err := b.Reload(); err != nil {
		t.Errorf("with a new mixer the reload says %v", err)
	}
	start(t, b, "s", bank.Options{})
	near(t, "s of the new mixer", render(next, 400)[399], 0.5*db(-46), 0)
}

// TestABusThatComesBack checks that a bus that was removed from the file for a while still works.
func TestABusThatComesBack(t *testing.T) {
	const with = "buses: {sfx: {gain: -3}}\nsounds: {s: {file: sfx/d.wav, bus: sfx}}\n"
	b, m, fsys := reloading(t, with)
	for _, text := range []string{"sounds: {s: {file: sfx/d.wav}}\n", strings.Replace(with, "-3", "-20", 1)} {
		rewrite(fsys, "sounds.yaml", []byte(text))
		if err := b.Reload(); err != nil {
			t.Errorf("%s: %v", text, err)
		}
		render(m, 800)
	}
	if bus, _ := m.Bus("sfx"); bus.Gain() != -20 {
		t.Errorf("the bus is at %v", bus.Gain())
	}
}

// TestReloadOfEffects adds, removes, swaps and replaces effects of a bus, an output and the master. An active scene
// changes a value of an effect. Each bus must then have the effects of a new mixer in that scene.
func TestReloadOfEffects(t *testing.T) {
	check := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	const scene = "scenes: {menu: {buses: {sfx: {effects: {width: {width: 0.25}}}}}}\n"
	file := func(master, aux, sfx string) string {
		return "rate: 8000\nmaster: {effects: [" + master + "]}\noutputs: {main: {channels: 1-2}, aux: {channels: 3-4, effects: [" + aux + "]}}\n" +
			"buses: {sfx: {effects: [" + sfx + "]}, low: {}}\nsounds: {s: {file: sfx/b.wav, bus: sfx}}\n" + scene
	}
	texts := []string{
		file("eq", "drive", "reverb, width"),
		file("", "drive", "width, reverb"),
		file("eq, delay", "", "{width: {width: 1.5}}"),
		file("{delay: {time: 0.5}}", "{drive: {amount: 20}}, delay", "{compressor: {key: low}}, {delay: {id: far}}, width"),
		file("eq", "drive", "{reverb: {time: 3}}, {width: {width: 0.75}}"),
	}
	effects := func(m *mixer.Mixer) (all []string) {
		for _, name := range []string{"master", "aux", "sfx"} {
			bus, err := m.Bus(name)
			check(err)
			all = append(all, name)
			for _, e := range bus.Effects() {
				all = append(all, fmt.Sprintf("%+v", e), e.Key)
				for i := range e.Kind().Len() {
					all = append(all, fmt.Sprint(e.Value(i)))
				}
			}
		}
		return all
	}
	for i, from := range texts {
		for j, to := range texts {
			b, m, f := reloading(t, from)
			check(b.Scene("menu", 0))
			render(m, 400)
			rewrite(f, "sounds.yaml", []byte(to))
			check(b.Reload())
			render(m, 4000)
			fresh, other, _ := reloading(t, to)
			for _, name := range []string{"menu", ""} {
				check(b.Scene(name, 0))
				check(fresh.Scene(name, 0))
				render(m, 800)
				render(other, 800)
				if got, want := effects(m), effects(other); !slices.Equal(got, want) {
					t.Errorf("from %d to %d in scene %q: %q, want %q", i, j, name, got, want)
				}
			}
		}
	}
	b, m, f := reloading(t, texts[0])
	rewrite(f, "sounds.yaml", []byte(strings.Replace(file("eq", "drive", "{compressor: {key: new}}, width"), "low: {}", "new: {}", 1)))
	const want = "sounds.yaml:4:15: effects: only a new mixer takes these effects; call NewMixer. Until then they stay as they were: "
	if err := b.Reload(); !errors.Is(err, bank.ErrMixer) || !strings.Contains(err.Error(), want) {
		t.Errorf("%v, want %s", err, want)
	}
	bus, err := m.Bus("sfx")
	check(err)
	if all := bus.Effects(); len(all) != 2 || all[0].Name() != "reverb" {
		t.Errorf("after an error the bus has %v", all)
	}
}

// TestScenesAfterRefusedEffects checks that a reload reports effects that the mixer refuses once, and that scenes work
// afterwards without that error. The next reload tries again.
func TestScenesAfterRefusedEffects(t *testing.T) {
	const old = "rate: 8000\nbuses: {a: {}, music: {effects: [{compressor: {key: a}}]}}\nsounds: {s: {file: sfx/b.wav, bus: a}}\nscenes: {cave: {buses: {a: {gain: -9}}}}\n"
	b, m, f := reloading(t, old)
	rewrite(f, "sounds.yaml", []byte(strings.Replace(old, "{a: {}, music: {effects: [{compressor: {key: a}}]}}", "{a: {effects: [{compressor: {key: music}}]}, music: {}}", 1)))
	if err := b.Reload(); !errors.Is(err, bank.ErrMixer) {
		t.Errorf("during the crossfade of the old key the reload says %v", err)
	}
	for range 3 {
		render(m, 400)
		s, err := b.EnterScene("cave", 0)
		if err != nil {
			t.Fatalf("after refused effects a scene says %v", err)
		}
		render(m, 400)
		if err := s.Leave(0); err != nil {
			t.Fatalf("after refused effects a scene says %v", err)
		}
	}
	if err := b.Reload(); err != nil {
		t.Errorf("the next reload says %v", err)
	}
	bus, err := m.Bus("a")
	if err != nil || len(bus.Effects()) != 1 {
		t.Errorf("the bus has %v, %v", bus.Effects(), err)
	}
}

// TestReloadWhenBusy checks that a reload that the mixer has no room for is completed by the next one.
func TestReloadWhenBusy(t *testing.T) {
	text := func(effect string) []byte {
		var b strings.Builder
		b.WriteString("rate: 8000\nsounds: {s: {file: sfx/b.wav}}\nbuses:\n")
		for i := range 40 {
			fmt.Fprintf(&b, "  b%d: {effects: [%s]}\n", i, effect)
		}
		return []byte(b.String())
	}
	b, _, f := reloading(t, string(text("width")))
	c := b.Config()
	c.Commands = 16
	m, err := mixer.New(c)
	if err != nil {
		t.Fatal(err)
	}
	if err := b.Use(m); err != nil {
		t.Fatal(err)
	}
	rewrite(f, "sounds.yaml", text("delay"))
	reloads := 0
	for ; reloads < 10; reloads++ {
		err := b.Reload()
		if err == nil {
			break
		}
		if !errors.Is(err, mixer.ErrBusy) {
			t.Fatal(err)
		}
		render(m, 400)
	}
	if reloads == 0 || reloads == 10 {
		t.Errorf("%d reloads found the mixer busy", reloads)
	}
	for i := range 40 {
		bus, err := m.Bus(fmt.Sprintf("b%d", i))
		if err != nil || fmt.Sprint(bus.Effects()) != "[delay]" {
			t.Errorf("bus %d has %v, %v", i, bus.Effects(), err)
		}
	}
}
