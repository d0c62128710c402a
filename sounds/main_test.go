package sounds_test

import (
	"os"
	"testing"

	"voicepool/internal/leak"
)

// No test may leave a goroutine behind, whatever it decodes. With an argument
// of its own the program is a child of TestIsolate.
func TestMain(m *testing.M) {
	if len(os.Args) > 2 && os.Args[1] == "child" {
		child(os.Args[2])
		return
	}
	// The race detector lets every process sleep for a second at its end.
	_ = os.Setenv("GORACE", "atexit_sleep_ms=0")
	leak.Main(m)
}
