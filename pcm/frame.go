// Package pcm has what all other packages share: the frame, the units of gain, pitch
// and time, and arithmetic with the same bits on every machine.
//
// Go's math.Exp, Pow, Log, Sin and Cos differ in the last bit between architectures,
// and the compiler may fuse x*y+z into one rounding. So every computation that leads to a
// sample or to a decision uses the functions of this package: polynomials over +, -, *
// and / in a fixed order. Every product is converted (float64(x*y)), which forbids the
// fusion.
//
// Everything here is a pure function of its arguments and allocates nothing, so both
// sides may call it.
package pcm

// Frame is one sample per channel at an instant: left, right. Full scale is
// -1..+1; values beyond are legal until they meet a limiter or an integer.
type Frame [2]float32
