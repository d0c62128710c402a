package expect

import (
	"encoding/xml"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"voicepool/bank/rules"
	"voicepool/cue/report"
	"voicepool/internal/listening"
	"voicepool/internal/sheet/yaml"
	"voicepool/mixer"
	"voicepool/pcm"
)

// played returns the evidence of a show with a rate of 1,000 Hz and a length of 4 s. A coin plays from 0.5 s to 1 s on
// the left. Then a bell steals its voice, and plays to 1.5 s in the centre. A second coin is virtual from 2 s, real from 2.5 s to 3 s on
// the right. A gong is rejected at 1.2 s.
func played(audio bool) *Evidence {
	peak := report.Level(-6)
	e := &Evidence{Rate: 1000, Range: listening.Span{From: 0, To: 4000}, Over: true, Peak: &peak}
	coin := report.CueLabel{ListCue: "2.5", CueName: "Coin", CueLine: 4, CueID: "money", CueBus: "sfx"}
	for _, one := range []report.Event{
		{Kind: mixer.EventStarted, Frame: 500, Voice: 1, Sound: "coin", Slot: 0, CueLabel: coin},
		{Kind: mixer.EventStarted, Frame: 1000, Voice: 2, Sound: "bell", Slot: 0, Cue: 1},
		{Kind: mixer.EventStolen, Frame: 1000, Voice: 1, Sound: "coin", Slot: 0, By: 2, BySound: "bell", CueLabel: coin},
		{Kind: mixer.EventRejected, Frame: 1200, Sound: "gong", Cue: 2, Slot: -1, Reason: mixer.ReasonOutranked},
		{Kind: mixer.EventUnderrun, Frame: 1300, Voice: 2, Sound: "bell", Slot: 0},
		{Kind: mixer.EventEnded, Frame: 1500, Voice: 2, Sound: "bell", Slot: 0, Cue: 1},
		{Kind: mixer.EventStarted, Frame: 2000, Voice: 3, Sound: "coin", Slot: -1, CueLabel: coin},
		{Kind: mixer.EventReal, Frame: 2500, Voice: 3, Sound: "coin", Slot: 0, CueLabel: coin},
		{Kind: mixer.EventEnded, Frame: 3000, Voice: 3, Sound: "coin", Slot: 0, CueLabel: coin},
	} {
		e.Log.Add(&one)
	}
	if audio {
		e.Audio = listening.NewMeter(e.Rate, 0)
		frames := make([]pcm.Frame, 4000)
		fill := func(from, to int, f pcm.Frame) {
			for i := range frames[from:to] {
				frames[from+i] = f
			}
		}
		fill(500, 1000, pcm.Frame{0.5, 0.1})
		fill(1000, 1500, pcm.Frame{0.25, 0.25})
		fill(2500, 3000, pcm.Frame{0, 0.5})
		e.Audio.Write(frames)
	}
	return e
}

