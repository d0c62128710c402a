package sounds

import "voicepool/internal/words"

// Shape is the curve of a gain over time.
type Shape uint8

const (
	Natural       Shape = iota // linear in decibels; for a fade-in or fade-out, a raised cosine
	InDecibels                 // linear in decibels
	InAmplitude                // linear in amplitude
	RaisedCosine               // raised cosine in amplitude: zero slope at both ends
	ConstantPower              // quarter of a sine in amplitude: a crossfade keeps its power
)

var shapeNames = [...]string{"natural", "decibels", "amplitude", "cosine", "power"}

// String returns the name of the shape in a cue sheet: natural, decibels, amplitude, cosine or power.
func (s Shape) String() string { return words.Name("shape", s, shapeNames[:]) }
