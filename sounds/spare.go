package sounds

import "sync"

// spare is memory for samples on their way from a file to a sound, which has a copy of its own. A
// library uses it again for the next file: new memory costs as much as some of the work. nil: there is
// none to be had, and none is kept.
type spare struct {
	clip      []float32 // as the file has them
	converted []float32 // at the rate of the mixer
}

func (s *spare) forClip() []float32 {
	if s == nil {
		return nil
	}
	return s.clip[:0]
}

// keepClip keeps memory that forClip gave, or what it was replaced by when it was too small.
func (s *spare) keepClip(x []float32) {
	if s != nil {
		s.clip = x
	}
}

// forConverted returns memory for so many samples.
func (s *spare) forConverted(n int64) []float32 {
	if s == nil {
		return make([]float32, 0, n)
	}
	if int64(cap(s.converted)) < n {
		s.converted = make([]float32, 0, n)
	}
	return s.converted[:0]
}

// spares has what nobody uses at the moment. The zero value is empty; any goroutine.
type spares struct{ pool sync.Pool }

func (s *spares) take() *spare {
	if one, ok := s.pool.Get().(*spare); ok {
		return one
	}
	return &spare{}
}

// give takes memory back that nothing refers to any more.
func (s *spares) give(one *spare) { s.pool.Put(one) }
