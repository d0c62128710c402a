//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package whole

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// TestMode checks that a new file has the permissions of the user's umask and that a replaced file keeps its
// own.
func TestMode(t *testing.T) {
	defer syscall.Umask(syscall.Umask(0))
	for _, mask := range []os.FileMode{0, 0o002, 0o022, 0o027, 0o077, 0o137, 0o222, 0o277, 0o777} {
		for name, create := range map[string]func(path, ending string) (*File, error){"create": Create, "begin": CreatePersistent} {
			for _, old := range []os.FileMode{0, 0o600, 0o640, 0o666, 0o755} { // 0 means a new file
				folder := t.TempDir()
				path := filepath.Join(folder, "a")
				want := 0o666 &^ mask
				if old != 0 {
					if err := os.WriteFile(path, nil, 0o600); err != nil {
						t.Fatal(err)
					}
					if err := os.Chmod(path, old); err != nil {
						t.Fatal(err)
					}
					want = old
				}
				syscall.Umask(int(mask))
				f, err := create(path, ".x")
				syscall.Umask(0)
				if err != nil {
					t.Errorf("umask %03o, %s, the old file has %03o: %v", mask, name, old, err)
					continue
				}
				if err := f.Commit(); err != nil {
					t.Error(err)
				}
				if info, err := os.Stat(path); err != nil || info.Mode().Perm() != want {
					t.Errorf("umask %03o, %s, the old file had %03o: the file has %v, %v; want %03o", mask, name, old, info.Mode().Perm(), err, want)
				}
			}
		}
	}
}
