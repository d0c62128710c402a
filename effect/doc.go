// Package effect implements the effects of buses, the sub-mixes of a mixer: equaliser, compressor, delay, reverb,
// drive and width.
//
// Kinds lists the kinds of effects with their parameters, units, ranges and defaults. An Effect is a kind
// with values for its parameters, as used in mixer.BusConfig. A Processor runs an Effect on blocks of
// frames. The mixer creates a Processor for each Effect of a bus; a program without a mixer can use one
// directly:
//
//	e, err := effect.New("reverb", effect.Values{"time": 2.5, "mix": 0.3})
//	...
//	p := e.NewProcessor(48000, 512)
//	p.Process(block, nil, frame) // block has at most 512 frames
//
// "Control side" marks functions that may allocate and return errors. "Audio side" marks functions for the
// goroutine that mixes, which do neither.
//
// The output has the same bits on every machine and for every block length.
package effect
