// Package master guards the mix on its way to the device: a true-peak limiter, a guard
// against DC offset, a soft clip, a guard against samples that are not finite, and the
// meter of a bus.
//
// Each takes the frames of a stream in blocks of any length and gives the same bits for
// all lengths. A Skip passes frames of silence at hardly any cost. None of them knows
// voices, buses or a mixer. Audio side, but for Meter.Levels.
package master
