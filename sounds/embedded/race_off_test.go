//go:build !race

package embedded_test

// longest is the length in seconds of the longest sound that is made anew in
// these tests: all of them.
const longest = 8
