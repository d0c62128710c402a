// Package deploy checks the files that run voicepool on several machines, without running them.
package deploy

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/nats-io/nats-server/v2/server"
)

// folder has the files.
const folder = "../../cmd/voicepool/service"

// read returns a file of the folder.
func read(t *testing.T, name string) []byte {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(folder, name))
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// checkCall fails the test if the program lacks the command, or the command lacks a flag.
func checkCall(t *testing.T, call []string) {
	t.Helper()
	help := help(t, call[0])
	for _, flag := range call[1:] {
		if strings.HasPrefix(flag, "--") && !regexp.MustCompile(regexp.QuoteMeta(flag)+`[=,\s]`).MatchString(help) {
			t.Errorf("voicepool %s has no flag %s", call[0], flag)
		}
	}
}

// checkDrain fails the test unless the call moves the rooms off the node on which it runs.
func checkDrain(t *testing.T, call []string) {
	t.Helper()
	if len(call) < 2 || call[0] != "/voicepool" || call[1] != "drain" || len(call) > 2 && !strings.HasPrefix(call[2], "--") {
		t.Fatalf("%v does not drain the node it is on", call)
	}
	checkCall(t, call[1:])
}

// helps are the help texts of commands, by name.
var helps = map[string]string{}

// help returns the help text of a command, from $VOICEPOOL or from a program that is built.
func help(t *testing.T, command string) string {
	t.Helper()
	if text, known := helps[command]; known {
		return text
	}
	call := exec.Command("go", "run", "-buildvcs=false", "-tags", "nooto", "./voicepool", command, "--help")
	if path := os.Getenv("VOICEPOOL"); path != "" {
		call = exec.Command(path, command, "--help")
	}
	call.Dir = "../../cmd"
	text, err := call.CombinedOutput()
	if err != nil {
		t.Errorf("%v: %v: %s", call.Args, err, text)
	}
	helps[command] = string(text)
	return helps[command]
}

// checkComments fails the test if the comment at the top of a file shows an unknown command or flag.
func checkComments(t *testing.T, text []byte) {
	t.Helper()
	calls := regexp.MustCompile(`(?m)^#.* /voicepool (\w+.*)$`).FindAllSubmatch(text, -1)
	if len(calls) == 0 {
		t.Error("no call of /voicepool is shown")
	}
	for _, call := range calls {
		checkCall(t, strings.Fields(string(call[1])))
	}
}

// checkNATS fails the test if the NATS server rejects the configuration, or if it does not suit placement.
func checkNATS(t *testing.T, text, store string) *server.Options {
	t.Helper()
	path := filepath.Join(t.TempDir(), "nats.conf")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	o := &server.Options{CheckConfig: true}
	if err := o.ProcessConfigFile(path); err != nil { // unknown names are errors
		t.Fatalf("nats-server: %v", err)
	}
	if !o.JetStream || o.StoreDir != store || !o.SyncAlways || o.Cluster.Name == "" || len(o.Routes) != 3 || o.Password == "" {
		t.Errorf("JetStream %v in %q, sync %v, cluster %q of %d routes, password %v", o.JetStream, o.StoreDir, o.SyncAlways, o.Cluster.Name, len(o.Routes), o.Password != "")
	}
	return o
}

// checkImage fails the test if an image has no fixed version, or if its NATS version is not the tested one.
func checkImage(t *testing.T, image string) {
	t.Helper()
	name, version, _ := strings.Cut(image, ":")
	known := []string{"voicepool", "docker.io/library/nats", "docker.io/library/busybox"}
	if !slices.Contains(known, name) || name != "voicepool" && !regexp.MustCompile(`^\d+\.\d+`).MatchString(version) {
		t.Errorf("the image %s is none of %v with its version", image, known)
	}
	if name != "docker.io/library/nats" {
		return
	}
	module, err := os.ReadFile("../cluster-survives-faults.d/go.mod")
	if err != nil {
		t.Fatal(err)
	}
	tested := regexp.MustCompile(`nats-server/v2 v(\S+)`).FindSubmatch(module)
	if tested == nil || !strings.HasPrefix(version+"-", string(tested[1])+"-") {
		t.Errorf("the image is %s, and tested is %s", image, tested)
	}
}

// checkFile fails the test if the Containerfile does not fit the arguments of the nodes.
func checkFile(t *testing.T, listens string) {
	t.Helper()
	text := string(read(t, "Containerfile"))
	for _, line := range []string{`ENTRYPOINT ["/voicepool"]`, "USER 65534:65534", "EXPOSE " + listens} {
		if !strings.Contains(text, line) {
			t.Errorf("the Containerfile has no %s", line)
		}
	}
}
