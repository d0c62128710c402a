//go:build race

package embedded_test

// longest is the length in seconds of the longest sound that is made anew in
// these tests. The race detector slows that twentyfold and has nothing to find
// in it, so under it the short sounds stand for all.
const longest = 0.5
