//go:build !purego

package dsp

import (
	"unsafe"

	"voicepool/pcm"
)

// rest is next for a kernel that takes what another one has left.
func (g *Ramp) rest(dst []pcm.Frame, done int) uintptr {
	if done > 0 {
		return uintptr(unsafe.Pointer(&dst[0]))
	}
	return g.next(dst)
}

func fastMonoUnity(dst []pcm.Frame, src []float32, g *Ramp) int {
	n := turns(len(dst), g)
	wide := wider(n)
	if wide > 0 {
		monoUnityAVX512(&dst[0][0], &src[0], wide, g.Left, g.Right, g.LeftSlope, g.RightSlope, g.Start, g.next(dst))
	}
	if wide < n {
		monoUnityAVX2(&dst[wide][0], &src[wide], n-wide, g.Left, g.Right, g.LeftSlope, g.RightSlope, g.Start+wide, g.rest(dst, wide))
	}
	return n
}

func fastStereoUnity(dst []pcm.Frame, src []float32, g *Ramp) int {
	n := turns(len(dst), g)
	wide := wider(n)
	if wide > 0 {
		stereoUnityAVX512(&dst[0][0], &src[0], wide, g.Left, g.Right, g.LeftSlope, g.RightSlope, g.Start, g.next(dst))
	}
	if wide < n {
		stereoUnityAVX2(&dst[wide][0], &src[2*wide], n-wide, g.Left, g.Right, g.LeftSlope, g.RightSlope, g.Start+wide, g.rest(dst, wide))
	}
	return n
}

func fastMonoLinear(dst []pcm.Frame, src []float32, pos, step int64, g *Ramp) int {
	n := ofLinear.turns(len(dst), pos, step, len(src), g)
	wide := ofLinear.windows(n, pos, step, len(src), 32, 16)
	if wide > 0 {
		monoLinearAVX512(&dst[0][0], &src[0], wide, pos, step, g.Left, g.Right, g.LeftSlope, g.RightSlope, g.Start, g.next(dst))
	}
	if wide < n {
		monoLinearAVX2(&dst[wide][0], &src[0], n-wide, pos+int64(wide)*step, step, g.Left, g.Right, g.LeftSlope, g.RightSlope, g.Start+wide, g.rest(dst, wide))
	}
	return n
}

func fastStereoLinear(dst []pcm.Frame, src []float32, pos, step int64, g *Ramp) int {
	n := ofLinear.turns(len(dst), pos, step, len(src)/2, g)
	wide := ofLinear.windows(n, pos, step, len(src)/2, 16, 8)
	if wide > 0 {
		stereoLinearAVX512(&dst[0][0], &src[0], wide, pos, step, g.Left, g.Right, g.LeftSlope, g.RightSlope, g.Start, g.next(dst))
	}
	if wide < n {
		stereoLinearAVX2(&dst[wide][0], &src[0], n-wide, pos+int64(wide)*step, step, g.Left, g.Right, g.LeftSlope, g.RightSlope, g.Start+wide, g.rest(dst, wide))
	}
	return n
}

func fastMonoCubic(dst []pcm.Frame, src []float32, pos, step int64, g *Ramp) int {
	n := ofCubic.turns(len(dst), pos, step, len(src), g)
	wide := ofCubic.windows(n, pos, step, len(src), 32, 16)
	if wide > 0 {
		monoCubicAVX512(&dst[0][0], &src[0], wide, pos, step, g.Left, g.Right, g.LeftSlope, g.RightSlope, g.Start, g.next(dst))
	}
	if wide < n {
		monoCubicAVX2(&dst[wide][0], &src[0], n-wide, pos+int64(wide)*step, step, g.Left, g.Right, g.LeftSlope, g.RightSlope, g.Start+wide, g.rest(dst, wide))
	}
	return n
}

func fastStereoCubic(dst []pcm.Frame, src []float32, pos, step int64, g *Ramp) int {
	n := ofCubic.turns(len(dst), pos, step, len(src)/2, g)
	wide := ofCubic.windows(n, pos, step, len(src)/2, 16, 8)
	if wide > 0 {
		stereoCubicAVX512(&dst[0][0], &src[0], wide, pos, step, g.Left, g.Right, g.LeftSlope, g.RightSlope, g.Start, g.next(dst))
	}
	if wide < n {
		stereoCubicAVX2(&dst[wide][0], &src[0], n-wide, pos+int64(wide)*step, step, g.Left, g.Right, g.LeftSlope, g.RightSlope, g.Start+wide, g.rest(dst, wide))
	}
	return n
}

