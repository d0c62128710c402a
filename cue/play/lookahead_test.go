package play_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"voicepool/cue"
	"voicepool/cue/internal/runsheet"
	"voicepool/cue/play"
	"voicepool/pcm"
)

// randomList returns a random sheet with a list that waits for ends, without times of GO.
func randomList(draw *rand.Rand) string {
	var b strings.Builder
	fmt.Fprintf(&b, "voices: %d\nseed: %d\nmaster: {limiter: %v}\nbuses: {sfx: {gain: -3, voices: 3}}\n", 2+draw.IntN(5), draw.IntN(9), draw.IntN(2) == 0)
	b.WriteString("sounds:\n  a: {files: [half.wav, quiet.wav, short.wav], pick: shuffle, gain: [-9, 3], pitch: [-2, 2], bus: sfx, cooldown: 8ms}\n" +
		"  b: {files: [quiet.wav, short.wav], pick: round}\n  c: {file: half.wav, gain: -6}\n")
	if draw.IntN(2) == 0 {
		fmt.Fprintf(&b, "cues:\n  - {at: %dms, play: a, id: t, every: %dms, times: %d}\n  - {at: 55ms, play: b, id: x}\n", draw.IntN(50), 20+draw.IntN(70), 1+draw.IntN(20))
	}
	sound := func() string { return string("abc"[draw.IntN(3)]) }
	n := 3 + draw.IntN(6)
	timeline := draw.IntN(3 * n)
	b.WriteString("list:\n")
	for i := range n {
		fmt.Fprintf(&b, "  - cue: %d\n", i+1)
		if draw.IntN(3) == 0 {
			fmt.Fprintf(&b, "    pre: %dms\n", draw.IntN(40))
		}
		if i == timeline && strings.Contains(b.String(), "\ncues:") {
			b.WriteString("    start: timeline\n")
		}
		b.WriteString("    do:\n")
		for range 1 + draw.IntN(3) {
			switch draw.IntN(8) {
			case 0:
				fmt.Fprintf(&b, "      - {at: %dms, stop: x, over: %dms}\n", draw.IntN(300), draw.IntN(30))
			case 1:
				fmt.Fprintf(&b, "      - {fade: sfx, to: -%d, over: %dms}\n", draw.IntN(20), draw.IntN(60))
			case 2:
				fmt.Fprintf(&b, "      - {at: end of x, play: %s, id: y, every: 13ms, times: %d}\n", sound(), 1+draw.IntN(3))
			case 3:
				fmt.Fprintf(&b, "      - {at: %dms, play: %s, id: x, every: %dms, times: %d}\n", draw.IntN(50), sound(), 1+draw.IntN(90), 1+draw.IntN(9))
			case 4:
				fmt.Fprintf(&b, "      - {at: end of y, fade: x, to: -%d, over: 30ms}\n      - {play: %s, id: y}\n", draw.IntN(9), sound())
			default:
				fmt.Fprintf(&b, "      - {at: %dms, play: %s, id: x, speed: %.2f, priority: %d}\n", draw.IntN(30), sound(), 0.5+draw.Float64(), draw.IntN(2))
			}
		}
		b.WriteString("      - {play: c, id: x}\n      - {play: b, id: y}\n")
		if i < n-1 {
			switch draw.IntN(3) {
			case 0:
				b.WriteString("    then: follow\n")
			case 1:
				fmt.Fprintf(&b, "    then: continue\n    wait: %dms\n", draw.IntN(80))
			}
		}
	}
	return b.String()
}

// playLive plays with Run and Render, in blocks, and returns the output of Render. It calls do before
// each block.
func playLive(t *testing.T, p *play.Player, block int, do func(frame int)) (out []pcm.Frame) {
	return playLiveAt(t, p, rate, block, do)
}

// playLiveAt is playLive at another sample rate.
func playLiveAt(t *testing.T, p *play.Player, rate, block int, do func(frame int)) (out []pcm.Frame) {
	synctest.Test(t, func(t *testing.T) {
		if err := p.Prime(); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
		defer cancel()
		fed := make(chan error, 1)
		go func() { fed <- p.Run(ctx) }()
		dst := make([]pcm.Frame, block)
		for {
			do(len(out))
			select {
			case err := <-fed:
				if err != nil {
					t.Errorf("Run gave %v", err)
				}
				return
			case <-time.After(pcm.Duration(int64(block), rate)):
			}
			p.Render(dst)
			out = append(out, dst...)
		}
	})
	return out
}

// TestRunFollowsLayers checks that a cue follows the end of all layers of a sound in real time, and that StopCue stops
// them.
func TestRunFollowsLayers(t *testing.T) {
	f := newFolder(t)
	const sheet = `
sounds: {both: {layers: [{sound: short}, {sound: half, delay: 30ms}]}, short: short.wav, half: half.wav}
list: [{cue: 1, play: both, then: follow}, {cue: 2, play: short}]
`
	rendered := f.player(sheet+"goes: [50ms]\n", play.Options{Events: true})
	readAll(t, rendered, 64)
	p := f.player(sheet+"goes: [50ms]\n", play.Options{Events: true})
	playLive(t, p, 20, func(int) {})
	if got, want := events(p.Report()), events(rendered.Report()); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	stopped := f.player(sheet, play.Options{Events: true, Live: true})
	playLive(t, stopped, 20, func(frame int) {
		switch frame {
		case 100:
			if err := stopped.Fire(0); err != nil {
				t.Error(err)
			}
		case 180:
			stopped.StopCue(0, 0)
		case 400:
			stopped.Finish()
		}
	})
	for _, e := range stopped.Report().Events {
		if e.Sound == "half" && e.Kind.String() == "ended" {
			t.Errorf("after StopCue: %s", events(stopped.Report()))
		}
	}
}

