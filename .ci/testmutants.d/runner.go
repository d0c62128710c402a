package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

// A mutant is the tree with one edit, as an overlay of the go command.
type mutant struct {
	edit    *edit
	pkg     *pkg
	folder  string // temporary
	overlay string
}

// newMutant writes the edited file and the overlay that replaces the original by it.
func (t *tree) newMutant(p *pkg, e *edit) (*mutant, error) {
	original := filepath.Join(t.root, filepath.FromSlash(e.File))
	source, err := os.ReadFile(original)
	if err != nil {
		return nil, err
	}
	m := &mutant{edit: e, pkg: p}
	if m.folder, err = os.MkdirTemp("", "tm"); err != nil {
		return nil, err
	}
	// The file keeps its base name, because messages of the compiler and of tests contain it.
	edited := filepath.Join(m.folder, filepath.Base(e.File))
	m.overlay = filepath.Join(m.folder, "overlay.json")
	data, err := json.Marshal(map[string]map[string]string{"Replace": {original: edited}})
	if err == nil {
		err = os.WriteFile(edited, e.apply(source), 0o666)
	}
	if err == nil {
		err = os.WriteFile(m.overlay, data, 0o666)
	}
	if err != nil {
		m.remove()
		return nil, err
	}
	return m, nil
}

func (m *mutant) remove() { os.RemoveAll(m.folder) }

// compiles reports whether a mutated package without tests compiles; it links no program. For a package with
// tests it returns true, since their first run shows it.
func (t *tree) compiles(m *mutant) bool {
	if m.pkg.tested() {
		return true
	}
	_, err := t.command(m.overlay, 10*time.Minute, nil, "list", "-export", "-f", "{{.Export}}", m.pkg.ImportPath)
	return err == nil
}

// runs makes the mark of each go command unique.
var runs atomic.Int64

// command runs a go command, and then kills the processes that it left: a mutant may leave a server running.
func (t *tree) command(overlay string, limit time.Duration, env []string, args ...string) (output []byte, err error) {
	temporary, err := os.MkdirTemp("", "tm")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(temporary)
	mark := fmt.Sprintf("TESTMUTANTS_RUN=%d.%d", os.Getpid(), runs.Add(1))
	ctx, cancel := context.WithTimeout(t.ctx, limit)
	defer cancel()
	c := exec.CommandContext(ctx, "go", args...)
	c.Dir = t.root
	c.Env = append(t.environment(overlay, env...), mark, "TMPDIR="+temporary)
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	c.Cancel = func() error { return syscall.Kill(-c.Process.Pid, syscall.SIGKILL) }
	c.WaitDelay = 10 * time.Second
	var out bytes.Buffer
	c.Stdout, c.Stderr = &out, &out
	err = c.Run()
	killMarked(mark)
	return out.Bytes(), err
}

// killMarked kills the processes that have a variable in their environment.
func killMarked(mark string) {
	files, _ := filepath.Glob("/proc/[0-9]*/environ")
	for _, file := range files {
		environment, err := os.ReadFile(file)
		if err != nil || !slices.Contains(strings.Split(string(environment), "\x00"), mark) {
			continue
		}
		if id, err := strconv.Atoi(filepath.Base(filepath.Dir(file))); err == nil && id != os.Getpid() {
			syscall.Kill(id, syscall.SIGKILL)
		}
	}
}

// An outcome is the result of the tests of one package.
type outcome struct {
	passed  bool
	invalid bool          // the tests did not compile
	late    bool          // the tests took longer than the limit
	names   []string      // the top tests that failed, or ran at the limit
	took    time.Duration // of the tests that passed, without compiling
	output  string
}

var (
	failedTest  = regexp.MustCompile(`(?m)^\s*--- FAIL: ((?:Test|Fuzz|Example)\w*)`)
	runningTest = regexp.MustCompile(`(?m)^\s+((?:Test|Fuzz|Example)[^\s/]*)\S* \(`)
	passedIn    = regexp.MustCompile(`(?m)^ok\s+\S+\s+([0-9.]+)s`)
)

// A suite is a set of tests of one package.
type suite struct {
	path  string
	names []string // empty: all tests
	skip  []string
	long  bool
	limit time.Duration
	fresh bool // not from the cache of the go command
}

