package bank_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"voicepool/bank"
)

// TestReloadWhatTheMixerLacks: a bus and voices that only a new mixer can have are told, and
// scenes and other reloads go on.
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

// TestReloadOfNothing: a file that a program has begun to write is no bank without sounds.
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

// TestWatchWaitsForASound: a sound that is named before its file is there is read when it comes.
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