// TestRunFollows checks that a list with follow-ons gives the same frames in real time as in a render.
func TestRunFollows(t *testing.T) {
	f := newFolder(t)
	waits, seeds := 0, rounds(40, 150)
	for seed := range seeds {
		draw := rand.New(rand.NewPCG(seed, 4))
		sheet, goes, at, n := randomList(draw), "goes: [", 0, 1+draw.IntN(3)
		for range n {
			goes += fmt.Sprintf("%dms, ", at)
			at += draw.IntN(150)
		}
		s, err := cue.Parse("s", []byte(sheet+goes+"]\n"))
		for ; err != nil; s, err = cue.Parse("s", []byte(sheet+goes+"]\n")) {
			goes = goes[:strings.LastIndex(strings.TrimSuffix(goes, ", "), " ")+1] // remove the last GO
			if !strings.Contains(goes, "ms") {
				t.Fatal(err, sheet)
			}
		}
		if sheet += goes + "]\n"; runsheet.Scheduled(s).HasFollowOns() {
			waits++
		}
		rendered := f.player(sheet, play.Options{Events: true})
		want := readAll(t, rendered, 64)
		block := 1 + draw.IntN(60)
		p := f.player(sheet, play.Options{Events: true, Block: block})
		got := playLive(t, p, block, func(int) {})
		latency := int(p.Mixer().LatencyFrames())
		if a, b := events(p.Report()), events(rendered.Report()); a != b {
			t.Fatalf("seed %d, blocks of %d:\n%s\ngot  %s\nwant %s", seed, block, sheet, a, b)
		}
		if len(got) < len(want)+latency || !slices.Equal(got[latency:latency+len(want)], want) {
			i := 0
			for i < len(want) && latency+i < len(got) && want[i] == got[latency+i] {
				i++
			}
			t.Log(events(p.Report()), got[latency+i-3:latency+i+40], want[i-3:i+40])
			t.Fatalf("seed %d, blocks of %d: %d frames, want %d; frame %d differs\n%s", seed, block, len(got)-latency, len(want), i, sheet)
		}
		f.identities(p.Report())
	}
	if waits < int(seeds/2) {
		t.Errorf("only %d of %d lists wait", waits, seeds)
	}
}

// TestLiveIsRendered operates a list live with random GOs, panics, jumps and pauses. The recording must
// render to the same frames and keep the identities of the report, and no voice may remain.
func TestLiveIsRendered(t *testing.T) {
	f := newFolder(t)
	for seed := range rounds(45, 170) { // of 60 steps each
		draw := rand.New(rand.NewPCG(seed, 7))
		sheet := randomList(draw)
		s := f.sheet(rate, sheet)
		block := 1 + draw.IntN(50)
		p := f.player(sheet, play.Options{Events: true, Live: true, Changes: seed%2 == 0, Block: block})
		held, left := false, 60
		finished := 0
		got := playLive(t, p, block, func(frame int) {
			if left--; left < 0 {
				p.Hold(false)
				if len(p.Playing()) == 0 && finished == 0 && left < -40 {
					finished = frame
					p.Finish()
				}
				return
			}
			switch n := draw.IntN(20); {
			case held && n == 6: // a panic during a pause
				held = false
				p.Hold(false)
				p.Panic(time.Duration(draw.IntN(90)) * time.Millisecond)
			case held && n != 5: // during a pause only a resume or a panic may follow
			case n < 4:
				if err := p.Fire(draw.IntN(len(s.List))); err != nil {
					t.Error(err)
				}
			case n == 4 && seed%3 > 0:
				p.Panic(time.Duration(draw.IntN(90)) * time.Millisecond)
			case n == 5 && seed%3 > 1:
				held = !held
				p.Hold(held)
			}
		})
		r := p.Report()
		f.identities(r)
		if r.Totals.Playing != 0 {
			t.Errorf("seed %d: %d are still playing", seed, r.Totals.Playing)
		}
		var goes strings.Builder
		if err := s.WriteGoes(&goes, p.Goes()); err != nil {
			t.Fatal(err)
		}
		if goes.Len() == 0 {
			continue
		}
		s = f.sheet(rate, sheet)
		if err := s.ReadGoes("goes", []byte(goes.String())); err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, goes.String())
		}
		rendered := f.playerOf(s, play.Options{Events: true})
		want := readAll(t, rendered, 1+draw.IntN(90))
		latency := int(p.Mixer().LatencyFrames())
		i := 0
		for i < len(want) && latency+i < len(got) && want[i] == got[latency+i] {
			i++
		}
		if i < min(len(want), finished-latency) {
			t.Fatalf("seed %d, blocks of %d: %d frames, want %d; frame %d differs\n%s%s\ngot  %s\nwant %s", seed, block, len(got)-latency, len(want), i, sheet, goes.String(),
				events(r), events(rendered.Report()))
		}
	}
}