// test runs a suite once. The overlay "" means the unchanged tree.
func (t *tree) test(overlay string, s suite) outcome {
	args := []string{"test", "-vet=off", "-failfast", "-ldflags=-s -w", "-timeout=" + s.limit.String()}
	if s.fresh {
		args = append(args, "-count=1")
	}
	if len(s.names) > 0 {
		args = append(args, "-run="+anyOf(s.names))
	}
	if len(s.skip) > 0 {
		args = append(args, "-skip="+anyOf(s.skip))
	}
	var env []string
	if s.long {
		env = []string{longSwitch + "=1"}
	}
	out, err := t.command(overlay, s.limit+10*time.Minute, env, append(args, s.path)...)
	o := outcome{passed: err == nil, output: string(out)}
	var exit *exec.ExitError
	switch {
	case err == nil:
		if m := passedIn.FindSubmatch(out); m != nil {
			seconds, _ := strconv.ParseFloat(string(m[1]), 64)
			o.took = time.Duration(seconds * float64(time.Second))
		}
		return o
	case bytes.Contains(out, []byte("[build failed]")) || bytes.Contains(out, []byte("[setup failed]")):
		o.invalid = true
	case bytes.Contains(out, []byte("panic: test timed out after")) || !errors.As(err, &exit) || !exit.Exited():
		o.late = true
	}
	for _, m := range failedTest.FindAllSubmatch(out, -1) {
		o.names = append(o.names, string(m[1]))
	}
	if o.late && len(o.names) == 0 {
		_, running, _ := strings.Cut(o.output, "running tests:")
		running, _, _ = strings.Cut(running, "\n\n")
		for _, m := range runningTest.FindAllStringSubmatch(running, -1) {
			o.names = append(o.names, m[1])
		}
	}
	slices.Sort(o.names)
	o.names = slices.Compact(o.names)
	return o
}

func anyOf(names []string) string { return "^(" + strings.Join(names, "|") + ")$" }

// A runner tests mutants and remembers the results of the tests without an edit.
type runner struct {
	tree      *tree
	reach     string   // the packages whose tests run: own or wide
	wide      []string // packages whose tests cover much, after the importers
	longOf    string   // whose long variants run: all, own (of the edited package) or none
	limit     time.Duration
	longLimit time.Duration

	mu     sync.Mutex
	took   map[string]time.Duration // the longest time of the tests of a package
	fit    map[string]bool          // short tests that passed without an edit, each after its package and a space
	unfit  map[string][]string      // tests that fail without an edit
	broken map[string]bool          // packages that fail without an edit, without a test's name
}

// A result is the result of a mutant, as in the JSON file.
type result struct {
	Package string
	Edit    *edit
	Result  string   // killed, lost, survived or invalid
	By      string   `json:",omitempty"` // the package whose tests killed it
	Tests   []string `json:",omitempty"` // the tests that killed it
	Late    bool     `json:",omitempty"` // the tests exceeded the time limit
	Seconds float64
}

const (
	killed   = "killed"
	lost     = "lost"
	survived = "survived"
	invalid  = "invalid"
)

// limitOf returns the time after which the tests of a package count as hanging. Most packages take a second.
// The time of a package is measured only if this limit turns out to be too short.
func (r *runner) limitOf(path string) time.Duration {
	r.mu.Lock()
	defer r.mu.Unlock()
	return min(r.limit, (20*time.Second + 5*r.took[path]).Round(time.Second))
}

