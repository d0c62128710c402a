package mixer

import (
	"sync/atomic"

	"voicepool/internal/hearing"
	"voicepool/internal/release"
	"voicepool/internal/ring"
	"voicepool/mixer/internal/busmix"
	"voicepool/mixer/internal/commandqueue"
	"voicepool/mixer/internal/growth"
	"voicepool/mixer/internal/voicetable"
	"voicepool/pcm"
	"voicepool/space"
	"voicepool/voice"
)

const never = 1<<63 - 1

// realVoice is a voice in a slot, and the index of the slot.
type realVoice = voicetable.Entry[slot]

// ending is a voice that ended within a stretch, the frames of one call of audio.mix.
type ending struct {
	offset int32 // frames from the start of the stretch
	slot   int32
	cut    bool // Options.For ended it, so it leaves a tail
	fault  bool // it panicked or produced NaN or Inf
	dry    bool // it has not ended, but its stream ran dry
	broken bool // its stream could not be decoded any further
}

// audio is the audio side. Render and the other methods of the audio side use it from one goroutine at a
// time.
type audio struct {
	*shared

	now          int64 // the first frame that is not mixed
	voices       *voicetable.Table[slot]
	newPlayheads []int64 // by index: positions in the sounds, in frames
	successors   successions
	batches      batchRunner
	tail         int64 // 10 ms in frames
	grid         grid
	scores       scorer
	decision     decision // scratch space of incoming.decide
	queue        commandqueue.Queue[command]
	graph        busGraph
	positions    positioner
	paused       bool // all voices are paused
	skipping     bool // under Engine.Skip: voices are not mixed
	silentBlock  bool // the last block was silent and has no tail

	overflow       Overflow
	rejectQuietest bool // Config.RejectQuietest
	size           poolSize

	tailWindow []float32    // a raised cosine from 1 to 0, as long as a tail
	scratch    []pcm.Frame  // buffer for tails
	discarded  []pcm.Frame  // buffer for frames that are discarded, of all pairs of channels
	tailFilter voice.Filter // copy of a filter state for a tail
	endings    []ending
	stats      Stats
}

// hopOf returns the length of a hop, 20 ms, in frames, rounded; at least 1. Scores of voices are refreshed once per
// hop. rate is the number of frames per second.
func hopOf(rate int) int64 { return max((int64(rate)+25)/50, 1) }

// newAudio creates the audio side of a mixer: the table of voices, the buses and the outputs. It publishes the initial
// Stats. s is the state that both sides share. The only possible error is that a pool of voices cannot be made.
func newAudio(s *shared, c *checkedConfig) (*audio, error) {
	n := c.MaxVoices + c.maxVirtual()
	a := &audio{
		newPlayheads: make([]int64, n),
		shared:       s, tail: c.tail(),
		overflow: c.Overflow, rejectQuietest: c.RejectQuietest,
		endings:    make([]ending, 0, 2*n),
		tailWindow: make([]float32, c.tail()), scratch: make([]pcm.Frame, max(c.tail(), 1)),
	}
	a.scores, a.size = newScorer(&c.Config, a), poolSize{a: a, requested: c.Voices}
	a.batches.a, a.grid = a, grid{a, -1}
	under := newQueueBuffers(c.initial.commands)
	a.queue, a.successors = under.queue, successions{under.successors, a}
	g := busmix.Config{
		Rate: c.Rate, Hop: s.hop, Smooth: s.smooth, Tail: a.tail, Buses: s.busConfigs(c),
		Fold: c.Fold, NoLimiter: c.NoLimiter, DCGuard: c.DCGuard, SoftClip: c.SoftClip, Meters: s.meters, Stems: s.stems,
	}
	for i := range c.Outputs {
		g.Pairs = append(g.Pairs, c.Outputs[i].pair())
	}
	a.graph = busGraph{Graph: busmix.New(s.tree, &g), a: a, sounding: make([]bool, len(c.buses)), changed: make([]bool, len(c.buses))}
	a.discarded = make([]pcm.Frame, len(a.scratch)*a.graph.Pairs())
	a.effects = make([]atomic.Pointer[busmix.Chain], len(a.graph.Buses))
	for i := range a.graph.Buses {
		a.effects[i].Store(a.graph.Buses[i].Effects())
	}
	var err error
	a.voices, err = voicetable.New[slot](voicetable.Config{
		Slots: c.Voices, MaxSlots: c.MaxVoices, Finite: c.Virtual, Endless: c.maxVirtualEndless, Outputs: a.graph.Outputs(),
	})
	if err != nil {
		return nil, err
	}
	if c.Overflow == GrowPool {
		a.size.growth = growth.New(c.Grow.Step, c.Grow.Max, pcm.Frames(c.Grow.Idle, c.Rate), a.hop)
	}
	for i := range a.tailWindow {
		a.tailWindow[i] = float32(0.5 + float64(0.5*pcm.CosPi(float64(i)/float64(a.tail))))
	}
	a.positions.a = a
	a.positions.ear, _ = hearing.NewEar(&space.Listener{})
	if g.ShapesSpectrum() {
		a.enableSpectral()
	}
	a.graph.refresh()
	a.graph.FadeSolos(a.graph.sounding, a.now, 0)
	a.stats.Voices = int64(c.Voices)
	a.publishStats()
	return a, nil
}

