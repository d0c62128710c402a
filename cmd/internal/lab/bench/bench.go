// Package bench measures the mixing speed of a machine: the cost per voice and frame, the cost of
// calls, and whether blocks are ready in time while garbage is collected.
package bench

import (
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"voicepool/internal/dsp"
	"voicepool/mixer"
	"voicepool/pcm"
	"voicepool/sounds"
	"voicepool/sounds/library"
	"voicepool/space"
)

// The sample rate, the block length, and the number of runs whose median is the result.
const (
	Rate  = 48000 // Hz
	Block = 512   // frames
	Runs  = 7
)

// Options select the measurements.
type Options struct {
	Voices []int         // numbers of voices
	Slice  time.Duration // minimum mixing time of each run
	Speed  *float64      // of pitched voices; nil: 1.1
	Own    bool          // each voice has its own sound, instead of 16 shared ones
	Least  bool          // the minimum time at each grid place instead of the median
	All    bool          // include slow and rarely used measurements, such as memory and several mixers
	Only   []string      // patterns of case names as in path.Match; empty: all cases
	Load   string        // a folder of sounds for the loading cases; optional
}

// maxOwn is the maximum number of voices with their own sounds.
const maxOwn = 1024

// Check returns an error if o.Slice or o.Speed is out of range, if o.Voices is empty, or if it has a number above 1,024
// while o.Own is set. Otherwise the numbers in o.Voices are not checked. Other errors are a pattern in o.Only that
// matches no case, and a pattern that matches only loading cases while o.Load is empty. The message begins with the
// name of the flag.
func (o *Options) Check() error {
	switch {
	case len(o.Voices) == 0:
		return fmt.Errorf("--voices: no number")
	case o.Slice <= 0 || o.Slice > 10*time.Second:
		return fmt.Errorf("--slice: %v is not in 1ns..10s", o.Slice)
	case o.Own && slices.Max(o.Voices) > maxOwn:
		return fmt.Errorf("--own: %d voices are more than %d", slices.Max(o.Voices), maxOwn)
	case o.Speed != nil && !(*o.Speed >= mixer.MinSpeed && *o.Speed <= mixer.MaxSpeed):
		return fmt.Errorf("--speed: %v is not in 1/16..16", *o.Speed)
	}
	for _, pattern := range o.Only {
		one := Options{Only: []string{pattern}}
		quoted := strings.Trim(strconv.Quote(pattern), `"`)
		switch {
		case !slices.ContainsFunc(Cases(), one.selects):
			return fmt.Errorf("--only: unknown case %s (want one of %s)", quoted, strings.Join(Cases(), ", "))
		case o.Load == "" && !slices.ContainsFunc(Cases(), func(name string) bool { return one.selects(name) && !slices.Contains(loadCases, name) }):
			return fmt.Errorf("--only %s: needs --load FOLDER", quoted)
		}
	}
	return nil
}

// selects reports whether the case with the given name is measured. It is if the name matches a pattern of o.Only, or
// if o.Only is empty. An invalid pattern matches no case.
func (o *Options) selects(name string) bool {
	return len(o.Only) == 0 || slices.ContainsFunc(o.Only, func(pattern string) bool {
		match, _ := path.Match(pattern, name) // Check has checked the pattern
		return match
	})
}

// Progress is called with the description of the next measurement, in the form of fmt.Printf, before it begins.
type Progress func(format string, args ...any)

// Row is a measured figure: per voice and frame for mixing, times real time for renders, per call
// for calls, or for all files of a folder.
type Row struct {
	Case            string   `json:"case"`
	Voices          int      `json:"voices"` // number of voices, mixers or files
	NsPerVoiceFrame *float64 `json:"ns_per_voice_frame,omitempty"`
	VoicesRealtime  *int     `json:"voices_realtime,omitempty"`
	Ns              *float64 `json:"ns,omitempty"`
	Bytes           *float64 `json:"bytes,omitempty"`
	Seconds         *float64 `json:"seconds,omitempty"`
	TimesRealtime   *float64 `json:"times_realtime,omitempty"` // by processor time
	Kernel          string   `json:"kernel"`

	Samples []float64 `json:"samples"` // of the runs, for Against
}

