package library

// workBuffers is working memory for decoding and conversion. The finished sound has a copy of its samples, so a
// library reuses the memory for the next file: allocating it costs as much as some of the work.
type workBuffers struct {
	clip      []float32 // samples at the rate of the file
	converted []float32 // samples at the rate of the mixer
}

// forConverted returns an empty slice with a capacity of at least n, for converted samples. The next call returns the
// same memory, if it is large enough.
func (s *workBuffers) forConverted(n int64) []float32 {
	if int64(cap(s.converted)) < n {
		s.converted = make([]float32, 0, n)
	}
	return s.converted[:0]
}
