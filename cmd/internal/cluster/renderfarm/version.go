package renderfarm

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/debug"
	"strings"
)

// Program returns the path of the running executable, to start it again. On Linux that is /proc/self/exe if it exists,
// which stays valid when the file is replaced.
func Program() (string, error) {
	if runtime.GOOS == "linux" {
		if _, err := os.Stat("/proc/self/exe"); err == nil {
			return "/proc/self/exe", nil
		}
	}
	return os.Executable()
}

// Version identifies this program: two programs with the same text give the same results. The text is the version of
// the module and the commit, or the only existing part. If the source was modified, or if the build has neither, it is
// "build " and the hash of the executable. An error means that the executable cannot be read.
func Version() (string, error) {
	if version := stamped(debug.ReadBuildInfo()); version != "" {
		return version, nil
	}
	path, err := Program()
	if err != nil {
		return "", err
	}
	file, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer file.Close()
	h := sha256.New()
	if _, err := io.Copy(h, file); err != nil {
		return "", fmt.Errorf("%s: %w", path, err)
	}
	return "build " + hex.EncodeToString(h.Sum(nil)), nil
}

// stamped returns the version of the program from its build information: the module version and the commit, or the only
// existing part. If ok is false, if the source was modified, or if info has neither, the result is "".
func stamped(info *debug.BuildInfo, ok bool) string {
	if !ok {
		return ""
	}
	commit := ""
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.modified" && s.Value == "true":
			return ""
		case s.Key == "vcs.revision":
			commit = s.Value
		}
	}
	switch v := info.Main.Version; {
	case strings.Contains(v, "+dirty"):
		return ""
	case v != "" && v != "(devel)":
		return strings.TrimSpace(v + " " + commit)
	case commit != "":
		return "commit " + commit
	}
	return ""
}
