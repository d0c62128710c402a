package main

// mutant is a fault in one file of the product.
type mutant struct {
	name  string
	file  string
	edits []edit
}

// edit replaces a text that has to be in the file exactly once.
type edit struct{ old, new string }

const (
	scores   = "mixer/audio_scores.go"
	voices   = "mixer/audio_voices.go"
	audio    = "mixer/audio.go"
	voice    = "voice/voice.go"
	envelope = "sounds/envelope.go"
)

// index is how a voice looks up its best average loudness.
const index = "return v.sound.envelope.At(v.Position(), v.Looping())"

// score is how the mixer rates it.
const score = "audibility := float32(float64(s.power * s.voice.Index()))"

var mutants = []mutant{
	{"the most audible instead of the least", scores, []edit{
		{`if policy == StealQuietest && q.group == nil && q.bus < 0 && dsp.Kernel() != "generic" {`, "if false {"},
		{"worstPrio, worstKey, worstNumber := q.prio, inf, uint64(math.MaxUint64)", "worstPrio, worstKey, worstNumber := q.prio, -inf, uint64(math.MaxUint64)"},
		{"prio == worstPrio && (keys[i] > worstKey", "prio == worstPrio && (keys[i] < worstKey"},
		{"return keys[i] < keys[j]", "return keys[i] > keys[j]"},
	}},
	{"without the gain", scores, []edit{{score, "audibility := float32(s.voice.Index())"}}},
	{"gain for gain²", scores, []edit{{score, "audibility := float32(float64(math.Sqrt(s.power) * s.voice.Index()))"}}},
	{"the level of now", envelope, []edit{
		{"Once: narrow(indexOnce(once))", "Once: narrow(once)"},
		{"e.Loop = narrow(indexLoop(looped.k, int(hops), int(ahead)))", "e.Loop = narrow(looped.k[:hops])"},
	}},
	{"the level of the next 40 ms", voice, []edit{{index, "return v.sound.envelope.Soon(v.Position(), v.Looping())"}}},
	{"the index of position 0", voice, []edit{{index, "return v.sound.envelope.At(0, v.Looping())"}}},
	{"a hard cut", voices, []edit{{"|| s.voice.Rises(frame) || a.tail == 0 {", "|| s.voice.Rises(frame) || a.tail >= 0 {"}}},
	{"a linear fade of 1 ms", audio, []edit{{
		"a.window[i] = float32(0.5 + float64(0.5*pcm.CosPi(float64(i)/float64(a.tail))))",
		"a.window[i] = max(0, 1-float32(1000*i)/float32(c.Rate))",
	}}},
}
