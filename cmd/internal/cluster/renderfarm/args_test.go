package renderfarm

import (
	"runtime/debug"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestCheckArgs checks the canonical form of permitted arguments, and that flags with files are
// rejected.
func TestCheckArgs(t *testing.T) {
	for _, c := range []struct {
		do, args, want, err string
	}{
		{"render", "", "", ""},
		{"render", "--seed=3 --fold", "--fold --seed=3", ""},
		{"render", "--fold --seed 3", "--fold --seed=3", ""},
		{"render", "--seed -3", "--seed=-3", ""},
		{"compare", "--policies=oldest,gain --json", "--json --policies=oldest,gain", ""},
		{"tune", "--damage=2%", "--damage=2%", ""},
		{"stealbench", "--voices=8,16", "--voices=8,16", ""},
		{"rendr", "", "", "unknown command rendr; the nearest is render"},
		{"serve", "", "", "unknown command serve"},
		{"render", "--seed=3 --seed=3", "", "--seed is given twice"},
		{"render", "--seed", "", "--seed needs a value"},
		{"render", "--fold=yes", "", "--fold takes no value"},
		{"render", "other.yaml", "", "other.yaml is not a flag"},
		{"render", "-o x.wav", "", "-o is not a flag"},
		{"render", "--", "", "no flag -- of "},
		{"render", "--output=/etc/passwd", "", "the farm has no flag --output of render"},
		{"render", "--report=/tmp/x", "", "no flag --report of "},
		{"render", "--timeline=/tmp/x", "", "no flag --timeline of "},
		{"render", "--goes=/etc/passwd", "", "no flag --goes of "},
		{"render", "--json", "", "no flag --json of "},
		{"compare", "--wav=/tmp", "", "no flag --wav of "},
		{"stealbench", "--write=/tmp", "", "no flag --write of "},
		{"stealbench", "--sounds=/etc", "", "no flag --sounds of "},
		{"render", "--seed=\x00", "", "no NUL"},
		{"render", "--seed \x00", "", "no NUL"},
		{"render", "--cue=" + strings.Repeat("x", 5000), "", "at most 4096 bytes"},
	} {
		got, err := CheckArgs(c.do, strings.Fields(c.args))
		if strings.Join(got, " ") != c.want || (err == nil) != (c.err == "") || err != nil && !strings.Contains(err.Error(), c.err) {
			t.Errorf("%s %q: %q, %v", c.do, c.args, got, err)
		}
	}
}

// TestCheckArgsTwice checks that CheckArgs returns its own output unchanged, so that a worker
// accepts every submitted job.
func TestCheckArgsTwice(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		do := rapid.SampledFrom(Verbs()).Draw(t, "do")
		words := rapid.SampledFrom([]string{"--seed=1", "--seed", "3", "--json", "--isolate", "--voices=2", "--length", "2s", "--voices", "--cue=--json", "x"})
		args := rapid.SliceOfN(words, 0, 6).Draw(t, "args")
		once, err := CheckArgs(do, args)
		if err != nil {
			return
		}
		twice, err := CheckArgs(do, once)
		o := Order{Spec: Spec{Do: do, Args: once}}
		if err != nil || !slices.Equal(once, twice) || o.check() != nil {
			t.Fatalf("%q is %q, then %q, %v, %v", args, once, twice, err, o.check())
		}
	})
	if o := (Order{Spec: Spec{Do: "render", Args: []string{"--seed=1", "--fold"}}}); o.check() == nil {
		t.Error("an order is taken whose arguments are not in their one form")
	}
}

// TestStamped checks that only an unmodified version or commit identifies a build.
func TestStamped(t *testing.T) {
	set := func(all ...string) (s []debug.BuildSetting) {
		for i := 0; i < len(all); i += 2 {
			s = append(s, debug.BuildSetting{Key: all[i], Value: all[i+1]})
		}
		return s
	}
	for _, c := range []struct {
		version  string
		settings []debug.BuildSetting
		want     string
	}{
		{"v1.2.3", nil, "v1.2.3"},
		{"v1.2.3", set("vcs.revision", "abc", "vcs.modified", "false"), "v1.2.3 abc"},
		{"(devel)", set("vcs.revision", "abc", "vcs.modified", "false"), "commit abc"},
		{"", set("vcs.revision", "abc", "vcs.modified", "true"), ""},
		{"v1.2.3+dirty", nil, ""},
		{"v1.2.3", set("vcs.revision", "abc", "vcs.modified", "true"), ""},
		{"(devel)", nil, ""},
		{"", nil, ""},
	} {
		if got := stamped(&debug.BuildInfo{Main: debug.Module{Version: c.version}, Settings: c.settings}, true); got != c.want {
			t.Errorf("%s %v is %q, want %q", c.version, c.settings, got, c.want)
		}
	}
	if stamped(nil, false) != "" {
		t.Error("there is a version of nothing")
	}
	first, err := Version()
	if err != nil || !strings.HasPrefix(first, "build ") && !strings.Contains(first, "commit ") && !strings.HasPrefix(first, "v") {
		t.Errorf("the version of this test is %q, %v", first, err)
	}
}
