package sounds

import "sync"

// workBuffers is working memory for decoding and conversion. The finished sound has a copy of its samples, so a
// library reuses the memory for the next file: allocating it costs as much as some of the work. A nil
// workBuffers keeps no memory.
type workBuffers struct {
	clip      []float32 // samples at the rate of the file
	converted []float32 // samples at the rate of the mixer
}

// forClip returns an empty slice with the memory that was stored for the samples of a file. The next call returns the
// same memory. For a nil receiver it returns nil.
func (s *workBuffers) forClip() []float32 {
	if s == nil {
		return nil
	}
	return s.clip[:0]
}

// storeClip stores x so that forClip returns its memory for the next file. x is the slice of forClip, which may have
// been reallocated since. A nil receiver has no effect.
func (s *workBuffers) storeClip(x []float32) {
	if s != nil {
		s.clip = x
	}
}

// forConverted returns an empty slice with a capacity of at least n, for converted samples. The next call returns the
// same memory, if it is large enough. For a nil receiver the memory is new.
func (s *workBuffers) forConverted(n int64) []float32 {
	if s == nil {
		return make([]float32, 0, n)
	}
	if int64(cap(s.converted)) < n {
		s.converted = make([]float32, 0, n)
	}
	return s.converted[:0]
}

// bufferPool is a pool of work buffers. The zero value is empty; any goroutine.
type bufferPool struct{ pool sync.Pool }

// get removes work buffers from the pool and returns them. If the pool is empty, they are new. The caller owns them
// until it returns them with put.
func (s *bufferPool) get() *workBuffers {
	if one, ok := s.pool.Get().(*workBuffers); ok {
		return one
	}
	return &workBuffers{}
}

// put returns the work buffers one to the pool. Afterwards the caller must not use their memory.
func (s *bufferPool) put(one *workBuffers) { s.pool.Put(one) }
