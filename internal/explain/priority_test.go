package explain

import (
	"strings"
	"testing"

	"voicepool/cue/report"
	"voicepool/mixer"
)

// priorityReport has steals decided by priority: the only voice of the lowest priority, despite a quieter
// voice, and one of two voices that share it.
const priorityReport = `{"version":1,"rate":1000,"frames":5000,"voices":9,"overflow":"quietest","totals":{"started":4},"events":[
{"kind":"started","voice":1,"sound":"drip","slot":0},
{"kind":"started","voice":2,"sound":"drip","slot":1},
{"frame":9,"kind":"stolen","voice":1,"sound":"drip","slot":0,"by":3,"by_sound":"bell","audibility_db":-32,"newcomer_db":-20,"runner_up_db":-100,"candidates":9,"peers":1,"priority":-1,"runner_up_priority":2,"newcomer_priority":2,"policy":"quietest","lost_db":-30,"reason":"pool"},
{"frame":12,"kind":"stolen","voice":2,"sound":"drip","slot":1,"by":4,"by_sound":"bell","audibility_db":-32,"newcomer_db":-20,"runner_up_db":-30,"candidates":9,"peers":4,"priority":0,"runner_up_priority":0,"newcomer_priority":0,"policy":"quietest","lost_db":-30,"reason":"pool"}]}`

// TestExplainPriority checks that a steal by priority mentions both priorities. A quieter runner-up is not a
// fault.
func TestExplainPriority(t *testing.T) {
	for _, c := range []struct {
		voice uint64
		want  string
	}{
		{1, "was stolen for bell #3, whose priority 2 is above its own -1, since every voice was busy. " +
			"Of the 9 candidates it alone had the lowest priority, -1; the next had 2 and was kept, counted as -100.0 dB. It would have been heard at -32.0 dB. The newcomer"},
		{2, "was stolen for bell #4, since every voice was busy. Of the 9 candidates 4 had the lowest priority, 0; of these it counted as the least audible: -32.0 dB, 2.0 dB below the next (-30.0 dB). The newcomer"},
	} {
		a, err := OfVoice("r", strings.NewReader(priorityReport), c.voice)
		if got := explainedAs(t, a, err); !strings.Contains(got, c.want) {
			t.Errorf("voice %d:\n%s\nwant %s", c.voice, got, c.want)
		}
	}
}

// TestPriorityOfVirtual checks that priority also decides among virtual voices. A voice that became virtual
// because of a smaller pool was not displaced by another sound.
func TestPriorityOfVirtual(t *testing.T) {
	for _, c := range []struct {
		e    report.Event
		want string
	}{
		{report.Event{Kind: mixer.EventStolen, Reason: mixer.ReasonVirtualFull, Candidates: 9, Peers: 1, Priority: -1}, ": it alone of 9 virtual voices had the lowest priority, -1, at 0.0 dB from then on"},
		{report.Event{Kind: mixer.EventStolen, Reason: mixer.ReasonVirtualFull, Candidates: 9, Peers: 4, Priority: 2}, ": it counted as the least audible of the 4 with the lowest priority, 2, among 9 virtual voices, at 0.0 dB from then on"},
		{report.Event{Kind: mixer.EventVirtual, Reason: mixer.ReasonResize, Candidates: 1}, "a #0 became virtual since the pool became smaller: it keeps its time"},
	} {
		c.e.Sound, c.e.By, c.e.BySound = "a", uint64(c.e.Peers), "b"
		if got := Outcome(&c.e, &report.Report{Rate: 1000}, nil); !strings.Contains(got, c.want) {
			t.Errorf("%s\nwant %s", got, c.want)
		}
	}
}

