package evidence

import (
	"math"
	"sync"
	"time"

	"voicepool/cmd/internal/cli/doctor"
	"voicepool/mixer"
	"voicepool/pcm"
)

// source passes the audio of a mixer on and measures the times of its pulls. It does not implement
// device.Sleeper, so a device always pulls.
type source struct {
	mixer *mixer.Mixer

	mutex sync.Mutex
	pulls *doctor.Pulls // of the current step
	clock *driftMeter   // nil, except while the drift is measured
}

// Rate returns the sample rate in Hz.
func (s *source) Rate() int { return s.mixer.Rate() }

// Render renders the mixer.
func (s *source) Render(dst []pcm.Frame) {
	now := time.Now()
	s.mutex.Lock()
	pulls, clock := s.pulls, s.clock
	s.mutex.Unlock()
	pulls.Note(now, len(dst))
	if clock != nil {
		clock.note(now, len(dst))
	}
	s.mixer.Render(dst)
}

// restart begins new measurements: of the pulls, with a buffer that lasts bufferTime, and with clock, if it is not nil.
func (s *source) restart(bufferTime time.Duration, clock *driftMeter) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.pulls, s.clock = doctor.NewPulls(bufferTime), clock
}

// totals returns the pulls since the last restart.
func (s *source) totals() doctor.PullTotals {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return s.pulls.Totals()
}

const (
	// window is the time between two points. Each is the earliest pull in a window.
	window = time.Second
	// jump is the change of lateness in a window, in seconds, that no clock causes. The device paused, or skipped.
	jump = 0.003
)

// driftMeter compares the frames that a device pulls with the clock of the system.
//
// A pull is late by chance, never early. So the earliest pull of each second shows the clock of the device. A line
// through these points has the drift as its slope, by least squares. A jump begins another line with the same slope.
type driftMeter struct {
	rate int

	mutex  sync.Mutex
	start  time.Time // of the first pull; zero before it
	frames int64     // since the first pull
	best   point     // of the current window
	until  float64   // end of the current window, seconds since start
	points []point
}

// point is a pull: its time, and by how much it was later than the frames before it last. In seconds.
type point struct{ at, late float64 }

// note adds a pull of some frames. It locks a mutex for a moment.
func (d *driftMeter) note(now time.Time, frames int) {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	if d.start.IsZero() {
		d.start = now
		d.best, d.until = point{late: math.Inf(1)}, window.Seconds()
	}
	at := now.Sub(d.start).Seconds()
	p := point{at, at - float64(d.frames)/float64(d.rate)}
	d.frames += int64(frames)
	if at >= d.until {
		d.points = append(d.points, d.best)
		d.best, d.until = p, d.until+window.Seconds()*math.Ceil((at-d.until+1e-9)/window.Seconds())
	}
	if p.late < d.best.late {
		d.best = p
	}
}

// drift returns by how many millionths the device is faster than its rate, the standard error of that, and the number
// of jumps. The standard error assumes independent residuals. Neighbouring points often err alike, so it is likely too
// small. ok is false with fewer than three points beside the first of each line. The very first point is left out:
// its pulls fill the buffer of the device.
func (d *driftMeter) drift() (ppm, standardError float64, jumps int, ok bool) {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	var lines [][]point
	for i, p := range d.points[min(1, len(d.points)):] {
		if last := d.points[i]; i == 0 || math.Abs(p.late-last.late) >= jump {
			lines = append(lines, nil)
		}
		lines[len(lines)-1] = append(lines[len(lines)-1], p)
	}
	free := -1.0 // degrees of freedom: points less a mean per line and the slope
	var square, product, residual float64
	for _, line := range lines {
		var at, late float64 // means
		for _, p := range line {
			at += p.at / float64(len(line))
			late += p.late / float64(len(line))
		}
		for i, p := range line {
			line[i] = point{p.at - at, p.late - late}
			square += line[i].at * line[i].at
			product += line[i].at * line[i].late
		}
		free += float64(len(line) - 1)
	}
	if free < 2 {
		return 0, 0, max(len(lines)-1, 0), false
	}
	slope := product / square
	for _, line := range lines {
		for _, p := range line {
			e := p.late - slope*p.at
			residual += e * e
		}
	}
	return -slope * 1e6, math.Sqrt(residual/free/square) * 1e6, len(lines) - 1, true
}
