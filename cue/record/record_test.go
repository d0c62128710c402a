package record_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"voicepool/bank/rules"
	"voicepool/cue"
	"voicepool/cue/play"
	"voicepool/cue/record"
	"voicepool/device/null"
	"voicepool/mixer"
	"voicepool/pcm"
	"voicepool/sounds"
	"voicepool/sounds/embedded"
	"voicepool/sounds/library"
)

// TestRecord checks that the recording of a session renders to the same bits.
func TestRecord(t *testing.T) {
	const rate = 8000
	lib := library.NewLibrary(library.Options{Rate: rate})
	files := map[*sounds.Sound]string{}
	var all []*sounds.Sound
	for _, name := range []string{"bell", "engine", "drip", "coin", "wind"} {
		for _, loop := range []bool{false, true} {
			source := embedded.Source(name)
			source.Looped = loop
			s, err := lib.Load(context.Background(), source)
			if err != nil {
				t.Fatal(err)
			}
			all, files[s[0]] = append(all, s[0]), name
		}
	}
	seeds := int(rounds(8, 40))
	entries, sounding := 0, 0
	for seed := range seeds {
		random := rand.New(rand.NewPCG(uint64(seed), 9))
		config := mixer.Config{
			Rate: rate, Voices: 3 + random.IntN(6), MaxVoices: 12, Virtual: 3 * random.IntN(2), Overflow: mixer.Overflow(random.IntN(5)), NoLimiter: random.IntN(2) == 0,
			MasterGain: -3, Commands: 8 << random.IntN(5), Journal: 1 << 12,
			Buses: []mixer.BusConfig{
				{Name: "v1", Gain: -1.5, Voices: 3}, {Name: "sfx", Parent: "v1", Pan: 0.25, Pitch: 0.5, Effects: anyEffects(t, random), Sends: []mixer.Send{{To: "hall", Gain: -9, Pre: random.IntN(2) == 0}}},
				{Name: "hall"},
				{Name: "music", Duck: mixer.Duck{When: "sfx", By: 9, Attack: 20 * time.Millisecond, Hold: 5 * time.Millisecond, Release: 300 * time.Millisecond}},
			},
		}
		m, err := mixer.New(config)
		if err != nil {
			t.Fatal(err)
		}
		s := &session{t: t, random: random, mixer: m, sounds: all, files: files, buses: []mixer.Bus{{}}, filters: seed%4 == 1}
		for _, name := range []string{"v1", "sfx", "music"} {
			b, _ := m.Bus(name)
			s.buses = append(s.buses, b)
		}
		for _, o := range []mixer.GroupOptions{
			{Voices: 2}, {Voices: 1, PerOwner: true, Full: mixer.StealOldest}, {Voices: 2, Full: mixer.Reject}, {Cooldown: 30 * time.Millisecond}, {Coalesce: 15 * time.Millisecond, Most: 4.5, Voices: 3},
		} {
			g, err := m.NewGroup("shots", o)
			if err != nil {
				t.Fatal(err)
			}
			s.groups = append(s.groups, g)
		}
		head, err := record.RulesOf(config)
		if err != nil {
			t.Fatal(err)
		}
		recorder := record.New(head, func(s *sounds.Sound) (rules.Sound, bool) {
			name, ok := files[s]
			return rules.Sound{Files: []rules.File{{Name: name}}}, ok
		})
		device := null.NewStepped(null.Config{Rate: rate})
		if err := device.Start(m); err != nil {
			t.Fatal(err)
		}
		var live []pcm.Frame
		journal := make([]mixer.Entry, 64)
		for len(live) < 3*rate {
			for range random.IntN(6) {
				s.act()
			}
			live = append(live, device.Step(1+random.IntN(700))...)
			for n := m.Engine().Journal(journal); n > 0; n = m.Engine().Journal(journal) {
				if err := recorder.Add(journal[:n]); err != nil {
					t.Fatalf("seed %d: %v", seed, err)
				}
				entries += n
			}
		}
		if lost := m.Engine().JournalLost(); lost > 0 {
			t.Fatalf("%d entries are lost", lost)
		}
		live = live[m.LatencyFrames():]
		recorder.End(int64(len(live)))
		player := replayed(t, fmt.Sprintf("seed %d, policy %v", seed, config.Overflow), recorder, lib, live)
		for _, f := range live {
			if f != (pcm.Frame{}) {
				sounding++
			}
		}
		// A start that was stopped before it began is not in the sheet. With a limiter the last frames lie
		// after the end.
		is, was := player.Report().Totals, m.Stats()
		if m.LatencyFrames() == 0 && (is.Stolen != was.Stolen || is.Limited != was.Limited || is.Rejected != was.Rejected || is.Coalesced != was.Coalesced) {
			t.Errorf("seed %d: %d stolen, %d limited, %d rejected, %d coalesced; there were %d, %d, %d, %d", seed,
				is.Stolen, is.Limited, is.Rejected, is.Coalesced, was.Stolen, was.Limited, was.Rejected, was.Coalesced)
		}
	}
	if entries < 60*seeds || sounding < rate*seeds {
		t.Errorf("%d entries and %d frames that sound are too few for %d seeds", entries, sounding, seeds)
	}
}

// replayed renders a recording and compares it with the live frames.
func replayed(t *testing.T, what string, recorder *record.Recorder, lib *library.Library, live []pcm.Frame) *play.Player {
	t.Helper()
	var text bytes.Buffer
	if _, err := recorder.WriteTo(&text); err != nil {
		t.Fatal(err)
	}
	sheet, err := cue.Parse("recorded.yaml", text.Bytes())
	if err != nil {
		t.Fatalf("%s: %v\n%s", what, err, text.String())
	}
	player, err := play.NewPlayer(context.Background(), sheet, lib, play.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var rendered []pcm.Frame
	block := make([]pcm.Frame, 1000)
	for {
		n, err := player.Read(block)
		rendered = append(rendered, block[:n]...)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	for i, want := range live {
		got := pcm.Frame{}
		if i < len(rendered) {
			got = rendered[i]
		}
		if got != want {
			t.Errorf("%s: frame %d is %v, it was %v, of %d\n%s",
				what, i, got, want, len(live), around(text.String(), i, sheet.Rate))
			break
		}
	}
	return player
}

// around returns the cues of the last second before a frame.
func around(text string, frame, rate int) string {
	var out []string
	for _, l := range strings.Split(text, "\n") {
		_, at, ok := strings.Cut(l, "{at: ")
		if !ok {
			continue
		}
		at, _, _ = strings.Cut(at, ",")
		if t, err := rules.ParseTime(at); err == nil && t.Frames(rate) <= int64(frame) && t.Frames(rate) > int64(frame-rate/20) {
			out = append(out, l)
		}
	}
	return strings.Join(out, "\n")
}