// Measure runs the benchmarks that o selects and returns a row for each figure. The order is the order of Cases, except
// that the loading cases come directly after the effects. Slow benchmarks run only if o.All is set, and loading only if
// o.Load is set. Measure calls next with a description before each measurement, except before the case silent-block;
// next must not be nil. The first error ends Measure, without rows. o must be valid according to Check.
func Measure(o Options, next Progress) ([]Row, error) {
	var rows []Row
	different := 16
	if o.Own {
		different = slices.Max(o.Voices)
	}
	for _, c := range cases {
		if !o.selects(c.name) {
			continue
		}
		sounds, err := noises(different, c.channels, c.compact)
		if err != nil {
			return nil, err
		}
		if o.Speed != nil && c.speed != 1 {
			c.speed = *o.Speed
		}
		for _, n := range o.Voices {
			next("measuring %s with %d voices", c.name, n)
			ns, runs, err := c.measure(sounds, n, o.Slice, o.Least)
			if err != nil {
				return nil, err
			}
			realtime := int(1e9 / Rate / ns)
			rows = append(rows, Row{Case: c.name, Voices: n, NsPerVoiceFrame: &ns, VoicesRealtime: &realtime, Kernel: dsp.Kernel(), Samples: runs})
		}
	}
	sounds, err := noises(16, 1, false)
	if err != nil {
		return nil, err
	}
	for _, n := range o.Voices {
		if !slices.ContainsFunc(callNames, o.selects) {
			break
		}
		next("measuring starts with %d voices", n)
		calls, err := measureCalls(sounds, n)
		if err != nil {
			return nil, err
		}
		rows = append(rows, slices.DeleteFunc(calls, func(r Row) bool { return !o.selects(r.Case) })...)
	}
	if o.selects(silentBlock) {
		silent, err := measureSilence()
		if err != nil {
			return nil, err
		}
		rows = append(rows, silent)
	}
	worked, err := effects(o.selects, next, o.Slice, o.Least)
	if err != nil {
		return nil, err
	}
	rows = append(rows, worked...)
	loaded, err := o.load(next)
	if err != nil {
		return nil, err
	}
	rows = append(rows, loaded...)
	if !o.All {
		return rows, nil
	}
	for _, measure := range []func(func(string) bool, Progress) ([]Row, error){separateSounds, measureMixers, memory, renders} {
		more, err := measure(o.selects, next)
		if err != nil {
			return nil, err
		}
		rows = append(rows, more...)
	}
	return rows, nil
}

// callNames are the cases of measureCalls.
var callNames = []string{"play", "start-steal", "start-steal-unheard", "stop"}

const silentBlock = "silent-block"

// Cases returns the names of all cases, almost in the order of the output: there the loading cases come directly after
// the effects.
func Cases() (names []string) {
	for _, c := range cases {
		names = append(names, c.name)
	}
	names = append(append(append(names, callNames...), silentBlock), effectNames()...)
	names = append(names, monoSeparate, bestSeparate, copySeparate)
	return append(append(names, loadCases...), "turn", memoryVoices, memoryVirtual, wholeRender, loadedRender)
}

// mixCase is a mixing case: the kind of sounds, and how each voice plays them.
type mixCase struct {
	name     string
	channels int
	speed    float64
	quality  sounds.Quality
	compact  bool // 16-bit samples
	motion   motionKind
	lowPass  float64 // cutoff of each voice in Hz; 0: off
	sends    bool    // each voice also sends to a bus
}

// motionKind selects properties that change continuously.
type motionKind uint8

const (
	atRest          motionKind = iota
	movingGains                // each voice fades
	movingPositions            // each voice has a position, which is set 47 times per second
)

var cases = []mixCase{
	{name: "mono", channels: 1, speed: 1}, {name: "mono-linear", channels: 1, speed: 1.1, quality: sounds.Linear},
	{name: "mono-cubic", channels: 1, speed: 1.1, quality: sounds.Cubic}, {name: "mono-best", channels: 1, speed: 1.1},
	{name: "stereo", channels: 2, speed: 1}, {name: "stereo-linear", channels: 2, speed: 1.1, quality: sounds.Linear},
	{name: "stereo-cubic", channels: 2, speed: 1.1, quality: sounds.Cubic}, {name: "stereo-best", channels: 2, speed: 1.1},
	{name: "mono-16bit", channels: 1, speed: 1, compact: true}, {name: "mono-linear-16bit", channels: 1, speed: 1.1, quality: sounds.Linear, compact: true},
	{name: "mono-cubic-16bit", channels: 1, speed: 1.1, quality: sounds.Cubic, compact: true}, {name: "stereo-16bit", channels: 2, speed: 1, compact: true},
	{name: "mono-gains-move", channels: 1, speed: 1, motion: movingGains}, {name: "mono-places-move", channels: 1, speed: 1, motion: movingPositions},
	{name: "mono-lowpass", channels: 1, speed: 1, lowPass: 3000}, {name: "mono-send", channels: 1, speed: 1, sends: true},
}

// noises returns n different sounds, each two seconds of quiet noise with the given number of channels. If compact is
// true, they store 16-bit samples instead of float32.
func noises(n, channels int, compact bool) ([]*sounds.Sound, error) {
	size := 2 * Rate * channels
	data, sounds := noise(n*size), make([]*sounds.Sound, n)
	for i := range sounds {
		var err error
		if sounds[i], err = newSound(data[i*size:][:size], channels, compact); err != nil {
			return nil, err
		}
	}
	return sounds, nil
}

