package main

import (
	"os"
	"testing"
)

func TestCheckTags(t *testing.T) {
	const pseudo = "v0.0.0-20261129062116-302cd341eec5"
	for _, c := range []struct {
		version string
		tags    []string
		want    string
	}{
		{"v0.1.0", []string{"cmd/v0.1.0", "other", "v0.1.0"}, ""},
		{"v0.1.0", []string{"cmd/v0.1.0"}, "the commit has no tag v0.1.0; want the tags v0.1.0 and cmd/v0.1.0"},
		{"v0.1.0", []string{"v0.1.0"}, "the commit has no tag cmd/v0.1.0; want the tags v0.1.0 and cmd/v0.1.0"},
		{pseudo, []string{"other"}, ""},
		{pseudo, []string{"v0.1.0"}, "tag v0.1.0: the program has the version " + pseudo + "; want the tags v0.y.z and cmd/v0.y.z"},
		{pseudo, []string{"cmd/v2.0.0"}, "tag cmd/v2.0.0: the program has the version " + pseudo + "; want the tags v0.y.z and cmd/v0.y.z"},
	} {
		got := ""
		if err := checkTags(c.version, c.tags); err != nil {
			got = err.Error()
		}
		if got != c.want {
			t.Errorf("%s %v: %q, want %q", c.version, c.tags, got, c.want)
		}
	}
}

func TestContainerfile(t *testing.T) {
	text, err := os.ReadFile("../../cmd/voicepool/service/Containerfile")
	if err != nil {
		t.Fatal(err)
	}
	config, flags, err := parseContainerfile(string(text))
	if err != nil || len(flags) != 2 || flags[1] != "nooto" || config.User != "65534:65534" || config.StopSignal != "SIGTERM" ||
		len(config.Entrypoint) != 1 || config.Entrypoint[0] != "/voicepool" || len(config.Cmd) < 3 || config.Cmd[0] != "serve" {
		t.Errorf("%+v, %v, %v", config, flags, err)
	}
	for _, bad := range []string{"FROM debian\n", string(text) + "ENV A=b\n", string(text) + "CMD serve\n"} {
		if _, _, err := parseContainerfile(bad); err == nil {
			t.Errorf("accepted:\n%s", bad)
		}
	}
}