// try tests a mutant with one package. A failure counts only if the same tests pass without the edit, or if all
// tests of the package passed with another edit. A test that fails without an edit is skipped from then on.
func (r *runner) try(m *mutant, path string, names []string, long bool) (o outcome) {
	for r.tree.ctx.Err() == nil {
		r.mu.Lock()
		skip, broken := slices.Clone(r.unfit[path]), r.broken[path]
		r.mu.Unlock()
		if broken {
			return outcome{passed: true}
		}
		whole := !long && len(names) == 0
		tests := suite{path: path, names: names, skip: skip, long: long, limit: r.longLimit, fresh: true}
		if !long {
			tests.limit = r.limitOf(path)
		}
		o = r.tree.test(m.overlay, tests)
		if o.passed || o.invalid {
			if o.passed && whole {
				r.passes(path, o.took)
			}
			return o
		}
		if !o.late && !long && r.isFit(path, o.names) {
			return o
		}
		plain, limit := tests, tests.limit
		if !o.late {
			plain.names, plain.fresh = o.names, false
		} else if !long { // the time of a single test does not count: the limit is for all tests
			plain.limit = r.limit
		}
		p := r.tree.test("", plain)
		if p.passed && o.late && whole {
			r.passes(path, p.took)
			if 3*p.took > limit && r.limitOf(path) > limit {
				continue // they do not hang, they need more time
			}
		}
		if p.passed || r.tree.ctx.Err() != nil {
			if p.passed && !long {
				r.mu.Lock()
				for _, name := range plain.names {
					r.fit[path+" "+name] = true
				}
				r.mu.Unlock()
			}
			return o
		}
		r.mu.Lock()
		if len(p.names) == 0 || p.late {
			r.broken[path] = true
			fmt.Fprintf(os.Stderr, "testmutants: the tests of %s fail without an edit, and are left out:\n%s\n", path, p.output)
		} else {
			r.unfit[path] = append(r.unfit[path], p.names...)
			fmt.Fprintf(os.Stderr, "testmutants: %s fail in %s without an edit, and are left out:\n%s\n", strings.Join(p.names, ", "), path, p.output)
		}
		r.mu.Unlock()
	}
	return o
}

// isFit reports whether tests of a package have passed without an edit, or all of the package with another
// edit.
func (r *runner) isFit(path string, names []string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	_, all := r.took[path]
	return all || len(names) > 0 && !slices.ContainsFunc(names, func(name string) bool { return !r.fit[path+" "+name] })
}

func (r *runner) passes(path string, took time.Duration) {
	r.mu.Lock()
	r.took[path] = max(r.took[path], took)
	r.mu.Unlock()
}

// stages returns the packages whose tests may kill a mutant: its own, the direct importers with the quick ones
// first, and the wide packages that depend on it.
func (r *runner) stages(p *pkg) []string {
	var list []string
	if p.tested() {
		list = append(list, p.ImportPath)
	}
	if r.reach == "own" {
		return list
	}
	importers := slices.Clone(r.tree.importers[p.ImportPath])
	r.mu.Lock()
	slices.SortStableFunc(importers, func(a, b string) int { return int(r.took[a] - r.took[b]) })
	r.mu.Unlock()
	for _, path := range slices.Concat(importers, r.wide) {
		if !slices.Contains(list, path) && (slices.Contains(importers, path) || r.tree.dependsOn(path, p.ImportPath)) {
			list = append(list, path)
		}
	}
	return list
}

// judge tests a mutant until a package kills it. If an earlier run killed it, the same tests run first.
func (r *runner) judge(m *mutant, before *result) *result {
	begin := time.Now()
	res := &result{Package: m.pkg.ImportPath, Edit: m.edit, Result: survived}
	defer func() { res.Seconds = time.Since(begin).Round(100 * time.Millisecond).Seconds() }()
	// one runs the tests of one package and reports whether the result is then known.
	one := func(path string, names []string, long bool) bool {
		o := r.try(m, path, names, long)
		switch {
		case o.passed:
			return false
		case o.invalid:
			res.Result = invalid
			return true
		}
		res.Result, res.By, res.Tests, res.Late = killed, path, o.names, o.late
		if long {
			res.Result = lost
		}
		return true
	}
	stages := r.stages(m.pkg)
	if before != nil && r.tree.packages[before.By] != nil {
		if len(before.Tests) > 0 && one(before.By, before.Tests, false) {
			return res
		}
		stages = slices.DeleteFunc(stages, func(path string) bool { return path == before.By })
		stages = append([]string{before.By}, stages...)
	}
	for _, path := range stages {
		if one(path, nil, false) {
			return res
		}
	}
	if before != nil {
		res.Result = lost
		return res
	}
	for _, path := range stages {
		long := r.tree.packages[path].longTests
		runs := r.longOf == "all" || r.longOf == "own" && path == m.pkg.ImportPath
		if runs && len(long) > 0 && one(path, long, true) {
			return res
		}
	}
	return res
}
