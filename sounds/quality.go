package sounds

import "voicepool/internal/words"

// Quality selects how a voice interpolates between the samples of its sound.
type Quality uint8

const (
	DefaultQuality Quality = iota // inherit: a voice uses the mixer's quality, a mixer uses Best
	Best                          // eight taps on mip levels of the sound, see Refiner; Cubic for streams and sounds without mip levels
	Linear                        // linear interpolation between two samples
	Cubic                         // cubic interpolation through four samples
)

var qualityNames = [...]string{"default", "best", "linear", "cubic"}

// String returns the name of the quality in a sheet: default, best, linear or cubic.
func (q Quality) String() string { return words.Name("quality", q, qualityNames[:]) }

// ParseQuality returns the quality with the given name: default, best, linear or cubic. For any other name the error
// names the nearest one.
func ParseQuality(name string) (Quality, error) {
	return words.Parse[Quality]("quality", name, qualityNames[:])
}
