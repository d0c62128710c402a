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
  0.500 s  became virtual for boom #3, whose priority 3 is above its own 0, since every voice was busy: it keeps its time and may be restored. Of the 2 candidates it counted as the least audible: -52.5 dB in the next 20 ms, 12.2 dB below the next (-40.2 dB). The newcomer was 32.5 dB louder (-20.0 dB). Its rest would have been at most -50.0 dB over any three hops of 20 ms, at original speed.
  0.900 s  was lost for good to step #4, since all virtual voices were in use as well: it counted as the least audible of 1 virtual voice, at -61.0 dB from then on. Its later loudness is unknown, since the level of a stream is declared, not measured.
  * 0.500 s, virtual: It was more than 30 dB below the sound that replaced it, and hardly audible.
  * 0.500 s, virtual: To keep it, raise its priority above the newcomer's 3, raise its ` + "`importance`" + ` by 13 dB, or set ` + "`protect: true`" + `.
  * 0.500 s, virtual: Use more than 2 voices (` + "`voices`); `voicepool tune`" + ` finds the number that a sheet needs.
  * 0.900 s, stolen: Use more virtual voices (` + "`virtual: 2`" + ` or more): such a voice then keeps its time and can be restored.
`},
		{2, `wind #2 (cue 1), 0.100 s to 5.000 s, was still playing at the end of the report.
  0.100 s  started in slot 1.
  0.250 s  another start (cue 1) was merged into this voice, which became louder.
  0.900 s  became virtual for step #4, since every voice was busy: it keeps its time and may be restored. It was the only candidate; it would have been heard at -45.0 dB in the next 20 ms. The newcomer was 5.0 dB quieter (-50.0 dB): a new sound always plays. Its later loudness is unknown, since the level of a stream is declared, not measured.
  1.020 s  was restored in slot 1 with a fade-in of 5 ms, at the position it would have reached.
  * To keep it, raise its priority above the newcomer's 0, or set ` + "`protect: true`" + `.
  * Use more than 2 voices (` + "`voices`); `voicepool tune`" + ` finds the number that a sheet needs.
`},
		{3, `boom #3 (cue 2), 0.500 s to 2.100 s, was stopped.
  0.500 s  started in slot 0; bell #1 became virtual for it, at -52.5 dB against -20.0 dB.
  2.100 s  was stopped.
`},
		{5, `step #5 (cue 3), 2.000 s to 2.000 s, was stopped without being heard.
  2.000 s  started without a slot.
  2.000 s  was stopped before it began.
`},
		{6, `bell #6 (cue 0), 2.200 s to 2.300 s, was stolen.
  2.200 s  started in slot 0.
  2.300 s  was stolen for bell #7, since the sound is limited to 1 voice at once. It was the only candidate; it would have been silent. The newcomer was at -30.0 dB.
  * It was silent, so its loss is inaudible.
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
	if _, err := OfVoice("r", strings.NewReader(sampleReport), 99); err == nil || err.Error() != "r: no voice 99: the report has voices 1 to 6" {
		t.Errorf("voice 99: %v", err)
	}
}

func TestExplainCue(t *testing.T) {
	a, err := OfCue("r", strings.NewReader(sampleReport), "2")
	if got, want := explainedAs(t, a, err), `cue 2 plays boom: 2 requested, 1 started (#3), 1 limited.
  0.700 s  limited, since the sound's cooldown of 0.25s was not over: boom #3 had started 200.0 ms before.
  * Shorten the sound's `+"`cooldown`"+` to allow starts closer together.
`; got != want {
		t.Errorf("cue 2:\n%s\nwant\n%s", got, want)
	}
	a, err = OfCue("r", strings.NewReader(sampleReport), "0")
	if got := explainedAs(t, a, err); !strings.Contains(got, "1.500 s  rejected, since all voices were protected or of higher priority, and it could not replace the only virtual voice.\n") ||
		!strings.Contains(got, "3 requested, 2 started (#1, #6), 2 stolen, 1 rejected.\n") ||
		!strings.Contains(got, "now -1") {
		t.Errorf("cue 0:\n%s", got)
	}
	if _, err := OfCue("r", strings.NewReader(sampleReport), "9"); err == nil || err.Error() != "r: no event of cue 9; cues without a number count from 0, and the last one with events is 3" {
		t.Errorf("cue 9: %v", err)
	}
}

func TestExplainSound(t *testing.T) {
	a, err := OfSound("r", strings.NewReader(sampleReport), "bell")
	got := explainedAs(t, a, err)
	for _, want := range []string{
		"bell: 3 requested, 2 started, 1 rejected.\n",
		"  0 ended, 0 stopped, 2 stolen; became virtual 1 time, restored 0 times.\n",
		"  lost its slot to: 3 (bell, boom, step).\n",
		"  reasons: 4 (limit, pool, priority, virtual).\n",
		"  the most audible loss, at 0.500 s: bell #1 became virtual for boom #3, ",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("it lacks %q:\n%s", want, got)
		}
	}
	// The hints concern the explained loss; hints about rejections name their time.
	for _, want := range []string{
		"  * It was more than 30 dB below", "  * To keep it, raise its priority above the newcomer's 3", "  * 1.500 s, rejected: Raise its priority (now",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("it lacks %q:\n%s", want, got)
		}
	}
	for _, other := range []string{"loss is inaudible", "`limit", "Use more virtual voices"} {
		if strings.Contains(got, other) {
			t.Errorf("it has a hint of another loss, %q:\n%s", other, got)
		}
	}
	if _, err := OfSound("r", strings.NewReader(sampleReport), "gong"); err == nil || err.Error() != `r: no event of sound "gong"; the report has bell, boom, step, wind` {
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
			want:    "was stolen for boom #3, since every voice was busy, and it could not replace any of the 12 virtual voices. ",
		},
		{
			e:    report.Event{Kind: mixer.EventStolen, Reason: mixer.ReasonPoolFull, By: 3, BySound: "boom", Candidates: 1},
			want: "was stolen for boom #3, since every voice was busy. ",
		},
		{
			e:       report.Event{Kind: mixer.EventStolen, Reason: mixer.ReasonResize, Candidates: 1},
			virtual: 1,
			want:    "was stolen since the pool became smaller, and it could not replace the only virtual voice. ",
		},
		{
			e:       report.Event{Kind: mixer.EventStolen, Reason: mixer.ReasonGroupLimit, Limit: 2, By: 3, BySound: "boom", Candidates: 1},
			virtual: 12,
			want:    "was stolen for boom #3, since the sound is limited to 2 voices at once. ",
		},
	} {
		if got := describeStolen(&c.e, &report.Report{Virtual: c.virtual}); !strings.HasPrefix(got, c.want) {
			t.Errorf("%s\nwant %s", got, c.want)
		}
	}
}