// TestRules checks each kind of rule and each key once when the rule holds and once when it does not.
func TestRules(t *testing.T) {
	for _, c := range []struct{ rule, fault string }{
		{`heard: coin`, ``},
		{`heard: "*"`, ``},
		{`heard: gong`, `it was not heard: the start at 1.200 s is rejected (priority)`},
		{`heard: coins`, `no sound "coins" was played; the nearest is "coin"`},
		{`heard: theme`, `it was not heard: it was not played`},
		{`heard: coin, voice: 3, at: 2.5s`, ``},
		{`heard: coin, at: 0.5s`, ``},
		{`heard: coin, at: 510ms`, ``},
		{`heard: coin, at: 511ms`, `it is heard at 0.500 s, 2.500 s; want 511ms ± 10ms`},
		{`heard: coin, at: 0.5 ± 0`, ``},
		{`heard: coin, at: 0.502 +- 0.001`, `it is heard at 0.500 s, 2.500 s; want 0.502 ± 0.001`},
		{`heard: coin, at: 0.45s +/- 50ms`, ``},
		{`heard: coin, at: [0.5s, 2.5s], times: 2`, ``},
		{`heard: coin, at: [501ms, 2.499s]`, `it is heard at 0.500 s, 2.500 s; want from 501ms to 2.499s`},
		{`heard: coin, times: 2`, ``},
		{`heard: coin, times: 1`, `it is heard 2 times, at 0.500 s, 2.500 s; want 1`},
		{`heard: coin, times: 3 ± 1`, ``},
		{`heard: coin, times: [3, 5]`, `it is heard 2 times, at 0.500 s, 2.500 s; want 3 to 5`},
		{`heard: bell, level: -12`, ``},
		{`heard: bell, level: -12.1 dB ± 0.1 dB`, ``},
		{`heard: bell, level: -11`, `its level is -12.0412 dB; want -11 ± 1 dB`},
		{`heard: bell, level: [-13, -12.1]`, `its level is -12.0 dB; want -13 to -12.1 dB`},
		{`heard: bell, level: -12.0412 ± 0.0001`, ``},
		{`heard: coin, at: 0.5s, side: left`, ``},
		{`heard: bell, side: left`, `left has -12.0 dB and right -12.0 dB, a pan of 0.00; want left`},
		{`heard: bell, side: center`, ``},
		{`heard: coin, at: 0.5s, side: center`, `left has -6.0 dB and right -20.0 dB, a pan of -0.75; want center`},
		{`heard: coin, at: 2.5s, side: right`, ``},
		{`heard: coin, at: 0.5s, side: right`, `left has -6.0 dB and right -20.0 dB, a pan of -0.75; want right`},
		{`heard: coin, at: 0.5s, side: -0.7`, ``},
		{`heard: coin, at: 0.5s, side: -0.6`, `left has -6.0 dB and right -20.0 dB, a pan of -0.75; want -0.6 ± 0.1`},
		{`heard: coin, at: 2.5s, side: [0.9, 1]`, ``},
		{`heard: coin, cue: 2.5`, ``},
		{`heard: coin, cue: "3"`, `it was not heard: it was not played`},
		{`heard: bell, cue: 1`, ``},
		{`heard: coin, id: money, bus: sfx`, ``},
		{`heard: coin, id: gold`, `it was not heard: it was not played`},
		{`heard: bell, bus: master`, ``},
		{`heard: coin, bus: master`, `it was not heard: it was not played`},
		{`never: scream`, ``},
		{`never: gong`, ``},
		{`never: coin`, `it is heard at 0.500 s, 2.500 s; want never`},
		{`never: coin, between: [1s, 2.5s]`, ``},
		{`never: coin, between: [999ms, 2.5s]`, `it is heard at 0.999 s; want never`},
		{`never: coin, voice: 7`, ``},
		{`never: "*", between: [3s, 4s]`, ``},
		{`never: gong, between: [3s, 4.1s]`, `only 0.000 s to 4.000 s were played`},
		{`never: coinn`, `no sound "coinn" was played; is it "coin"? if the name is right, declare it: sounds: {"coinn": }`},
		{`stolen: coin`, ``},
		{`stolen: coin, by: bell`, ``},
		{`stolen: coin, by: gong`, `it was stolen by bell at 1.000 s; want by gong`},
		{`stolen: coin, at: 1s, times: 1`, ``},
		{`stolen: coin, at: 2s`, `it was stolen at 1.000 s; want 2s ± 10ms`},
		{`stolen: coin, times: 2`, `it was stolen 1 time, at 1.000 s; want 2`},
		{`stolen: bell`, `it was not stolen: #2: ended at 1.500 s`},
		{`stolen: gong`, `it was not stolen: the start at 1.200 s is rejected (priority)`},
		{`silence: [1.5s, 2.5s]`, ``},
		{`silence: [1.4s, 1.6s]`, `a sound is audible at 1.400 s, where bell #2 played; want silence`},
		{`silence: [3.5s, 4.5s]`, `only 0.000 s to 4.000 s were played`},
		{`peak: -6`, ``},
		{`peak: -7`, `the peak is -6.0 dB; want at most -7 dB`},
		{`peak: [-5, 0]`, `the peak is -6.0 dB; want -5 to 0 dB`},
		{`peak: -12, between: [1s, 2s]`, ``},
		{`peak: -12, between: [0s, 1s]`, `the peak is -6.0 dB; want at most -12 dB`},
		{`peak: 0, between: [3s, 5s]`, `only 0.000 s to 4.000 s were played`},
	} {
		list, err := Parse("r.yaml", []byte("expect: [{"+c.rule+"}]"))
		if err != nil {
			t.Errorf("%s: %v", c.rule, err)
			continue
		}
		for _, audio := range []bool{true, false} {
			if !audio && list.CheckUse(true, false) != nil {
				continue
			}
			want := c.fault
			if !audio {
				want = strings.Replace(want, "a sound is audible at 1.400 s, where bell #2 played", "bell #2 played", 1)
			}
			v := played(audio).Check(list)
			if got := v.Results[0].Fault; got != want || !v.Settled() {
				t.Errorf("%s, with audio %v:\n%s, want\n%s", c.rule, audio, got, want)
			}
			if lines := v.Failures(); want != "" && (len(lines) != 1 || !strings.HasPrefix(lines[0], "r.yaml:1:10: ") || !strings.HasSuffix(lines[0], ": "+want)) {
				t.Errorf("%s: the lines %q", c.rule, lines)
			}
		}
	}
}

