package sounds_test

import (
	"fmt"
	"os"
	"os/exec"
	"reflect"
	"strings"
	"testing"

	"voicepool/sounds"
)

// TestImport checks that importing this package builds no table before a sound is read.
func TestImport(t *testing.T) {
	if err := startable(); err != nil {
		t.Skipf("this program cannot start itself, as under an emulator: %v", err)
	}
	c := exec.Command(os.Args[0], "child", "silent")
	c.Env = append(os.Environ(), "GODEBUG=inittrace=1")
	out, err := c.CombinedOutput()
	if err != nil {
		t.Fatal(err)
	}
	home, packages := reflect.TypeFor[sounds.Limits]().PkgPath(), 0
	for line := range strings.Lines(string(out)) {
		var path string
		var at, took float64
		var bytes, allocs int
		if _, err := fmt.Sscanf(line, "init %s @%f ms, %f ms clock, %d bytes, %d allocs", &path, &at, &took, &bytes, &allocs); err != nil {
			continue
		}
		if path != home && !strings.HasPrefix(path, home+"/") {
			continue
		}
		if packages++; bytes > 2048 {
			t.Errorf("the package %s makes %d bytes when it is imported", path, bytes)
		}
	}
	if packages < 4 {
		t.Errorf("%d packages say what they do when they are imported, too few to be all:\n%s", packages, out)
	}
}
