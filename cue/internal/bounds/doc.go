// Package bounds computes limits of a show from its sheet, before the show begins. Its functions answer four questions:
//
//   - Does a render of the sheet end? CheckRender lists the loops and pauses that never end.
//   - When does it end at the latest? UpperBound, LaunchDuration and EffectTail return numbers of frames.
//   - How far can each start be pitched? PitchesOf returns the ranges in semitones, and Variants lists the resampled
//     versions of sounds that these ranges need.
//   - Which shorter sheet lasts as long and needs as many voices? Simplified and WithLargePool return sheets to measure.
//
// The input is a sheet with its scheduled GOs carried out (runsheet.Sheet), and the loaded sounds. The package has no
// state and does not know players, devices or running mixers. Control side, any goroutine. A runsheet.Sheet must
// not change during a call.
package bounds