// TestPriorityTold checks that a decision by priority mentions both priorities, in full and in one line, and
// that a decision by loudness does not.
func TestPriorityTold(t *testing.T) {
	lost := report.Event{Frame: 2000, Kind: mixer.EventStolen, Sound: "drip", By: 3, BySound: "bell", Audibility: -32, RunnerUp: -100, HasRunnerUp: true, Candidates: 9, Peers: 1, Priority: -1, NewcomerPriority: 2, RunnerUpPriority: 1}
	some, equal, back, quiet, refused := lost, lost, lost, lost, lost
	some.Peers, some.RunnerUpPriority = 4, -1
	equal.Peers, equal.RunnerUpPriority = 9, -1
	back.Kind, back.Reason, back.Peers, back.RunnerUpPriority = mixer.EventVirtual, mixer.ReasonExchanged, 9, -1
	quiet = back
	quiet.NewcomerPriority = -1
	refused = report.Event{Frame: 2000, Kind: mixer.EventRejected, Reason: mixer.ReasonOutranked, Sound: "drip", Priority: -1, NewcomerPriority: -1, RunnerUpPriority: 1}
	for _, c := range []struct {
		name       string
		e          report.Event
		told, line string // empty if loudness decided
	}{
		{"alone", lost, "bell #3, whose priority 2 is above its own -1", "drip of priority -1 was replaced by bell of priority 2 at 2.0 s, at -32 dB; the next had priority 1, counted as -100 dB"},
		{"some", some, "4 had the lowest priority, -1", "drip of priority -1 was replaced by bell of priority 2 at 2.0 s, at -32 dB"},
		{"equal", equal, "Of the 9 candidates it counted as the least audible", ""},
		{"back", back, "a virtual voice that has priority 2, above its own -1", "drip of priority -1 was replaced by bell of priority 2 at 2.0 s, at -32 dB"},
		{"louder", quiet, "a virtual voice that will be louder", ""},
		{"refused", refused, "had a priority above its own -1, of 1 or more", "drip of priority -1 got no slot at 2.0 s: every unprotected voice had priority 1 or more"},
	} {
		if got := Outcome(&c.e, &report.Report{Rate: 1000}, nil); !strings.Contains(got, c.told) {
			t.Errorf("%s: %q, want %q", c.name, got, c.told)
		}
		if c.e.ByPriority() != (c.line != "") {
			t.Errorf("%s: by priority %v", c.name, c.e.ByPriority())
		} else if got := Priority(&c.e, 1000); c.line != "" && got != c.line {
			t.Errorf("%s: %q, want %q", c.name, got, c.line)
		}
	}
}

