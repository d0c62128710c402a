package liveplay

import (
	"sync/atomic"

	"voicepool/bank/rules"
	"voicepool/cmd/internal/cli/console"
	"voicepool/cmd/internal/cli/outfiles"
	"voicepool/cue/play"
	"voicepool/cue/report"
	"voicepool/internal/expect"
	"voicepool/internal/listening"
	"voicepool/internal/ring"
	"voicepool/internal/words"
	"voicepool/pcm"
)

// expectation compares a playback with rules. A nil expectation has no rules, and its methods have no effect.
type expectation struct {
	rules    *expect.Rules
	junit    *outfiles.File // nil: not requested
	evidence expect.Evidence
	tap      *tap // nil: the rules need no audio
}

// watch returns a function for play.Options.Watch that collects events and passes them on to next.
func (x *expectation) watch(next func(report.Event)) func(report.Event) {
	return func(e report.Event) {
		x.evidence.Log.Add(&e)
		next(e)
	}
}

// begin prepares the recording of the audio of p, after Prime. The result is nil if no rule needs audio.
func (x *expectation) begin(p *play.Player) *tap {
	if x == nil {
		return nil
	}
	x.evidence.Names = words.Names(p.Sheet().Sounds, func(s *rules.Sound) string { return s.Name })
	if !x.rules.NeedsAudio() {
		return nil
	}
	x.tap = &tap{queue: ring.New[tapBlock](2048), player: p, outputs: p.Outputs()}
	x.evidence.Audio = listening.NewMeter(p.Sheet().Rate, p.StartFrame())
	return x.tap
}

// drain moves the recorded audio to the evidence. The goroutine of show calls it.
func (x *expectation) drain() {
	if x == nil || x.tap == nil {
		return
	}
	for b := ring.Front(x.tap.queue); b != nil; b = ring.Front(x.tap.queue) {
		x.evidence.Audio.WriteAt(b.frame, b.frames[:b.n], 1)
		ring.Drop(x.tap.queue)
	}
}

// finish checks the rules against the playback with the report r, prints the failures and writes the results as XML. If
// audio or events are missing, it prints only that. The error is a console.Reported.
func (x *expectation) finish(c *console.Console, r *report.Report) error {
	if x == nil {
		return nil
	}
	x.drain()
	if lost := x.tap != nil && x.tap.lost.Load(); lost || r.Totals.EventsLost > 0 {
		missing := words.Count(int(r.Totals.EventsLost), "event")
		if lost {
			missing = "audio"
		}
		c.Say("%s: the rules cannot be checked, because this computer was too slow and lost %s; run the show again", words.OneLine(x.rules.File), missing)
		return console.Reported{Code: console.ExitFailed}
	}
	e := &x.evidence
	e.Rate, e.Range, e.Over = r.Rate, listening.Span{From: r.From, To: r.Frames}, true
	v := e.Check(x.rules)
	failed := c.Outcome(x.junit.SaveFrom(v))
	if !v.Print(c.Say, c.Err) || failed != nil {
		return console.Reported{Code: console.ExitFailed}
	}
	if !c.Quiet {
		c.Say("%s: %s", words.OneLine(x.rules.File), v.Summary())
	}
	return nil
}

// tap copies the audio of a playback, the sum of its outputs, into a ring buffer.
type tap struct {
	queue   *ring.Ring[tapBlock]
	player  *play.Player
	outputs int
	lost    atomic.Bool // the ring was full once, so frames are missing
}

// tapBlock is a part of a rendered block.
type tapBlock struct {
	frame  int64         // number of the first frame in the show
	frames [64]pcm.Frame // many short ones, because a device may have short blocks
	n      int
}

// record copies block, which the player has just rendered. If the ring is full, the rest of the block is missing, and
// record sets t.lost. Audio side.
func (t *tap) record(block []pcm.Frame) {
	m := t.player.Mixer()
	frame := m.Now() - m.LatencyFrames() - int64(len(block)/t.outputs)
	for len(block) >= t.outputs {
		b := ring.Back(t.queue, 1)
		if b == nil {
			t.lost.Store(true)
			return
		}
		b.frame, b.n = frame, min(len(b.frames), len(block)/t.outputs)
		for i := range b.n {
			var sum pcm.Frame
			for _, f := range block[:t.outputs] {
				sum[0], sum[1] = sum[0]+f[0], sum[1]+f[1]
			}
			b.frames[i], block = sum, block[t.outputs:]
		}
		frame += int64(b.n)
		ring.Send(t.queue, 1)
	}
}
