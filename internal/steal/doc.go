// Package steal measures what is lost when voices are stolen: how far a mix with few
// voices is from the mix with as many as were asked for, and how much of the difference
// can be heard.
//
// It has the sounds and scenes for that, the least that any choice of voices must lose,
// and the best choice that one could make knowing the future.
//
//	reference, _ := steal.NewReference(unlimited, 48000)
//	reference.KError(limited) // dB
//	reference.Tiles(limited)  // the share of what is heard that audibly differs
//
// Sounds and scenes are made of integers and the exact functions of pcm, so a seed gives
// the same ones on every machine. Measures use math and may differ in the last digits.
// Nothing here runs while sounds play.
package steal

// Rate is that of all sounds and scenes, in Hz. Any mix can be measured.
const Rate = 48000
