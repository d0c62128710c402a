//go:build !purego

package dsp

import "voicepool/pcm"

func fastMonoUnity(dst []pcm.Frame, src []float32, g *Ramp) int {
	n := turns(len(dst), g)
	if n > 0 {
		monoUnityNEON(&dst[0][0], &src[0], n, g.Left, g.Right, g.LeftSlope, g.RightSlope, g.Start, g.next(dst))
	}
	return n
}

func fastStereoUnity(dst []pcm.Frame, src []float32, g *Ramp) int {
	n := turns(len(dst), g)
	if n > 0 {
		stereoUnityNEON(&dst[0][0], &src[0], n, g.Left, g.Right, g.LeftSlope, g.RightSlope, g.Start, g.next(dst))
	}
	return n
}

func fastMonoLinear(dst []pcm.Frame, src []float32, pos, step int64, g *Ramp) int {
	n := ofLinear.turns(len(dst), pos, step, len(src), g)
	if n > 0 {
		monoLinearNEON(&dst[0][0], &src[0], n, pos, step, g.Left, g.Right, g.LeftSlope, g.RightSlope, g.Start, g.next(dst))
	}
	return n
}

func fastStereoLinear(dst []pcm.Frame, src []float32, pos, step int64, g *Ramp) int {
	n := ofLinear.turns(len(dst), pos, step, len(src)/2, g)
	if n > 0 {
		stereoLinearNEON(&dst[0][0], &src[0], n, pos, step, g.Left, g.Right, g.LeftSlope, g.RightSlope, g.Start, g.next(dst))
	}
	return n
}

func fastMonoCubic(dst []pcm.Frame, src []float32, pos, step int64, g *Ramp) int {
	n := ofCubic.turns(len(dst), pos, step, len(src), g)
	if n > 0 {
		monoCubicNEON(&dst[0][0], &src[0], n, pos, step, g.Left, g.Right, g.LeftSlope, g.RightSlope, g.Start, g.next(dst))
	}
	return n
}

func fastStereoCubic(dst []pcm.Frame, src []float32, pos, step int64, g *Ramp) int {
	n := ofCubic.turns(len(dst), pos, step, len(src)/2, g)
	if n > 0 {
		stereoCubicNEON(&dst[0][0], &src[0], n, pos, step, g.Left, g.Right, g.LeftSlope, g.RightSlope, g.Start, g.next(dst))
	}
	return n
}

func fastMonoUnity16(dst []pcm.Frame, src []int16, g *Ramp) int {
	n := turns(len(dst), g)
	if n > 0 {
		monoUnity16NEON(&dst[0][0], &src[0], n, g.Left, g.Right, g.LeftSlope, g.RightSlope, g.Start, g.next(dst))
	}
	return n
}

func fastStereoUnity16(dst []pcm.Frame, src []int16, g *Ramp) int {
	n := turns(len(dst), g)
	if n > 0 {
		stereoUnity16NEON(&dst[0][0], &src[0], n, g.Left, g.Right, g.LeftSlope, g.RightSlope, g.Start, g.next(dst))
	}
	return n
}

func fastMonoLinear16(dst []pcm.Frame, src []int16, pos, step int64, g *Ramp) int {
	n := ofLinear.turns(len(dst), pos, step, len(src), g)
	if n > 0 {
		monoLinear16NEON(&dst[0][0], &src[0], n, pos, step, g.Left, g.Right, g.LeftSlope, g.RightSlope, g.Start, g.next(dst))
	}
	return n
}

func fastStereoLinear16(dst []pcm.Frame, src []int16, pos, step int64, g *Ramp) int {
	n := ofLinear.turns(len(dst), pos, step, len(src)/2, g)
	if n > 0 {
		stereoLinear16NEON(&dst[0][0], &src[0], n, pos, step, g.Left, g.Right, g.LeftSlope, g.RightSlope, g.Start, g.next(dst))
	}
	return n
}

func fastMonoCubic16(dst []pcm.Frame, src []int16, pos, step int64, g *Ramp) int {
	n := ofCubic.turns(len(dst), pos, step, len(src), g)
	if n > 0 {
		monoCubic16NEON(&dst[0][0], &src[0], n, pos, step, g.Left, g.Right, g.LeftSlope, g.RightSlope, g.Start, g.next(dst))
	}
	return n
}

func fastStereoCubic16(dst []pcm.Frame, src []int16, pos, step int64, g *Ramp) int {
	n := ofCubic.turns(len(dst), pos, step, len(src)/2, g)
	if n > 0 {
		stereoCubic16NEON(&dst[0][0], &src[0], n, pos, step, g.Left, g.Right, g.LeftSlope, g.RightSlope, g.Start, g.next(dst))
	}
	return n
}

func fastMonoBest(dst []pcm.Frame, src []float32, pos, step int64, g *Ramp) int {
	n := ofBest.turns(len(dst), pos, step, len(src), g)
	if n > 0 {
		monoBestNEON(&dst[0][0], &src[0], n, &phases[0].at[0], pos, step, g.Left, g.Right, g.LeftSlope, g.RightSlope, g.Start, g.next(dst))
	}
	return n
}

func fastStereoBest(dst []pcm.Frame, src []float32, pos, step int64, g *Ramp) int {
	n := ofBest.turns(len(dst), pos, step, len(src)/2, g)
	if n > 0 {
		stereoBestNEON(&dst[0][0], &src[0], n, &phases[0].at[0], pos, step, g.Left, g.Right, g.LeftSlope, g.RightSlope, g.Start, g.next(dst))
	}
	return n
}
