package bank

import "voicepool/mixer"

// singles is the list of the plays of a sound that have a single voice, in the order of their starts. It also has
// plays that have ended, at most about four for each playing voice. To find them, add makes passes over the list, a
// few elements at each call. A pass moves the plays that have not ended to the front.
type singles struct {
	handles []mixer.Handle // those from kept to next are zero
	next    int            // the next element that the pass checks
	kept    int            // number of plays that the pass has kept
}

// add adds h. It checks one element, and at every third call two.
func (s *singles) add(h mixer.Handle) {
	checks := 1
	if len(s.handles)%3 == 0 {
		checks = 2
	}
	for ; checks > 0 && s.next < len(s.handles); checks-- {
		checked := s.handles[s.next]
		s.handles[s.next] = mixer.Handle{}
		s.next++
		if !checked.State().Over() {
			s.handles[s.kept] = checked
			s.kept++
		}
	}
	if s.next == len(s.handles) {
		s.handles = s.handles[:s.kept]
		s.next, s.kept = 0, 0
	}
	s.handles = append(s.handles, h)
}
