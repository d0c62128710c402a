package bench

import (
	"time"

	"voicepool/internal/dsp"
	"voicepool/mixer"
	"voicepool/pcm"
	"voicepool/voice"
)

const (
	// starts is how many starts one run of measureCalls has.
	starts = 2048
	// atOnce is how many of them come between two blocks: no more than victims that
	// have been heard, but for the smallest pools.
	atOnce = 32
)

// measureCalls measures, with n voices that all play: Play on the control side; on the
// audio side the start of a voice that takes a victim, with the 480 frames of the
// victim's tail and, where the victim has not been heard yet, without; and the stop of a
// voice, with its tail.
func measureCalls(sounds []*voice.Sound, n int) ([]Row, error) {
	m, _, err := way{speed: 1}.stage(sounds, n)
	if err != nil {
		return nil, err
	}
	c := &caller{m: m, sounds: sounds}
	block := make([]pcm.Frame, 16)
	m.Render(block)
	var plays, steals, unheard, stops []float64
	for range Runs {
		var asked, heard time.Duration
		for range starts / atOnce {
			took, err := c.play(atOnce)
			if err != nil {
				return nil, err
			}
			asked += took
			heard += c.carryOut()
			m.Render(block)
		}
		// A pool of new voices, and as many starts as above on top of them.
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
		plays, steals = append(plays, perCall(asked, starts)), append(steals, perCall(heard, starts))
		stops = append(stops, stopped)
	}
	return []Row{
		callRow("play", n, plays), callRow("start-steal", n, steals),
		callRow("start-steal-unheard", n, unheard), callRow("stop", n, stops),
	}, nil
}

// measureSilence measures a block of a mixer in which nothing plays.
func measureSilence() (Row, error) {
	m, err := mixer.New(mixer.Config{Rate: Rate})
	if err != nil {
		return Row{}, err
	}
	const blocks = 20000
	block := make([]pcm.Frame, Block)
	var runs []float64
	for range Runs {
		begin := time.Now()
		for range blocks {
			m.Render(block)
		}
		runs = append(runs, perCall(time.Since(begin), blocks))
	}
	return callRow(silentBlock, 0, runs), nil
}

func perCall(d time.Duration, calls int) float64 { return float64(d.Nanoseconds()) / float64(calls) }

func callRow(name string, n int, runs []float64) Row {
	return Row{Case: name, Voices: n, Ns: new(Median(runs)), Kernel: dsp.Kernel(), Samples: runs}
}

// caller plays and stops voices of a mixer.
type caller struct {
	m      *mixer.Mixer
	sounds []*voice.Sound
	living []mixer.Handle // what was asked for last
	number int
}

func (c *caller) play(n int) (time.Duration, error) {
	c.living = c.living[:0]
	begin := time.Now()
	for range n {
		c.number++
		i := c.number
		h, err := c.m.Play(c.sounds[i%len(c.sounds)], mixer.Options{
			Loop: true, WhenFull: mixer.WhenFullEnd, Gain: -30 - pcm.Decibels(i*197%1301)/100, // a victim is lost
		})
		if err != nil {
			return 0, err
		}
		c.living = append(c.living, h)
	}
	return time.Since(begin), nil
}

// carryOut returns how long it takes to do what was asked for.
func (c *caller) carryOut() time.Duration {
	begin := time.Now()
	c.m.Render(nil)
	return time.Since(begin)
}

// stop stops what lives of the voices asked for last, lets n new ones start, and
// returns what one stop took.
func (c *caller) stop(n int) (ns float64, err error) {
	stopped := 0
	for _, h := range c.living {
		if !h.State().Over() {
			if err := h.Stop(); err != nil {
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
