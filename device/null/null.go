// Package null has devices without a sink, for tests and for machines without
// sound: they ask a source for its frames and throw them away.
//
// A test that wants to know what was played takes a Stepped, which renders
// when it is told to, as much as it is told to, and shows the frames:
//
//	d := null.NewStepped(null.Config{})
//	d.Start(src)
//	heard := d.Step(480) // 10 ms
//
// A program that shall run as if there were a sound card takes a Paced. It
// uses the time package only, so that under testing/synctest a minute passes
// in no time.
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
