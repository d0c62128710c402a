// Testmutants edits the code at random places, one at a time, and reports which edits the tests detect.
//
// A mutant is killed if a short test fails, lost if only a long variant fails (VOICEPOOL_LONG=1), and survived
// if all tests pass. With -before, a mutant is lost if the earlier run killed it and this run does not. The
// exit code is 1 if a mutant is lost.
package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"text/tabwriter"
	"time"
)

func main() {
	ctx, cancel := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer cancel()
	code, err := run(ctx, os.Args[1:], os.Stdout)
	if err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "testmutants:", err)
	}
	os.Exit(code)
}

// A record is the JSON file of a run.
type record struct {
	Commit  string
	Seed    uint64
	Seconds map[string]float64 // the longest time of the tests of a package
	Unfit   map[string][]string
	Results []*result
}

// settings of a run.
type settings struct {
	root, tree, packages, file, before, reach, wide, long string
	n, jobs                                               int
	seed                                                  uint64
	limit, longLimit                                      time.Duration
}

func run(ctx context.Context, args []string, out io.Writer) (code int, err error) {
	var s settings
	f := flag.NewFlagSet("testmutants", flag.ContinueOnError)
	f.StringVar(&s.root, "root", ".", "the `folder` of the module")
	f.StringVar(&s.tree, "tree", "./...,./cmd/...", "the `patterns` of all packages")
	f.StringVar(&s.packages, "packages", "", "the `patterns` of the packages to edit (default: all)")
	f.StringVar(&s.wide, "wide", "./internal/scenetest,./mixer,./cue,./cue/play,./cmd/voicepool", "the `packages` whose tests see much of the code")
	f.StringVar(&s.reach, "reach", "wide", "the `packages` whose short tests run: own or wide (also importers and these)")
	f.StringVar(&s.file, "o", "", "the JSON `file` of the results; a run continues where the file ends")
	f.StringVar(&s.before, "before", "", "the JSON `file` of an earlier commit: apply only the edits that its tests killed")
	f.StringVar(&s.long, "long", "all", "the long variants to run: `all`, own (of the edited package) or none")
	f.IntVar(&s.n, "n", 300, "the `number` of edits")
	f.IntVar(&s.jobs, "j", 1, "the `number` of mutants tested at the same time")
	f.Uint64Var(&s.seed, "seed", 1, "the seed of the draws")
	f.DurationVar(&s.limit, "limit", 5*time.Minute, "the longest time of the short tests of a package")
	f.DurationVar(&s.longLimit, "longlimit", 20*time.Minute, "the longest time of the long variants of a package")
	if err := f.Parse(args); err != nil {
		return 2, err
	}
	if f.NArg() > 0 || s.n < 1 || s.jobs < 1 || !slices.Contains([]string{"all", "own", "none"}, s.long) ||
		!slices.Contains([]string{"own", "wide"}, s.reach) {
		return 2, fmt.Errorf("unexpected arguments %q (see -h)", args)
	}
	if s.root, err = filepath.Abs(s.root); err != nil {
		return 2, err
	}
	if s.root, err = filepath.EvalSymlinks(s.root); err != nil {
		return 2, err
	}
	if err := s.run(ctx, out, &code); err != nil {
		return 2, err
	}
	return code, nil
}

func (s *settings) run(ctx context.Context, out io.Writer, code *int) error {
	t, err := loadTree(ctx, s.root, strings.Split(s.tree, ","))
	if err != nil {
		return err
	}
	chosen := slices.Collect(maps.Values(t.packages))
	if s.packages != "" {
		if chosen, err = t.named(s.packages); err != nil {
			return err
		}
	}
	wide, err := t.named(s.wide)
	if err != nil {
		return err
	}
	all := &session{settings: s, out: out, runner: &runner{
		tree: t, reach: s.reach, longOf: s.long, limit: s.limit, longLimit: s.longLimit,
		took: map[string]time.Duration{}, fit: map[string]bool{}, unfit: map[string][]string{}, broken: map[string]bool{},
	}}
	for _, p := range wide {
		all.runner.wide = append(all.runner.wide, p.ImportPath)
	}
	if err := all.load(); err != nil {
		return err
	}
	if s.before != "" {
		err = all.replay(chosen)
	} else {
		err = all.draw(turns(chosen, s.seed, s.n))
	}
	if err != nil {
		return err
	}
	if all.report() {
		*code = 1
	}
	return nil
}

// named returns the packages of the tree that match the patterns, in order.
func (t *tree) named(patterns string) ([]*pkg, error) {
	if patterns == "" {
		return nil, nil
	}
	var list []*pkg
	for _, pattern := range strings.Split(patterns, ",") {
		named, err := t.list([]string{pattern})
		if err != nil {
			return nil, err
		}
		for _, p := range named {
			if t.packages[p.ImportPath] == nil {
				return nil, fmt.Errorf("package %s is not in the tree", p.ImportPath)
			}
			list = append(list, t.packages[p.ImportPath])
		}
	}
	return list, nil
}

