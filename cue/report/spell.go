package report

import (
	"encoding/json"
	"math"
	"strconv"

	"voicepool/mixer"
)

// MarshalJSON returns the event as a JSON object. Fields that do not apply to the kind of the event are left out. The
// error is always nil.
func (e *Event) MarshalJSON() ([]byte, error) { return e.AppendJSON(nil), nil }

// AppendJSON appends the event as a JSON object to the slice to and returns the extended slice. The object equals the
// result of MarshalJSON. It writes null for a level if Finite is false.
func (e *Event) AppendJSON(to []byte) []byte {
	loss, decided, device := e.Loss(), e.hasChoice(), e.Kind == mixer.EventDevice
	b := line(strconv.AppendInt(append(to, `{"frame":`...), e.Frame, 10))
	b.text("kind", e.Kind.String())
	b.whole(e.Voice != 0, "voice", int64(e.Voice))
	b.text("sound", e.Sound)
	b.whole(!device, "cue", int64(e.Cue))
	b.text("list_cue", e.ListCue)
	b.text("cue_name", e.CueName)
	b.whole(e.CueLine != 0, "cue_line", int64(e.CueLine))
	b.text("cue_id", e.CueID)
	b.text("cue_bus", e.CueBus)
	b.whole(e.By != 0, "by", int64(e.By))
	b.text("by_sound", e.BySound)
	b.whole(e.Voice != 0, "slot", int64(e.Slot))
	b.level(decided, "audibility_db", e.Audibility)
	b.level(decided, "newcomer_db", e.Newcomer)
	runnerUp := e.RunnerUp
	if !e.HasRunnerUp {
		runnerUp = noLevel
	}
	b.level(decided, "runner_up_db", runnerUp)
	b.whole(decided, "candidates", int64(e.Candidates))
	b.whole(decided, "peers", int64(e.Peers))
	b.whole(loss || e.Refusal(), "priority", int64(e.Priority))
	b.whole(e.Outranking(), "newcomer_priority", int64(e.NewcomerPriority))
	b.whole(loss && e.HasRunnerUp || e.Reason == mixer.ReasonOutranked, "runner_up_priority", int64(e.RunnerUpPriority))
	b.level((loss || e.Refusal()) && e.Importance != 0, "importance_db", e.Importance)
	b.level(e.Outranking() && e.NewcomerImportance != 0, "newcomer_importance_db", e.NewcomerImportance)
	if decided || e.Kind == mixer.EventLimited && e.Policy == mixer.Reject {
		b.text("policy", e.Policy.String())
	}
	b.level(loss, "lost_db", e.Lost)
	b.level(loss && e.HasBelowMix, "below_mix_db", e.BelowMix)
	b.level(loss && e.Muffled != 0, "muffled_db", e.Muffled)
	b.number(loss && e.LowPass != 0, "lowpass", e.LowPass)
	b.number(loss && e.HighPass != 0, "highpass", e.HighPass)
	if device {
		b.text("reason", e.DeviceReason)
	} else {
		b.text("reason", e.Reason.String())
	}
	b.whole(e.Limit != 0, "limit", int64(e.Limit))
	b.flag("per_owner", e.PerOwner)
	b.flag("endless", e.Endless)
	b.text("bus", e.Bus)
	b.text("cooldown", e.Cooldown)
	b.text("state", string(e.State))
	if e.State == DeviceBack {
		b.key("seconds")
		b = append(b, marshal(e.Seconds)...)
	}
	return append(b, '}')
}

// line is a JSON object being written. Members that do not apply are omitted.
type line []byte

// key appends a comma, name as the key of a member, and a colon. The caller must append the value next.
func (b *line) key(name string) { *b = append(append(append(*b, `,"`...), name...), `":`...) }

// text appends a member called name with value as a JSON string. If value is empty, it appends no member.
func (b *line) text(name, value string) {
	if value != "" {
		b.key(name)
		*b = appendText(*b, value)
	}
}

// whole appends a member called name with the integer n. If applies is false, it appends no member.
func (b *line) whole(applies bool, name string, n int64) {
	if applies {
		b.key(name)
		*b = strconv.AppendInt(*b, n, 10)
	}
}

// flag appends a member called name with the value true. If value is false, it appends no member.
func (b *line) flag(name string, value bool) {
	if value {
		b.key(name)
		*b = append(*b, "true"...)
	}
}

// level appends a member called name with the level l in dB; a level that is not finite is written as null. If applies
// is false, it appends no member.
func (b *line) level(applies bool, name string, l Level) {
	if applies {
		b.key(name)
		*b = l.append(*b)
	}
}

// number appends a member called name with x, rounded to two decimals. If applies is false, it appends no member.
func (b *line) number(applies bool, name string, x float64) {
	if applies {
		b.key(name)
		*b = strconv.AppendFloat(*b, hundredths(x), 'f', -1, 64)
	}
}

// hundredths rounds x to two decimals.
func hundredths(x float64) float64 { return math.Floor(float64(x*100)+0.5) / 100 }

// append appends the level to the slice to, as a JSON number with at most two decimals, and returns the extended slice.
// A level that is not finite is written as null.
func (l Level) append(to []byte) []byte {
	if !l.Finite() {
		return append(to, "null"...)
	}
	return strconv.AppendFloat(to, hundredths(float64(l)), 'f', -1, 64)
}

// appendText appends text to the slice to, as a JSON string with the same escapes as encoding/json, and returns the
// extended slice.
func appendText(to []byte, text string) []byte {
	for i := range len(text) {
		switch c := text[i]; {
		case c < ' ', c >= 0x80, c == '"', c == '\\', c == '<', c == '>', c == '&':
			return append(to, marshal(text)...)
		}
	}
	return append(append(append(to, '"'), text...), '"')
}

// marshal returns value as JSON. If encoding/json returns an error, as for NaN, the result is null.
func marshal(value any) []byte {
	text, err := json.Marshal(value)
	if err != nil {
		return []byte("null")
	}
	return text
}
