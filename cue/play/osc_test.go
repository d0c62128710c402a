package play_test

import (
	"context"
	"math/rand/v2"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"voicepool/bank/rules"
	"voicepool/cue"
	"voicepool/cue/play"
	"voicepool/pcm"
)

// TestParseMessage checks the address, the arguments and the size of parsed OSC messages.
func TestParseMessage(t *testing.T) {
	s := parse(t, `cues: [{at: 1s, every: 2s, times: 3, chance: 0.5, osc: {to: "[::1]:8000", address: /eos/cue/12/fire, args: [1, -2147483648, 1.0, 1e3, text, "1", true, 'false', 1-2, .5]}}]
list: [{cue: 1, osc: {to: desk.local:65535, address: /a}, then: follow}, {cue: 2, do: [{play: coin, id: c}, {at: end of c, osc: {to: "h:1", address: /b/~!, args: []}}]}]
`)
	want := []any{int32(1), int32(-2147483648), float32(1), float32(1000), "text", "1", true, "false", "1-2", float32(0.5)}
	if m := s.Cues[0].Action.(*cue.Message); m.To != "[::1]:8000" || m.Address != "/eos/cue/12/fire" || !reflect.DeepEqual(m.Args, want) {
		t.Errorf("%+v", m)
	}
	if m := s.Cues[3].Action.(*cue.Message); m.String() != "osc /b/~! to h:1" || len(m.Args) != 0 || m.Size() != 12 {
		t.Errorf("%+v, %d bytes", m, m.Size())
	}
	if got := cue.VerbSend.String(); got != "osc" {
		t.Error(got)
	}
}

// messages is a sheet with messages that wait for different ends, and its times of GO.
const messages = `
cues:
  - {at: 0, play: short.wav, every: 100ms, times: 5}
  - {at: 35ms, every: [10ms, 90ms], until: 700ms, chance: 0.7, osc: {to: "h:1", address: /time}}
list:
  - {cue: 1, play: half.wav, id: x, then: follow}
  - {cue: 2, osc: {to: "h:1", address: /followed, args: [2]}, then: continue, wait: 55ms}
  - cue: 3
    do:
      - {play: short.wav, id: y, every: 30ms, times: 3}
      - {at: 5ms, osc: {to: "h:1", address: /early}}
      - {at: end of y, osc: {to: "h:1", address: /end}, every: 7ms, times: 3}
goes: [111ms]
`

// sent is a message that was sent, and its frame.
type sent struct {
	address string
	frame   int64
}

// listen collects the messages that a player sends. Each must be sent soon after its frame has been mixed.
func listen(t *testing.T, p **play.Player, o play.Options) (*[]sent, play.Options) {
	all := new([]sent)
	o.Send = func(m *cue.Message, frame int64) {
		*all = append(*all, sent{m.Address, frame})
		if now := (*p).Mixer().Now(); frame >= now || frame < now-100 {
			t.Errorf("%s of frame %d is sent at %d", m.Address, frame, now)
		}
	}
	return all, o
}

// TestSends checks that each message is sent once at its frame, regardless of its waits. A render sends no
// messages.
func TestSends(t *testing.T) {
	f := newFolder(t)
	// A sound of one frame marks the frame of each end.
	marked := strings.NewReplacer(
		`osc: {to: "h:1", address: /time}`, "play: quiet.wav, for: 1ms, gain: -1",
		`osc: {to: "h:1", address: /followed, args: [2]}`, "play: quiet.wav, for: 1ms, gain: -2",
		`osc: {to: "h:1", address: /early}`, "play: quiet.wav, for: 1ms, gain: -3",
		`osc: {to: "h:1", address: /end}`, "play: quiet.wav, for: 1ms, gain: -4").Replace(messages)
	rendered := f.player(marked, play.Options{Events: true})
	readAll(t, rendered, 100)
	var want []sent
	for _, e := range rendered.Report().Events {
		if e.Kind.String() == "started" && e.Sound == "quiet.wav" {
			want = append(want, sent{[]string{"/time", "", "/followed", "", "/early", "/end"}[e.Cue-1], e.Frame})
		}
	}
	if len(want) < 14 {
		t.Fatal(want)
	}
	for _, block := range []int{1, 7, 60} {
		var p *play.Player
		got, o := listen(t, &p, play.Options{Block: block})
		p = f.player(messages, o)
		playLive(t, p, block, func(int) {})
		if !slices.Equal(*got, want) {
			t.Errorf("in blocks of %d got\n%v\nwant\n%v", block, *got, want)
		}
	}

	var p *play.Player
	got, o := listen(t, &p, play.Options{Events: true})
	p = f.player(messages, o)
	out := readAll(t, p, 64)
	without := f.player(regexp.MustCompile("osc: {[^}]*}").ReplaceAllString(messages, "fade: master, to: 0"), play.Options{Events: true})
	if len(*got) > 0 || !slices.Equal(out, readAll(t, without, 64)) || events(p.Report()) != events(without.Report()) {
		t.Errorf("a render sends %v, or differs:\n%s\n%s", *got, events(p.Report()), events(without.Report()))
	}
}

