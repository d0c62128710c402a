package library_test

import (
	"fmt"
	"os"
	"os/exec"
	"path"
	"reflect"
	"strings"
	"testing"

	"voicepool/sounds/library"
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
	home, packages := path.Dir(reflect.TypeFor[library.Limits]().PkgPath()), 0
	for line := range strings.Lines(string(out)) {
		var name string
		var at, took float64
		var bytes, allocs int
		if _, err := fmt.Sscanf(line, "init %s @%f ms, %f ms clock, %d bytes, %d allocs", &name, &at, &took, &bytes, &allocs); err != nil {
			continue
		}
		if !strings.HasPrefix(name+"/", home+"/") || strings.HasSuffix(name, "_test") {
			continue
		}
		if packages++; bytes > 2048 {
			t.Errorf("the package %s makes %d bytes when it is imported", name, bytes)
		}
	}
	if packages < 4 {
		t.Errorf("%d packages say what they do when they are imported, too few to be all:\n%s", packages, out)
	}
}
