package scenetest

import (
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"slices"
	"testing"

	"voicepool/bank/rules"
	"voicepool/cue"
	"voicepool/cue/play"
	"voicepool/internal/longtest"
	"voicepool/pcm"
	"voicepool/sounds/library"
)

// TestBeginnings renders from 80 random positions of the scene and compares with the whole rendering, to the
// bit: the next 200 ms, and from two of them everything to the end. Those two stream a sound, which is
// decoded from its start; the others load it. The short variant renders from six positions, five of them in the first
// 25 s of the scene and one in the last 40 s.
func TestBeginnings(t *testing.T) {
	places, whole, until := 80, 2, -1
	if !longtest.Enabled() || raceEnabled {
		places, whole, until = 6, 1, 25
	}
	sheet, err := cue.Load("testdata/scene.yaml")
	if err != nil {
		t.Fatal(err)
	}
	lib := libraryFor(sheet)
	loaded := *sheet
	loaded.Sounds = slices.Clone(sheet.Sounds)
	for i := range loaded.Sounds {
		loaded.Sounds[i].Stream = false
	}
	window := sheet.Rate / 5
	streamed, wantLoaded := renderDrawn(t, "scene", sheet).frames, rest(t, &loaded, lib, 0, max(-1, until*(sheet.Rate+window)))
	random := rand.New(rand.NewPCG(200, 1))
	for i := range places {
		of, want, most, last := &loaded, wantLoaded, window, min(len(streamed), len(wantLoaded))
		switch {
		case i < whole:
			of, want, most, last = sheet, streamed, -1, len(streamed)
		case until > 0:
			last = until * sheet.Rate
		}
		from := random.IntN(last)
		if most < 0 && until > 0 {
			from = last - 1 - random.IntN(40*sheet.Rate)
		}
		got := rest(t, of, lib, from, most)
		if most < 0 && len(got) != len(want)-from || !slices.Equal(got, want[from:from+len(got)]) {
			t.Fatalf("from %d on: not the last %d frames", from, len(want)-from)
		}
	}
}

// rest renders a sheet from a frame, at most some frames, or to its end if most is -1.
func rest(t *testing.T, sheet *cue.Sheet, lib *library.Library, from, most int) (all []pcm.Frame) {
	p, err := play.NewPlayer(context.Background(), sheet, lib, play.Options{From: rules.FrameTime(int64(from), sheet.Rate)})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	block := make([]pcm.Frame, 4096)
	for most < 0 || len(all) < most {
		n, err := p.Read(block)
		all = append(all, block[:n]...)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return all
}
