package expect

// LastFrame returns the last frame that a rule names, at a rate in Hz, relative to the time 0; 0 if no rule has a time.
func (s *Rules) LastFrame(rate int) (last int64) {
	for i := range s.List {
		for _, w := range []*window{&s.List[i].at, &s.List[i].during} {
			if w.set {
				_, to := w.frames(rate, 0)
				last = max(last, to)
			}
		}
	}
	return last
}
