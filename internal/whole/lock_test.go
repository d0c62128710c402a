//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package whole

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
)

const (
	killedIn    = "VOICEPOOL_TEST_KILLED_IN"
	killedBegin = "VOICEPOOL_TEST_KILLED_BEGIN"
)

// TestKilled kills processes while they write, beside a file that is being written. The next Create removes
// their files only.
func TestKilled(t *testing.T) {
	if folder := os.Getenv(killedIn); folder != "" {
		create := Create
		if os.Getenv(killedBegin) != "" {
			create = CreatePersistent
		}
		if _, err := create(filepath.Join(folder, "a.wav"), ".wav"); err != nil {
			t.Fatal(err)
		}
		syscall.Kill(os.Getpid(), syscall.SIGKILL)
		for { // until the signal arrives
			runtime.Gosched()
		}
	}
	folder := t.TempDir()
	create := func(name, ending string) *File {
		t.Helper()
		f, err := Create(filepath.Join(folder, name), ending)
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	first := create("a.wav", ".wav")
	second := create("a.wav", ".wav")
	other := create("b.wav", ".wav")
	kill := func() {
		t.Helper()
		c := exec.Command(os.Args[0], "-test.run=^TestKilled$")
		c.Env = append(os.Environ(), killedIn+"="+folder)
		if err := c.Run(); err == nil || !strings.Contains(err.Error(), "killed") {
			t.Fatalf("the process was not killed: %v", err)
		}
	}
	has := func(want int) {
		t.Helper()
		if files, _ := os.ReadDir(folder); len(files) != want {
			t.Fatalf("there are %d files, want %d: %v", len(files), want, files)
		}
	}
	has(3)
	kill()
	has(4)
	first.Discard() // a name before the abandoned file is available again
	has(3)
	create("a.wav", ".part").Discard()
	create("b.wav", ".wav").Discard()
	has(3) // other outputs keep the files
	third := create("a.wav", ".wav")
	has(3)
	kill()
	kill() // the second removes the file of the first
	has(4)
	for _, f := range []*File{second, other, third} {
		if _, err := f.WriteString("x"); err != nil {
			t.Error(err)
		}
		if err := f.Commit(); err != nil {
			t.Error(err)
		}
	}
	has(3) // a.wav, b.wav and the killed process's file
	create("a.wav", ".wav").Discard()
	has(2)
	t.Setenv(killedBegin, "1")
	kill() // a recording over the existing a.wav
	has(3)
	create("a.wav", ".wav").Discard()
	if f, err := CreatePersistent(filepath.Join(folder, "a.wav"), ".wav"); err != nil {
		t.Error(err)
	} else {
		f.Discard()
	}
	has(3) // it is the only copy of the recording
}

// TestCreateAtOnce has many goroutines write one output: each Commit finds its file.
func TestCreateAtOnce(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "a")
	var all sync.WaitGroup
	for i := range 40 {
		all.Add(1)
		go func() {
			defer all.Done()
			for range 25 {
				f, err := Create(path, ".x")
				if err != nil {
					t.Error(err)
					return
				}
				fmt.Fprint(f, i)
				if err := f.Commit(); err != nil {
					t.Error(err)
				}
			}
		}()
	}
	all.Wait()
	if files, _ := os.ReadDir(folder); len(files) != 1 {
		t.Errorf("there are %d files", len(files))
	}
}