func TestSteal(t *testing.T) {
	e := report.Event{
		Frame: 595200, Kind: mixer.EventStolen, Sound: "drip", By: 9, BySound: "bell", Reason: mixer.ReasonPoolFull,
		Audibility: -61.2, RunnerUp: -58, HasRunnerUp: true, Candidates: 13,
	}
	for _, c := range []struct {
		change func(*report.Event)
		want   string
	}{
		{func(*report.Event) {}, "drip lost its voice to bell at 12.4 s: it would have been heard at -61 dB, the next of 13 counted as -58"},
		{func(e *report.Event) { e.HasRunnerUp = false }, "drip lost its voice to bell at 12.4 s: it would have been heard at -61 dB, as the only candidate"},
		{func(e *report.Event) { e.Audibility = -300 }, "drip lost its voice to bell at 12.4 s: it would have been silent, the next of 13 counted as -58"},
		{func(e *report.Event) { e.Reason = mixer.ReasonGroupLimit }, "drip lost its voice to bell at 12.4 s: it would have been heard at -61 dB, the next of 13 counted as -58 (the limit of the sound)"},
		{func(e *report.Event) { e.By = 0 }, "drip lost its voice at 12.4 s, since the pool became smaller"},
		{
			func(e *report.Event) {
				e.Audibility, e.RunnerUp, e.Peers, e.Priority, e.RunnerUpPriority, e.NewcomerPriority = -32, -100, 1, -1, 2, 2
			},
			"drip lost its voice to bell, whose priority 2 is above its own -1, at 12.4 s: it alone of 13 had the lowest priority, -1 (the next had 2, counted as -100 dB); it would have been heard at -32 dB",
		},
		{
			func(e *report.Event) { e.Peers, e.Priority, e.RunnerUpPriority = 4, 5, 5 },
			"drip lost its voice to bell at 12.4 s: it would have been heard at -61 dB, the next of 4 of the lowest priority (5) counted as -58",
		},
		{func(e *report.Event) { e.Policy = mixer.StealOldest }, "drip lost its voice to bell at 12.4 s: it was the oldest of 13; it would have been heard at -61 dB"},
		{func(e *report.Event) { e.Policy, e.Peers = mixer.StealGain, 2 }, "drip lost its voice to bell at 12.4 s: it had the least gain of 2 of the lowest priority (0); it would have been heard at -61 dB"},
	} {
		changed := e
		c.change(&changed)
		if got := Steal(&changed, 48000); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}

// TestImportanceTold checks that the text names the importance in the compared levels, and that a summary keeps the
// loudness apart from it.
func TestImportanceTold(t *testing.T) {
	lost := report.Event{
		Frame: 2000, Kind: mixer.EventStolen, Reason: mixer.ReasonPoolFull, Sound: "drip", By: 3, BySound: "bell", Audibility: -32, Newcomer: -20, RunnerUp: -30, HasRunnerUp: true,
		Candidates: 2, Peers: 2, Lost: -30,
	}
	for _, c := range []struct {
		own, newcomer report.Level
		want          string
	}{
		{0, 0, "The newcomer was 12.0 dB louder (-20.0 dB). Its rest"},
		{6, 0, "it counted as the least audible: -32.0 dB, 2.0 dB below the next (-30.0 dB). It would have been heard at -38.0 dB. " +
			"The newcomer was 18.0 dB louder (-20.0 dB). With its importance of +6 dB it counted as -32.0 dB. Its rest"},
		{0, -2.5, "The newcomer was 14.5 dB louder (-17.5 dB). With its importance of -2.5 dB the newcomer counted as -20.0 dB. Its rest"},
		{-6, 12, "It would have been heard at -26.0 dB. The newcomer was 6.0 dB quieter (-32.0 dB): a new sound always plays. " +
			"With its importance of -6 dB it counted as -32.0 dB, and the newcomer with +12 dB as -20.0 dB. Its rest"},
	} {
		e := lost
		e.Importance, e.NewcomerImportance = c.own, c.newcomer
		if got := Outcome(&e, &report.Report{Rate: 1000}, nil); !strings.Contains(got, c.want) {
			t.Errorf("%s\nwant %s", got, c.want)
		}
	}
	lost.Importance = 6
	if got, want := Steal(&lost, 1000), "it would have been heard at -38 dB, counted as -32 dB with its importance, the next of 2 counted as -30"; !strings.HasSuffix(got, want) {
		t.Errorf("%s\nwant %s", got, want)
	}
	if got := Missed(&lost); got != -38 {
		t.Errorf("it was missed at %v dB, want -38", got)
	}
	masked, oldest, back := lost, lost, lost
	masked.Policy, oldest.Policy, back.Reason, back.NewcomerImportance = mixer.StealMasked, mixer.StealOldest, mixer.ReasonExchanged, 12
	gone := back
	gone.Reason, gone.NewcomerImportance = mixer.ReasonVirtualFull, 0
	for want, e := range map[string]report.Event{
		"by itself it would have been at -38.0 dB. The newcomer": masked, "it would have been heard at -38.0 dB. The newcomer": oldest,
		"a virtual voice that counts as louder: -32.0 dB against -38.0 dB. With": back, "of 2 virtual voices, at -38.0 dB from then on. With": gone,
	} {
		if got := Outcome(&e, &report.Report{Rate: 1000}, nil); !strings.Contains(got, want) {
			t.Errorf("%s\nwant %s", got, want)
		}
	}
	if got, want := describeVictimGain(&back), "at -38.0 dB against -32.0 dB"; !strings.HasSuffix(got, want) {
		t.Errorf("%s\nwant %s", got, want)
	}
	refused := report.Event{Kind: mixer.EventRejected, Reason: mixer.ReasonQuieter, Audibility: -40, Newcomer: -40, RunnerUp: -30, Candidates: 3, Importance: -6, NewcomerImportance: -6}
	if got, want := Outcome(&refused, &report.Report{Rate: 1000}, nil), "It would have been heard at -34.0 dB, and counted as 10.0 dB less audible than the least audible of 3 playing voices (-30.0 dB). With its importance of -6 dB it counted as -40.0 dB"; !strings.HasSuffix(got, want) {
		t.Errorf("%s\nwant %s", got, want)
	}
	if got := Missed(&refused); got != -34 {
		t.Errorf("it was missed at %v dB, want -34", got)
	}
}

// TestImportanceAdvised checks that advice names an increase of importance that would have kept a voice, and only if it
// can help.
func TestImportanceAdvised(t *testing.T) {
	lost := report.Event{
		Kind: mixer.EventStolen, Reason: mixer.ReasonPoolFull, By: 3, Audibility: -32, Newcomer: -20, RunnerUp: -30, HasRunnerUp: true,
		Candidates: 2, Peers: 2, Lost: -30, NewcomerPriority: 4,
	}
	const without = "To keep it, raise its priority above the newcomer's 4, or set `protect: true`."
	for _, c := range []struct {
		change func(*report.Event)
		want   string
	}{
		{func(*report.Event) {}, "To keep it, raise its priority above the newcomer's 4, raise its `importance` by 3 dB, or set `protect: true`."},
		{func(e *report.Event) { e.Importance, e.NewcomerImportance = 57, 57 }, "To keep it, raise its priority above the newcomer's 4, raise its `importance` by 3 dB, or set `protect: true`."},
		{func(e *report.Event) { e.Importance, e.NewcomerImportance = 58, 58 }, without},
		{func(e *report.Event) { e.By = 0 }, "To keep it, raise its priority above 0, raise its `importance` by 3 dB, or set `protect: true`."},
		{func(e *report.Event) { e.HasRunnerUp = false }, without},
		{func(e *report.Event) { e.RunnerUpPriority = 1 }, without},
		{func(e *report.Event) { e.Policy = mixer.StealOldest }, without},
		{func(e *report.Event) { e.Reason = mixer.ReasonExchanged }, "To keep it, raise its priority above 0, or set `protect: true`."},
	} {
		e := lost
		c.change(&e)
		if got := advise(&report.Report{Voices: 2}, []*report.Event{&e}, nil, true); got[0] != c.want {
			t.Errorf("%s\nwant %s", got[0], c.want)
		}
	}
}
