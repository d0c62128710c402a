package scenetest

import (
	"os"
	"sync"
	"testing"

	"voicepool/cue"
	"voicepool/sounds/library"
)

// TestMain runs the tests in the root of the module, so that paths read as they do in the documentation.
func TestMain(m *testing.M) {
	if err := os.Chdir("../.."); err != nil {
		panic(err)
	}
	m.Run()
}

// libraries holds a library by rate for all tests, so that each sound is decoded and measured once.
var libraries sync.Map

// libraryFor returns the library for the rate of a sheet.
func libraryFor(sheet *cue.Sheet) *library.Library {
	l, ok := libraries.Load(sheet.Rate)
	if !ok {
		l, _ = libraries.LoadOrStore(sheet.Rate, library.NewLibrary(library.Options{Rate: sheet.Rate}))
	}
	return l.(*library.Library)
}
