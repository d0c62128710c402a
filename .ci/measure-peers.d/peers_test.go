// Package peers measures voicepool beside other engines, all of them in one run, in turns.
// The script run builds them, and prints the table that this leaves.
package peers

import (
	"encoding/json"
	"errors"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

var (
	folder = flag.String("folder", "", "has the programs that are measured, and gets table.md")
	rounds = flag.Int("rounds", 1, "how often all is measured")
)

// BenchmarkPeers measures all engines in every round, and writes the table. -short takes
// fewer voices. The time of a benchmark is that of each of the programs' runs, too.
func BenchmarkPeers(b *testing.B) {
	if *folder == "" { // vet and lists of benchmarks come here without the engines, which take minutes to build
		b.Skip("needs other engines: .ci/measure-peers builds them")
	}
	voices := []int{32, 256, 1024}
	if testing.Short() {
		voices = voices[:2]
	}
	for range *rounds {
		for _, n := range voices {
			for _, e := range engines {
				e.add(e.measure(b, n), n)
			}
		}
	}
	if err := os.WriteFile(filepath.Join(*folder, "table.md"), []byte(table(b, voices)), 0o600); err != nil {
		b.Fatal(err)
	}
}

// report is what an engine has measured; programs print it as JSON.
type report struct {
	Version string
	Rows    []row
}

type row struct {
	Case   string
	Ns     float64 `json:"ns_per_voice_frame"`
	With   string  // the resampler, and what it adds to a sine of 10 kHz
	Kernel string  // of voicepool
}

// measurement measures an engine with so many voices.
type measurement func(b *testing.B, voices int) report

// voicepool measures a build of the command.
func voicepool(name string) measurement {
	return func(b *testing.B, voices int) report {
		return execute(b, name, "bench", "--json", "--voices", strconv.Itoa(voices), "--slice", slice())
	}
}

// peer measures an engine in C.
func peer(name string) measurement {
	return func(b *testing.B, voices int) report {
		return execute(b, "peers", name, strings.TrimSuffix(slice(), "ms"), strconv.Itoa(voices))
	}
}

// slice is how long each of seven runs mixes at least, in milliseconds.
func slice() string { return flag.Lookup("test.benchtime").Value.String() }

func execute(b *testing.B, program string, args ...string) (r report) {
	out, err := exec.Command(filepath.Join(*folder, program), args...).Output()
	if err != nil {
		if exit, ok := errors.AsType[*exec.ExitError](err); ok {
			b.Fatalf("%s %q: %v: %s", program, args, err, exit.Stderr)
		}
		b.Fatal(err)
	}
	if err := json.Unmarshal(out, &r); err != nil {
		b.Fatalf("%s %q: %v", program, args, err)
	}
	return r
}
