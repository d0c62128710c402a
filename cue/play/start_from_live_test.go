package play_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"voicepool/bank/rules"
	"voicepool/cue"
	"voicepool/cue/play"
	"voicepool/internal/longtest"
	"voicepool/pcm"
)

// pausedGoes are scheduled GOs with panics and pauses.
const pausedGoes = "0.4s\n0.9s pause\n1.1s resume\n1.5s\n2s pause\n2.005s resume\n2.3s panic 200ms\n3s 1\n3.5s pause\n3.9s resume\n4s\n"

const pausedSheet = "voices: 4\ncues: [{at: 0, play: quiet.wav, loop: true, for: 6s}, {at: 0.85s, play: half.wav, every: 173ms, times: 30}]\n" +
	"list: [{cue: 1, play: half.wav, id: a, loop: true, fade_in: 300ms}, {cue: 2, pre: 20ms, play: short.wav, then: follow}, {cue: 3, do: [{play: half.wav, id: b}, {at: end of b, stop: a, over: 2s}]}]\n"

// TestBeginningInPauses checks that a render from any place equals the end of the complete render, including
// pauses and panics.
func TestBeginningInPauses(t *testing.T) {
	f := newFolder(t)
	for _, limiter := range []string{"false", "true"} {
		read := func() *cue.Sheet {
			s := f.sheet(rate, "master: {limiter: "+limiter+"}\n"+pausedSheet)
			if err := s.ReadGoes("goes", []byte(pausedGoes)); err != nil {
				t.Fatal(err)
			}
			return s
		}
		want := readAll(t, f.playerOf(read(), play.Options{}), 64)
		random := rand.New(rand.NewPCG(3, 1))
		for i := range 150 {
			from := random.IntN(len(want))
			if short := i < 60 && i%2 == len(limiter)%2 || i >= 140; !short && !longtest.Enabled() {
				continue
			}
			if i < 60 { // the beginnings and ends of pauses
				from = []int{900, 1100, 2000, 2005, 3500, 3900}[i%6] + i/6 - 2
			}
			p := f.playerOf(read(), play.Options{From: rules.FrameTime(int64(from), rate)})
			if got := readAll(t, p, 1+random.IntN(900)); !slices.Equal(got, want[from:]) {
				k := 0
				for k < len(got) && k < len(want)-from && got[k] == want[from+k] {
					k++
				}
				t.Fatalf("limiter %s, from %d: %d frames, which are not the last %d; the first %d are", limiter, from, len(got), len(want)-from, k)
			}
			if p.StartFrame() != int64(from) {
				t.Errorf("it began at %d, want %d", p.StartFrame(), from)
			}
		}
		for _, block := range []int{7, 50} { // also on a device
			p := f.playerOf(read(), play.Options{Block: block})
			got, latency := playLive(t, p, block, func(int) {}), int(p.Mixer().LatencyFrames())
			if !slices.Equal(got[latency:latency+len(want)], want) {
				t.Errorf("limiter %s: on a device it sounds otherwise, in blocks of %d", limiter, block)
			}
		}
	}
}

// TestBeginningLive checks a live show that begins in the middle: the earlier GOs count as done, and the show
// continues like a render of its recording.
func TestBeginningLive(t *testing.T) {
	f := newFolder(t)
	for seed := range rounds(20, 60) {
		draw := rand.New(rand.NewPCG(seed, 9))
		sheet := randomList(draw)
		s := f.sheet(rate, sheet)
		for i := range 2 {
			s.Goes = append(s.Goes, cue.Go{At: rules.FrameTime(int64(100*i+draw.IntN(90)), rate), Cue: s.List[draw.IntN(len(s.List))].Number})
		}
		o := play.Options{Live: true, Block: 20}
		if seed%2 == 0 {
			o.From = rules.FrameTime(int64(50+draw.IntN(300)), rate)
		} else {
			o.Cue = s.Goes[1].Cue
		}
		p := f.playerOf(s, o)
		steps, finished := 0, 0
		got := playLive(t, p, 20, func(frame int) {
			switch steps++; {
			case steps == 3:
				list := p.Standby()
				if seed%2 == 1 && s.List[list].Number != o.Cue {
					t.Errorf("seed %d: %d stands by, want cue %s", seed, list, o.Cue)
				}
				if list < len(s.List) && p.Fire(list) != nil {
					t.Error("no GO")
				}
			case steps == 90:
				finished = frame
				p.Finish()
			}
		})
		var goes strings.Builder
		if err := s.WriteGoes(&goes, p.Goes()); err != nil {
			t.Fatal(err)
		}
		again := f.sheet(rate, sheet)
		if err := again.ReadGoes("goes", []byte(goes.String())); err != nil {
			t.Fatal(err)
		}
		from := rules.FrameTime(p.StartFrame(), rate)
		want := readAll(t, f.playerOf(again, play.Options{From: from}), 33)
		latency := int(p.Mixer().LatencyFrames())
		n := min(len(want), finished-latency)
		if !slices.Equal(got[latency:latency+n], want[:n]) {
			t.Errorf("seed %d, from %v: other frames than the render of\n%s%s", seed, from, sheet, goes.String())
		}
	}
}