// A session is one run: its results and its output.
type session struct {
	*settings
	out    io.Writer
	runner *runner

	mu      sync.Mutex
	record  record
	known   map[string]*result // by the key of the edit
	gone    []*result          // edits of the earlier run whose line no longer exists
	failure error              // the error of the first failed write
}

// load reads the file of an earlier, shorter run.
func (a *session) load() error {
	a.known = map[string]*result{}
	commit := "unknown"
	c := exec.Command("git", "describe", "--always", "--dirty", "--exclude=*")
	c.Dir = a.root
	if text, err := c.Output(); err == nil {
		commit = strings.TrimSpace(string(text))
	}
	a.record = record{Commit: commit, Seed: a.seed, Seconds: map[string]float64{}, Unfit: a.runner.unfit}
	if a.file == "" {
		return nil
	}
	data, err := os.ReadFile(a.file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	} else if err != nil {
		return err
	}
	var old record
	if err := json.Unmarshal(data, &old); err != nil {
		return fmt.Errorf("%s: %w", a.file, err)
	}
	if old.Commit != commit || old.Seed != a.seed {
		return fmt.Errorf("%s is of commit %s with seed %d, this run of %s with %d: name another file", a.file, old.Commit, old.Seed, commit, a.seed)
	}
	for path, seconds := range old.Seconds {
		a.runner.took[path] = time.Duration(seconds * float64(time.Second))
	}
	maps.Copy(a.runner.unfit, old.Unfit)
	a.record.Results = old.Results
	for _, r := range old.Results {
		a.known[r.Edit.key()] = r
	}
	return nil
}

// add records a result and writes the file.
func (a *session) add(r *result) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.runner.tree.ctx.Err() != nil {
		return // a go command was interrupted, so its result is invalid
	}
	a.record.Results = append(a.record.Results, r)
	a.known[r.Edit.key()] = r
	if r.Result != invalid {
		fmt.Fprintf(a.out, "%-8s %s\n", r.Result, r.line())
	}
	if a.file == "" {
		return
	}
	a.runner.mu.Lock()
	for path, took := range a.runner.took {
		a.record.Seconds[path] = took.Seconds()
	}
	data, err := json.MarshalIndent(a.record, "", "\t")
	a.runner.mu.Unlock()
	if err == nil {
		err = os.WriteFile(a.file+".new", append(data, '\n'), 0o666)
	}
	if err == nil {
		err = os.Rename(a.file+".new", a.file)
	}
	a.failure = cmp.Or(a.failure, err)
}

// stopped reports whether the session cannot continue.
func (a *session) stopped() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.failure != nil || a.runner.tree.ctx.Err() != nil
}

func (a *session) fail(err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.failure = cmp.Or(a.failure, err)
}

// draw tests the edits of the seed in the order of the turns of the packages.
func (a *session) draw(order []*pkg) error {
	// hands distributes the compiling edits of a package. The selection does not depend on how many mutants are
	// tested at a time.
	type hand struct {
		mu   sync.Mutex
		left []*edit
	}
	hands := map[*pkg]*hand{}
	for _, p := range order {
		if hands[p] == nil {
			hands[p] = &hand{left: drawn(p, a.seed)}
		}
	}
	next := func(p *pkg) *mutant {
		h := hands[p]
		h.mu.Lock()
		defer h.mu.Unlock()
		for len(h.left) > 0 && !a.stopped() {
			e := h.left[0]
			h.left = h.left[1:]
			a.mu.Lock()
			known := a.known[e.key()]
			a.mu.Unlock()
			if known != nil {
				if known.Result == invalid {
					continue
				}
				return nil
			}
			m, err := a.runner.tree.newMutant(p, e)
			if err != nil {
				a.fail(err)
				return nil
			}
			if a.runner.tree.compiles(m) {
				return m
			}
			m.remove()
			a.add(&result{Package: p.ImportPath, Edit: e, Result: invalid})
		}
		return nil
	}
	each(a.jobs, order, func(p *pkg) {
		for { // repeats if the tests do not compile
			m := next(p)
			if m == nil {
				return
			}
			r := a.runner.judge(m, nil)
			m.remove()
			a.add(r)
			if r.Result != invalid || a.stopped() {
				return
			}
		}
	})
	return a.failure
}

