package archtest

import (
	"os"
	"testing"
)

// TestMain runs the tests in the root of the module, so that paths read as they do in the documentation.
func TestMain(m *testing.M) {
	if err := os.Chdir("../.."); err != nil {
		panic(err)
	}
	m.Run()
}
