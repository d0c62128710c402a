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
			"Of the 9 candidates it alone had the lowest priority, -1; the next had 2 and was kept, at -100.0 dB. It would have been heard at -32.0 dB. The newcomer"},
		{2, "was stolen for bell #4, since every voice was busy. Of the 9 candidates 4 had the lowest priority, 0; of these it was the least audible: -32.0 dB, 2.0 dB quieter than the next (-30.0 dB). The newcomer"},
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
		{report.Event{Kind: mixer.EventStolen, Reason: mixer.ReasonVirtualFull, Candidates: 9, Peers: 4, Priority: 2}, ": it was the least audible of the 4 with the lowest priority, 2, among 9 virtual voices, at 0.0 dB from then on"},
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
		{"alone", lost, "bell #3, whose priority 2 is above its own -1", "drip of priority -1 was replaced by bell of priority 2 at 2.0 s, at -32 dB; the next had priority 1, at -100 dB"},
		{"some", some, "4 had the lowest priority, -1", "drip of priority -1 was replaced by bell of priority 2 at 2.0 s, at -32 dB"},
		{"equal", equal, "Of the 9 candidates it was the least audible", ""},
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
		{func(*report.Event) {}, "drip lost its voice to bell at 12.4 s: it would have been heard at -61 dB, the next of 13 at -58"},
		{func(e *report.Event) { e.HasRunnerUp = false }, "drip lost its voice to bell at 12.4 s: it would have been heard at -61 dB, as the only candidate"},
		{func(e *report.Event) { e.Audibility = -300 }, "drip lost its voice to bell at 12.4 s: it would have been silent, the next of 13 at -58"},
		{func(e *report.Event) { e.Reason = mixer.ReasonGroupLimit }, "drip lost its voice to bell at 12.4 s: it would have been heard at -61 dB, the next of 13 at -58 (the limit of the sound)"},
		{func(e *report.Event) { e.By = 0 }, "drip lost its voice at 12.4 s, since the pool became smaller"},
		{
			func(e *report.Event) {
				e.Audibility, e.RunnerUp, e.Peers, e.Priority, e.RunnerUpPriority, e.NewcomerPriority = -32, -100, 1, -1, 2, 2
			},
			"drip lost its voice to bell, whose priority 2 is above its own -1, at 12.4 s: it alone of 13 had the lowest priority, -1 (the next had 2, at -100 dB); it would have been heard at -32 dB",
		},
		{
			func(e *report.Event) { e.Peers, e.Priority, e.RunnerUpPriority = 4, 5, 5 },
			"drip lost its voice to bell at 12.4 s: it would have been heard at -61 dB, the next of 4 of the lowest priority (5) at -58",
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
		{6, 0, "louder (-20.0 dB). Its level includes its importance of +6 dB. Its rest"},
		{0, -2.5, "louder (-20.0 dB). The newcomer's level includes its importance of -2.5 dB. Its rest"},
		{-6, 12, "louder (-20.0 dB). These levels include importance: -6 dB of its own, +12 dB of the newcomer's. Its rest"},
	} {
		e := lost
		e.Importance, e.NewcomerImportance = c.own, c.newcomer
		if got := Outcome(&e, &report.Report{Rate: 1000}, nil); !strings.Contains(got, c.want) {
			t.Errorf("%s\nwant %s", got, c.want)
		}
	}
	lost.Importance = 6
	if got, want := Steal(&lost, 1000), "it would have been heard at -38 dB, compared as -32 dB with its importance, the next of 2 at -30"; !strings.HasSuffix(got, want) {
		t.Errorf("%s\nwant %s", got, want)
	}
	if got := Missed(&lost); got != -38 {
		t.Errorf("it was missed at %v dB, want -38", got)
	}
	refused := report.Event{Kind: mixer.EventRejected, Reason: mixer.ReasonQuieter, Audibility: -40, Newcomer: -40, RunnerUp: -30, Candidates: 3, Importance: -6, NewcomerImportance: -6}
	if got, want := Outcome(&refused, &report.Report{Rate: 1000}, nil), "(-30.0 dB). Its level includes its importance of -6 dB"; !strings.HasSuffix(got, want) {
		t.Errorf("%s\nwant %s", got, want)
	}
	if got := Missed(&refused); got != -34 {
		t.Errorf("it was missed at %v dB, want -34", got)
	}
}