// TestWithoutCue checks rules on a voice that no cue has started, in a mix that is silent.
func TestWithoutCue(t *testing.T) {
	e := &Evidence{Rate: 1000, Range: listening.Span{From: 0, To: 1000}, Over: true, Audio: listening.NewMeter(1000, 0)}
	e.Audio.Write(make([]pcm.Frame, 1000))
	e.Log.Add(&report.Event{Kind: mixer.EventStarted, Frame: 100, Voice: 1, Sound: "footstep_great", Cue: -1})
	e.Log.Add(&report.Event{Kind: mixer.EventEnded, Frame: 200, Voice: 1, Sound: "footstep_great", Cue: -1})
	for rule, want := range map[string]string{
		`heard: footstep_great`:              "",
		`heard: footstep_great, bus: master`: "it was not heard: it was not played",
		`heard: footstep_great, side: 0`:     "the mix is silent; want 0 ± 0.1",
		`never: footstep_grass`:              "", // too different for a misspelling
	} {
		list, err := Parse("r.yaml", []byte("expect: [{"+rule+"}]"))
		if err != nil {
			t.Fatal(err)
		}
		if got := e.Check(list).Results[0].Fault; got != want {
			t.Errorf("%s: %q, want %q", rule, got, want)
		}
	}
}

// TestDeclared checks that a declared name is not taken for a misspelling.
func TestDeclared(t *testing.T) {
	list, err := Parse("r", []byte("sounds: {coinn: }\nexpect: [{never: coinn}]"))
	if err != nil {
		t.Fatal(err)
	}
	if v := played(false).Check(list); v.Failures() != nil || v.Summary() != "1 rule holds" {
		t.Error(v.Failures())
	}
	if list, err = Parse("r", []byte("expect: [{never: coinn}]")); err != nil {
		t.Fatal(err)
	}
	e := played(false)
	e.Names = []string{"coinn"}
	if v := e.Check(list); v.Failures() != nil {
		t.Error(v.Failures())
	}
	if list, err = Parse("r", []byte("sounds: {coinn: }\nexpect: [{never: coinn}]")); err != nil {
		t.Fatal(err)
	}
	if err := list.CheckNames([]string{"coin"}); err != nil {
		t.Error(err)
	}
}

// TestLateAudio checks rules about times before the audio begins.
func TestLateAudio(t *testing.T) {
	for rule, want := range map[string]string{
		`silence: [0.5s, 1s]`:                `coin #1 played; want silence`,
		`silence: [0s, 0.5s]`:                ``,
		`silence: [1.5s, 2.5s]`:              ``,
		`silence: [1.4s, 2.5s]`:              `bell #2 played; want silence`,
		`silence: [2.4s, 2.6s]`:              `a sound is audible at 2.500 s, where coin #3 played; want silence`,
		`peak: -3, between: [1s, 3s]`:        `the audio before 2.000 s was not recorded`,
		`peak: -3, between: [2s, 3s]`:        ``,
		`heard: bell, level: -12`:            `its audio was not recorded; the recording has 2.000 s to 4.000 s`,
		`heard: coin, times: 2, side: right`: ``,
	} {
		list, err := Parse("r", []byte("expect: [{"+rule+"}]"))
		if err != nil {
			t.Fatal(err)
		}
		e := played(false)
		e.Audio = listening.NewMeter(1000, 2000)
		e.Audio.WriteAt(2500, slices.Repeat([]pcm.Frame{{0, 0.5}}, 500), 1)
		e.Audio.WriteAt(3000, make([]pcm.Frame, 1000), 1)
		if got := e.Check(list).Results[0].Fault; got != want {
			t.Errorf("%s: %s, want %s", rule, got, want)
		}
	}
}

