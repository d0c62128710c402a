package bench

import (
	"time"

	"voicepool/internal/dsp"
	"voicepool/mixer"
	"voicepool/pcm"
	"voicepool/sounds"
)

const (
	// starts is the number of starts in one run of measureCalls.
	starts = 2048
	// atOnce is the number of starts between two blocks. Except in the smallest pools, it does not
	// exceed the number of victims that have already played.
	atOnce = 32
)

// measureCalls measures calls on a mixer whose pool is full with n voices. It returns a row for each of four cases, in
// nanoseconds per call. The first is Play on the control side. The others are the work of the audio side. The second
// is a start that steals a playing voice and mixes its tail. The third is a start that steals a voice not yet mixed,
// which has no tail. The fourth is a stop. The voices use sounds in turn.
func measureCalls(sounds []*sounds.Sound, n int) ([]Row, error) {
	m, _, err := mixCase{speed: 1}.stage(sounds, n)
	if err != nil {
		return nil, err
	}
	c := &caller{m: m, sounds: sounds}
	block := make([]pcm.Frame, 16)
	m.Render(block)
	var plays, steals, unheard, stops []float64
	for range Runs {
		var queueTime, audioTime time.Duration
		for range starts / atOnce {
			elapsed, err := c.play(atOnce)
			if err != nil {
				return nil, err
			}
			queueTime += elapsed
			audioTime += c.carryOut()
			m.Render(block)
		}
		// Fill the pool with new voices, and start as many again on top of them.
		if _, err := c.play(n); err != nil {
			return nil, err
		}
		c.carryOut()
		if _, err := c.play(starts); err != nil {
			return nil, err
		}
		unheard = append(unheard, perCall(c.carryOut(), starts))
		m.Render(block)
		stopped, err := c.stop(n)
		if err != nil {
			return nil, err
		}
		m.Render(block)
		plays, steals = append(plays, perCall(queueTime, starts)), append(steals, perCall(audioTime, starts))
		stops = append(stops, stopped)
	}
	return []Row{
		callRow("play", n, plays), callRow("start-steal", n, steals),
		callRow("start-steal-unheard", n, unheard), callRow("stop", n, stops),
	}, nil
}

// measureSilence measures how long a mixer without voices takes to render a block. The row is in nanoseconds per
// block.
func measureSilence() (Row, error) {
	m, err := mixer.New(mixer.Config{Rate: Rate})
	if err != nil {
		return Row{}, err
	}
	const blocks = 20000
	block := make([]pcm.Frame, Block)
	var runs []float64
	for range Runs {
		start := time.Now()
		for range blocks {
			m.Render(block)
		}
		runs = append(runs, perCall(time.Since(start), blocks))
	}
	return callRow(silentBlock, 0, runs), nil
}

// perCall returns the mean duration of a call in nanoseconds. The parameter d is the duration of all calls together.
func perCall(d time.Duration, calls int) float64 { return float64(d.Nanoseconds()) / float64(calls) }

// callRow returns the row of the case called name with n voices. The parameter runs has nanoseconds per call, one
// value for each run. The figure of the row is their median.
func callRow(name string, n int, runs []float64) Row {
	return Row{Case: name, Voices: n, Ns: new(Median(runs)), Kernel: dsp.Kernel(), Samples: runs}
}

// caller plays and stops voices of a mixer.
type caller struct {
	m      *mixer.Mixer
	sounds []*sounds.Sound
	voices []mixer.Handle // the voices started last
	number int
}

// play starts n voices with Play, with different sounds and gains, and returns the time that the calls took. It stores
// the new voices in c.voices instead of the earlier ones. The mixer carries the starts out at its next block.
func (c *caller) play(n int) (time.Duration, error) {
	c.voices = c.voices[:0]
	start := time.Now()
	for range n {
		c.number++
		i := c.number
		h, err := c.m.Play(c.sounds[i%len(c.sounds)], mixer.Options{
			Loop: true, Gain: -30 - pcm.Decibels(i*197%1301)/100, EngineOptions: mixer.EngineOptions{WhenFull: mixer.WhenFullEnd}, // a victim ends
		})
		if err != nil {
			return 0, err
		}
		c.voices = append(c.voices, h)
	}
	return time.Since(start), nil
}

// carryOut lets the audio side of the mixer carry out the pending commands, without mixing, and returns the time that
// this took.
func (c *caller) carryOut() time.Duration {
	start := time.Now()
	c.m.Render(nil)
	return time.Since(start)
}

// stop stops the voices in c.voices that still play. It returns the nanoseconds per stop on the audio side of the
// mixer. If all have ended already, that is the time of an empty call. Then it starts n new voices, which replace the
// old ones in c.voices, and lets the mixer carry the starts out.
func (c *caller) stop(n int) (ns float64, err error) {
	stopped := 0
	for _, h := range c.voices {
		if !h.State().Over() {
			if err := h.Stop(0); err != nil {
				return 0, err
			}
			stopped++
		}
	}
	ns = perCall(c.carryOut(), max(stopped, 1))
	if _, err = c.play(n); err == nil {
		c.carryOut()
	}
	return ns, err
}
