package audiotest_test

import (
	"testing"
	"time"

	"voicepool/audiotest"
	"voicepool/internal/leak"
	"voicepool/mixer"
	"voicepool/sounds"
)

func TestMain(m *testing.M) { leak.Main(m) }

// game plays two sounds: coins on the right, jumps on the left.
type game struct {
	m          *mixer.Mixer
	coin, jump *sounds.Sound
}

func (g *game) Coin() { g.m.Play(g.coin, mixer.Options{Pan: 1, Gain: -20}) }
func (g *game) Jump() { g.m.Play(g.jump, mixer.Options{Pan: -1}) }

// TestTwelveLines is the example of the package comment.
func TestTwelveLines(t *testing.T) {
	a := audiotest.New(t, mixer.Config{Rate: 1000, Voices: 2})
	g := &game{a.Mixer(), tone(t, "coin", 500, 0.5, 25), tone(t, "jump", 300, 0.32, 50)}
	g.Coin()
	g.Coin()
	a.Step(100 * time.Millisecond)
	g.Jump()
	a.Step(400 * time.Millisecond)
	a.Heard("jump").At(100*time.Millisecond).Left().Level(-15.9, 0.1).Times(1)
	a.Stolen("coin").By("jump")
	a.Never("scream")
	a.Heard("coin").At(0).Right().Times(2)
	a.Golden("testdata/twelve.wav")
	a.GoldenHash("70197dafa3c9a093c7f00e8a8021f7879c5a0ad7fdd55b5aa9100cdb02e55cae")
}

