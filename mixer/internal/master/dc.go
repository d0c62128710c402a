package master

import (
	"math"

	"voicepool/pcm"
)

// Constants of the guard. Content from 20 Hz on cannot have a mean as large as dcLoud over a whole second,
// unless it is beyond full scale.
const (
	dcLoud       = 0.03162 // -30 dBFS: a larger mean is removed
	dcQuiet      = 0.01585 // -36 dBFS: with a smaller mean the guard switches off
	dcFrequency  = 3       // Hz: corner of the high-pass, 3 dB down; 0.1 dB down at 20 Hz
	dcFadeMillis = 500
	dcLeast      = 1e-10 // smaller means count as 0
	dcLeastRate  = 8000  // Hz: lower rates are for tests, whose sounds may be constant
)

// DCGuard removes a DC offset of the master. Without an offset it changes no bit, unlike a permanent
// high-pass.
//
// At the end of every second of frames it computes their mean. If the mean of a channel is beyond dcLoud, a
// one-pole high-pass fades in. It fades out after a second with both means within dcQuiet. The result depends
// only on the frames and their numbers. Audio side.
type DCGuard struct {
	window int64 // frames; 0: off
	at     int64 // in the window
	sum    [2]float64
	on     bool
	wet    int64 // progress of the fade, 0..fade
	fade   int64
	slow   [2]float64 // low-passed signal, which is subtracted
	share  float64    // of the distance to its input, per frame
}

// NewDCGuard returns a guard for a sample rate in Hz. Below dcLeastRate the guard never changes a frame, because such
// rates are for tests.
func NewDCGuard(rate int) *DCGuard {
	if rate < dcLeastRate {
		return &DCGuard{}
	}
	return &DCGuard{
		window: int64(rate), fade: int64(rate) * dcFadeMillis / 1000,
		share: 1 - pcm.Exp2(-2*math.Pi*dcFrequency/math.Ln2/float64(rate)),
	}
}

// Process passes dst, the next frames, through the guard. It adds them to the mean of the present second; at the end of
// each second the guard may switch on or off. While the guard is on or fades, it also removes the offset from dst in
// place, with a high-pass. Samples must be finite. At a rate below dcLeastRate it has no effect. changed is the number
// of frames up to the last changed frame; 0 means that dst is unchanged.
func (d *DCGuard) Process(dst []pcm.Frame) (changed int64) {
	for done := int64(0); len(dst) > 0 && d.window > 0; {
		n := min(int64(len(dst)), d.window-d.at)
		left, right := d.sum[0], d.sum[1]
		for _, x := range dst[:n] {
			left += float64(x[0])
			right += float64(x[1])
		}
		d.sum = [2]float64{left, right}
		if d.on || d.wet > 0 {
			if last := d.filter(dst[:n]); last > 0 {
				changed = done + last
			}
		}
		d.pass(n)
		dst = dst[n:]
		done += n
	}
	return changed
}

// filter applies the high-pass to dst in place: it subtracts a low-passed copy of the signal, whose level follows the
// fade of the guard. It returns the number of frames up to the last changed frame; 0 means that dst is unchanged.
// When a fade out is complete, it clears the low-passed signal and leaves the rest of dst.
func (d *DCGuard) filter(dst []pcm.Frame) (changed int64) {
	for i := range dst {
		d.advanceFade(1)
		wet := float64(d.wet) / float64(d.fade)
		for c, x := range dst[i] {
			d.slow[c] += float64(d.share * (float64(x) - d.slow[c]))
			if math.Abs(d.slow[c]) < dcLeast {
				d.slow[c] = 0
			}
			dst[i][c] = float32(float64(x) - float64(wet*d.slow[c]))
		}
		if !d.on && d.wet == 0 {
			d.slow = [2]float64{}
			return changed
		}
		if d.slow != ([2]float64{}) {
			changed = int64(i) + 1
		}
	}
	return changed
}

// advanceFade advances the fade of the high-pass by n frames: towards full effect while the guard is on, otherwise
// towards no effect.
func (d *DCGuard) advanceFade(n int64) {
	if d.on {
		d.wet = min(d.wet+n, d.fade)
	} else {
		d.wet = max(d.wet-n, 0)
	}
}

// pass advances the position in the window, a second of frames, by n frames. n must not lead beyond the end of the
// window. At the end, pass switches the guard on if the mean of a channel is too large, or off if both means are
// small. It then begins a new window.
func (d *DCGuard) pass(n int64) {
	d.at += n
	if d.at < d.window {
		return
	}
	mean := max(math.Abs(d.sum[0]), math.Abs(d.sum[1])) / float64(d.window)
	if mean > dcLoud {
		d.on = true
	} else if mean < dcQuiet {
		d.on = false
	}
	d.at, d.sum = 0, [2]float64{}
}

// Skip passes n frames of silence without processing them, and returns true. If the guard would turn silence into
// other output, Skip returns false and does not change d; the caller then calls Process.
func (d *DCGuard) Skip(n int64) bool {
	if d.slow != ([2]float64{}) {
		return false
	}
	for n > 0 && d.window > 0 {
		k := min(n, d.window-d.at)
		d.advanceFade(k)
		d.pass(k)
		n -= k
	}
	return true
}

// Rests reports whether silent frames would change only the position in the window.
func (d *DCGuard) Rests() bool {
	return !d.on && d.wet == 0 && d.slow == [2]float64{} && d.sum == [2]float64{}
}

// Leap passes n frames of silence in constant time. The caller must have checked that Rests returns true.
func (d *DCGuard) Leap(n int64) {
	if d.window > 0 {
		d.at = (d.at + n) % d.window
	}
}

// HasTail reports whether the next frame of silence would come out as another value: the guard still has the tail of
// its high-pass. It does not change d.
func (d *DCGuard) HasTail() bool {
	if d.slow == ([2]float64{}) {
		return false
	}
	next := *d
	var silence [1]pcm.Frame
	return next.filter(silence[:]) > 0
}
