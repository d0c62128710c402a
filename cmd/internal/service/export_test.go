package service

import "time"

// Patterns returns those of all routes.
func Patterns() (all []string) {
	for i := range routes {
		all = append(all, routes[i].pattern)
	}
	return all
}

// Spoken reads a message as a WebSocket does, and returns the reply.
func (s *Server) Spoken(room string, message []byte) []byte {
	text, _ := s.reply(s.ctx, room, message, nil)
	return text
}

// Hurry has readers that take nothing be dropped after a time.
func (s *Server) Hurry(patience time.Duration) { s.patience = patience }