func fastMonoUnity16(dst []pcm.Frame, src []int16, g *Ramp) int {
	n := turns(len(dst), g)
	wide := wider(n)
	if wide > 0 {
		monoUnity16AVX512(&dst[0][0], &src[0], wide, g.Left, g.Right, g.LeftSlope, g.RightSlope, g.Start, g.next(dst))
	}
	if wide < n {
		monoUnity16AVX2(&dst[wide][0], &src[wide], n-wide, g.Left, g.Right, g.LeftSlope, g.RightSlope, g.Start+wide, g.rest(dst, wide))
	}
	return n
}

func fastStereoUnity16(dst []pcm.Frame, src []int16, g *Ramp) int {
	n := turns(len(dst), g)
	wide := wider(n)
	if wide > 0 {
		stereoUnity16AVX512(&dst[0][0], &src[0], wide, g.Left, g.Right, g.LeftSlope, g.RightSlope, g.Start, g.next(dst))
	}
	if wide < n {
		stereoUnity16AVX2(&dst[wide][0], &src[2*wide], n-wide, g.Left, g.Right, g.LeftSlope, g.RightSlope, g.Start+wide, g.rest(dst, wide))
	}
	return n
}

func fastMonoLinear16(dst []pcm.Frame, src []int16, pos, step int64, g *Ramp) int {
	n := ofLinear.turns(len(dst), pos, step, len(src), g)
	wide := ofLinear.windows(n, pos, step, len(src), 32, 16)
	if wide > 0 {
		monoLinear16AVX512(&dst[0][0], &src[0], wide, pos, step, g.Left, g.Right, g.LeftSlope, g.RightSlope, g.Start, g.next(dst))
	}
	if wide < n {
		monoLinear16AVX2(&dst[wide][0], &src[0], n-wide, pos+int64(wide)*step, step, g.Left, g.Right, g.LeftSlope, g.RightSlope, g.Start+wide, g.rest(dst, wide))
	}
	return n
}

func fastStereoLinear16(dst []pcm.Frame, src []int16, pos, step int64, g *Ramp) int {
	n := ofLinear.turns(len(dst), pos, step, len(src)/2, g)
	wide := ofLinear.windows(n, pos, step, len(src)/2, 16, 8)
	if wide > 0 {
		stereoLinear16AVX512(&dst[0][0], &src[0], wide, pos, step, g.Left, g.Right, g.LeftSlope, g.RightSlope, g.Start, g.next(dst))
	}
	if wide < n {
		stereoLinear16AVX2(&dst[wide][0], &src[0], n-wide, pos+int64(wide)*step, step, g.Left, g.Right, g.LeftSlope, g.RightSlope, g.Start+wide, g.rest(dst, wide))
	}
	return n
}

func fastMonoCubic16(dst []pcm.Frame, src []int16, pos, step int64, g *Ramp) int {
	n := ofCubic.turns(len(dst), pos, step, len(src), g)
	wide := ofCubic.windows(n, pos, step, len(src), 32, 16)
	if wide > 0 {
		monoCubic16AVX512(&dst[0][0], &src[0], wide, pos, step, g.Left, g.Right, g.LeftSlope, g.RightSlope, g.Start, g.next(dst))
	}
	if wide < n {
		monoCubic16AVX2(&dst[wide][0], &src[0], n-wide, pos+int64(wide)*step, step, g.Left, g.Right, g.LeftSlope, g.RightSlope, g.Start+wide, g.rest(dst, wide))
	}
	return n
}

func fastStereoCubic16(dst []pcm.Frame, src []int16, pos, step int64, g *Ramp) int {
	n := ofCubic.turns(len(dst), pos, step, len(src)/2, g)
	wide := ofCubic.windows(n, pos, step, len(src)/2, 16, 8)
	if wide > 0 {
		stereoCubic16AVX512(&dst[0][0], &src[0], wide, pos, step, g.Left, g.Right, g.LeftSlope, g.RightSlope, g.Start, g.next(dst))
	}
	if wide < n {
		stereoCubic16AVX2(&dst[wide][0], &src[0], n-wide, pos+int64(wide)*step, step, g.Left, g.Right, g.LeftSlope, g.RightSlope, g.Start+wide, g.rest(dst, wide))
	}
	return n
}

func fastMonoBest(dst []pcm.Frame, src []float32, pos, step int64, g *Ramp) int {
	n := ofBest.turns(len(dst), pos, step, len(src), g)
	if n > 0 {
		monoBestAVX2(&dst[0][0], &src[0], &phases[0].at[0], n, pos, step, g.Left, g.Right, g.LeftSlope, g.RightSlope, g.Start, g.next(dst))
	}
	return n
}

func fastStereoBest(dst []pcm.Frame, src []float32, pos, step int64, g *Ramp) int {
	n := ofBest.turns(len(dst), pos, step, len(src)/2, g)
	if n > 0 {
		stereoBestAVX2(&dst[0][0], &src[0], &phases[0].at[0], n, pos, step, g.Left, g.Right, g.LeftSlope, g.RightSlope, g.Start, g.next(dst))
	}
	return n
}
