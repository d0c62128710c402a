package main

// deinterleave emits the copy of stereo frames to a row per channel, 8 frames per iteration.
func deinterleave() {
	k := newKernel("deinterleave", "left *float32, right *float32, src *float32, n int")
	left, right, src := k.load("left"), k.load("right"), k.load("src")
	k.loop(k.load("n"), 8, func() {
		x, y := k.lanesOf(src, 16), k.vecsOf(4)
		for i := range 2 {
			k.unzip(y[i], x[2*i], x[2*i+1], false)
			k.unzip(y[2+i], x[2*i], x[2*i+1], true)
		}
		k.op("FSTPQ.P", pair(y[0], y[1]), mem(left, 32))
		k.op("FSTPQ.P", pair(y[2], y[3]), mem(right, 32))
	})
}

// interleave emits the copy of a row per channel to stereo frames, 8 frames per iteration.
func interleave() {
	k := newKernel("interleave", "dst *float32, left *float32, right *float32, n int")
	dst, left, right := k.load("dst"), k.load("left"), k.load("right")
	k.loop(k.load("n"), 8, func() {
		l, r, y := k.lanesOf(left, 8), k.lanesOf(right, 8), k.vecsOf(4)
		for i := range y {
			k.zip(y[i], l[i/2], r[i/2], i%2 == 1)
		}
		for i := 0; i < 4; i += 2 {
			k.op("FSTPQ.P", pair(y[i], y[i+1]), mem(dst, 32))
		}
	})
}
