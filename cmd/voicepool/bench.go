package main

import (
	"fmt"
	"slices"
	"time"

	"voicepool/internal/dsp"
	"voicepool/mixer"
	"voicepool/pcm"
	soundlib "voicepool/sounds"
	"voicepool/space"
	"voicepool/voice"
)

// What bench measures: every case with so many voices, as the median of runs.
const (
	benchRate  = 48000
	benchBlock = 512
	benchRuns  = 7
)

type benchCommand struct {
	// With the defaults it takes under 20 seconds on a slow machine.
	Voices *[]int         `placeholder:"N,..." help:"Numbers of voices to measure, 1..65536 (32,256,1024,4096)."`
	Slice  *time.Duration `placeholder:"TIME" help:"Mix at least this long in each of seven runs, 1ns..10s (30ms)."`
	Speed  *float64       `placeholder:"X" help:"Speed of pitched voices, 1/16..16 (1.1)."`
	Own    bool           `help:"Give each voice a sound of its own, up to 1024; otherwise they share 16."`
	Least  bool           `help:"Print the least time of each block position on the grid of 20 ms, not the median: the speed of an idle machine."`
	JSON   bool           `name:"json" help:"Print JSON."`
	realtimeFlags
}

// limits returns what the flags say of how much is measured.
func (b *benchCommand) limits() (voices []int, slice time.Duration, err error) {
	voices, slice = []int{32, 256, 1024, 4096}, 30*time.Millisecond
	if b.Own {
		voices = voices[:3]
	}
	if b.Voices != nil {
		voices = *b.Voices
	}
	if b.Slice != nil {
		slice = *b.Slice
	}
	if len(voices) == 0 {
		return nil, 0, usage("--voices: no number")
	}
	for _, n := range voices {
		if n < 1 || n > 65536 {
			return nil, 0, usage("--voices: %d is not in 1..65536", n)
		}
	}
	if slice <= 0 || slice > 10*time.Second {
		return nil, 0, usage("--slice: %v is not in 1ns..10s", slice)
	}
	if b.Own && slices.Max(voices) > 1024 {
		return nil, 0, usage("--own: %d voices are more than 1024", slices.Max(voices))
	}
	if b.Speed != nil && !(*b.Speed >= 1./16 && *b.Speed <= 16) {
		return nil, 0, usage("--speed: %v is not in 1/16..16", *b.Speed)
	}
	return voices, slice, nil
}

// benchRow is one measured figure: per voice and frame for what mixes, per call
// for all else.
type benchRow struct {
	Case            string   `json:"case"`
	Voices          int      `json:"voices"`
	NsPerVoiceFrame *float64 `json:"ns_per_voice_frame,omitempty"`
	VoicesRealtime  *int     `json:"voices_realtime,omitempty"`
	Ns              *float64 `json:"ns,omitempty"`
	Kernel          string   `json:"kernel"`
}

func (b *benchCommand) Run(c *console) error {
	switch {
	case b.Realtime && (b.Voices != nil || b.Slice != nil || b.Speed != nil || b.Own || b.Least):
		return usage("--realtime mixes 64 voices for --seconds: no --voices, --slice, --speed, --own or --least")
	case b.Realtime:
		return b.runRealtime(c, b.JSON)
	case b.Seconds != nil:
		return usage("--seconds is for --realtime")
	}
	voices, slice, err := b.limits()
	if err != nil {
		return err
	}
	var rows []benchRow
	different := 16
	if b.Own {
		different = slices.Max(voices)
	}
	for _, bc := range benchCases {
		sounds, err := benchSounds(different, bc.channels, bc.compact)
		if err != nil {
			return err
		}
		if b.Speed != nil && bc.speed != 1 {
			bc.speed = *b.Speed
		}
		for _, n := range voices {
			c.progress("measuring %s with %d voices", bc.name, n)
			ns, err := bc.measure(sounds, n, slice, b.Least)
			if err != nil {
				return err
			}
			realtime := int(1e9 / benchRate / ns)
			rows = append(rows, benchRow{Case: bc.name, Voices: n, NsPerVoiceFrame: &ns, VoicesRealtime: &realtime, Kernel: dsp.Kernel()})
		}
	}
	sounds, err := benchSounds(16, 1, false)
	if err != nil {
		return err
	}
	for _, n := range voices {
		c.progress("measuring starts with %d voices", n)
		calls, err := measureCalls(sounds, n)
		if err != nil {
			return err
		}
		rows = append(rows, calls...)
	}
	silent, err := measureSilence()
	if err != nil {
		return err
	}
	rows = append(rows, silent)
	c.progress("")
	if b.JSON {
		return printJSON(c.out, struct {
			Rate  int        `json:"rate"`
			Block int        `json:"block"`
			Runs  int        `json:"runs"`
			Rows  []benchRow `json:"rows"`
		}{benchRate, benchBlock, benchRuns, rows})
	}
	printBench(c, rows)
	return nil
}

