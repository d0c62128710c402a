package report

import (
	"encoding/json"
	"testing"

	"pgregory.net/rapid"

	"voicepool/mixer"
)

// TestAppendJSON compares the encoding of an event with encoding/json, limited to the fields of its kind.
func TestAppendJSON(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := func(name string) string {
			return rapid.OneOf(rapid.Just(""), rapid.StringMatching(`[a-z0-9 ]{1,8}`), rapid.String(), rapid.Just("a\xffb\u2028<&>\"\\\n\x7f")).Draw(t, name)
		}
		whole := func(name string) int { return rapid.OneOf(rapid.Just(0), rapid.IntRange(-1<<30, 1<<30)).Draw(t, name) }
		level := func(name string) Level {
			return rapid.OneOf(rapid.Just(noLevel), rapid.Just(-noLevel), rapid.Custom(func(t *rapid.T) Level { return Level(rapid.Float64Range(-250, 50).Draw(t, "dB")) })).Draw(t, name)
		}
		flag := func(name string) bool { return rapid.Bool().Draw(t, name) }
		e := Event{
			Frame: int64(whole("frame")), Kind: mixer.EventKind(rapid.IntRange(0, int(mixer.EventDevice)+1).Draw(t, "kind")),
			Voice: uint64(max(whole("voice"), 0)), Sound: text("sound"), Cue: whole("cue"), Slot: whole("slot"),
			CueLabel: CueLabel{ListCue: text("number"), CueName: text("name"), CueLine: whole("line")},
			Reason:   mixer.Reason(rapid.IntRange(0, int(mixer.ReasonUnloaded)+1).Draw(t, "reason")),
			By:       uint64(max(whole("by"), 0)), BySound: text("by sound"),
			Audibility: level("audibility"), Newcomer: level("newcomer"), RunnerUp: level("runner-up"), HasRunnerUp: flag("has a runner-up"),
			Candidates: whole("candidates"), Peers: whole("peers"),
			Priority: whole("priority"), NewcomerPriority: whole("newcomer's"), RunnerUpPriority: whole("runner-up's"),
			Policy: mixer.Overflow(rapid.IntRange(0, int(mixer.StealMasked)+1).Draw(t, "policy")), Lost: level("lost"), BelowMix: level("below"), HasBelowMix: flag("has below"),
			Importance: Level(whole("importance")), NewcomerImportance: Level(whole("newcomer's importance")),
			Muffled: level("muffled"), LowPass: rapid.OneOf(rapid.Just(0.0), rapid.Float64Range(20, 20000)).Draw(t, "low-pass"), HighPass: rapid.OneOf(rapid.Just(0.0), rapid.Float64Range(20, 20000)).Draw(t, "high-pass"),
			Limit: whole("limit"), PerOwner: flag("per owner"), Endless: flag("endless"), Bus: text("bus"), Cooldown: text("cooldown"),
			State: DeviceState(rapid.SampledFrom([]string{"", "lost", "back"}).Draw(t, "state")), DeviceReason: text("why"), Seconds: rapid.OneOf(rapid.Just(0.0), rapid.Float64()).Draw(t, "seconds"),
		}
		want, err := spelled(&e)
		if err != nil {
			t.Fatal(err)
		}
		if got := string(e.AppendJSON([]byte("x"))); got != "x"+string(want) {
			t.Fatalf("%+v is spelled\n%s, want\n%s", e, got[1:], want)
		}
	})
}

// TestAppendText compares the encoding of each character with encoding/json.
func TestAppendText(t *testing.T) {
	for c := range 256 {
		for _, text := range []string{string([]byte{byte(c)}), string(rune(c)), "a" + string(rune(c)) + "b"} {
			want, err := json.Marshal(text)
			if err != nil {
				t.Fatal(err)
			}
			if got := string(appendText(nil, text)); got != string(want) {
				t.Errorf("%q is spelled %s, want %s", text, got, want)
			}
		}
	}
}

