package effect

import (
	"voicepool/effect/internal/compressor"
	"voicepool/effect/internal/delay"
	"voicepool/effect/internal/drive"
	"voicepool/effect/internal/eq"
	"voicepool/effect/internal/reverb"
	"voicepool/effect/internal/width"
	"voicepool/internal/spectrum"
)

// longestDelay is the longest time of a delay, in seconds.
const longestDelay = 4

// engine returns a new engine of the kind for a sample rate in Hz. It panics if the kind has no engine.
func (k *Kind) engine(rate int) engine {
	switch k.Name {
	case "eq":
		return &eqEngine{Equaliser: eq.New(rate), kind: k, warped: spectrum.Warp(rate)}
	case "reverb":
		return &reverbEngine{reverb.New(rate)}
	case "drive":
		return &driveEngine{drive.New(rate)}
	case "width":
		return &widthEngine{width.New(rate)}
	case "compressor":
		return &compressorEngine{Compressor: compressor.New(rate)}
	case "delay":
		return &delayEngine{Delay: delay.New(rate, longestDelay)}
	}
	panic("effect: a kind without an engine")
}

// tail returns an upper bound of the tail at a rate in Hz: for how many frames after the input ends the output stays
// above -90 dBFS. v has the values in the order of Kind.Param.
func (k *Kind) tail(v []float64, rate int) int64 {
	switch k.Name {
	case "eq":
		values := k.eqValues(v)
		return eq.Tail(&values, rate)
	case "reverb":
		values := reverbValues(v)
		return reverb.Tail(&values, rate)
	case "drive":
		return drive.Tail(&drive.Values{Amount: v[0], Tone: v[1]}, rate)
	case "delay":
		values := delayValues(v)
		return delay.Tail(&values, rate)
	}
	return 0
}

// eqEngine adapts an equaliser to the engine interface.
type eqEngine struct {
	*eq.Equaliser
	kind   *Kind
	warped *spectrum.Warped
}

// eqValues converts v, in the order of Kind.Param, to the values of an equaliser.
func (k *Kind) eqValues(v []float64) (values eq.Values) {
	values.N = k.Bands
	for i := range values.Bands {
		b := v[k.At(i, 0):]
		values.Bands[i] = eq.Band{Type: eq.Type(b[0]), Freq: b[1], Gain: b[2], Q: b[3]}
	}
	return values
}

// setValues implements engine.
func (e *eqEngine) setValues(v []float64, jump bool) {
	values := e.kind.eqValues(v)
	if jump {
		e.Jump(&values)
		return
	}
	e.Move(&values)
}

// reverbEngine adapts a reverb to the engine interface.
type reverbEngine struct{ *reverb.Reverb }

// reverbValues converts v, in the order of Kind.Param, to the values of a reverb.
func reverbValues(v []float64) reverb.Values {
	return reverb.Values{Time: v[0], Low: v[1], High: v[2], Predelay: v[3], Size: v[4], Early: v[5], Width: v[6], Modulation: v[7]}
}

// setValues implements engine.
func (r *reverbEngine) setValues(v []float64, jump bool) {
	values := reverbValues(v)
	if jump {
		r.Jump(&values)
		return
	}
	r.Move(&values)
}

// driveEngine adapts a drive to the engine interface.
type driveEngine struct{ *drive.Drive }

// setValues implements engine.
func (d *driveEngine) setValues(v []float64, jump bool) {
	values := drive.Values{Amount: v[0], Tone: v[1]}
	if jump {
		d.Jump(&values)
		return
	}
	d.Move(&values)
}

// widthEngine adapts a width effect to the engine interface.
type widthEngine struct{ *width.Width }

// setValues implements engine.
func (w *widthEngine) setValues(v []float64, jump bool) {
	values := width.Values{Width: v[0]}
	if jump {
		w.Jump(&values)
		return
	}
	w.Move(&values)
}

// compressorEngine adapts a compressor to the engine interface.
type compressorEngine struct{ *compressor.Compressor }

// setValues implements engine.
func (c *compressorEngine) setValues(v []float64, jump bool) {
	values := compressor.Values{Threshold: v[0], Ratio: v[1], Attack: v[2], Release: v[3], Knee: v[4], Makeup: v[5]}
	if jump {
		c.Jump(&values)
		return
	}
	c.Move(&values)
}

// delayEngine adapts a delay to the engine interface.
type delayEngine struct{ *delay.Delay }

// delayValues converts v, in the order of Kind.Param, to the values of a delay.
func delayValues(v []float64) delay.Values {
	return delay.Values{Time: v[0], Feedback: v[1], LowPass: v[2], PingPong: v[3]}
}

// setValues implements engine.
func (d *delayEngine) setValues(v []float64, jump bool) {
	values := delayValues(v)
	if jump {
		d.Jump(&values)
		return
	}
	d.Move(&values)
}