func printBench(c *console, rows []benchRow) {
	fmt.Fprintf(c.out, "%-17s %6s %21s %18s  %s\n", "case", "voices", "ns per voice-frame", "in real time", "kernel")
	calls := false
	for _, r := range rows {
		if r.Ns == nil {
			fmt.Fprintf(c.out, "%-17s %6d %21.3f %18d  %s\n", r.Case, r.Voices, *r.NsPerVoiceFrame, *r.VoicesRealtime, r.Kernel)
			continue
		}
		if !calls {
			fmt.Fprintf(c.out, "\n%-17s %6s %21s\n", "call", "voices", "ns")
			calls = true
		}
		fmt.Fprintf(c.out, "%-17s %6d %21.0f\n", r.Case, r.Voices, *r.Ns)
	}
}

// benchCase is one way to mix.
type benchCase struct {
	name     string
	channels int
	speed    float64
	quality  voice.Quality
	compact  bool // samples of 16 bits
	motion   motionKind
}

// motionKind is what moves all the time.
type motionKind uint8

const (
	atRest     motionKind = iota
	gainsMove             // each voice fades
	placesMove            // each voice has a place, which is set 47 times a second
)

var benchCases = []benchCase{
	{name: "mono", channels: 1, speed: 1}, {name: "mono-linear", channels: 1, speed: 1.1, quality: voice.Linear},
	{name: "mono-cubic", channels: 1, speed: 1.1, quality: voice.Cubic}, {name: "mono-best", channels: 1, speed: 1.1},
	{name: "stereo", channels: 2, speed: 1}, {name: "stereo-linear", channels: 2, speed: 1.1, quality: voice.Linear},
	{name: "stereo-cubic", channels: 2, speed: 1.1, quality: voice.Cubic}, {name: "stereo-best", channels: 2, speed: 1.1},
	{name: "mono-16bit", channels: 1, speed: 1, compact: true}, {name: "mono-linear-16bit", channels: 1, speed: 1.1, quality: voice.Linear, compact: true},
	{name: "mono-cubic-16bit", channels: 1, speed: 1.1, quality: voice.Cubic, compact: true}, {name: "stereo-16bit", channels: 2, speed: 1, compact: true},
	{name: "mono-gains-move", channels: 1, speed: 1, motion: gainsMove}, {name: "mono-places-move", channels: 1, speed: 1, motion: placesMove},
}

// benchSounds returns sounds of two seconds of quiet noise, which all voices share.
func benchSounds(n, channels int, compact bool) ([]*voice.Sound, error) {
	sounds := make([]*voice.Sound, n)
	x := uint32(1)
	for i := range sounds {
		data := make([]float32, 2*benchRate*channels)
		for j := range data {
			x = x*1664525 + 1013904223
			data[j] = float32(int32(x)) / (1 << 31) / 64
		}
		s, err := voice.NewSound(voice.Samples{Name: "noise", Rate: benchRate, Channels: channels, Data: data, Compact: compact, Refine: soundlib.Refine})
		if err != nil {
			return nil, err
		}
		sounds[i] = s
	}
	return sounds, nil
}

