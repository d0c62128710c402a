// Package scenetest tests the assembled engine: it renders the scenes of testdata and the sheets of examples, and
// drives a mixer through the null device.
package scenetest