// BenchmarkAppendJSON encodes the event of a stolen voice.
func BenchmarkAppendJSON(b *testing.B) {
	e := Event{
		Frame: 48000, Kind: mixer.EventStolen, Voice: 1, Sound: "bell", Slot: 1, Reason: mixer.ReasonPoolFull, By: 2, BySound: "step", Audibility: -30.5, Newcomer: -20, RunnerUp: -25,
		HasRunnerUp: true, Candidates: 9, Peers: 9, Policy: mixer.StealQuietest, Lost: -12.25,
	}
	b.Run("append", func(b *testing.B) {
		b.ReportAllocs()
		var text []byte
		for b.Loop() {
			text = e.AppendJSON(text[:0])
		}
	})
	b.Run("reflection", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := spelled(&e); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// spelled is a reference for MarshalJSON that uses reflection.
func spelled(e *Event) ([]byte, error) {
	loss, decided, device := e.Loss(), e.hasChoice(), e.Kind == mixer.EventDevice
	w := jsonEvent{
		Frame: e.Frame, Kind: e.Kind.String(), Voice: e.Voice, Sound: e.Sound, Cue: when(!device, &e.Cue), CueLabel: e.CueLabel, By: e.By, BySound: e.BySound,
		Reason: e.Reason.String(), Limit: e.Limit, PerOwner: e.PerOwner, Endless: e.Endless, Bus: e.Bus, Cooldown: e.Cooldown,
		State: string(e.State), Seconds: when(e.State == DeviceBack, &e.Seconds),
		Slot:       when(e.Voice != 0, &e.Slot),
		Audibility: when(decided, &e.Audibility), Newcomer: when(decided, &e.Newcomer), RunnerUp: when(decided, &e.RunnerUp),
		Candidates: when(decided, &e.Candidates), Peers: when(decided, &e.Peers),
		Priority:         when(loss || e.Refusal(), &e.Priority),
		NewcomerPriority: when(e.Outranking(), &e.NewcomerPriority),
		RunnerUpPriority: when(loss && e.HasRunnerUp || e.Reason == mixer.ReasonOutranked, &e.RunnerUpPriority),
		Lost:             when(loss, &e.Lost), BelowMix: when(loss && e.HasBelowMix, &e.BelowMix),
	}
	w.Importance = when((loss || e.Refusal()) && e.Importance != 0, &e.Importance)
	w.NewcomerImportance = when(e.Outranking() && e.NewcomerImportance != 0, &e.NewcomerImportance)
	low, high := hundredths(e.LowPass), hundredths(e.HighPass)
	w.Muffled, w.LowPass, w.HighPass = when(loss && e.Muffled != 0, &e.Muffled), when(loss && low != 0, &low), when(loss && high != 0, &high)
	if decided || e.Kind == mixer.EventLimited && e.Policy == mixer.Reject {
		w.Policy = e.Policy.String()
	}
	if device {
		w.Reason = e.DeviceReason
	}
	if decided && !e.HasRunnerUp {
		w.RunnerUp = &noLevel
	}
	return json.Marshal(&w)
}

// when returns p if the field belongs to an event, or else nil.
func when[T any](belongs bool, p *T) *T {
	if belongs {
		return p
	}
	return nil
}

// TestCutoffsAreRead checks that the cutoffs of a victim, in Hz, are read as written.
func TestCutoffsAreRead(t *testing.T) {
	e := Event{Kind: mixer.EventStolen, Voice: 1, Muffled: 22.4, LowPass: 400, HighPass: 12000.5}
	var got Event
	if err := got.UnmarshalJSON(e.AppendJSON(nil)); err != nil {
		t.Fatal(err)
	}
	if got.Muffled != e.Muffled || got.LowPass != e.LowPass || got.HighPass != e.HighPass {
		t.Errorf("%+v became %+v", e, got)
	}
}