// start fills the pool of a mixer of n voices: they loop, at different places,
// with different gains and pans.
func (b benchCase) start(sounds []*voice.Sound, n int) (*mixer.Mixer, error) {
	m, _, err := b.stage(sounds, n)
	return m, err
}

// stage is start, and returns what has to be called before each block: it moves what
// the case wants to be moved.
func (b benchCase) stage(sounds []*voice.Sound, n int) (m *mixer.Mixer, move func(block int), err error) {
	if m, err = mixer.New(mixer.Config{Rate: benchRate, Voices: n, Commands: 2 * (n + benchStarts)}); err != nil {
		return nil, nil, err
	}
	handles, spots := make([]mixer.Handle, n), make([]space.Spot, n)
	for i := range n {
		o := mixer.Options{
			Loop: true, Speed: b.speed, Quality: b.quality,
			From: pcm.Duration(int64(i)*797%(2*benchRate), benchRate), Pan: float64(i%21)/10 - 1, Gain: pcm.Decibels(-30 - i%13),
		}
		if b.motion == placesMove {
			o.Pan, o.Emitter = 0, &space.Emitter{}
		}
		if handles[i], err = m.Play(sounds[i%len(sounds)], o); err != nil {
			return nil, nil, err
		}
		if b.motion == gainsMove {
			if err = handles[i].Fade(pcm.Decibels(-60+i%13), 10*time.Minute, voice.InDecibels); err != nil {
				return nil, nil, err
			}
		}
	}
	move = func(block int) {
		if b.motion != placesMove || block%2 != 0 {
			return
		}
		for i := range spots { // round the listener, each at its distance and speed
			angle := float64(block*(1+i%7))/600 + float64(i)
			far := float64(2 + i%50)
			spots[i].Position = space.Vector{float64(far * pcm.CosPi(angle)), 0, float64(far * pcm.SinPi(angle))}
		}
		m.SetPositions(handles, spots)
	}
	return m, move, nil
}

// benchPlaces is how many places blocks have on the grid of 20 ms: 15 of them are eight
// of its fields.
const benchPlaces = 15

// measure returns nanoseconds per voice and frame: the median of runs of at least a
// slice, or of all their blocks the least at each place of the grid.
func (b benchCase) measure(sounds []*voice.Sound, n int, slice time.Duration, least bool) (float64, error) {
	m, move, err := b.stage(sounds, n)
	if err != nil {
		return 0, err
	}
	m.Prepare()
	block := make([]pcm.Frame, benchBlock)
	for range 3 { // the fade-ins are over, the caches warm
		m.Render(block)
	}
	number := 0
	var quickest [benchPlaces]time.Duration
	each := func(took time.Duration) float64 { return float64(took.Nanoseconds()) / benchBlock / float64(n) }
	middle := median(benchRuns, func() float64 {
		blocks := 0
		var took time.Duration
		for blocks < 2 || took < slice || least && number < benchPlaces {
			move(number) // the control side's part is not measured
			begin := time.Now()
			m.Render(block)
			t := time.Since(begin)
			if q := &quickest[number%benchPlaces]; *q == 0 || t < *q {
				*q = t
			}
			took += t
			blocks, number = blocks+1, number+1
		}
		return each(took) / float64(blocks)
	})
	if !least {
		return middle, nil
	}
	var sum time.Duration
	for _, t := range quickest {
		sum += t
	}
	return each(sum) / benchPlaces, nil
}

// median returns the median of so many runs.
func median(runs int, run func() float64) float64 {
	all := make([]float64, runs)
	for i := range all {
		all[i] = run()
	}
	slices.Sort(all)
	return (all[(runs-1)/2] + all[runs/2]) / 2
}
