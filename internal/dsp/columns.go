package dsp

// Columns sets dst to the products of x and the columns of a matrix. It uses the first row and every every-th
// row after it, and the elements of x at the same indices. Each product is summed in the order of the rows.
func Columns(dst *[36]float64, rows [][36]float64, x []float64, every int) {
	n := (len(x) + every - 1) / every
	if n == 0 {
		clear(dst[:])
		return
	}
	rows = rows[:(n-1)*every+1]
	if level == avx2 || level == avx512 {
		columns(dst, &rows[0], &x[0], n, every)
		return
	}
	for i := 0; i < len(dst); i += 6 {
		var a, b, c, d, e, f float64
		for k := 0; k < len(x) && k < len(rows); k += every {
			h, v := (*[6]float64)(rows[k][i:]), x[k]
			a, b, c = a+float64(v*h[0]), b+float64(v*h[1]), c+float64(v*h[2])
			d, e, f = d+float64(v*h[3]), e+float64(v*h[4]), f+float64(v*h[5])
		}
		*(*[6]float64)(dst[i:]) = [6]float64{a, b, c, d, e, f}
	}
}
