package explain

import (
	"bytes"
	_ "embed"
	"io"
	"math"
	"strings"
	"testing"

	"voicepool/cue/report"
	"voicepool/mixer"
)

// sampleReport has, at a rate of 1000 Hz, one event of every kind.
//
//go:embed testdata/sample.json
var sampleReport string

func explainedAs(t *testing.T, a interface{ Print(io.Writer) }, err error) string {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	a.Print(&b)
	return b.String()
}

func TestExplainVoice(t *testing.T) {
	for _, c := range []struct {
		voice uint64
		want  string
	}{
		{1, `bell #1 (cue 0), 0.000 s to 0.900 s, was stolen.
  0.000 s  started in slot 0.
  0.500 s  became virtual for boom #3, whose priority 3 is above its own 0, since every voice was busy: it goes on unheard, and may come back. Of the 2 that could give way it would be missed least: -52.5 dB in the next 20 ms, 12.2 dB quieter than the next (-40.2 dB). The newcomer was 32.5 dB louder (-20.0 dB). What was taken would not have been louder than -50.0 dB over any three hops of 20 ms, at the speed of the sound itself.
  0.900 s  was lost for good when step #4 came, since all virtual voices were taken as well: of the 1 virtual voice it would be missed least, -61.0 dB from here on. How loud it might have become is not known: the level of a stream is declared, not measured.
  * 0.500 s, virtual: It was more than 30 dB below what took its place, and hardly heard.
  * 0.500 s, virtual: If it matters: a priority above the newcomer's 3, or ` + "`protect: true`" + `, keeps it.
  * 0.500 s, virtual: More voices than 2 (` + "`voices`); `voicepool tune`" + ` says how many a sheet needs.
  * 0.900 s, stolen: More virtual voices (` + "`virtual: 2`" + ` or more) keep such voices in time, so that they can come back.
`},
		{2, `wind #2 (cue 1), 0.100 s to 5.000 s, still played when the report ends.
  0.100 s  started in slot 1.
  0.250 s  another start of it (cue 1) came so soon after that it became a part of this voice, which grew louder for it.
  0.900 s  became virtual for step #4, since every voice was busy: it goes on unheard, and may come back. No other voice could give way; it would have been heard at -45.0 dB in the next 20 ms. The newcomer was 5.0 dB quieter (-50.0 dB): a new sound always plays. How loud it might have become is not known: the level of a stream is declared, not measured.
  1.020 s  came back in slot 1, faded in over 5 ms at the position that it would have reached.
  * If it matters: a priority above the newcomer's 0, or ` + "`protect: true`" + `, keeps it.
  * More voices than 2 (` + "`voices`); `voicepool tune`" + ` says how many a sheet needs.
`},
		{3, `boom #3 (cue 2), 0.500 s to 2.100 s, was stopped.
  0.500 s  started in slot 0; for it bell #1 became virtual, at -52.5 dB against its own -20.0 dB.
  2.100 s  was stopped.
`},
		{5, `step #5 (cue 3), 2.000 s to 2.000 s, was stopped without having been heard.
  2.000 s  started without a slot.
  2.000 s  had been stopped before it began.
`},
		{6, `bell #6 (cue 0), 2.200 s to 2.300 s, was stolen.
  2.200 s  started in slot 0.
  2.300 s  was stolen for bell #7, since the sound may have no more than 1 voice at once. No other voice could give way; it would have been silent. The newcomer was at -30.0 dB.
  * It was silent when it gave way, so nothing was lost.
`},
	} {
		a, err := OfVoice("r", strings.NewReader(sampleReport), c.voice)
		if got := explainedAs(t, a, err); got != c.want {
			t.Errorf("voice %d:\n%s\nwant\n%s", c.voice, got, c.want)
		}
	}
	if a, err := OfVoice("r", strings.NewReader(sampleReport), 2); err != nil || a.Heard != 4.78 {
		t.Errorf("voice 2 is heard for %+v s, want 4.78; %v", a, err)
	}
	if _, err := OfVoice("r", strings.NewReader(sampleReport), 99); err == nil || err.Error() != "r: there is no voice 99, only 1 to 6" {
		t.Errorf("voice 99: %v", err)
	}
}