// render implements Mixer.Render: it mixes the next frames of all voices into dst. It first takes the commands that
// have arrived, and executes each at its frame. Afterwards it publishes the positions of the voices and Stats. dst
// holds interleaved channel pairs; an incomplete frame at its end becomes silent. If the mixer slept, render ends the
// sleep as if no time had passed.
func (a *audio) render(dst []pcm.Frame) {
	from := a.now
	release.Int64(&a.mixing, 1)
	a.sleep.End() // rendered without Wake: no time has passed
	a.beginFrame()
	a.receive()
	a.applyDeferred()
	a.successors.startReady()
	if a.batches.AreDue() {
		a.batches.scheduleFired()
		a.executeDue()
	}
	dst = a.graph.CompleteFrames(dst)
	pairs := int64(a.graph.Pairs())
	if n := int64(len(dst)) / pairs; n > a.longest.Load() {
		a.longest.Store(n)
	}
	for len(dst) > 0 {
		n := a.grid.untilGrid(int64(len(dst)) / pairs)
		if c := a.queue.Next(); c != nil {
			n = min(n, c.frame-a.now)
		}
		n = a.successors.untilNext(n)
		if a.batches.Waits() {
			n = a.batches.untilCountdown(n)
		}
		a.mix(dst[:n*pairs])
		dst = dst[n*pairs:]
		if len(dst) > 0 {
			a.beginFrame()
		}
	}
	a.publish(from)
	release.Int64(&a.mixing, 0)
}

// receive takes the commands that have arrived from the control side. Commands for the present frame a.now, for the
// constant Now or for an earlier frame are executed at once. An earlier frame counts in Stats.Late. Commands for a
// later frame are queued. Commands of a batch that has not fired wait with their batch. Commands that were queued
// earlier for the present frame must have been executed before the call.
func (a *audio) receive() {
	n := ring.Len(a.commands)
	a.adoptBuffers()
	for range n {
		c := ring.Front(a.commands)
		if c.batch != nil && a.batches.queueInBatch(c) {
			ring.Drop(a.commands)
			continue
		}
		if c.frame > a.now {
			a.queue.Push(c, c.order())
			ring.Drop(a.commands)
			continue
		}
		if c.frame != a.now && c.frame != Now {
			a.stats.Late++
		}
		c.frame = a.now
		a.executeShared(c)
		ring.Drop(a.commands)
		if a.batches.cancelling != nil {
			a.batches.cancelBatch()
		}
		a.inFlight.Complete() // last: the ring buffer must have room for all commands under way
	}
	a.graph.finishChanges()
}

// beginFrame does the work that comes before the present frame a.now is mixed. First it starts successors: sounds that
// follow another sound which leaves its loop at this frame. If scores are due at this frame, it then refreshes them
// and restores virtual voices, see runGrid. Last it executes the queued commands for this frame. A repeated call at
// the same frame repeats no work.
func (a *audio) beginFrame() {
	a.successors.leaveLoops()
	a.grid.runGrid()
	a.executeDue()
}

// executeDue executes the queued commands whose frame is a.now or earlier, and removes them from the queue. Then it
// starts the successors of voices that have ended: the sounds that follow them without a gap. If a batch of commands
// waits for a countdown that is now 0, executeDue fires the batch. It then repeats these steps for the commands of the
// batch.
func (a *audio) executeDue() {
	for {
		for c := a.queue.Next(); c != nil && c.frame <= a.now; c = a.queue.Next() {
			a.executeShared(c)
			a.queue.Drop()
			a.inFlight.Complete()
			a.batches.scheduleFired()
			if a.batches.cancelling != nil {
				a.batches.cancelBatch()
			}
		}
		a.graph.finishChanges()
		a.successors.startReady()
		if a.batches.Waits() {
			a.batches.countDownLoops()
		}
		if a.batches.FireAtZero(a.now); !a.batches.scheduleFired() {
			return
		}
	}
}

// mix mixes the next frames of all voices into dst and moves a.now behind them. dst is overwritten. For each frame it
// holds one stereo pair per pair of output channels. Voices that end within these frames are ended. The caller splits
// blocks so that no command and no refresh of scores is due between these frames.
func (a *audio) mix(dst []pcm.Frame) {
	n := a.graph.Begin(dst, a.now)
	a.graph.updateDucks()
	a.mixVoices(n)
	a.graph.scheduleReleases(n)
	mixed := a.graph.Mix(dst, a.now, n)
	a.graph.reportFaults()
	a.stats.Faults += mixed.Faults
	a.noteSilentFrom(mixed.SilentFrom)
	a.silentBlock = mixed.Silent
	a.endFinishedVoices()
	a.now += n
}

// publish makes the positions of the voices and Stats visible to the control side. It also releases the played frames
// of streams. The parameter from is the value of a.now before the block. If it equals a.now, no frame was mixed, and
// publish leaves out the positions: each start has published its own.
func (a *audio) publish(from int64) {
	if a.now > from {
		end := 0 // one above the last living index
		for _, v := range a.voices.Real() {
			a.newPlayheads[v.Index] = v.Voice.voice.Commit()
			end = max(end, v.Index+1)
		}
		release.Words(a.playheads, a.newPlayheads[:end])
		base := a.voices.Base()
		end = base
		for i := a.voices.Next(base); i >= 0; i = a.voices.Next(end) {
			a.newPlayheads[i] = a.current(i).voice.Commit()
			end = i + 1
		}
		release.Words(a.playheads[base:], a.newPlayheads[base:end])
	}
	a.stats.Frame = a.now
	a.stats.Virtual = int64(a.voices.Virtual())
	a.publishStats()
}
