package catalog

import (
	"testing"
)

// TestInputFS checks that inputFS opens standard input like a file, and rejects other names.
func TestInputFS(t *testing.T) {
	f := &inputFS{[]byte("RIFF")}
	file, err := f.Open(StandardInput)
	if err != nil {
		t.Fatal(err)
	}
	var read [8]byte
	if n, _ := file.Read(read[:]); string(read[:n]) != "RIFF" {
		t.Errorf("read %q", read[:n])
	}
	if info, err := file.Stat(); err != nil || info.Size() != 4 || info.Name() != StandardInput || info.IsDir() {
		t.Errorf("Stat returns %v, %v", info, err)
	}
	if _, err := f.Open("other"); err == nil {
		t.Error("another file was opened")
	}
}
