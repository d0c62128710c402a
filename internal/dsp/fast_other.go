//go:build (!amd64 && !arm64) || purego

package dsp

import (
	"math"

	"voicepool/pcm"
)

func detect() instructions { return generic }

// No kernels but those in Go: nobody else takes a frame.

func fastMonoUnity([]pcm.Frame, []float32, *Ramp) int { return 0 }

func fastStereoUnity([]pcm.Frame, []float32, *Ramp) int { return 0 }

func fastMonoLinear([]pcm.Frame, []float32, int64, int64, *Ramp) int { return 0 }

func fastStereoLinear([]pcm.Frame, []float32, int64, int64, *Ramp) int { return 0 }

func fastMonoCubic([]pcm.Frame, []float32, int64, int64, *Ramp) int { return 0 }

func fastStereoCubic([]pcm.Frame, []float32, int64, int64, *Ramp) int { return 0 }

func fastMonoBest([]pcm.Frame, []float32, int64, int64, *Ramp) int { return 0 }

func fastStereoBest([]pcm.Frame, []float32, int64, int64, *Ramp) int { return 0 }

func fastMonoUnity16([]pcm.Frame, []int16, *Ramp) int { return 0 }

func fastStereoUnity16([]pcm.Frame, []int16, *Ramp) int { return 0 }

func fastMonoLinear16([]pcm.Frame, []int16, int64, int64, *Ramp) int { return 0 }

func fastStereoLinear16([]pcm.Frame, []int16, int64, int64, *Ramp) int { return 0 }

func fastMonoCubic16([]pcm.Frame, []int16, int64, int64, *Ramp) int { return 0 }

func fastStereoCubic16([]pcm.Frame, []int16, int64, int64, *Ramp) int { return 0 }

func fastFrames([]pcm.Frame, []pcm.Frame, *Ramp) int { return 0 }

func fastSum([]pcm.Frame, []pcm.Frame) int { return 0 }

func fastWindow([]pcm.Frame, []float32) int { return 0 }

func fastPeak([]pcm.Frame) (done int, peak uint32) { return 0, 0 }

func fastLowest([]int32, int32) (done int, lowest int32, candidates int) {
	return 0, math.MaxInt32, 0
}

func fastLeast([]int32, []float32, int32) (done int, least, next uint32) {
	return 0, math.MaxUint32, math.MaxUint32
}

func fastMatch(prio []int32, key []float32, p int32, k float32, from int) int { return from }