// TestSettled checks, with the show cut at each 10 ms, that a settled result never changes, and that each rule is
// settled as early as it can be.
func TestSettled(t *testing.T) {
	for _, c := range []struct {
		rule string
		at   int64 // of the first settled result, in ms
	}{
		{`heard: coin`, 510},
		{`heard: coin, at: 0.5s`, 510},
		{`heard: coin, at: 0.6s`, 620},
		{`heard: coin, at: [0s, 1s], times: 1`, 1010},
		{`heard: coin, times: 1`, 2510},
		{`heard: coin, times: 2`, 4000},
		{`heard: bell, level: -12`, 1500},
		{`heard: coin, at: 0.5s, side: right`, 1000},
		{`stolen: coin, by: bell`, 1000},
		{`stolen: coin, at: 0.9s`, 920},
		{`never: gong`, 4000},
		{`never: bell`, 1010},
		{`never: coin, between: [1s, 2s]`, 2010},
		{`silence: [1.5s, 2.5s]`, 2510},
		{`silence: [1s, 2s]`, 1010},
		{`peak: -7`, 510},
		{`peak: -1, between: [0s, 1s]`, 1010},
		{`peak: -1`, 4000},
	} {
		list, err := Parse("r", []byte("expect: [{"+c.rule+"}]"))
		if err != nil {
			t.Fatal(err)
		}
		whole := played(true)
		final, settled := whole.Check(list).Results[0], int64(-1)
		audio := listening.NewMeter(1000, 0)
		for end := int64(10); end <= 4000; end += 10 {
			e := &Evidence{Rate: 1000, Range: listening.Span{To: end}, Over: end == 4000, Audio: audio}
			for _, v := range whole.Log.voices {
				if v.started < end {
					one := *v
					one.spans = slices.Clone(v.spans)
					if v.last != nil && v.last.Frame > end {
						one.last = nil
						for i := range one.spans {
							if one.spans[i].To > end {
								one.spans[i].To = openEnd
							}
						}
						one.spans = slices.DeleteFunc(one.spans, func(s listening.Span) bool { return s.From >= end })
					}
					e.Log.voices = append(e.Log.voices, &one)
					e.Log.name(v.sound)
				}
			}
			for i := end - 10; i < end; i++ {
				l, r := whole.Audio.Sides(listening.Span{From: i, To: i + 1})
				audio.Write([]pcm.Frame{{float32(math.Sqrt(l)), float32(math.Sqrt(r))}})
			}
			one := e.Check(list).Results[0]
			if settled >= 0 && (!one.Settled || (one.Fault == "") != (final.Fault == "")) {
				t.Errorf("%s: settled at %d ms, and at %d ms it is %v, %q", c.rule, settled, end, one.Settled, one.Fault)
				break
			}
			if one.Settled && settled < 0 {
				if settled = end; (one.Fault == "") != (final.Fault == "") {
					t.Errorf("%s: settled at %d ms with %q, and in the end %q", c.rule, end, one.Fault, final.Fault)
				}
			}
		}
		if settled != c.at {
			t.Errorf("%s is settled at %d ms, want %d ms", c.rule, settled, c.at)
		}
	}
}

// manySounds returns a rule and n sounds, one per line, as JSON.
func manySounds(n int) string {
	text := `{"expect":[{"heard":"a"}],"sounds":{`
	for i := range n {
		text += fmt.Sprintf("\"%d\":null,\n ", i)
	}
	return text + `"a":null}}`
}

