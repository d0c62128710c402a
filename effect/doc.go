// Package effect implements the effects of buses: equaliser, compressor, delay, reverb, drive and width.
//
// Kinds lists the kinds of effects with their parameters, units, ranges and defaults. Sheets, their
// schema, the checks and the docs are generated from it. An Effect is a kind with values for its parameters.
// A Processor runs an Effect on blocks of frames. The mixer makes a Processor for each Effect of a bus;
// programs without a mixer can use a Processor directly.
//
// The output has the same bits on every machine and for every block length.
package effect