// newSound returns a sound at 48 kHz with a copy of data, interleaved samples. If compact is true, it stores 16-bit
// samples instead of float32.
func newSound(data []float32, channels int, compact bool) (*sounds.Sound, error) {
	return sounds.NewSound(sounds.Samples{Name: "noise", Rate: Rate, Channels: channels, Data: data, Compact: compact, Refine: library.Refine})
}

// noise returns the given number of samples of quiet noise. Every call returns the beginning of the same noise.
func noise(samples int) []float32 {
	data, x := make([]float32, samples), uint32(1)
	for i := range data {
		x = x*1664525 + 1013904223
		data[i] = float32(int32(x)) / (1 << 31) / 64
	}
	return data
}

// stage returns a new mixer for the mixing case b. n starts of looping voices are queued in it, at different
// positions, gains and pans. The voices use sounds in turn. The caller must call the result move before each block,
// with the number of the block. If voices move in this case, move sets their new positions.
func (b mixCase) stage(sounds []*sounds.Sound, n int) (m *mixer.Mixer, move func(block int), err error) {
	c := mixer.Config{Rate: Rate, Voices: n, Commands: 2 * (n + starts)}
	if b.sends {
		c.Buses = []mixer.BusConfig{{Name: "hall"}}
	}
	if m, err = mixer.New(c); err != nil {
		return nil, nil, err
	}
	handles, spots := make([]mixer.Handle, n), make([]space.Spot, n)
	for i := range n {
		o := mixer.Options{
			Loop: true, Speed: b.speed,
			From: pcm.Duration(int64(i)*797%(2*Rate), Rate), Pan: float64(i%21)/10 - 1, Gain: pcm.Decibels(-30 - i%13),
			EngineOptions: mixer.EngineOptions{Quality: b.quality},
		}
		if o.LowPass = b.lowPass; b.sends {
			o.Sends = []mixer.Send{{To: "hall", Gain: -12}}
		}
		if b.motion == movingPositions {
			o.Pan, o.Emitter = 0, &space.Emitter{}
		}
		if handles[i], err = m.Play(sounds[i%len(sounds)], o); err != nil {
			return nil, nil, err
		}
		if b.motion == movingGains {
			if err = handles[i].Fade(pcm.Decibels(-60+i%13), 10*time.Minute); err != nil {
				return nil, nil, err
			}
		}
	}
	move = func(block int) {
		if b.motion != movingPositions || block%2 != 0 {
			return
		}
		for i := range spots { // voices circle around the listener at different distances and speeds
			angle := float64(block*(1+i%7))/600 + float64(i)
			far := float64(2 + i%50)
			spots[i].Position = space.Vector{float64(far * pcm.CosPi(angle)), 0, float64(far * pcm.SinPi(angle))}
		}
		m.SetPositions(handles, spots)
	}
	return m, move, nil
}

// gridPositions is the number of different positions of blocks on the mixer's 20 ms grid: 15 blocks
// span eight grid cells.
const gridPositions = 15

// measure measures how long a mixer takes to mix n voices of the case b. The result runs has one value for each of
// seven runs, in nanoseconds per voice and frame. A run mixes for at least the duration slice. The result ns is the
// median of runs. If least is true, ns is a mean of shortest times instead, one for each position of a block on the
// mixer's 20 ms grid. The voices use sounds in turn.
func (b mixCase) measure(sounds []*sounds.Sound, n int, slice time.Duration, least bool) (ns float64, runs []float64, err error) {
	m, move, err := b.stage(sounds, n)
	if err != nil {
		return 0, nil, err
	}
	m.Prepare()
	block := make([]pcm.Frame, Block)
	for range 3 { // the fade-ins are over, the caches are warm
		m.Render(block)
	}
	number := 0
	var quickest [gridPositions]time.Duration
	each := func(total time.Duration) float64 { return float64(total.Nanoseconds()) / Block / float64(n) }
	for range Runs {
		blocks := 0
		var total time.Duration
		for blocks < 2 || total < slice || least && number < gridPositions {
			move(number) // the work of the control side is not measured
			start := time.Now()
			m.Render(block)
			t := time.Since(start)
			if q := &quickest[number%gridPositions]; *q == 0 || t < *q {
				*q = t
			}
			total += t
			blocks, number = blocks+1, number+1
		}
		runs = append(runs, each(total)/float64(blocks))
	}
	if !least {
		return Median(runs), runs, nil
	}
	var sum time.Duration
	for _, t := range quickest {
		sum += t
	}
	return each(sum) / gridPositions, runs, nil
}

// Median returns the median of runs. For an even number of values, it is the mean of the middle two. Median panics if
// runs is empty.
func Median(runs []float64) float64 {
	all := slices.Sorted(slices.Values(runs))
	return (all[(len(all)-1)/2] + all[len(all)/2]) / 2
}