// TestParseErrors checks the place and the remedy of each error.
func TestParseErrors(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{``, "r:1:1: the file is empty; rules are in `expect`, such as expect: [{heard: coin}]"},
		{`sounds: {}`, "r:1:1: `expect` is missing; it has the rules, such as expect: [{heard: coin}]"},
		{`[1]`, "r:1:1: a rules file is a mapping, such as {sounds: ...}, not a list"},
		{`expect: []`, "r:1:9: expect has 0 rules; want 1 to 10000"},
		{`expect: coin`, "r:1:9: expect takes a list of rules, such as [{heard: coin}], not a value"},
		{`expects: [{heard: coin}]`, "r:1:1: unknown key \"expects\" in a rules file; did you mean \"expect\"?\nr:1:1: `expect` is missing; it has the rules, such as expect: [{heard: coin}]"},
		{`expect: [{herd: coin}]`, `r:1:11: unknown key "herd" in a rule; did you mean "heard"?`},
		{`expect: [{}]`, `r:1:10: a rule needs the key heard, never, stolen, silence or peak`},
		{`expect: [coin]`, `r:1:10: a rule is a mapping, such as {heard: ...}, not a value`},
		{`expect: [{heard: coin, never: bell}]`, `r:1:24: unknown key "never" in a heard rule`},
		{`expect: [{heard: coin, leval: 3}]`, `r:1:24: unknown key "leval" in a heard rule; did you mean "level"?`},
		{`expect: [{heard: coin, heard: bell}]`, `r:1:24: "heard" is in a heard rule twice, first in line 1`},
		{`expect: [{heard: }]`, `r:1:11: "heard" needs a value`},
		{`expect: [{heard: coin, at: soon}]`, `r:1:28: at: "soon" is not a time; write 1.5s, 250ms, 2m3s or a number of seconds`},
		{`expect: [{heard: coin, at: 1s ± x}]`, `r:1:28: the tolerance of at: "x" is not a time; write 1.5s, 250ms, 2m3s or a number of seconds`},
		{`expect: [{heard: coin, at: [2s, 1s]}]`, `r:1:28: a range of at is [first, last]; here the first is later`},
		{`expect: [{heard: coin, at: [2s]}]`, `r:1:28: a range of at is [least, most], not a list of 1`},
		{`expect: [{heard: coin, level: loud}]`, `r:1:31: level takes a number of decibels from -200 to 60, not "loud"`},
		{`expect: [{heard: coin, level: 90}]`, `r:1:31: level: 90 is out of range; want a number of decibels from -200 to 60`},
		{`expect: [{heard: coin, level: -3 ± -1}]`, `r:1:31: the tolerance of level: -1 is out of range; want a number of decibels from 0 to 260`},
		{`expect: [{heard: coin, level: [-3, -9]}]`, `r:1:31: a range of level is [least, most]; here the first is larger`},
		{`expect: [{heard: coin, side: lift}]`, `r:1:30: side takes left, right, center or a pan from -1 to 1, not "lift"; did you mean "left"?`},
		{`expect: [{heard: coin, side: 2}]`, `r:1:30: side: 2 is out of range; want a number from -1 to 1`},
		{`expect: [{heard: coin, times: 0}]`, `r:1:31: times takes a whole number from 1 to 1000000000, not "0"`},
		{`expect: [{heard: coin, times: 1.5}]`, `r:1:31: times takes a whole number from 1 to 1000000000, not "1.5"`},
		{`expect: [{silence: 1s}]`, `r:1:20: silence takes two times, such as [1s, 2s], not a value`},
		{`expect: [{silence: [1s, 1s]}]`, `r:1:20: silence takes two times, such as [1s, 2s]; these are equal`},
		{`expect: [{peak: -1, between: 3s}]`, `r:1:30: between takes two times, such as [1s, 2s], not a value`},
		{"expect:\n  - heard: coin\n    at: 1s\n    bis: 2s", "r:4:5: unknown key \"bis\" in a heard rule; did you mean \"bus\"?"},
		{`expect: [{heard: coin]`, "r:1:22: unexpected \"]\"; is the indentation right?"},
		{"sounds: {" + strings.Repeat("ä", 201) + ": }\nexpect: [{heard: a}]", "r:1:10: the name of a sound has at most 200 letters, not 201"},
		{manySounds(1002), "r:1001:2: `sounds` has at most 1000 names; this is one more"},
		{"sounds: {a: [], a: b}\nexpect: [{heard: a}]", "r:1:17: the name \"a\" is in `sounds` twice, first in line 1"},
	} {
		_, err := Parse("r", []byte(c.text))
		if err == nil || err.Error() != c.want {
			t.Errorf("%s\n%v\nwant\n%s", c.text, err, c.want)
		}
	}
}

