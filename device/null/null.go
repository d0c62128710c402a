// Package null has devices that play nothing, for tests and for machines without
// sound.
//
// A Stepped renders when a test says so, and returns the frames:
//
//	d := null.NewStepped(null.Config{})
//	d.Start(src)
//	heard := d.Step(480) // 10 ms
//
// A Paced pulls in real time, as a sound card does. It uses the time package only, so a
// minute passes at once under testing/synctest.
package null

// Config says how a device asks. The zero value is 48,000 frames per second in
// blocks of 512.
type Config struct {
	// Rate is in frames per second; 0 or less means 48000.
	Rate int
	// Block is how many frames a Paced asks for at once; 0 or less means 512.
	Block int
}

func (c Config) filled() Config {
	if c.Rate <= 0 {
		c.Rate = 48000
	}
	if c.Block <= 0 {
		c.Block = 512
	}
	return c
}