// TestUnloaded checks the text and the advice for a start whose sound was not loaded.
func TestUnloaded(t *testing.T) {
	e := report.Event{Kind: mixer.EventRejected, Reason: mixer.ReasonUnloaded, Sound: "roar", Slot: -1}
	head := &report.Report{Voices: 8, Virtual: 8}
	if got, want := Outcome(&e, head, nil), "rejected, since its sound was not loaded"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	want := "Load a group of the sound before (`Bank.LoadGroup`), or take the sound out of all `groups` to keep it loaded."
	if got := strings.Join(advise(head, nil, []*report.Event{&e}, false), "\n"); got != want {
		t.Errorf("the advice is %q, want %q", got, want)
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
			want: "its loss is inaudible",
		},
		{
			e:    report.Event{Kind: mixer.EventStolen, Reason: mixer.ReasonPoolFull, Lost: loud},
			want: "would have become audible later",
		},
		{
			e:    report.Event{Kind: mixer.EventStolen, Reason: mixer.ReasonPoolFull, Lost: loud},
			want: "Use more than 4 voices",
		},
		{
			e:       report.Event{Kind: mixer.EventVirtual, Reason: mixer.ReasonPoolFull, Lost: loud},
			virtual: 8, want: "it is restored once it is audible",
		},
		{
			e:       report.Event{Kind: mixer.EventStolen, Reason: mixer.ReasonVirtualFull, Lost: loud},
			virtual: 8, want: "Use more virtual voices (`virtual: 16` or more)",
		},
	} {
		c.e.Audibility = silence
		said := advise(&report.Report{Voices: 4, Virtual: c.virtual}, nil, []*report.Event{&c.e}, false)
		if got := strings.Join(said, "\n"); !strings.Contains(got, c.want) || c.e.Lost.Finite() && strings.Contains(got, "its loss is inaudible") {
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
		{1, `bell #1 (cue 0), 0.000 s to 0.500 s, ended.
  0.000 s  started in slot 0.
  0.100 s  no sound: server gone; back at 0.400 s.
  0.500 s  ended.
`},
		{2, `bell #2 (cue 1), 0.600 s to 0.700 s, ended.
  0.600 s  started in slot 0.
  0.700 s  ended.
`},
		{3, `bell #3 (cue 2), 1.000 s to 5.000 s, was still playing at the end of the report.
  1.000 s  started in slot 0.
  1.000 s  no sound: the sink is gone; the device did not return.
`},
	} {
		a, err := OfVoice("r", strings.NewReader(text), c.voice)
		if got := explainedAs(t, a, err); got != c.want {
			t.Errorf("voice %d:\n%swant\n%s", c.voice, got, c.want)
		}
	}
}
