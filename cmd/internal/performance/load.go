package performance

import (
	"fmt"
	"time"

	"voicepool/device"
	"voicepool/mixer"
	"voicepool/pcm"
)

// loadLine says in a line how much of its time the mixing has needed.
func loadLine(l device.Load) string {
	line := fmt.Sprintf("mixing took %.1f %% of the time, %.1f ms at the most; %d of %d blocks were late; %d garbage collections; ",
		100*l.Mean, l.Longest.Seconds()*1000, l.Late, l.Blocks, l.Collections)
	// What most blocks needed: the step under which nine in ten lie.
	sum := int64(0)
	for i, n := range l.Shares {
		if sum += n; sum*10 >= l.Blocks*9 && i < len(l.Shares)-1 {
			return line + fmt.Sprintf("nine in ten needed at most 1/%d of their time", 256>>i)
		}
	}
	return line + "more than one in ten was late"
}

// latencyLine says what lies between a call and the ear.
func latencyLine(l mixer.Latency, d device.Device) string {
	ms := func(t time.Duration) float64 { return t.Seconds() * 1000 }
	heard := pcm.Duration(int64(d.Latency()), d.Rate())
	return fmt.Sprintf("latency: at most %.1f ms for the next block, %.1f ms in the limiter, at most %.1f ms in the device", ms(l.Block), ms(l.Limiter), ms(heard))
}
