package mixer

// The limits of a mixer, for whoever reads what one is made from: New, and what starts and moves
// voices, refuse what is beyond them.
const (
	MaxVoices   = 65536   // of Config.Voices, MaxVoices, Virtual and Grow.Max
	MaxBuses    = 4096    // besides the master
	MaxRate     = 768000  // frames per second
	MaxPriority = 1000000 // and no less than its negative
	MaxRounds   = 1000000000

	MinGain = -120 // decibels
	MaxGain = 24
)

// Check returns what is wrong with a configuration, as New would.
func (c Config) Check() error {
	_, err := c.withDefaults()
	return err
}
