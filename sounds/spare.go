package sounds

import "sync"

// spare is working memory for decoding and conversion. The finished sound has a copy of its samples, so a
// library reuses the memory for the next file: allocating it costs as much as some of the work. A nil spare
// keeps no memory.
type spare struct {
	clip      []float32 // samples at the rate of the file
	converted []float32 // samples at the rate of the mixer
}

func (s *spare) forClip() []float32 {
	if s == nil {
		return nil
	}
	return s.clip[:0]
}

// keepClip stores the buffer of a clip, which may have been reallocated since forClip.
func (s *spare) keepClip(x []float32) {
	if s != nil {
		s.clip = x
	}
}

// forConverted returns an empty buffer with a capacity of n samples.
func (s *spare) forConverted(n int64) []float32 {
	if s == nil {
		return make([]float32, 0, n)
	}
	if int64(cap(s.converted)) < n {
		s.converted = make([]float32, 0, n)
	}
	return s.converted[:0]
}

// spares is a pool of spare memory. The zero value is empty; any goroutine.
type spares struct{ pool sync.Pool }

func (s *spares) take() *spare {
	if one, ok := s.pool.Get().(*spare); ok {
		return one
	}
	return &spare{}
}

// give returns a spare to the pool. The caller must hold no references to its memory.
func (s *spares) give(one *spare) { s.pool.Put(one) }
