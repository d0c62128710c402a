package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"voicepool/cmd/internal/cli/console"
	"voicepool/cmd/internal/cli/flagtype"
	"voicepool/cmd/internal/show/liveplay"
	"voicepool/cmd/internal/show/operator"
	"voicepool/cue/play"
	"voicepool/device/wav"
)

// recordedShow has chains, waits, random choices, effects, fades and a pool that steals.
const recordedShow = `
voices: 4
seed: 11
buses: {music: {}}
sounds:
  beat: {files: [coin, zap, blip], gain: [-9, -3], pitch: [-2, 2]}
list:
  - {cue: 1, do: [{play: beat, bus: music, every: 70ms, times: 40, id: beats}]}
  - {cue: 2, play: coin, then: continue, wait: 250ms}
  - {cue: 2.5, do: [{fade: music, to: -12, over: 300ms}, {at: 90ms, play: beat, every: [20ms, 60ms], times: 9, chance: 0.6}]}
  - {cue: 3, do: [{stop: beats, over: 200ms}, {play: zap}]}
  - {cue: 4, play: beat}
`

// TestRecordGoes plays shows in simulated time with commands at random moments. Rendering with the
// file of --record-goes must give the same bits that the device got.
func TestRecordGoes(t *testing.T) {
	for i, commands := range []string{
		"go; go; go; go",
		"go; go 2.5; go 1; go 4; go 3",
		"go; go; panic; go 1; go; go",
		"go; pause; resume; go; pause; resume; go; go",
		"go 4; go 4; go 2; go 2; standby 3; go; go 1; panic; go 3",
		"go; next; go; back; back; go; go",
	} {
		t.Run(commands, func(t *testing.T) {
			folder := t.TempDir()
			path := func(name string) string { return filepath.Join(folder, name) }
			if err := os.WriteFile(path("show.yaml"), []byte(recordedShow), 0o666); err != nil {
				t.Fatal(err)
			}
			t.Setenv("XDG_RUNTIME_DIR", path("show.yaml")) // an invalid folder: with a socket, the simulated time would not pass
			latency := 0
			synctest.Test(t, func(t *testing.T) { latency = playShow(t, path, strings.Split(commands, "; "), i) })
			r := &renderCommand{Sheet: path("show.yaml"), Output: path("again.wav"), Format: flagtype.Format{Format: wav.F32}, goesFlag: goesFlag{Goes: path("goes.txt")}, sheetFlags: sheetFlags{Block: 500, Quiet: true}}
			if err := r.Run(&console.Console{Out: &console.Sticky{W: io.Discard}, Err: io.Discard}); err != nil {
				t.Fatal(err)
			}
			file, err := os.ReadFile(path("again.wav"))
			if err != nil {
				t.Fatal(err)
			}
			_, _, _, again := samplesOf(t, file)
			heard, err := os.ReadFile(path("heard"))
			if err != nil {
				t.Fatal(err)
			}
			heard = heard[min(len(heard), 8*latency):] // render omits the look-ahead
			goes, _ := os.ReadFile(path("goes.txt"))
			if len(again) < 8*48000/2 || len(heard) < len(again) {
				t.Fatalf("heard %d bytes, and %d again; the goes: %s", len(heard), len(again), goes)
			}
			if !bytes.Equal(heard[:len(again)], again) {
				t.Errorf("the render has other samples; the goes: %s", goes)
			}
			if rest := bytes.Trim(heard[len(again):], "\x00\x80"); len(rest) > 0 {
				t.Errorf("after the end of the render the show has sound; the goes: %s", goes)
			}
		})
	}
}

// playShow plays the show of path like the command go, types commands, and returns the look-ahead
// of the limiter in frames.
func playShow(t *testing.T, path func(string) string, commands []string, seed int) (latency int) {
	in, hand := io.Pipe()
	var out, messages strings.Builder
	c := &console.Console{In: in, Out: &console.Sticky{W: &out}, Err: &messages}
	ctx, cancel := context.WithCancelCause(t.Context())
	interrupted := &console.Interrupts{Context: ctx, Close: func() { cancel(nil) }}
	defer interrupted.Close()
	go func() {
		defer hand.Close()
		for i, command := range commands {
			time.Sleep(310*time.Millisecond + time.Duration((seed+3)*(i+5)*7919%400_000)*time.Microsecond)
			fmt.Fprintln(hand, command)
		}
		time.Sleep(20 * time.Second)
		fmt.Fprintln(hand, "quit")
	}()
	sheet, err := loadSheet(interrupted, path("show.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	control := controlFlags{Control: "-"}
	b, err := control.open(c, sheet, operator.Options{Sheet: path("show.yaml"), Device: "raw", Goes: path("goes.txt")})
	if err != nil {
		t.Fatal(err)
	}
	flags := &liveFlags{sheetFlags: sheetFlags{Block: 512}, Device: liveplay.Device{Kind: "raw", Name: path("heard")}}
	o := liveplay.Options{Title: "go", Player: play.Options{Live: true}, OnPicture: b.ShowPicture, OnSent: b.Report, Silent: true}
	o.StartControls = func(p *play.Player) (func(), error) {
		latency = int(math.Round(p.Mixer().Latency().Limiter.Seconds() * float64(p.Mixer().Rate())))
		return b.StartControls(p)
	}
	if err := closeControls(c, b, flags.perform(c, interrupted, sheet, o)); err != nil {
		t.Fatalf("%v; %s", err, messages.String())
	}
	if strings.Contains(out.String(), `"ok":false`) || strings.Count(out.String(), `"ok":true`) != len(commands)+1 {
		t.Errorf("answers: %s", out.String())
	}
	return latency
}