// TestUse checks the errors of rules that the evidence is not enough for, and of unknown names.
func TestUse(t *testing.T) {
	parse := func(rule string) *Rules {
		list, err := Parse("r", []byte("sounds: {gong: g.wav}\nexpect: [{"+rule+"}]"))
		if err != nil {
			t.Fatal(err)
		}
		return list
	}
	for _, c := range []struct {
		rule          string
		events, audio bool
		want          string
	}{
		{`stolen: coin`, false, true, "stolen needs the report of the show; give it in addition to the recording"},
		{`heard: coin, bus: sfx`, false, true, "cue, id, bus and voice need the report of the show; give it in addition to the recording"},
		{`never: "*"`, false, true, "\"*\" needs the report of the show; in a recording, name a sound of `sounds`"},
		{`heard: coin, level: -3`, true, false, "level and side need audio; give the recording of the show in addition to the report"},
		{`heard: coin, side: left`, true, false, "level and side need audio; give the recording of the show in addition to the report"},
		{`peak: -3, between: [1s, 2s]`, true, false, "peak with `between` needs audio; give the recording of the show in addition to the report"},
		{`heard: coin, level: -3, side: left`, false, true, ""},
		{`silence: [1s, 2s]`, true, false, ""},
		{`peak: -3`, true, false, ""},
	} {
		err := parse(c.rule).CheckUse(c.events, c.audio)
		if err == nil && c.want != "" || err != nil && err.Error() != "r:2:10: "+c.want {
			t.Errorf("%s: %v, want %s", c.rule, err, c.want)
		}
	}
	if err := parse(`stolen: coin, by: bel`).CheckNames([]string{"coin", "bell"}); err == nil || err.Error() != `r:2:10: no sound is called "bel"; the nearest is "bell"` {
		t.Error(err)
	}
	if err := parse(`stolen: coi, by: bel`).CheckNames([]string{"coin", "bell"}); err == nil || err.Error() != "r:2:10: no sound is called \"coi\"; the nearest is \"coin\"\nr:2:10: no sound is called \"bel\"" {
		t.Error(err)
	}
	if err := parse(`stolen: gong, by: "*"`).CheckNames(nil); err != nil {
		t.Error(err)
	}
	for rule, want := range map[string]bool{`heard: a`: false, `heard: a, level: -3`: true, `heard: a, side: left`: true, `silence: [0, 1]`: true, `peak: -1`: true, `stolen: a`: false} {
		if got := parse(rule).NeedsAudio(); got != want {
			t.Errorf("%s needs audio: %v", rule, got)
		}
	}
}

// TestRuleText checks the text of a rule in messages.
func TestRuleText(t *testing.T) {
	for rule, want := range map[string]string{
		`heard: coin, at: 1s, times: 2, level: -20, side: left, cue: 2.5, id: a, bus: b, voice: 3`: "heard coin at 1s ± 10ms times 2 level -20 ± 1 dB side left cue 2.5 id a bus b voice 3",
		`stolen: coin, by: bell`:                   "stolen coin by bell",
		`never: "a\tb", between: [1s, 2s]`:         "never a b from 1s to 2s",
		`peak: -1 ± 0.5`:                           "peak -1 ± 0.5 dB",
		`silence: [1, 2s]`:                         "silence from 1 to 2s",
		`heard: coin, side: 0.5, at: [1s, 1m2.5s]`: "heard coin from 1s to 1m2.5s side 0.5 ± 0.1",
	} {
		list, err := Parse("r", []byte("expect: [{"+rule+"}]"))
		if err != nil {
			t.Fatal(err)
		}
		if got := list.List[0].String(); got != want {
			t.Errorf("%s: %s, want %s", rule, got, want)
		}
	}
}

