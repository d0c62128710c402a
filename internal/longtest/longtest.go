// Package longtest selects the long variants of tests. The README's test command runs the short variants.
//
//	VOICEPOOL_LONG=1 go test ./mixer      # the long variants, as CI runs them
//	VOICEPOOL_LONG=day go test ./mixer    # also the tests of hours and days of playing, by hand
package longtest

import "os"

// Enabled reports whether VOICEPOOL_LONG asks for the long variants.
func Enabled() bool { return os.Getenv("VOICEPOOL_LONG") != "" }

// Day reports whether VOICEPOOL_LONG is "day". It asks for tests that take many minutes.
func Day() bool { return os.Getenv("VOICEPOOL_LONG") == "day" }
