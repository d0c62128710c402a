package bank_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"voicepool/bank"
	"voicepool/internal/longtest"
	"voicepool/mixer"
	"voicepool/sounds/library"
)

// TestManySounds opens a bank with many sounds, each with its own file, and plays three of them.
func TestManySounds(t *testing.T) {
	many := 1000
	if longtest.Enabled() {
		many = 100_000
	}
	fsys := fstest.MapFS{}
	text := strings.Builder{}
	text.WriteString("voices: 8\nmaster: {limiter: false}\nsounds:\n")
	for i := range many {
		name := fmt.Sprintf("s%06d", i)
		fsys["all/"+name+".wav"] = tone(8, float32(i+1)/float32(2*many))
		fmt.Fprintf(&text, "  %s: {file: all/%s.wav, pan: -1, loop: true}\n", name, name)
	}
	fsys["sounds.yaml"] = &fstest.MapFile{Data: []byte(text.String())}
	lib := library.NewLibrary(library.Options{Rate: rate})
	b, err := bank.Open(fsys, "sounds.yaml", lib)
	if err != nil {
		t.Fatal(err)
	}
	if n := len(lib.Infos()); n != many {
		t.Fatalf("the library has %d sounds, want %d", n, many)
	}
	m, err := b.NewMixer()
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	for _, i := range []int{0, many / 2, many - 1} {
		h := start(t, b, fmt.Sprintf("s%06d", i), bank.Options{})
		got := render(m, 100)[99][0]
		if want := float32(i+1) / float32(2*many); h.State() != mixer.StatePlaying || got != want {
			t.Errorf("sound %d is %v, at a level of %v, want %v", i, h.State(), got, want)
		}
		if err := h.Stop(0); err != nil {
			t.Fatal(err)
		}
		render(m, 200)
	}
}
