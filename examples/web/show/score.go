package show

// round is the length of the score in milliseconds; then it repeats.
const round = 12000

// note is a sound that repeats every step milliseconds during a part of the score.
type note struct {
	sound             string
	from, until, step int64 // milliseconds
	storm             bool  // part of the storm
	tune              bool  // follows the tune
}

var score = []note{
	{sound: "marimba", from: 0, until: 12000, step: 400, tune: true},
	{sound: "bird", from: 500, until: 4000, step: 1300},
	{sound: "coin", from: 2200, until: 4000, step: 900},
	{sound: "thunder", from: 4000, until: 9000, step: 3100, storm: true},
	{sound: "bell", from: 4200, until: 9500, step: 170, storm: true, tune: true},
	{sound: "chime", from: 4800, until: 9500, step: 230, storm: true, tune: true},
	{sound: "glass", from: 5500, until: 9000, step: 310, storm: true},
	{sound: "pluck", from: 6000, until: 9800, step: 260, storm: true, tune: true},
	{sound: "gong", from: 9800, until: 9900, step: 100, storm: true},
}

// beat is one repetition of a note.
type beat struct {
	frame int64
	count int // number of earlier beats in all rounds
}

// after returns the first beat at or after frame, in frames from the beginning of the score. rate is in frames per
// second.
func (n note) after(frame, rate int64) beat {
	each := (n.until - n.from + n.step - 1) / n.step // beats per round
	count := max(0, frame*1000/rate/round*each-1)
	for ; ; count++ {
		at := (count/each*round + n.from + count%each*n.step) * rate / 1000
		if at >= frame {
			return beat{frame: at, count: int(count)}
		}
	}
}
