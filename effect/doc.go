// Package effect has the effects of buses: equaliser, compressor, delay, reverb, drive and width.
//
// One table, Kinds, says which kinds there are, which parameters each has, and their units,
// ranges and defaults. Sheets, their schema, the checks and the docs are made from it. An Effect
// is one of a kind with its values. A Processor is an Effect at work: it takes blocks of frames
// through it. The mixer makes one of each Effect of a bus; whoever has no mixer can use one alone.
//
// All of it gives the same bits on every machine and for every length of blocks.
package effect
