package deploy

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/compose-spec/compose-go/v2/loader"
	"github.com/compose-spec/compose-go/v2/types"
)

func TestCompose(t *testing.T) {
	text := read(t, "compose.yaml")
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	details := types.ConfigDetails{
		WorkingDir:  root,
		ConfigFiles: []types.ConfigFile{{Filename: filepath.Join(root, "compose.yaml"), Content: text}},
		Environment: types.Mapping{"NATS_PASSWORD": "p0123"},
	}
	project, err := loader.LoadWithContext(t.Context(), details) // checks the schema, and that references exist
	if err != nil {
		t.Fatal(err)
	}
	checkComments(t, text)
	var servers, nodes int
	for name, s := range project.Services {
		checkImage(t, s.Image)
		healthy := s.HealthCheck != nil
		switch {
		case strings.HasPrefix(name, "nats-"):
			servers++
			if !slices.Contains(s.Command, name) || len(s.Volumes) != 1 || s.Volumes[0].Target != "/data" || s.Volumes[0].Source != name || !healthy {
				t.Errorf("%s: %v on %v", name, s.Command, s.Volumes)
			}
		case strings.HasPrefix(name, "node-"):
			nodes++
			checkCall(t, s.Command)
			checkFile(t, "7700")
			if s.Hostname != name { // a node is named after its host, and so is a drain without a name
				t.Errorf("%s is called %q", name, s.Hostname)
			}
			if i := slices.Index(s.Command, "--advertise"); i < 0 || s.Command[i+1] != s.Ports[0].HostIP+":"+s.Ports[0].Published {
				t.Errorf("%s sends callers elsewhere than to %v: %v", name, s.Ports, s.Command)
			}
			if len(s.PreStop) != 1 {
				t.Errorf("%s is not drained", name)
			} else {
				checkDrain(t, s.PreStop[0].Command)
			}
			url := s.Environment["VOICEPOOL_NATS"]
			if url == nil || strings.Count(*url, "@nats-") != 3 || strings.Count(*url, "voicepool:p0123") != 3 {
				t.Errorf("%s finds NATS at %v", name, url)
			}
			if len(s.Ports) != 1 || s.Ports[0].HostIP != "127.0.0.1" || s.Ports[0].Target != 7700 || len(s.DependsOn) != 3 {
				t.Errorf("%s: ports %v, needs %v", name, s.Ports, s.DependsOn)
			}
			ready := project.Services["ready"].HealthCheck
			if ready == nil || !strings.Contains(strings.Join(ready.Test, " "), "http://"+name+":7700/readyz") {
				t.Errorf("nobody asks %s whether it is ready", name)
			}
			if _, err := os.Stat(filepath.Join(s.Build.Context, s.Build.Dockerfile)); err != nil {
				t.Error(err)
			}
		}
	}
	if servers != 3 || nodes != 2 {
		t.Errorf("%d servers and %d nodes", servers, nodes)
	}
	checkNATS(t, project.Configs["nats"].Content, "/data")

	details.Environment = types.Mapping{"NATS_PASSWORD": ""}
	if _, err := loader.LoadWithContext(t.Context(), details); err == nil || !strings.Contains(err.Error(), "a password for NATS") {
		t.Errorf("without a password: %v", err)
	}
	details.ConfigFiles[0].Content = []byte(strings.Replace(string(text), "stop_signal", "stop_sgnal", 1))
	if _, err := loader.LoadWithContext(t.Context(), details); err == nil {
		t.Error("an unknown field is taken")
	}
}
