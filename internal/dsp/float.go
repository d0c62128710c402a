package dsp

import "math"

var inf = float32(math.Inf(1))

func abs(x float32) float32 { return math.Float32frombits(math.Float32bits(x) &^ (1 << 31)) }
