package voice

import "voicepool/pcm"

// Move is a parameter on its way: from From at frame Start straight to To,
// Frames later. The zero value rests at 0.
type Move struct {
	From, To float64
	Start    int64
	Frames   int64
}

// Rest returns a move that is where it is.
func Rest(at float64) Move { return Move{From: at, To: at} }

// At returns the value at a frame.
func (m *Move) At(frame int64) float64 {
	t := frame - m.Start
	if t >= m.Frames {
		return m.To
	}
	return m.From + float64((m.To-m.From)*(float64(t)/float64(m.Frames)))
}

// End returns the first frame from which it rests.
func (m *Move) End() int64 { return m.Start + m.Frames }

// Turn starts a move at frame, from wherever it is, to to.
func (m *Move) Turn(frame int64, to float64, frames int64) {
	*m = Move{From: m.At(frame), To: to, Start: frame, Frames: max(frames, 0)}
}

// TurnGain is Turn for a gain in decibels: silence is no further away than
// pcm.Silence, from which and to which the line is drawn.
func (m *Move) TurnGain(frame int64, to pcm.Decibels, frames int64) {
	from := max(m.At(frame), float64(pcm.Silence))
	*m = Move{From: from, To: max(float64(to), float64(pcm.Silence)), Start: frame, Frames: max(frames, 0)}
}

// Gain returns the factor of a move in decibels at a frame. It is 0 at and
// below pcm.Silence.
func (m *Move) Gain(frame int64) float64 {
	return pcm.Decibels(m.At(frame)).Gain()
}

// Grid returns how many frames apart a curve is sampled while it moves: it is
// followed by straight lines, shorter where it bends more.
func (m *Move) Grid() int64 { return grid(m.Frames) }

func grid(frames int64) int64 {
	switch {
	case frames < 128:
		return 2
	case frames < 1024:
		return 8
	case frames < 4096:
		return 16
	}
	return 64
}

// curve is a raised cosine between silence and full: a fade in, or out when
// Out is set. The zero value is full.
type curve struct {
	start, frames int64
	out           bool
	level         float64 // where a fade out begins, 0..1
}

func fadeIn(frame, frames int64) curve { return curve{start: frame, frames: frames} }

// at returns the factor at a frame.
func (c *curve) at(frame int64) float64 {
	t := frame - c.start
	switch {
	case c.out && t >= c.frames:
		return 0
	case c.out:
		return float64(c.level * (0.5 + float64(0.5*pcm.CosPi(float64(t)/float64(c.frames)))))
	case t >= c.frames:
		return 1
	}
	return 0.5 - float64(0.5*pcm.CosPi(float64(t)/float64(c.frames)))
}

func (c *curve) end() int64 { return c.start + c.frames }
