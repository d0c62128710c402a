// Package steal measures what is lost when voices are stolen: how far a mix with
// few voices is from the one with as many as were asked for, and how much of the
// difference can be heard. It brings the sounds and the scenes to try that with,
// the least that any choice of voices must lose, and the best that one could do
// that knows the future.
//
//	reference, _ := steal.NewReference(unlimited, 48000)
//	reference.KError(limited) // dB
//	reference.Tiles(limited)  // the share of what is heard that audibly differs
//
// Sounds and scenes are made of integers and the exact functions of pcm: the same
// seed gives the same ones on every machine. Measures are for people to compare;
// they use math and may differ in the last digits.
//
// Nothing here runs while sounds play.
package steal

// Rate is that of all sounds and scenes, in Hz. Any mix can be measured.
const Rate = 48000
