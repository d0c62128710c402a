package archtest

import (
	"flag"
	"os"
	"runtime/debug"
	"testing"
)

// TestMain runs the tests in the root of the module, so that paths read as they do in the documentation. The go
// command must not cache the results: it would look for the pages in the folder of this package, since it does not
// see the change of folder. Without the log of opened files it does not cache.
func TestMain(m *testing.M) {
	flag.Parse()
	if err := flag.Set("test.testlogfile", ""); err != nil {
		panic(err)
	}
	if err := os.Chdir("../.."); err != nil {
		panic(err)
	}
	debug.SetGCPercent(400) // parsed files and type-checked packages are garbage at the end of a test
	m.Run()
}
