package main

import (
	"os"
	"strings"
	"testing"
)

// TestLoading: a bar on a terminal, nothing elsewhere or when nothing is wanted.
func TestLoading(t *testing.T) {
	var out strings.Builder
	c := &console{err: &out}
	if c.loading(false) != nil {
		t.Error("it shows something where there is no terminal")
	}
	c.errTerminal = os.Stderr
	if c.loading(true) != nil {
		t.Error("it shows something though it should be quiet")
	}
	show := c.loading(false)
	show(1, 2)
	if want := "\r\x1b[Kloading ██████████           1 of 2"; out.String() != want {
		t.Errorf("it shows %q, want %q", out.String(), want)
	}
	out.Reset()
	if show(2, 2); !strings.HasSuffix(out.String(), "2 of 2\r\x1b[K") {
		t.Errorf("in the end it shows %q", out.String())
	}
}
