package longtest

import (
	"flag"
	"strconv"
)

// Amount returns how many cases a test runs: short in the short variant, long in the long one.
func Amount(short, long int) int {
	if Enabled() {
		return long
	}
	return short
}

// Checks sets how many cases rapid.Check draws in the short variant of a test, and returns a function that sets
// the number back. The long variant draws 100, which is the default of rapid. The flag -rapid.checks overrides
// both. Tests that call Checks must not run in parallel.
func Checks(short int) (restore func()) {
	const name = "rapid.checks"
	given := false
	flag.Visit(func(f *flag.Flag) { given = given || f.Name == name })
	if Enabled() || given {
		return func() {}
	}
	value := flag.Lookup(name).Value
	before := value.String()
	set := func(to string) {
		if err := value.Set(to); err != nil {
			panic(err)
		}
	}
	set(strconv.Itoa(short))
	return func() { set(before) }
}

// Every returns a function that is called once per case of a test and reports whether to run the case. The long
// variant runs all of them, the short one every nth. If n and the length of an inner loop have no common factor,
// each of its cases runs sooner or later.
func Every(n int) (next func() bool) {
	cases := 0
	return func() bool {
		cases++
		return Enabled() || cases%n == 0
	}
}