// replay tests the edits that an earlier run killed.
func (a *session) replay(chosen []*pkg) error {
	data, err := os.ReadFile(a.before)
	if err != nil {
		return err
	}
	var earlier record
	if err := json.Unmarshal(data, &earlier); err != nil {
		return fmt.Errorf("%s: %w", a.before, err)
	}
	type pair struct {
		pkg    *pkg
		edit   *edit
		before *result
	}
	now := map[string]pair{}
	for _, p := range chosen {
		for _, e := range p.edits {
			now[e.key()] = pair{pkg: p, edit: e}
		}
	}
	var list []pair
	for _, before := range earlier.Results {
		p, ok := now[before.Edit.key()]
		p.before = before
		switch {
		case before.Result != killed || !slices.ContainsFunc(chosen, func(p *pkg) bool { return p.ImportPath == before.Package }):
		case !ok:
			a.gone = append(a.gone, before)
		case a.known[before.Edit.key()] == nil:
			list = append(list, p)
		}
	}
	each(a.jobs, list, func(p pair) {
		if a.stopped() {
			return
		}
		m, err := a.runner.tree.newMutant(p.pkg, p.edit)
		if err != nil {
			a.fail(err)
			return
		}
		defer m.remove()
		if !a.runner.tree.compiles(m) {
			a.mu.Lock()
			a.gone = append(a.gone, p.before)
			a.mu.Unlock()
			return
		}
		r := a.runner.judge(m, p.before)
		if r.Result == lost {
			r.By, r.Tests = p.before.By, p.before.Tests
		}
		a.add(r)
	})
	return a.failure
}

// each calls a function for each element of a list, several at a time.
func each[T any](jobs int, list []T, do func(T)) {
	var all sync.WaitGroup
	work := make(chan T)
	for range jobs {
		all.Go(func() {
			for x := range work {
				do(x)
			}
		})
	}
	for _, x := range list {
		work <- x
	}
	close(work)
	all.Wait()
}

// line describes an edit and the tests that killed it.
func (r *result) line() string {
	text := fmt.Sprintf("%s:%d %s: %s", r.Edit.File, r.Edit.Line, r.Edit.Kind, r.Edit.Text)
	switch r.Edit.Kind {
	case "constant", "operator":
		text += fmt.Sprintf("  [column %d: %s -> %s]", r.Edit.Column+1, r.Edit.Old, r.Edit.New)
	}
	if r.By != "" {
		text += fmt.Sprintf("  (%s: %s", r.By, strings.Join(r.Tests, ", "))
		if r.Late {
			text += ", too slow"
		}
		text += ")"
	}
	return fmt.Sprintf("%s  %.0f s", text, r.Seconds)
}

// report prints the table of packages and the undetected edits. It reports whether any mutant is lost.
func (a *session) report() bool {
	rows := map[string]map[string]int{}
	sum := map[string]int{}
	for _, r := range a.record.Results {
		kind := r.Result
		if kind == killed {
			switch {
			case r.Late:
				kind = "late"
			case r.By == r.Package:
				kind = "own"
			default:
				kind = "others"
			}
		}
		if rows[r.Package] == nil {
			rows[r.Package] = map[string]int{}
		}
		rows[r.Package][kind]++
		sum[kind]++
	}
	w := tabwriter.NewWriter(a.out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "\npackage\tedits\tkilled by own tests\tby others\tby time\tlost\tsurvived\t")
	row := func(name string, n map[string]int) {
		edits := n["own"] + n["others"] + n["late"] + n[lost] + n[survived]
		if edits > 0 {
			fmt.Fprintf(w, "%s\t%d\t%d\t%d\t%d\t%d\t%d\t\n", name, edits, n["own"], n["others"], n["late"], n[lost], n[survived])
		}
	}
	for _, path := range slices.Sorted(maps.Keys(rows)) {
		row(path, rows[path])
	}
	row("all", sum)
	w.Flush()
	for _, kind := range []string{survived, lost} {
		if sum[kind] == 0 {
			continue
		}
		fmt.Fprintf(a.out, "\n%s:\n", kind)
		for _, r := range a.record.Results {
			if r.Result == kind {
				fmt.Fprintln(a.out, r.line())
			}
		}
	}
	if len(a.gone) > 0 {
		fmt.Fprint(a.out, "\nno longer in the code, or no longer compiled:\n")
		for _, r := range a.gone {
			fmt.Fprintln(a.out, r.line())
		}
	}
	for path, names := range a.runner.unfit {
		fmt.Fprintf(a.out, "\nleft out in %s, because they fail without an edit: %s\n", path, strings.Join(names, ", "))
	}
	for path := range a.runner.broken {
		fmt.Fprintf(a.out, "\nleft out, because it fails without an edit: %s\n", path)
	}
	fmt.Fprintf(a.out, "\n%d edits compiled, %d did not; commit %s, seed %d\n",
		sum["own"]+sum["others"]+sum["late"]+sum[lost]+sum[survived], sum[invalid], a.record.Commit, a.record.Seed)
	return sum[lost] > 0
}
