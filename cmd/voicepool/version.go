package main

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"

	"voicepool/cmd/internal/cli/console"
)

type versionCommand struct {
	JSON bool `name:"json" help:"Print JSON."`
}

// Run prints the version, as a line or as JSON.
func (v *versionCommand) Run(c *console.Console) error {
	version := buildVersion(debug.ReadBuildInfo())
	if v.JSON {
		return c.JSON(map[string]string{
			"version": version, "go": runtime.Version(), "os": runtime.GOOS, "arch": runtime.GOARCH,
		})
	}
	fmt.Fprintf(c.Out, "voicepool %s (%s %s/%s)\n", version, runtime.Version(), runtime.GOOS, runtime.GOARCH)
	return nil
}

// buildVersion returns the version of the main module in info. A build without a version gives "devel", the first 12
// digits of the commit if it is known, and "+changes" if files were modified. If ok is false, buildVersion ignores
// info and returns "devel".
func buildVersion(info *debug.BuildInfo, ok bool) string {
	if !ok {
		return "devel"
	}
	if v := info.Main.Version; v != "" && v != "(devel)" {
		return v
	}
	commit, modified := "", ""
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.revision":
			commit = s.Value[:min(12, len(s.Value))]
		case s.Key == "vcs.modified" && s.Value == "true":
			modified = "+changes"
		}
	}
	return strings.TrimSuffix("devel "+commit+modified, " ")
}
