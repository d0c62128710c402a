// Package pcm provides frames, the units of gain, pitch and time, and arithmetic with the same bits on
// every machine.
//
// The results of math.Exp, Pow, Log, Sin and Cos differ between architectures in the last bit, and the
// compiler may fuse x*y+z into one rounding. So every computation of a sample or a decision uses the
// functions of this package: polynomials of +, -, * and / in a fixed order. Every product is converted
// (float64(x*y)), which prevents the fusion.
//
// All functions are pure and do not allocate, so both sides of the mixer may call them.
package pcm

// Frame is one sample per channel at an instant: left, right. Full scale is -1..+1. Larger values are
// valid until a limiter or a conversion to integers.
type Frame [2]float32
