package main

import (
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"

	"voicepool/cmd/internal/cli/console"
	"voicepool/cmd/internal/show/liveplay"
	"voicepool/cue"
	"voicepool/internal/leak"
)

func parse(t *testing.T, text string) *cue.Sheet {
	t.Helper()
	sheet, err := cue.Parse("test.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return sheet
}

// asTerminal returns a file that acts as a terminal of 80 x 24, and a function that returns the
// text drawn on it.
func asTerminal(t *testing.T) (*os.File, func() string) {
	t.Helper()
	file, err := os.Create(filepath.Join(t.TempDir(), "terminal"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { file.Close() })
	return file, func() string {
		drawn, err := os.ReadFile(file.Name())
		if err != nil {
			t.Fatal(err)
		}
		return string(drawn)
	}
}

// TestPerformOnATerminal plays with a live view, on the clock of a bubble: a busy machine may draw no picture.
func TestPerformOnATerminal(t *testing.T) {
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt) // starts the goroutine of package signal outside of the bubble
	defer signal.Stop(signals)
	synctest.Test(t, testPerformOnATerminal)
}

func testPerformOnATerminal(t *testing.T) {
	defer leak.Check(t)
	terminal, drawn := asTerminal(t)
	var out, messages strings.Builder
	c := &console.Console{Out: &console.Sticky{W: &out}, Err: &messages, OutTerminal: terminal}
	flags := &liveFlags{sheetFlags: sheetFlags{Block: 512}, Device: liveplay.Device{Kind: "null"}}
	interrupted := c.Listen()
	defer interrupted.Close()
	if err := flags.perform(c, interrupted, parse(t, "cues: [{at: 0s, play: blip, every: 50ms, times: 8}]"), liveplay.Options{Title: "test"}); err != nil {
		t.Fatal(err)
	}
	if text := drawn(); !strings.Contains(text, "blip") || !strings.HasSuffix(text, "\x1b[?1049l") {
		t.Errorf("drawn: %q", text)
	}
	if text := out.String(); !strings.Contains(text, "asked 8 = started 8 + rejected 0") || strings.Contains(text, "\x1b") {
		t.Errorf("printed: %q", text)
	}
	if messages.Len() > 0 {
		t.Errorf("said: %q", messages.String())
	}
}
