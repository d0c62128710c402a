package delay

import (
	"math"

	"voicepool/pcm"
)

// The formulas of the loop for each frame, with the input (l, r) and the output of the line:
//
//	y' = lowPass y + (1-lowPass) out                 low-pass of each side
//	left  = (1-cross) l + cross (l+r)/2 + feedback ((1-cross) yl' + cross yr')
//	right = (1-cross) r                 + feedback ((1-cross) yr' + cross yl')
//
// All of it is in float64, in the order written. Only the input of the line is rounded to float32. Each
// weight is 0..1 and each sum of weights at most 1, also while they move. No sample in the line therefore
// exceeds the input's peak over (1 - feedback).

const (
	inaudible = 1e-10 // -200 dBFS: smaller samples do not enter the line
	minState  = 1e-12 // -240 dBFS: smaller states of the low-pass are cleared every 32 frames
)

// flushInaudible rounds a sample for the line; inaudible ones become 0.
func flushInaudible(x float64) float32 {
	if math.Abs(x) < inaudible {
		return 0
	}
	return float32(x)
}

// processPlain computes next, the input of the line, from the block in and the echoes out, without low-pass and
// ping-pong. All three have the same length, at least 1. low receives the last echoes, as the state of the
// low-pass.
func (s *settings) processPlain(next, in, out []pcm.Frame, low *[2]float64) {
	in, out = in[:len(next)], out[:len(next)]
	feedback := s.feedback
	for i := range next {
		x, y, to := &in[i], &out[i], &next[i]
		to[0] = flushInaudible(float64(x[0]) + float64(feedback*float64(y[0])))
		to[1] = flushInaudible(float64(x[1]) + float64(feedback*float64(y[1])))
	}
	last := &out[len(out)-1]
	low[0], low[1] = float64(last[0]), float64(last[1])
}

// processFiltered computes next like processPlain, with the low-pass, whose state is low.
func (s *settings) processFiltered(next, in, out []pcm.Frame, low *[2]float64) {
	in, out = in[:len(next)], out[:len(next)]
	feedback, lowPass, newShare := s.feedback, s.lowPass, 1-s.lowPass
	left, right := low[0], low[1]
	for i := range next {
		x, y, to := &in[i], &out[i], &next[i]
		left = float64(lowPass*left) + float64(newShare*float64(y[0]))
		right = float64(lowPass*right) + float64(newShare*float64(y[1]))
		to[0] = flushInaudible(float64(x[0]) + float64(feedback*left))
		to[1] = flushInaudible(float64(x[1]) + float64(feedback*right))
	}
	low[0], low[1] = left, right
}

// processPingPong computes next like processPlain, with the low-pass, whose state is low, and ping-pong.
func (s *settings) processPingPong(next, in, out []pcm.Frame, low *[2]float64) {
	in, out = in[:len(next)], out[:len(next)]
	feedback, lowPass, newShare, cross, sameSide := s.feedback, s.lowPass, 1-s.lowPass, s.cross, 1-s.cross
	left, right := low[0], low[1]
	for i := range next {
		x, y, to := &in[i], &out[i], &next[i]
		left = float64(lowPass*left) + float64(newShare*float64(y[0]))
		right = float64(lowPass*right) + float64(newShare*float64(y[1]))
		l, r := float64(x[0]), float64(x[1])
		mono := float64((l + r) * 0.5)
		backLeft := float64(sameSide*left) + float64(cross*right)
		backRight := float64(sameSide*right) + float64(cross*left)
		to[0] = flushInaudible(float64(sameSide*l) + float64(cross*mono) + float64(feedback*backLeft))
		to[1] = flushInaudible(float64(sameSide*r) + float64(feedback*backRight))
	}
	low[0], low[1] = left, right
}
