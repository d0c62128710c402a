// Package peers compares voicepool with other engines in one run, in turns. .ci/measure-peers builds the
// engines and prints the table.
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

// BenchmarkPeers measures all engines in every round and writes the table. -short leaves out the largest number
// of voices. -benchtime is also the time of each of the programs' runs.
func BenchmarkPeers(b *testing.B) {
	if *folder == "" { // so that `go vet` and lists of benchmarks need no engines, which take minutes to build
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

// report is the result of an engine. The programs print it as JSON.
type report struct {
	Version string
	Rows    []row
}

type row struct {
	Case   string
	Ns     float64 `json:"ns_per_voice_frame"`
	With   string  // the resampler, and its distortion of a 10 kHz sine
	Kernel string  // of voicepool
}

// measurement measures an engine with a number of voices.
type measurement func(b *testing.B, voices int) report

// voicepool measures a build of the voicepool command.
func voicepool(name string) measurement {
	return func(b *testing.B, voices int) report {
		return execute(b, name, "bench", "--json", "--voices", strconv.Itoa(voices), "--slice", slice())
	}
}

// peer measures an engine written in C.
func peer(name string) measurement {
	return func(b *testing.B, voices int) report {
		return execute(b, "peers", name, strings.TrimSuffix(slice(), "ms"), strconv.Itoa(voices))
	}
}

// slice returns the least length of each of seven runs, in milliseconds.
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
