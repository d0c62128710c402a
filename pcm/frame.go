// Package pcm provides frames, the units of gain, pitch and time, and arithmetic with the same bits on
// every machine.
//
// The results of math.Exp, Pow, Log, Sin and Cos differ between architectures in the last bit, and the
// compiler may fuse x*y+z into one rounding. So voicepool computes samples, and values that decide which
// voice is stolen, with the functions of this package. They evaluate polynomials with +, -, * and / in a
// fixed order. Each product is converted (float64(x*y)), which prevents the fusion.
//
// All functions are pure and do not allocate. They may be called on any goroutine, including the one that
// mixes.
package pcm

// Frame is one sample per channel at an instant: left, right. Full scale is -1..+1. Larger values are valid;
// only a limiter or a conversion to integers clips them.
type Frame [2]float32
