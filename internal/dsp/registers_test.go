package dsp

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// TestRegisters keeps the registers of AVX-512 out of kernels for machines without it. Go's assembler silently
// encodes an instruction with such a register in the AVX-512 form, and the kernel then crashes on other
// machines. (.ci/run also runs the kernels on an emulated machine without AVX-512.)
func TestRegisters(t *testing.T) {
	text, err := os.ReadFile("kernels_amd64.s")
	if err != nil {
		t.Fatal(err)
	}
	wider := regexp.MustCompile(`\b(Z[0-9]+|[XY](1[6-9]|2[0-9]|3[01])|K[0-7])\b`)
	kernels, kernel := 0, ""
	for i, line := range strings.Split(string(text), "\n") {
		if name, found := strings.CutPrefix(line, "TEXT ·"); found {
			kernel = name[:strings.IndexByte(name, '(')]
			kernels++
		}
		if r := wider.FindString(line); r != "" && !strings.HasPrefix(line, "//") && !strings.HasSuffix(kernel, "AVX512") {
			t.Errorf("kernels_amd64.s:%d: %s names %s, a register of AVX-512", i+1, kernel, r)
		}
	}
	if kernels == 0 {
		t.Error("kernels_amd64.s: no kernel")
	}
}