// TestBeginningSettled checks a beginning without times of GO: the cues before the next one count as
// finished, so that their endless loops play and their set values apply.
func TestBeginningSettled(t *testing.T) {
	f := newFolder(t)
	const list = "voices: 6\nbuses: {m: {}}\nscenes: {low: {buses: {m: {gain: -9}}}}\n" + `
list:
  - {cue: 1, play: half.wav, id: house, loop: true, fade_in: 3s, bus: m}
  - {cue: 2, fade: house, to: -12, over: 4s, then: continue, wait: 1s}
  - {cue: 3, do: [{play: short.wav, id: s}, {at: 1s, play: quiet.wav, id: storm, loop: true}, {at: end of s, play: half.wav}]}
  - {cue: 4, play: half.wav, id: gone, loop: true, pitch: 3}
  - {cue: 5, stop: gone, over: 3s}
  - {cue: 6, play: half.wav, id: let, loop: true, speed: 0.7}
  - {cue: 7, release: let}
  - {cue: 8, scene: low, over: 2s}
  - {cue: 9, play: half.wav, id: off, loop: true, arm: false}
  - {cue: 10, play: half.wav, loop: 3}
  - {cue: 11, stop: house}
`
	p := f.player(list, play.Options{Live: true, Cue: "11", Block: 10})
	if got := p.Sheet().List[p.Standby()].Number; got != "11" {
		t.Errorf("cue %s stands by", got)
	}
	steps, fired := 0, 0
	got := playLive(t, p, 10, func(frame int) {
		switch steps++; steps {
		case 30:
			fired = frame
			if playing := fmt.Sprint(len(p.Playing())); playing != "2" { // the house and the storm
				t.Errorf("%s cues play", playing)
			}
			_ = p.Fire(p.Standby())
		case 60:
			p.Finish()
		}
	})
	at := p.Goes()[0].At.Frames(rate)
	if at < int64(fired) {
		t.Fatal("it came too early")
	}
	want, _ := f.play(fmt.Sprintf("voices: 6\nlength: 590ms\nbuses: {m: {gain: -9}}\ncues: [{at: 0, play: half.wav, id: house, loop: true, gain: -12, bus: m}, {at: 0, play: quiet.wav, loop: true}, {at: %dms, stop: house}]", at))
	if !slices.Equal(got[:590], want[:590]) {
		t.Error("other frames than by time")
	}
}

// TestHandIDs checks that an id given by hand can be used later, and that an unknown id cannot.
func TestHandIDs(t *testing.T) {
	f := newFolder(t)
	p := f.player("sounds: {a: {file: half.wav, loop: true}}\nlist: [{cue: 1, play: a, id: x}]", play.Options{Live: true})
	synctest.Test(t, func(t *testing.T) {
		if err := p.Prime(); err != nil {
			t.Fatal(err)
		}
		fed := make(chan error, 1)
		go func() { fed <- p.Run(t.Context()) }()
		block := make([]pcm.Frame, 20)
		do := func(line string, says string) {
			t.Helper()
			if err := p.Do(strings.Fields(line)...); (err == nil) != (says == "") || err != nil && !strings.Contains(err.Error(), says) {
				t.Errorf("%s: %v, want %q", line, err, says)
			}
			for range 30 {
				time.Sleep(20 * time.Millisecond)
				p.Render(block)
			}
		}
		playing := func(want int64) {
			t.Helper()
			if n := p.Mixer().Stats().Playing; n != want {
				t.Errorf("%d play, want %d", n, want)
			}
		}
		do("stop b", `no cue has the id "b"`)
		do("play a id=b", "")
		do("play a id=c", "")
		do("play a id=b", "")
		playing(3)
		do("stop b", "")
		playing(1)
		do("stop c over=20ms", "")
		playing(0)
		p.Finish()
		for done := false; !done; {
			select {
			case err := <-fed:
				if done = true; err != nil {
					t.Error(err)
				}
			case <-time.After(20 * time.Millisecond):
				p.Render(block)
			}
		}
	})
}
