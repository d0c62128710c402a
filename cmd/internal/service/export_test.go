package service

import "time"

// Patterns returns those of all routes.
func Patterns() (all []string) {
	for i := range routes {
		all = append(all, routes[i].pattern)
	}
	return all
}

// Hurry has readers that take nothing be dropped after a time.
func (s *Server) Hurry(patience time.Duration) { s.patience = patience }
