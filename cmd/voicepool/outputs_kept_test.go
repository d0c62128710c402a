package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
)

// readFlags are flags with a file or folder that a command only reads.
var readFlags = map[string]bool{
	"goes": true, "midi": true, "load": true, "against": true, "sounds": true, "config": true, "token-file": true, "cert": true, "key": true, "to-creds": true, "nats-creds": true, "cache": true,
}

// failingStarts are command lines by command. They fail after the outputs were opened; doctor, which cannot fail there,
// fails before.
var failingStarts = map[string]string{
	"demo":       "--length 1s --device null",
	"play":       "coin --device null",
	"run":        "list.yaml --goes goes.txt --device null --control unix:none/socket",
	"go":         "list.yaml --device null --control unix:none/socket",
	"render":     "broken.yaml",
	"sounds":     "broken.wav coin",
	"timeline":   "broken.json",
	"expect":     "broken.json list.yaml",
	"compare":    "broken.yaml",
	"stealbench": "--sounds none",
	"serve":      "--config none.yaml --listen 127.0.0.1:0",
	"farm get":   "none --nats nats://127.0.0.1:1",
	"doctor":     "--step-time 2h",
}

// TestFailedStartsKeepFiles checks that a command that fails early leaves every output file
// unchanged. The flags come from the grammar, so new flags are covered.
func TestFailedStartsKeepFiles(t *testing.T) {
	t.Parallel()
	parser, err := kong.New(&grammar{})
	if err != nil {
		t.Fatal(err)
	}
	const kept = "the only copy"
	tried := 0
	for _, leaf := range parser.Model.Leaves(true) {
		name := strings.TrimPrefix(leaf.Path(), "voicepool ")
		for _, group := range leaf.AllFlags(true) {
			for _, flag := range group {
				values := map[string]string{"FILE": "%", "FOLDER": "%", "DIR": "%", "DEVICE": "wav:% raw:% raw16:%"}[flag.PlaceHolder]
				if values == "" || readFlags[flag.Name] {
					continue
				}
				args, known := failingStarts[name]
				if !known {
					t.Errorf("%s --%s: this test has no command line that fails; if the flag is only read, add it to readFlags", name, flag.Name)
					continue
				}
				for value := range strings.FieldsSeq(values) {
					tried++
					t.Run(name+" "+flag.Name+" "+strings.TrimSuffix(value, "%"), func(t *testing.T) {
						t.Parallel()
						folder := t.TempDir()
						write(t, filepath.Join(folder, "list.yaml"), "list: [{cue: 1, play: coin}]")
						write(t, filepath.Join(folder, "goes.txt"), "0s")
						write(t, filepath.Join(folder, "broken.yaml"), "sounds: {a: {file: none.wav}}\ncues: [{at: 0s, play: a}]")
						write(t, filepath.Join(folder, "broken.wav"), "nothing")
						write(t, filepath.Join(folder, "broken.json"), "{")
						output := filepath.Join(folder, "kept.svg")
						write(t, output, kept)
						words := strings.Fields(name + " " + args + " --" + flag.Name + " " + strings.ReplaceAll(value, "%", "kept.svg"))
						switch {
						case name == "render" && flag.Name != "output":
							words = append(words, "-o", "new.wav")
						case (name == "demo" || name == "play") && flag.Name == "report":
							words = append(words, "--timeline", "none/new.svg")
						case name == "demo" || name == "play":
							words = append(words, "--report", "none/new.json")
						}
						command := exec.Command("voicepool", words...)
						command.Dir, command.Env = folder, append(os.Environ(), "XDG_RUNTIME_DIR="+folder, "PULSE_SERVER=")
						said, err := command.CombinedOutput()
						if code := command.ProcessState.ExitCode(); code != 1 && code != 2 {
							t.Errorf("%v exits with %d (%v) and says %s", words, code, err, said)
						}
						if got, err := os.ReadFile(output); err != nil || !bytes.Equal(got, []byte(kept)) {
							t.Errorf("%v replaces the file with %.40q, %v; it says %s", words, got, err, said)
						}
					})
				}
			}
		}
	}
	if tried < 15 {
		t.Errorf("only %d outputs were tried", tried)
	}
}
