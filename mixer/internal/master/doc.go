// Package master guards the mix on its way to the device. It has a true-peak limiter, a
// DC guard, a soft clip, a guard that replaces NaN and Inf by silence, and the meter of
// a bus.
//
// Each processes a stream in blocks of any length and gives the same bits for all
// lengths. A Skip passes frames of silence at hardly any cost. None of them knows voices,
// buses or a mixer. Audio side, except Meter.Shown.
package master
