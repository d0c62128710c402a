// Package live shows on a terminal, or line by line, what a player plays. It asks the mixer
// for its voices, and prints a summary at the end.
package live
