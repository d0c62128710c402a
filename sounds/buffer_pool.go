package sounds

import "sync"

// workBuffers is working memory for decoding and conversion. The finished sound has a copy of its samples, so a
// library reuses the memory for the next file: allocating it costs as much as some of the work. A nil
// workBuffers keeps no memory.
type workBuffers struct {
	clip      []float32 // samples at the rate of the file
	converted []float32 // samples at the rate of the mixer
}

// forClip returns an empty buffer for the samples of a file, whose memory the next call reuses; nil for a nil
// receiver.
func (s *workBuffers) forClip() []float32 {
	if s == nil {
		return nil
	}
	return s.clip[:0]
}

// storeClip stores x, the buffer of forClip which may have been reallocated since, for the next file. A nil receiver
// keeps no memory.
func (s *workBuffers) storeClip(x []float32) {
	if s != nil {
		s.clip = x
	}
}

// forConverted returns an empty buffer with a capacity of at least n samples, whose memory is reused by the next
// call. For a nil receiver it is a new one.
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

// get removes buffers from the pool and returns them, or new ones if the pool is empty. The caller owns them until
// give.
func (s *bufferPool) get() *workBuffers {
	if one, ok := s.pool.Get().(*workBuffers); ok {
		return one
	}
	return &workBuffers{}
}

// put returns the buffers one to the pool. The caller must hold no references to their memory.
func (s *bufferPool) put(one *workBuffers) { s.pool.Put(one) }
