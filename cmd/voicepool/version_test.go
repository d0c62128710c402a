package main

import (
	"runtime/debug"
	"testing"
)

func TestBuildVersion(t *testing.T) {
	info := func(version string, settings ...debug.BuildSetting) *debug.BuildInfo {
		return &debug.BuildInfo{Main: debug.Module{Version: version}, Settings: settings}
	}
	commit := debug.BuildSetting{Key: "vcs.revision", Value: "0123456789abcdef"}
	for _, c := range []struct {
		info *debug.BuildInfo
		ok   bool
		want string
	}{
		{nil, false, "devel"},
		{info("(devel)"), true, "devel"},
		{info("v1.2.3"), true, "v1.2.3"},
		{info("", commit), true, "devel 0123456789ab"},
		{info("", commit, debug.BuildSetting{Key: "vcs.modified", Value: "true"}), true, "devel 0123456789ab+changes"},
	} {
		if got := buildVersion(c.info, c.ok); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}