// TestTimeline checks the drawing, with and without audio.
func TestTimeline(t *testing.T) {
	list, err := Parse("r", []byte("expect: [{heard: gong}]"))
	if err != nil {
		t.Fatal(err)
	}
	const voices = `coin         #1    |    ====x                       | 0.500 s..1.000 s, stolen by bell #2
bell         #2    |        ====                    | 1.000 s..1.500 s, ended
coin         #3    |                ~~~~====        | 2.000 s..3.000 s, ended
`
	for audio, want := range map[bool]string{
		false: "0.000 s to 4.000 s, 3 voices, 1 refused\n" + voices + "voices: = plays   ~ virtual   x stolen\n",
		true: "0.000 s to 4.000 s, 3 voices, 1 refused\n" +
			"the mix            |....########........####........| -14.0 dB\n" + voices +
			"the mix: # -20 dB and louder   = -40 dB   - -60 dB   . less\nvoices: = plays   ~ virtual   x stolen\n",
	} {
		if got := played(audio).Check(list).Timeline(); got != want {
			t.Errorf("%s\nwant\n%s", got, want)
		}
	}
	many := played(false)
	for i := range uint64(100) {
		many.Log.Add(&report.Event{Kind: mixer.EventStarted, Frame: 3500, Voice: i + 10, Sound: "drop", Slot: 1})
	}
	got := many.Check(&Rules{List: []Rule{{Kind: Never, sound: "coin"}}}).Timeline()
	if strings.Count(got, "coin ") != 2 || strings.Count(got, "drop ") != 38 || !strings.Contains(got, "\n63 voices not shown\n") || strings.Contains(got, "bell  ") {
		t.Error(got)
	}
}

// TestJUnit reads the XML of a verdict again.
func TestJUnit(t *testing.T) {
	list, err := Parse("r & s.yaml", []byte("expect:\n- heard: coin\n- never: \"<coin\\u0001>\"\n- never: coin"))
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	if _, err := played(true).Check(list).WriteTo(&b); err != nil {
		t.Fatal(err)
	}
	var got suites
	if err := xml.Unmarshal([]byte(b.String()), &got); err != nil {
		t.Fatalf("%v\n%s", err, b.String())
	}
	s := got.Suite
	if s.Name != "r & s.yaml" || s.Tests != 3 || s.Failures != 1 || len(s.Cases) != 3 || s.Cases[0].Failure != nil || s.Cases[1].Failure != nil {
		t.Errorf("%+v", s)
	}
	if c := s.Cases[2]; c.Name != "line 4: never coin" || c.Line != 4 || c.Failure == nil || c.Failure.Message != "it is heard at 0.500 s, 2.500 s; want never" ||
		!strings.HasPrefix(c.Failure.Text, "r & s.yaml:4:3: never coin: it is heard") || !strings.Contains(c.Failure.Text, "stolen by bell #2") {
		t.Errorf("%+v", c)
	}
}

// FuzzParse checks that any text gives rules that can be checked, or errors with places.
func FuzzParse(f *testing.F) {
	f.Add("sounds: {a: b, c: [d, e], f: }\nexpect:\n- {heard: coin, at: 1s ± 10ms, times: [1, 3], level: -20 dB ± 1, side: -0.3}\n- {stolen: a, by: b, voice: 3}")
	f.Add(`{"expect": [{"silence": [0, 1]}, {"peak": -1, "between": ["1s", "2s"]}, {"never": "*", "cue": 2.50, "id": "x", "bus": "y"}]}`)
	f.Add("expect: [{heard: coin, at: 1000000000s ± 1000000000s}, {herd: ± }]")
	f.Fuzz(func(t *testing.T, text string) {
		list, err := Parse("f", []byte(text))
		if err != nil {
			var all rules.Errors
			if !errors.As(err, &all) || len(all) == 0 {
				t.Fatalf("%v is no Errors", err)
			}
			for _, e := range all {
				if e.Line < 0 || e.Line > 0 && e.Column < 1 || e.Msg == "" || strings.Contains(e.Msg, "\n") {
					t.Fatalf("a message without a place or of several lines: %+v", e)
				}
			}
			return
		}
		v := played(true).Check(list)
		if len(v.Results) != len(list.List) || !v.Settled() {
			t.Fatalf("%d results of %d rules", len(v.Results), len(list.List))
		}
		for _, line := range v.Failures() {
			if strings.ContainsAny(line, "\n\r") {
				t.Fatalf("a failure of several lines: %q", line)
			}
		}
		if _, err := v.WriteTo(&strings.Builder{}); err != nil {
			t.Fatal(err)
		}
	})
}

// TestPositions checks that a rule has the place of its mapping.
func TestPositions(t *testing.T) {
	list, err := Parse("r", []byte("expect:\n  - heard: coin\n  - {never: bell}"))
	if err != nil || list.List[0].Position != (yaml.Position{Line: 2, Column: 5}) || list.List[1].Position != (yaml.Position{Line: 3, Column: 5}) {
		t.Error(list, err)
	}
}