// TestAssertions makes each assertion pass and fail on a known mix.
func TestAssertions(t *testing.T) {
	f := newFake(t)
	a := audiotest.New(f, mixer.Config{Rate: 1000, Voices: 2, Virtual: 1, NoLimiter: true})
	coin, jump, hum, mute := tone(t, "coin", 500, 0.5, 25), tone(t, "jump", 200, 0.5, 50), tone(t, "hum", 400, 0.05, 25), tone(t, "mute", 100, 0, 25)
	f.says(t, "a sound before all", `no sound is called "jump": no sound was played`, func() { a.Heard("jump") })
	play(t, a, coin, mixer.Options{Pan: 1, Gain: -6})
	play(t, a, hum, mixer.Options{})
	f.says(t, "a sound that waits", `"coin" was not heard: its frame has not come; Step plays on`, func() { a.Heard("coin").At(0) })
	a.Step(100 * ms)
	play(t, a, jump, mixer.Options{Pan: -1, Priority: 1})
	a.Step(20 * ms)
	f.says(t, "a voice that is virtual", `"hum" was not stolen: #2 lost its slot at 100ms (frame 100) and is now virtual`, func() { a.Stolen("hum") })
	a.Step(30 * ms)
	play(t, a, mute, mixer.Options{Gain: -60})
	a.Step(350 * ms)
	for what, test := range map[string]struct {
		want string
		call func()
	}{
		"what was heard":        {call: func() { a.Heard("jump").At(100*ms).Left().Level(-12.04, 0.01).Times(1) }},
		"the right":             {call: func() { a.Heard("coin").At(0).Right().Level(-18.05, 0.1) }},
		"the centre":            {call: func() { a.Heard("hum").At(0).Centre() }},
		"the first sample":      {call: func() { a.Heard("jump").At(101*ms).Near(105*ms, 5*ms) }},
		"what is silent":        {call: func() { a.Never("mute") }},
		"what was never played": {call: func() { a.Never("scream") }},
		"the thief":             {call: func() { a.Stolen("hum").By("mute") }},
		"all of it":             {call: func() { a.Sound().At(1 * ms) }},

		"a low peak":     {call: func() { a.Peak(-6) }},
		"a silent sound": {call: func() { a.SilentOf("jump", 0, 101*ms); a.SilentOf("scream", 0, 500*ms) }},
		"a whole sound":  {call: func() { a.Heard("jump").Whole().Times(1) }},
		"a clear sound":  {call: func() { a.Heard("jump").AboveMix(-1).At(100 * ms) }},

		"a high peak":             {want: `the mix has a peak of -6.0 dB at 115ms (frame 115): "jump" #3, "coin" #1 sounded there, want at most -10 dB`, call: func() { a.Peak(-10) }},
		"a sound too early":       {want: `"jump" is not silent from 0s to 150ms: the first sound is at 101ms (frame 101)`, call: func() { a.SilentOf("jump", 0, 150*ms) }},
		"a range too far":         {want: `from 0s to 1s is not inside the 500ms that were heard`, call: func() { a.SilentOf("jump", 0, time.Second) }},
		"silence of a wrong name": {want: `no sound is called "jmp"; the nearest is "jump"; if the game has it, say a.Knows("jmp")`, call: func() { a.SilentOf("jmp", 0, 10*ms) }},
		"a sound with a gap":      {want: `"coin" was not heard to its end: #1 was virtual from 150ms (frame 150)`, call: func() { a.Heard("coin").Whole() }},
		"a stolen sound":          {want: `"hum" was not heard to its end: #2 was stolen at 150ms (frame 150) because of "mute"`, call: func() { a.Heard("hum").Whole().At(3) }},
		"a sound below the mix":   {want: `"hum" has a level of -32.0 dB, and the mix in its time -16.8 dB: a difference of -15.2 dB, want at least -12 dB`, call: func() { a.Heard("hum").AboveMix(-12).At(3) }},
		"the end of the mix":      {want: `Whole needs a sound of an Audio, which has stems and events; the mix does not`, call: func() { a.Sound().Whole() }},
		"the mix above itself":    {want: `AboveMix needs a sound of an Audio, which has stems and events; the mix does not`, call: func() { a.Sound().AboveMix(-1) }},

		"a wrong name":          {want: `no sound is called "jmp"; the nearest is "jump"`, call: func() { a.Heard("jmp").At(3).Left().Level(0, 0) }},
		"a wrong time":          {want: `"jump" is heard at 100ms (frame 100), want 99ms`, call: func() { a.Heard("jump").At(99 * ms).Left().Right() }},
		"a time too far":        {want: `"jump" is heard at 100ms (frame 100), want 90ms ± 5ms`, call: func() { a.Heard("jump").Near(90*ms, 5*ms) }},
		"a wrong left":          {want: `"coin" is not on the left: left has -Inf dB, right -15.1 dB`, call: func() { a.Heard("coin").Left().Level(0, 0) }},
		"a wrong right":         {want: `"jump" is not on the right: left has -9.0 dB, right -Inf dB`, call: func() { a.Heard("jump").Right().Centre() }},
		"a wrong centre":        {want: `"jump" is not in the centre: left has -9.0 dB, right -Inf dB`, call: func() { a.Heard("jump").Centre().Times(3) }},
		"a wrong level":         {want: `"jump" has a level of -12.0 dB, want -19 ± 0.5 dB`, call: func() { a.Heard("jump").Level(-19, 0.5).At(0) }},
		"a wrong count":         {want: `"jump" is heard 1 times, want 2`, call: func() { a.Heard("jump").Times(2).Right() }},
		"what is not stolen":    {want: `"jump" was not stolen: #3 ended at 300ms (frame 300)`, call: func() { a.Stolen("jump").By("coin") }},
		"another thief":         {want: `"hum" was stolen by "mute" at 150ms (frame 150), want by "jump"`, call: func() { a.Stolen("hum").By("jump").By("mute") }},
		"nobody to steal from":  {want: `no sound is called "jmp"; the nearest is "jump"`, call: func() { a.Stolen("jmp").By("jump") }},
		"another that is none":  {want: `no sound is called "jmp"; the nearest is "jump"`, call: func() { a.Stolen("hum").By("jmp").By("mute") }},
		"what is none, never":   {want: `no sound is called "jmp"; the nearest is "jump"; if the game has it, say a.Knows("jmp")`, call: func() { a.Never("jmp") }},
		"no name":               {want: `no sound is called ""; the nearest is "hum"`, call: func() { a.Heard("") }},
		"what was heard, never": {want: `"jump" is heard at 100ms (frame 100), want never`, call: func() { a.Never("jump") }},
		"what is silent, heard": {want: `"mute" was not heard: it was played at 150ms (frame 150) and is silent`, call: func() { a.Heard("mute") }},
		"a stem of nobody":      {want: `no sound is called "jmp"; the nearest is "jump"`, call: func() { a.Stem("jmp") }},
		"sound in silence":      {want: `it is not silent from 0s to 10ms: the first sound is at 1ms (frame 1)`, call: func() { a.Silent(0, 10*ms) }},
		"silence too far":       {want: `from 0s to 1s is not inside the 500ms that were heard`, call: func() { a.Silent(0, time.Second) }},
		"a time that is over":   {want: `10ms is over: the next frame is at 500ms (frame 500)`, call: func() { a.Do(10*ms, func() {}) }},
		"a step back":           {want: `a step of -1ms goes back`, call: func() { a.Step(-ms) }},
	} {
		f.says(t, what, test.want, test.call)
	}
	const timeline = `500ms, 2 voices, overflow quietest: 4 requested, 4 started, 1 stolen
coin         #1   |################################| 0s..500ms, -18.1 dB, ended
hum          #2   |=======~~x                      | 0s..150ms, -32.0 dB, stolen by "mute" #4
jump         #3   |      ##############            | 100ms..300ms, -12.0 dB, ended
mute         #4   |         ..~~~~~                | 150ms..250ms, silent, ended
# -20 dB and louder   = -40 dB   - -60 dB   . less   ~ virtual   x stolen
`
	if got := a.Timeline(); got != timeline {
		t.Errorf("the timeline is\n%s\nwant\n%s", got, timeline)
	}
	if got := f.failure(func() { a.Never("jump") }); got != "audiotest: \"jump\" is heard at 100ms (frame 100), want never\n"+timeline {
		t.Errorf("a failure is\n%s", got)
	}
}
