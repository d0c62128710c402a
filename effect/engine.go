package effect

import (
	"voicepool/effect/internal/compressor"
	"voicepool/effect/internal/delay"
	"voicepool/effect/internal/drive"
	"voicepool/effect/internal/eq"
	"voicepool/effect/internal/reverb"
	"voicepool/effect/internal/width"
	"voicepool/internal/spectrum"
	"voicepool/pcm"
)

// longestDelay is the longest time of a delay, in seconds.
const longestDelay = 4

// engine returns a new engine of the kind for a sample rate in Hz. It panics if the kind has no engine.
func (k *Kind) engine(rate int) engine {
	switch k.Name {
	case "eq":
		return &equalising{Equaliser: eq.New(rate), kind: k, warped: spectrum.Warp(rate)}
	case "reverb":
		return &room{reverb.New(rate)}
	case "drive":
		return &driving{drive.New(rate)}
	case "width":
		return &widening{width.New(rate)}
	case "compressor":
		return &compressing{Compressor: compressor.New(rate)}
	case "delay":
		return &echoing{Delay: delay.New(rate, longestDelay)}
	}
	panic("effect: a kind without an engine")
}

// tail returns an upper bound of the tail for the values v in the order of Kind.Param: for how many frames after
// the input ends the output stays above -90 dBFS.
func (k *Kind) tail(v []float64, rate int) int64 {
	switch k.Name {
	case "eq":
		values := k.bands(v)
		return eq.Tail(&values, rate)
	case "reverb":
		values := roomValues(v)
		return reverb.Tail(&values, rate)
	case "drive":
		return drive.Tail(&drive.Values{Amount: v[0], Tone: v[1]}, rate)
	case "delay":
		values := delayValues(v)
		return delay.Tail(&values, rate)
	}
	return 0
}

// equalising adapts an equaliser to the engine interface.
type equalising struct {
	*eq.Equaliser
	kind   *Kind
	warped *spectrum.Warped
}

// bands converts v, in the order of Kind.Param, to the values of an equaliser.
func (k *Kind) bands(v []float64) (values eq.Values) {
	values.N = k.Bands
	for i := range values.Bands {
		b := v[k.At(i, 0):]
		values.Bands[i] = eq.Band{Type: eq.Type(b[0]), Freq: b[1], Gain: b[2], Q: b[3]}
	}
	return values
}

func (e *equalising) tell(v []float64, at bool) {
	values := e.kind.bands(v)
	if at {
		e.Jump(&values)
		return
	}
	e.Move(&values)
}

func (e *equalising) process(block, _ []pcm.Frame, frame int64) { e.Process(block, frame) }
func (e *equalising) reset()                                    { e.Reset() }
func (e *equalising) idle() bool                                { return e.Idle() }

// room adapts a reverb to the engine interface.
type room struct{ *reverb.Reverb }

// roomValues converts v, in the order of Kind.Param, to the values of a reverb.
func roomValues(v []float64) reverb.Values {
	return reverb.Values{Time: v[0], Low: v[1], High: v[2], Predelay: v[3], Size: v[4], Early: v[5], Width: v[6], Modulation: v[7]}
}

func (r *room) tell(v []float64, at bool) {
	values := roomValues(v)
	if at {
		r.Jump(&values)
		return
	}
	r.Move(&values)
}

func (r *room) process(block, _ []pcm.Frame, frame int64) { r.Process(block, frame) }
func (r *room) reset()                                    { r.Reset() }
func (r *room) idle() bool                                { return r.Idle() }

// driving adapts a drive to the engine interface.
type driving struct{ *drive.Drive }

func (d *driving) tell(v []float64, at bool) {
	values := drive.Values{Amount: v[0], Tone: v[1]}
	if at {
		d.Jump(&values)
		return
	}
	d.Move(&values)
}

func (d *driving) process(block, _ []pcm.Frame, frame int64) { d.Process(block, frame) }
func (d *driving) reset()                                    { d.Reset() }
func (d *driving) idle() bool                                { return d.Idle() }
func (d *driving) latency() int64                            { return d.Latency() }

// widening adapts a width effect to the engine interface.
type widening struct{ *width.Width }

func (w *widening) tell(v []float64, at bool) {
	values := width.Values{Width: v[0]}
	if at {
		w.Jump(&values)
		return
	}
	w.Move(&values)
}

func (w *widening) process(block, _ []pcm.Frame, frame int64) { w.Process(block, frame) }
func (w *widening) reset()                                    { w.Reset() }
func (w *widening) idle() bool                                { return w.Idle() }

// compressing adapts a compressor to the engine interface.
type compressing struct{ *compressor.Compressor }

func (c *compressing) tell(v []float64, at bool) {
	values := compressor.Values{Threshold: v[0], Ratio: v[1], Attack: v[2], Release: v[3], Knee: v[4], Makeup: v[5]}
	if at {
		c.Jump(&values)
		return
	}
	c.Move(&values)
}

func (c *compressing) process(block, key []pcm.Frame, frame int64) { c.Process(block, key, frame) }
func (c *compressing) reset()                                      { c.Reset() }
func (c *compressing) idle() bool                                  { return c.Idle() }
func (c *compressing) reduction() float64                          { return c.Reduction() }

// echoing adapts a delay to the engine interface.
type echoing struct{ *delay.Delay }

// delayValues converts v, in the order of Kind.Param, to the values of a delay.
func delayValues(v []float64) delay.Values {
	return delay.Values{Time: v[0], Feedback: v[1], LowPass: v[2], PingPong: v[3]}
}

func (d *echoing) tell(v []float64, at bool) {
	values := delayValues(v)
	if at {
		d.Jump(&values)
		return
	}
	d.Move(&values)
}

func (d *echoing) process(block, _ []pcm.Frame, frame int64) { d.Process(block, frame) }
func (d *echoing) reset()                                    { d.Reset() }
func (d *echoing) idle() bool                                { return d.Idle() }
