// Package master processes the mix on its way to the device. It has a true-peak limiter, a DC guard, a soft
// clip, a guard that replaces NaN and Inf by silence, and the meter of a bus.
//
// Each processes a stream in blocks of any length, with the same bits for all lengths. Skip passes frames of
// silence in little time. Audio side, except Meter.Shown.
package master
