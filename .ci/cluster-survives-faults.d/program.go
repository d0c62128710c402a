package cluster

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"sync"
	"testing"
)

// built is the program that this test binary has built.
var built struct {
	once   sync.Once
	folder string
	path   string
	err    error
}

// Voicepool returns the path of the program: $VOICEPOOL, or a binary that is built once.
func Voicepool(t testing.TB) string {
	t.Helper()
	if path := os.Getenv("VOICEPOOL"); path != "" {
		return path
	}
	built.once.Do(func() {
		_, here, _, _ := runtime.Caller(0)
		if built.folder, built.err = os.MkdirTemp("", "voicepool-cluster"); built.err != nil {
			return
		}
		built.path = filepath.Join(built.folder, "voicepool")
		build := exec.Command("go", "build", "-buildvcs=false", "-tags", "nooto", "-o", built.path, "./voicepool")
		build.Dir = filepath.Join(filepath.Dir(here), "../../cmd")
		build.Env = append(os.Environ(), "CGO_ENABLED=0")
		if out, err := build.CombinedOutput(); err != nil {
			built.err = fmt.Errorf("%w: %s", err, out)
		}
	})
	if built.err != nil {
		t.Fatalf("voicepool is not built: %v", built.err)
	}
	return built.path
}
