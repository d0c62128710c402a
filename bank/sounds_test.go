package bank_test

import (
	"slices"
	"testing"
)

// TestSounds checks that all variations are listed by name, in order, and layered sounds by their first
// layer.
func TestSounds(t *testing.T) {
	b, err := open(t, `sounds:
  step: {files: [sfx/b.wav, sfx/a.wav]}
  hit: {layers: [step, {sound: low, delay: 10ms}]}
  low: {file: sfx/c.wav, then: end}
  end: {file: sfx/d.wav}`)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for name, s := range b.Sounds() {
		got = append(got, name+" "+s.Name())
	}
	want := []string{"end d", "hit b", "hit a", "low c", "step b", "step a"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	for range b.Sounds() {
		break
	}
}
