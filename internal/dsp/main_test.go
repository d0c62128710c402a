package dsp

import (
	"os"
	"testing"
)

func TestMain(m *testing.M) {
	PrepareBest()
	os.Exit(m.Run())
}
