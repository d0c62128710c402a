package service

import "time"

// Patterns returns the patterns of all routes.
func Patterns() (all []string) {
	for i := range routes {
		all = append(all, routes[i].pattern)
	}
	return all
}

// SetWriteTimeout sets the time limit for slow readers.
func (s *Server) SetWriteTimeout(timeout time.Duration) { s.writeTimeout = timeout }

// OrderPatterns returns the patterns of the routes with orders, by order name.
func OrderPatterns() map[string]string {
	all := map[string]string{}
	for i := range routes {
		if r := &routes[i]; r.do != "" {
			all[r.do] = r.pattern
		}
	}
	return all
}

// MetricHelps returns the help texts of all metrics by name.
func MetricHelps() map[string]string { return helpTexts }
