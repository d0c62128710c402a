package renderfarm

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"voicepool/internal/words"
)

// verb is a command that a job can run.
type verb struct {
	flags map[string]bool // permitted flags; true: the flag takes a value
	file  bool            // the result is a file instead of the standard output
}

// verbs are the permitted commands, with all flags that name no files.
var verbs = map[string]verb{
	"render": {file: true, flags: map[string]bool{
		"voices": true, "overflow": true, "virtual": true, "refuse": false, "rate": true, "quality": true, "seed": true, "length": true,
		"block": true, "isolate": false, "format": true, "no-limiter": false, "fold": false, "from": true, "cue": true,
	}},
	"compare":    {flags: map[string]bool{"policies": true, "voices": true, "virtual": true, "length": true, "json": false, "isolate": false}},
	"tune":       {flags: map[string]bool{"damage": true, "policy": true, "length": true, "json": false, "isolate": false}},
	"stealbench": {flags: map[string]bool{"voices": true, "policies": true, "length": true, "json": false, "isolate": false}},
}

// Verbs returns the commands that jobs can run, sorted.
func Verbs() []string { return slices.Sorted(maps.Keys(verbs)) }

// maxArgBytes is the maximum length of an argument in bytes.
const maxArgBytes = 4096

// CheckArgs checks the arguments of a job and returns them in canonical form: --flag=value, sorted by flag. The
// parameter do is the command of the job, and args its arguments.
//
// Errors are an unknown command or flag, a flag given twice, a missing or superfluous value, and an argument of more
// than 4096 bytes or with a NUL. A value may be the next argument instead of following "=". The content of values is
// not checked. Flags that name files count as unknown, because the files would be on the worker's machine.
func CheckArgs(do string, args []string) ([]string, error) {
	v, known := verbs[do]
	if !known {
		return nil, fmt.Errorf("--do: unknown command %s; the nearest is %s (want one of %s)", words.OneLine(do), words.Nearest(do, Verbs()), strings.Join(Verbs(), ", "))
	}
	canonical := map[string]string{}
	for i := 0; i < len(args); i++ {
		text, flag := strings.CutPrefix(args[i], "--")
		name, value, valued := strings.Cut(text, "=")
		takesValue, allowed := v.flags[name]
		switch {
		case len(args[i]) > maxArgBytes || strings.ContainsRune(args[i], 0):
			return nil, fmt.Errorf("--arg: an argument has at most %d bytes, and no NUL", maxArgBytes)
		case !flag:
			return nil, fmt.Errorf("--arg: %s is not a flag (want --arg=--FLAG=VALUE)", words.OneLine(args[i]))
		case !allowed:
			return nil, fmt.Errorf("--arg: the farm has no flag --%s of %s (want one of --%s)", words.OneLine(name), do, strings.Join(slices.Sorted(maps.Keys(v.flags)), ", --"))
		case !takesValue && valued:
			return nil, fmt.Errorf("--arg: --%s takes no value", name)
		case takesValue && !valued:
			if i++; i == len(args) {
				return nil, fmt.Errorf("--arg: --%s needs a value; write --arg=--%s=VALUE", name, name)
			}
			if value = args[i]; len(value) > maxArgBytes || strings.ContainsRune(value, 0) {
				return nil, fmt.Errorf("--arg: --%s: a value has at most %d bytes, and no NUL", name, maxArgBytes)
			}
		}
		if _, twice := canonical[name]; twice {
			return nil, fmt.Errorf("--arg: --%s is given twice", name)
		}
		if canonical[name] = "--" + name; takesValue {
			canonical[name] += "=" + value
		}
	}
	var all []string
	for _, name := range slices.Sorted(maps.Keys(canonical)) {
		all = append(all, canonical[name])
	}
	return all, nil
}

// check returns an error unless the order can be run: o.Do must be a command that jobs can run, and o.Args valid
// arguments for it. The arguments must be in the canonical form that CheckArgs returns.
func (o *Order) check() error {
	args, err := CheckArgs(o.Do, o.Args)
	if err == nil && !slices.Equal(args, o.Args) {
		err = fmt.Errorf("the arguments %q are not in canonical form: %q", o.Args, args)
	}
	return err
}