// TestSendsAreDropped checks that a panic, the stop of a cue and the end of a show cancel later messages, but
// not messages whose frame has been mixed.
func TestSendsAreDropped(t *testing.T) {
	f := newFolder(t)
	const sheet = `
cues: [{at: 0, osc: {to: "h:1", address: /cues}, every: 10ms, times: 200}]
list:
  - {cue: 1, do: [{play: half.wav, loop: true, id: x}, {osc: {to: "h:1", address: /list}, every: 10ms, times: 200}, {at: end of x, osc: {to: "h:1", address: /end}}]}
  - {cue: 2, stop: x}
`
	for seed := range rounds(20, 60) {
		draw := rand.New(rand.NewPCG(seed, 3))
		block, fire, stop, end := 1+draw.IntN(40), 50+draw.IntN(200), 400+draw.IntN(200), 900+draw.IntN(300)
		var p *play.Player
		got, o := listen(t, &p, play.Options{Live: true, Block: block, Events: true})
		var fired, panicked int64 = -1, -1
		o.Fired = func(_ int, frame int64) { fired = max(fired, frame) }
		p = f.player(sheet, o)
		step := 0
		playLive(t, p, block, func(frame int) {
			switch {
			case step == 0 && frame >= fire:
				if err := p.Fire(0); err != nil {
					t.Error(err)
				}
				step++
			case step == 1 && frame >= stop:
				if seed%2 == 0 {
					p.Panic(20 * time.Millisecond)
				} else {
					p.StopCue(0, 20*time.Millisecond)
				}
				step++
			case step == 2 && frame >= end:
				p.Finish()
				step++
			}
		})
		for _, g := range p.Goes() {
			if g.Action == cue.ActionPanic {
				panicked = g.At.Frames(rate)
			}
		}
		if stopped := p.Report().Events; seed%2 > 0 { // the stop itself has no event at its frame
			panicked = stopped[len(stopped)-1].Frame - 20
		}
		if fired < 0 || panicked < 0 {
			t.Fatal(fired, panicked)
		}
		want := []sent{}
		for at := int64(0); at < 2000; at += 10 {
			if at < panicked || seed%2 > 0 {
				want = append(want, sent{"/cues", at})
			}
			if list := fired + at; list < panicked || list == panicked && seed%2 > 0 {
				want = append(want, sent{"/list", list})
			}
		}
		order := func(a, b sent) int {
			if a.frame != b.frame {
				return int(a.frame - b.frame)
			}
			return strings.Compare(a.address, b.address)
		}
		slices.SortFunc(want, order)
		slices.SortFunc(*got, order)
		if seed%2 > 0 { // the timeline continues to the end
			last := (*got)[len(*got)-1]
			if last.frame < int64(end-60) || last.frame > int64(end+60) {
				t.Errorf("seed %d: the last message is of %d, the show ended at %d", seed, last.frame, end)
			}
			want = want[:min(len(want), len(*got))]
		}
		if !slices.Equal(*got, want) {
			t.Fatalf("seed %d, fired %d, dropped %d:\ngot  %v\nwant %v", seed, fired, panicked, *got, want)
		}
	}
}

// TestSendsFromTheMiddle checks that messages before the beginning are not sent.
func TestSendsFromTheMiddle(t *testing.T) {
	f := newFolder(t)
	for _, list := range []string{"", "list: [{cue: 1, play: short.wav, then: follow}, {cue: 2, osc: {to: \"h:1\", address: /l}}]\ngoes: [50ms]\n"} {
		for _, from := range []int{40, 305, 610, 5610} {
			var p *play.Player
			got, o := listen(t, &p, play.Options{Block: 9, From: rules.FrameTime(int64(from), rate)})
			p = f.player(list+`cues: [{at: 0, play: half.wav, loop: true, for: 500ms}, {at: 5ms, osc: {to: "h:1", address: /a}, every: 100ms, times: 58}]`, o)
			playLive(t, p, 9, func(int) {})
			var want []sent
			for at := int64(5); at < 5800; at += 100 {
				if at >= int64(from) {
					want = append(want, sent{"/a", at})
				}
				if at == 5 && from <= 70 && list != "" {
					want = append(want, sent{"/l", 70})
				}
			}
			if !slices.Equal(*got, want) {
				t.Errorf("from %d got %v, want %v", from, *got, want)
			}
		}
	}
}

// TestPanicOfTimeline checks that a panic also ends `cues` in a sheet without a list, including their
// messages.
func TestPanicOfTimeline(t *testing.T) {
	f := newFolder(t)
	var p *play.Player
	got, o := listen(t, &p, play.Options{Events: true})
	p = f.player("cues: [{at: 0, play: half.wav, loop: true, for: 3s}, {at: 0, play: short.wav, every: 500ms, times: 5}, {at: 1ms, osc: {to: \"h:1\", address: /a}, every: 300ms, times: 9}]", o)
	synctest.Test(t, func(t *testing.T) {
		if err := p.Prime(); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
		defer cancel()
		fed := make(chan error, 1)
		go func() { fed <- p.Run(ctx) }()
		dst := make([]pcm.Frame, 20)
		for i := range 90 {
			if time.Sleep(20 * time.Millisecond); i == 20 {
				p.Panic(100 * time.Millisecond)
				synctest.Wait() // Run receives it before the next block
			}
			p.Render(dst)
		}
		if err := <-fed; err != nil {
			t.Errorf("the show goes on: %v", err)
		}
	})
	if got, want := events(p.Report()), "0 started half.wav/0, 0 started short.wav/1, 20 ended short.wav/1, 421 started short.wav/1, 421 stopped short.wav/1, 521 stopped half.wav/0"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if want := []sent{{"/a", 1}, {"/a", 301}}; !slices.Equal(*got, want) {
		t.Errorf("sent %v", *got)
	}
}
