// Package live shows on a terminal, or line by line, what a player plays: it asks the
// mixer for its voices, and tells at the end how it went.
package live