func TestExplainCue(t *testing.T) {
	a, err := OfCue("r", strings.NewReader(sampleReport), "2")
	if got, want := explainedAs(t, a, err), `cue 2 plays boom: asked for 2 times, started 1 (#3), limited 1.
  0.700 s  limited, since the sound's cooldown of 0.25s was not over: boom #3 had started 200.0 ms before.
  * A shorter `+"`cooldown`"+` of the sound lets starts follow each other sooner.
`; got != want {
		t.Errorf("cue 2:\n%s\nwant\n%s", got, want)
	}
	a, err = OfCue("r", strings.NewReader(sampleReport), "0")
	if got := explainedAs(t, a, err); !strings.Contains(got, "1.500 s  rejected, since all voices were protected or of higher priority, and the only virtual voice did not give way to it either.\n") ||
		!strings.Contains(got, "asked for 3 times, started 2 (#1, #6), rejected 1; 2 of those that started were stolen.\n") ||
		!strings.Contains(got, "its own was -1") {
		t.Errorf("cue 0:\n%s", got)
	}
	if _, err := OfCue("r", strings.NewReader(sampleReport), "9"); err == nil || err.Error() != "r: nothing is told of cue 9; cues without a number count from 0, and the last that did something is 3" {
		t.Errorf("cue 9: %v", err)
	}
}

func TestExplainSound(t *testing.T) {
	a, err := OfSound("r", strings.NewReader(sampleReport), "bell")
	got := explainedAs(t, a, err)
	for _, want := range []string{
		"bell: asked for 3 times, started 2, rejected 1.\n",
		"  0 came to their end, 0 were stopped, 2 were stolen; 1 time one became virtual, 0 times one came back.\n",
		"  gave way to: 3 (bell, boom, step).\n",
		"  the reasons: 4 (limit, pool, priority, virtual).\n",
		"  the most audible loss, at 0.500 s: bell #1 became virtual for boom #3, ",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("it lacks %q:\n%s", want, got)
		}
	}
	// The hints concern the explained loss; hints about rejections name their time.
	for _, want := range []string{
		"  * It was more than 30 dB below", "  * If it matters: a priority above the newcomer's 3", "  * 1.500 s, rejected: A priority as high as",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("it lacks %q:\n%s", want, got)
		}
	}
	for _, other := range []string{"Nothing was heard", "`limit", "More virtual voices"} {
		if strings.Contains(got, other) {
			t.Errorf("it has a hint of another loss, %q:\n%s", other, got)
		}
	}
	if _, err := OfSound("r", strings.NewReader(sampleReport), "gong"); err == nil || err.Error() != `r: nothing is told of a sound "gong", only of bell, boom, step, wind` {
		t.Errorf("gong: %v", err)
	}
}

// TestTellNoVirtual checks the explanation of a loss to a full pool: why the voice did not become virtual.
func TestTellNoVirtual(t *testing.T) {
	for _, c := range []struct {
		e       report.Event
		virtual int
		want    string
	}{
		{
			e:       report.Event{Kind: mixer.EventStolen, Reason: mixer.ReasonPoolFull, By: 3, BySound: "boom", Candidates: 1},
			virtual: 12,
			want:    "was stolen for boom #3, since every voice was busy, and none of the 12 virtual voices gave way to it either. ",
		},
		{
			e:    report.Event{Kind: mixer.EventStolen, Reason: mixer.ReasonPoolFull, By: 3, BySound: "boom", Candidates: 1},
			want: "was stolen for boom #3, since every voice was busy. ",
		},
		{
			e:       report.Event{Kind: mixer.EventStolen, Reason: mixer.ReasonResize, Candidates: 1},
			virtual: 1,
			want:    "was stolen since the pool became smaller, and the only virtual voice did not give way to it either. ",
		},
		{
			e:       report.Event{Kind: mixer.EventStolen, Reason: mixer.ReasonGroupLimit, Limit: 2, By: 3, BySound: "boom", Candidates: 1},
			virtual: 12,
			want:    "was stolen for boom #3, since the sound may have no more than 2 voices at once. ",
		},
	} {
		if got := tellStolen(&c.e, &report.Report{Virtual: c.virtual}); !strings.HasPrefix(got, c.want) {
			t.Errorf("%s\nwant %s", got, c.want)
		}
	}
}

