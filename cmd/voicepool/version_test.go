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
		{want: "devel"},
		{info: info("(devel)"), ok: true, want: "devel"},
		{info: info("v1.2.3"), ok: true, want: "v1.2.3"},
		{info: info("", commit), ok: true, want: "devel 0123456789ab"},
		{
			info: info("", commit, debug.BuildSetting{Key: "vcs.modified", Value: "true"}),
			ok:   true, want: "devel 0123456789ab+changes",
		},
	} {
		if got := buildVersion(c.info, c.ok); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}
