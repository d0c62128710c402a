package schematest

// Sheets returns the matrix of cue sheets for a JSON schema. wrong returns the number of faults of the text of a
// file. The error reports an invalid schema.
func Sheets(schema []byte, wrong func(text string) int) (*Matrix, error) {
	return New(schema, Sheet(), words(), wrong)
}

// Banks returns the matrix of banks for a JSON schema. wrong returns the number of faults of the text of a file. The
// error reports an invalid schema.
func Banks(schema []byte, wrong func(text string) int) (*Matrix, error) {
	return New(schema, Bank(), append(words(), file), wrong)
}

// words returns the texts that are tried as names before others.
func words() []Text {
	return []Text{"one", "sfx", "eq", "coin", "rpm", "menu", "music", "main", "last", "both", "bell", "compressor", "delay", "reverb", "drive", "width"}
}

// Sheet returns a cue sheet that declares the names used in the sheets of a matrix.
func Sheet() Map {
	type (
		m = Map
		l = List
		x = Text
	)
	effects := l{x("eq"), x("compressor"), x("delay"), x("reverb"), x("drive"), x("width")}
	points := l{l{x("0"), x("-3")}, l{x("2"), x("0")}}
	return m{
		{Key: "cues", Value: l{
			m{{Key: "at", Value: x("10ms")}, {Key: "play", Value: x("coin")}, {Key: "id", Value: x("one")}, {Key: "gain", Value: x("-6 dB")}},
			m{{Key: "at", Value: x("20ms")}, {Key: "osc", Value: m{{Key: "to", Value: x(`"localhost:9"`)}, {Key: "address", Value: x("/go")}}}},
		}},
		{Key: "buses", Value: m{
			{Key: "sfx", Value: m{{Key: "effects", Value: effects}, {Key: "sends", Value: m{{Key: "music", Value: x("-6")}}}}},
			{Key: "music", Value: m{}},
		}},
		{Key: "sounds", Value: m{
			{Key: "coin", Value: m{{Key: "parameters", Value: m{{Key: "rpm", Value: m{
				{Key: "from", Value: x("0")}, {Key: "to", Value: x("2")}, {Key: "gain", Value: points},
			}}}}}},
			{Key: "bell", Value: m{{Key: "sends", Value: m{{Key: "sfx", Value: x("-9")}}}}},
			{Key: "both", Value: m{{Key: "layers", Value: l{x("bell")}}}},
		}},
		{Key: "list", Value: l{
			m{{Key: "cue", Value: x("last")}, {Key: "play", Value: x("bell")}, {Key: "id", Value: x("voice")}},
			m{{Key: "cue", Value: x("2")}, {Key: "do", Value: l{m{{Key: "at", Value: x("end of voice")}, {Key: "stop", Value: x("one")}}}}},
		}},
		{Key: "scenes", Value: m{{Key: "menu", Value: m{}}}},
		{Key: "midi", Value: l{m{{Key: "note", Value: x("C3")}, {Key: "do", Value: x("go")}}}},
		{Key: "outputs", Value: m{{Key: "main", Value: x("1-2")}, {Key: "booth", Value: x("3-4")}}},
		{Key: "voices", Value: x("8")}, {Key: "overflow", Value: x("grow")}, {Key: "grow", Value: m{{Key: "max", Value: x("16")}}},
		{Key: "rate", Value: x("8000")}, {Key: "length", Value: x("100ms")},
		{Key: "goes", Value: l{x("5ms")}},
	}
}

// Bank returns a bank that declares the names used in the banks of a matrix: a Sheet without its cues, a
// theme, and a sound of a file that loops.
func Bank() (bank Map) {
	for _, p := range Sheet() {
		switch p.Key {
		case "cues", "list", "midi", "length", "goes":
		default:
			bank = append(bank, p)
		}
	}
	theme := Map{{"tempo", Text("120")}, {"segments", Map{{"one", Map{{"file", file}}}, {"sfx", Map{{"file", file}}}}}}
	bank = append(bank, Pair{Key: "music", Value: Map{{"one", theme}}})
	return bank.merge(Map{{"sounds", Map{{"held", Map{{"file", file}, {"loop", Text("true")}, {"gain", Text("-6 dB")}}}}}}, 0)
}

// file is a file that must exist in a bank's folder.
const file = Text("sfx/d.wav")
