package library_test

import (
	"os"
	"testing"

	"voicepool/internal/leak"
)

// TestMain verifies that no test leaves a goroutine behind. With an argument the program runs as a child of
// TestIsolated.
func TestMain(m *testing.M) {
	if len(os.Args) > 2 && os.Args[1] == "child" {
		child(os.Args[2])
		return
	}
	// The race detector makes every process sleep for a second at its end.
	_ = os.Setenv("GORACE", "atexit_sleep_ms=0")
	leak.Main(m)
}
