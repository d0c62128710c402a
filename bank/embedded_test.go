package bank_test

import (
	"strings"
	"testing"

	"voicepool/bank"
	"voicepool/sounds/embedded"
	"voicepool/sounds/library"
)

// TestEmbeddedSounds checks that embedded sounds are available on request, and that the error otherwise
// contains the remedy.
func TestEmbeddedSounds(t *testing.T) {
	t.Parallel()
	const ask = "for embedded sounds call bank.Open(fsys, name, lib, embedded.Sources()...)"
	for _, c := range []struct {
		name, text string
		asked      bool
		want       string // part of the error; empty: no error
	}{
		{name: "asked, no file", text: "sounds: {coin: {}}", asked: true},
		{name: "asked, short", text: "sounds: {money: coin}", asked: true},
		{name: "asked, by file", text: "sounds: {money: {files: [coin, sfx/a.wav]}}", asked: true},
		{name: "asked, misspelt", text: "sounds: {coyn: {}}", asked: true, want: `did you mean "coin"?`},
		{name: "asked, misspelt, short", text: "sounds: {money: coyn}", asked: true, want: `sounds.yaml:1:17: coyn: file does not exist; the nearest embedded sound is "coin"`},
		{name: "asked, misspelt, in a list", text: "sounds: {money: {files: [sfx/a.wav, coins]}}", asked: true, want: `the nearest embedded sound is "coin"`},
		{name: "not asked, no file", text: "sounds: {coin: {}}", want: "sounds.yaml:1:10: the sound \"coin\" has no file; name one, such as {file: coin.wav}, or " + ask},
		{name: "not asked, short", text: "sounds: {money: coin}", want: "sounds.yaml:1:17: coin: file does not exist; " + ask},
		{name: "not asked, in a list", text: "sounds: {money: {files: [sfx/a.wav, coin]}}", want: ask},
		{name: "not asked, a file of its own", text: "sounds: {a: {file: sfx/a.wav}, b: {file: tone:440}}"},
	} {
		var named []library.Source
		if c.asked {
			named = embedded.Sources()
		}
		_, err := bank.Open(files(c.text), "sounds.yaml", library.NewLibrary(library.Options{Rate: rate}), named...)
		switch {
		case c.want == "" && err != nil:
			t.Errorf("%s: %v", c.name, err)
		case c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)):
			t.Errorf("%s: %v, want %s", c.name, err, c.want)
		}
	}
	for _, file := range []string{"nosuch.wav", "sfx/nosuch"} {
		_, err := bank.Open(files("sounds: {a: {file: "+file+"}}"), "sounds.yaml", library.NewLibrary(library.Options{Rate: rate}))
		if err == nil || strings.Contains(err.Error(), "embedded") {
			t.Errorf("a file that is not there: %v", err)
		}
	}
}
