// Command release builds the files of a release from the last commit: archives, Debian and RPM packages, a container
// image, an SBOM of each program, and checksums. The same commit gives the same bytes in any folder.
//
//	release [-out DIR] [OS/ARCH...]
//
// Without arguments it builds all targets. It runs in the repository, and needs Git and Go.
package main

import (
	"bytes"
	"compress/gzip"
	"debug/buildinfo"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/mod/module"
)

// targets are the systems of a release.
var targets = []string{"linux/amd64", "linux/arm64", "windows/amd64", "windows/arm64", "darwin/amd64", "darwin/arm64"}

func main() {
	out := flag.String("out", "dist", "folder for the files; it must not exist yet")
	flag.Parse()
	if err := run(*out, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

// release holds the properties that all files of a release share.
type release struct {
	out     string // the folder of the finished files
	stage   string // a temporary folder
	version string // of the tag, as v0.1.0, or a pseudo-version
	time    time.Time
	docs    []file // pages and completions, which are in each archive
}

// run builds the chosen targets, or all targets, into the folder out.
func run(out string, chosen []string) error {
	for _, target := range chosen {
		if !slices.Contains(targets, target) {
			return fmt.Errorf("unknown target %q (want %s)", target, strings.Join(targets, ", "))
		}
	}
	if len(chosen) == 0 {
		chosen = targets
	}
	root, err := output("git", "rev-parse", "--show-toplevel")
	if err != nil {
		return err
	}
	if err := os.Chdir(root); err != nil {
		return err
	}
	if err := os.Mkdir(out, 0o755); errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("the folder %s exists; remove it, or choose another one with -out", out)
	} else if err != nil {
		return err
	}
	r := &release{out: out}
	if r.stage, err = os.MkdirTemp("", "voicepool-release-"); err != nil {
		return err
	}
	defer os.RemoveAll(r.stage)
	if err := r.files(chosen); err != nil {
		os.RemoveAll(out)
		return err
	}
	return nil
}

// files writes all files of the release for the chosen targets.
func (r *release) files(chosen []string) error {
	if err := r.describe(); err != nil {
		return err
	}
	for _, target := range chosen {
		if err := r.target(target); err != nil {
			return fmt.Errorf("%s: %w", target, err)
		}
	}
	if err := r.image(chosen); err != nil {
		return fmt.Errorf("container image: %w", err)
	}
	return r.checksums()
}

// describe builds the program of this machine. It takes the version of the release from it, and has it write the
// manual page and the completions.
func (r *release) describe() error {
	program := filepath.Join(r.stage, "host", programName(runtime.GOOS))
	if err := build(runtime.GOOS+"/"+runtime.GOARCH, program); err != nil {
		return err
	}
	info, err := buildinfo.ReadFile(program)
	if err != nil {
		return err
	}
	r.version = info.Main.Version
	tags, err := output("git", "tag", "--points-at", "HEAD")
	if err != nil {
		return err
	}
	switch {
	case strings.Contains(r.version, "+dirty"):
		return fmt.Errorf("%s: files have changed; commit them first", r.version)
	case !strings.HasPrefix(r.version, "v"):
		return fmt.Errorf("the program has the version %q; want a clone with Git", r.version)
	}
	if err := checkTags(r.version, strings.Fields(tags)); err != nil {
		return err
	}
	seconds, err := output("git", "log", "-1", "--format=%ct")
	if err != nil {
		return err
	}
	unix, err := strconv.ParseInt(seconds, 10, 64)
	if err != nil {
		return err
	}
	r.time = time.Unix(unix, 0).UTC()

	page, err := output(program, "man")
	if err != nil {
		return err
	}
	page = regexp.MustCompile(`^(\.TH \S+ \d+ )"[^"]*"`).ReplaceAllString(page, `$1"`+r.time.Format(time.DateOnly)+`"`)
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	w.Write([]byte(page + "\n")) // a bytes.Buffer returns no error
	w.Close()
	r.docs = append(r.docs, file{"man/voicepool.1.gz", 0o644, packed.Bytes()})
	for shell, path := range map[string]string{"bash": "voicepool.bash", "zsh": "_voicepool", "fish": "voicepool.fish"} {
		script, err := output(program, "completion", shell)
		if err != nil {
			return err
		}
		script = strings.ReplaceAll(script, "'"+program+"'", "voicepool") + "\n"
		if shell == "zsh" { // zsh runs the file as a function at the first completion
			script = "#compdef voicepool\n" + script + "_bash_complete -o default -o bashdefault -C voicepool\n"
		}
		r.docs = append(r.docs, file{"completions/" + path, 0o644, []byte(script)})
	}
	for _, pattern := range []string{"LICENSE", "README.md", "CHANGELOG.md", "examples/*.yaml", "cmd/voicepool/service/*"} {
		paths, err := filepath.Glob(pattern)
		if err != nil {
			return err
		}
		for _, path := range paths {
			data, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			folder := filepath.Base(filepath.Dir(path)) // "." at the root
			r.docs = append(r.docs, file{filepath.ToSlash(filepath.Join(folder, filepath.Base(path))), 0o644, data})
		}
	}
	return nil
}

// checkTags returns an error unless the tags of the commit fit the version that Go gives the program. The library needs
// the tag v0.y.z, and the command, which is a module of its own, needs cmd/v0.y.z. A commit without tags has a
// pseudo-version.
func checkTags(version string, tags []string) error {
	if module.IsPseudoVersion(version) {
		for _, tag := range tags {
			if strings.HasPrefix(strings.TrimPrefix(tag, "cmd/"), "v") {
				return fmt.Errorf("tag %s: the program has the version %s; want the tags v0.y.z and cmd/v0.y.z", tag, version)
			}
		}
		return nil
	}
	for _, tag := range []string{version, "cmd/" + version} {
		if !slices.Contains(tags, tag) {
			return fmt.Errorf("the commit has no tag %s; want the tags %[2]s and cmd/%[2]s", tag, version)
		}
	}
	return nil
}

// target builds the program of a target, its archive, its SBOM and, on Linux, its packages.
func (r *release) target(target string) error {
	system, arch, _ := strings.Cut(target, "/")
	folder := filepath.Join(r.stage, system+"_"+arch)
	program := filepath.Join(folder, programName(system))
	if err := build(target, program); err != nil {
		return err
	}
	info, err := buildinfo.ReadFile(program)
	if err != nil {
		return err
	}
	if info.Main.Version != r.version {
		return fmt.Errorf("the program has the version %s, want %s: files have changed during the build", info.Main.Version, r.version)
	}
	data, err := os.ReadFile(program)
	if err != nil {
		return err
	}
	base := fmt.Sprintf("voicepool_%s_%s_%s", strings.TrimPrefix(r.version, "v"), system, arch)
	var files []file
	for _, f := range append([]file{{programName(system), 0o755, data}}, r.docs...) {
		files = append(files, file{base + "/" + f.name, f.mode, f.data})
	}
	pack, extension := tarGzip, ".tar.gz"
	if system == "windows" {
		pack, extension = zipped, ".zip"
	}
	packed, err := pack(files, r.time)
	if err != nil {
		return err
	}
	if err := r.write(base+extension, packed); err != nil {
		return err
	}
	if err := r.sbom(program, base+".cdx.json"); err != nil {
		return fmt.Errorf("SBOM: %w", err)
	}
	if system != "linux" {
		return nil
	}
	for _, f := range r.docs {
		if err := writeFile(filepath.Join(folder, f.name), f.data); err != nil {
			return err
		}
	}
	return r.packages(folder, arch)
}

// write writes a finished file.
func (r *release) write(name string, data []byte) error {
	return writeFile(filepath.Join(r.out, name), data)
}

// writeFile writes a file, and makes its folder.
func writeFile(path string, data []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(path, data, 0o644)
}

// programName returns the file name of the program on a system, a GOOS.
func programName(system string) string {
	if system == "windows" {
		return "voicepool.exe"
	}
	return "voicepool"
}

// build compiles the program for a target. The version control stamp has the version and the commit.
func build(target, path string, flags ...string) error {
	system, arch, _ := strings.Cut(target, "/")
	call := exec.Command("go", append([]string{"build", "-trimpath", "-buildvcs=true", "-ldflags=-s -w", "-o", path}, append(flags, "./cmd/voicepool")...)...)
	call.Env = append(os.Environ(), "GOOS="+system, "GOARCH="+arch, "CGO_ENABLED=0", "GOFLAGS=", "GOWORK=")
	call.Stderr = os.Stderr
	return call.Run()
}

// output returns the standard output of a command without surrounding space.
func output(program string, arguments ...string) (string, error) {
	call := exec.Command(program, arguments...)
	call.Stderr = os.Stderr
	text, err := call.Output()
	if err != nil {
		return "", fmt.Errorf("%s: %w", call, err)
	}
	return strings.TrimSpace(string(text)), nil
}
