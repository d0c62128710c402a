package bank_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"voicepool/bank"
	"voicepool/mixer"
)

const refusals = `
voices: 16
sounds:
  x: {files: [sfx/a.wav, sfx/b.wav, sfx/c.wav, sfx/d.wav], pick: PICK, gain: [-6, 0]}
  y: {files: [sfx/a.wav, sfx/b.wav], pick: PICK, pitch: [-2, 2]}
  layered: {layers: [x, y, x], gain: [-6, 0]}
  song: {files: [sfx/a.wav, sfx/b.wav], pick: PICK, then: y}
  twice: {layers: [song, song, y]}
`

// TestRefusedPlaysDrawNothing checks a play that the mixer accepts only in part and that therefore fails. It
// must not affect the random choices of layers, successors and other plays of the same sounds.
func TestRefusedPlaysDrawNothing(t *testing.T) {
	for _, pick := range []string{"random", "shuffle", "round"} {
		text := strings.ReplaceAll(refusals, "PICK", pick)
		for name, voices := range map[string]int{"layered": 3, "song": 2, "twice": 5} {
			want := namesOf(t, text, name, 0)
			for room := 1; room < voices; room++ {
				if got := namesOf(t, text, name, room); !slices.Equal(got, want) {
					t.Errorf("%s, %s, refused with room for %d of %d:\n%v, want\n%v", pick, name, room, voices, got, want)
				}
			}
		}
	}
}

// namesOf returns the files, gains and pitches of some plays of a sound. Before each play, others fail
// halfway because the mixer accepts only room commands; 0 means no failing plays.
func namesOf(t *testing.T, text, name string, room int) (out []string) {
	b, err := open(t, text)
	if err != nil {
		t.Fatal(err)
	}
	c := b.Config()
	const commands = 8
	c.Commands = commands
	m, err := mixer.New(c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { m.Close() })
	if err := b.Use(m); err != nil {
		t.Fatal(err)
	}
	for range 9 {
		for range 3 {
			if room == 0 {
				break
			}
			for range commands - room {
				if err := m.Engine().At(mixer.Now).Pause(mixer.TargetTag(99)); err != nil {
					t.Fatal(err)
				}
			}
			if _, err := b.Play(name, bank.Options{}); !errors.Is(err, mixer.ErrBusy) {
				t.Fatalf("with room for %d %s says %v", room, name, err)
			}
			render(m, 1000)
		}
		start(t, b, name, bank.Options{})
		render(m, 1)
		from := len(out)
		for h := range m.Voices() {
			out = append(out, fmt.Sprint(h.Sound().Name(), " ", h.Audibility()))
		}
		slices.Sort(out[from:])
		render(m, 4000)
	}
	return out
}