// TestAdviceOnSilence checks the advice for a victim that was silent when stolen but would have sounded later.
func TestAdviceOnSilence(t *testing.T) {
	loud, silence := report.Level(-5.3), report.Level(math.Inf(-1))
	for _, c := range []struct {
		e       report.Event
		virtual int
		want    string
	}{
		{
			e:    report.Event{Kind: mixer.EventStolen, Reason: mixer.ReasonPoolFull, Lost: silence},
			want: "nothing was lost",
		},
		{
			e:    report.Event{Kind: mixer.EventStolen, Reason: mixer.ReasonPoolFull, Lost: loud},
			want: "silent for as far ahead as the choice looks, but not for good",
		},
		{
			e:    report.Event{Kind: mixer.EventStolen, Reason: mixer.ReasonPoolFull, Lost: loud},
			want: "More voices than 4",
		},
		{
			e:       report.Event{Kind: mixer.EventVirtual, Reason: mixer.ReasonPoolFull, Lost: loud},
			virtual: 8, want: "it can come back",
		},
		{
			e:       report.Event{Kind: mixer.EventStolen, Reason: mixer.ReasonVirtualFull, Lost: loud},
			virtual: 8, want: "More virtual voices (`virtual: 16` or more)",
		},
	} {
		c.e.Audibility = silence
		said := advise(&report.Report{Voices: 4, Virtual: c.virtual}, nil, []*report.Event{&c.e}, false)
		if got := strings.Join(said, "\n"); !strings.Contains(got, c.want) || c.e.Lost.Finite() && strings.Contains(got, "nothing was lost") {
			t.Errorf("%+v: %s\nwant %s", c.e, got, c.want)
		}
	}
}

// TestGaps checks that voices that played while the device was lost are reported as inaudible.
func TestGaps(t *testing.T) {
	text := `{"version": 1, "rate": 1000, "frames": 5000, "voices": 2, "overflow": "quietest", "events": [
		{"frame": 0, "kind": "started", "voice": 1, "sound": "bell", "cue": 0, "slot": 0},
		{"frame": 100, "kind": "device", "state": "lost", "reason": "server gone"},
		{"frame": 400, "kind": "device", "state": "back", "seconds": 0.3},
		{"frame": 500, "kind": "ended", "voice": 1, "sound": "bell", "cue": 0, "slot": 0},
		{"frame": 600, "kind": "started", "voice": 2, "sound": "bell", "cue": 1, "slot": 0},
		{"frame": 700, "kind": "ended", "voice": 2, "sound": "bell", "cue": 1, "slot": 0},
		{"frame": 900, "kind": "device", "state": "lost", "reason": "the sink is gone"},
		{"frame": 1000, "kind": "started", "voice": 3, "sound": "bell", "cue": 2, "slot": 0}
	], "totals": {"started": 3}}`
	for _, c := range []struct {
		voice uint64
		want  string
	}{
		{1, `bell #1 (cue 0), 0.000 s to 0.500 s, came to its end.
  0.000 s  started in slot 0.
  0.100 s  no sound: server gone; back at 0.400 s.
  0.500 s  came to its end.
`},
		{2, `bell #2 (cue 1), 0.600 s to 0.700 s, came to its end.
  0.600 s  started in slot 0.
  0.700 s  came to its end.
`},
		{3, `bell #3 (cue 2), 1.000 s to 5.000 s, still played when the report ends.
  1.000 s  started in slot 0.
  1.000 s  no sound: the sink is gone; it did not come back.
`},
	} {
		a, err := OfVoice("r", strings.NewReader(text), c.voice)
		if got := explainedAs(t, a, err); got != c.want {
			t.Errorf("voice %d:\n%swant\n%s", c.voice, got, c.want)
		}
	}
}
