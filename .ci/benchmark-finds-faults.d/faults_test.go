package mutants

// mutant is a fault in one file of the product.
type mutant struct {
	name  string
	file  string
	edits []edit
}

// edit replaces a text that occurs exactly once in the file.
type edit struct{ old, new string }

const (
	scores   = "mixer/internal/score/score.go"
	voices   = "mixer/audio_voices.go"
	audio    = "mixer/audio.go"
	envelope = "sounds/library/envelope.go"
)

// index is the code that looks up the best average loudness of a voice.
const index = "index, near := e.BothAt(at, looped)"

// score is the code that computes the audibility from the gains.
const score = "ahead, now := v.State.Power, v.State.Power"

var mutants = []mutant{
	{name: "the most audible instead of the least", file: scores, edits: []edit{
		{"t.SetAudibility(v.Index, audibility)", "t.SetAudibility(v.Index, 1/(audibility+1e-20))"},
	}},
	{name: "without the gain", file: scores, edits: []edit{{score, "ahead, now := 1.0, 1.0"}}},
	{
		name: "gain for gain²", file: scores,
		edits: []edit{{"import (", "import (\n\t\"math\"\n"}, {score, "ahead, now := math.Sqrt(v.State.Power), math.Sqrt(v.State.Power)"}},
	},
	{name: "the level of now", file: envelope, edits: []edit{
		{"best, _ := stretch.Once(once)", "best := once"},
		{"best, _ = stretch.Loop(looped.k, int(hops), int(ahead))", "best = looped.k[:hops]"},
	}},
	{
		name: "the level of the next 20 ms", file: scores,
		edits: []edit{{index, "near := e.NearAt(at, looped); index := near"}},
	},
	{
		name: "the index of position 0", file: scores,
		edits: []edit{{index, "index, _ := e.BothAt(0, looped); near := e.NearAt(at, looped)"}},
	},
	{
		name: "a hard cut", file: voices,
		edits: []edit{{"|| s.voice.FadesBackInAt(frame) || a.tail == 0 {", "|| s.voice.FadesBackInAt(frame) || a.tail >= 0 {"}},
	},
	{name: "a linear fade of 1 ms", file: audio, edits: []edit{{
		"a.tailWindow[i] = float32(0.5 + float64(0.5*pcm.CosPi(float64(i)/float64(a.tail))))",
		"a.tailWindow[i] = max(0, 1-float32(1000*i)/float32(c.Rate))",
	}}},
}
