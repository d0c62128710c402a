package dsp

// Filter computes every every-th frame of dst, starting with the first. The n-th of them is the product of
// taps and the frames of x from n*step on. Both are interleaved, with 1 or 2 channels; every is 1 or more,
// step 0 or more. x must be long enough.
//
// Each sample is the sum of four partial sums, and their order is part of the result: of four consecutive
// taps each goes to another sum. The last one to three taps go to the first sum.
func Filter(dst []float32, channels, every int, taps, x []float64, step int) {
	stride := channels * every
	n := (len(dst) + stride - 1) / stride
	switch n {
	case 0:
		return
	case 1: // step does not matter
		step = 0
	}
	if width := len(taps); level != generic && width >= 4 && uint(step) <= uint(len(x)) && ((n-1)*step+width)*channels <= len(x) {
		if channels == 1 {
			filterMono(&dst[0], stride, &taps[0], width, &x[0], step, n)
		} else {
			filterStereo(&dst[0], stride, &taps[0], width, &x[0], 2*step, n)
		}
		return
	}
	if channels == 2 {
		for i := range n {
			y := dst[i*stride:][:2]
			l, r := dotStereo(taps, x[2*i*step:])
			y[0], y[1] = float32(l), float32(r)
		}
		return
	}
	for i := 0; i+1 < n; i += 2 { // two frames at a time, for speed
		a, b := products(taps, x[i*step:], x[(i+1)*step:])
		dst[i*stride], dst[(i+1)*stride] = float32(a), float32(b)
	}
	if i := n - 1; n%2 == 1 {
		a, _ := products(taps, x[i*step:], x[i*step:])
		dst[i*stride] = float32(a)
	}
}

// dotStereo returns the sums of the products of taps and the left and the right samples of x, which is
// interleaved.
func dotStereo(taps, x []float64) (float64, float64) {
	x = x[:2*len(taps)]
	var s0, s1, s2, s3, t0, t1, t2, t3 float64
	for len(taps) >= 4 && len(x) >= 8 {
		h, x4 := (*[4]float64)(taps), (*[8]float64)(x)
		s0 += float64(h[0] * x4[0])
		t0 += float64(h[0] * x4[1])
		s1 += float64(h[1] * x4[2])
		t1 += float64(h[1] * x4[3])
		s2 += float64(h[2] * x4[4])
		t2 += float64(h[2] * x4[5])
		s3 += float64(h[3] * x4[6])
		t3 += float64(h[3] * x4[7])
		taps, x = taps[4:], x[8:]
	}
	for i := range taps {
		s0 += float64(taps[i] * x[2*i])
		t0 += float64(taps[i] * x[2*i+1])
	}
	return (s0 + s1) + (s2 + s3), (t0 + t1) + (t2 + t3)
}

// products returns the sum of the products of taps and x, and of taps and y.
func products(taps, x, y []float64) (float64, float64) {
	x, y = x[:len(taps)], y[:len(taps)]
	var s0, s1, s2, s3, t0, t1, t2, t3 float64
	for len(taps) >= 4 && len(x) >= 4 && len(y) >= 4 {
		h, x4, y4 := (*[4]float64)(taps), (*[4]float64)(x), (*[4]float64)(y)
		s0 += float64(h[0] * x4[0])
		t0 += float64(h[0] * y4[0])
		s1 += float64(h[1] * x4[1])
		t1 += float64(h[1] * y4[1])
		s2 += float64(h[2] * x4[2])
		t2 += float64(h[2] * y4[2])
		s3 += float64(h[3] * x4[3])
		t3 += float64(h[3] * y4[3])
		taps, x, y = taps[4:], x[4:], y[4:]
	}
	for i := range taps {
		s0 += float64(taps[i] * x[i])
		t0 += float64(taps[i] * y[i])
	}
	return (s0 + s1) + (s2 + s3), (t0 + t1) + (t2 + t3)
}

// Between fills dst with the linear interpolation from a to b at a fraction. Both are as long as dst.
func Between(dst, a, b []float64, fraction float64) {
	a, b = a[:len(dst)], b[:len(dst)]
	n := 0
	if level != generic {
		if n = len(dst) &^ 7; n > 0 {
			between(&dst[0], &a[0], &b[0], n, fraction)
		}
	}
	for i := n; i < len(dst); i++ {
		dst[i] = a[i] + float64((b[i]-a[i])*fraction)
	}
}
