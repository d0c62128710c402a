package renderfarm

import (
	"strings"
	"testing"
)

// TestMatch checks the lookup of an ID by a unique prefix.
func TestMatch(t *testing.T) {
	a, b := strings.Repeat("ab", 16), "abc"+strings.Repeat("0", 29)
	for _, c := range []struct {
		given, want, err string
		ids              []string
	}{
		{a, a, "", []string{a, b}},
		{"aba", a, "", []string{a, b}},
		{"abc", b, "", []string{a, b}},
		{"ab", "", "matches the IDs of 2 jobs", []string{a, b}},
		{"ff", "", "no such job; the nearest is ", []string{a, b}},
		{"ff", "", "the farm has no jobs", nil},
		{"", "", "invalid job ID ", []string{a}},
		{"AB", "", "invalid job ID ", []string{a}},
		{a + "0", "", "invalid job ID ", []string{a}},
	} {
		got, err := match(c.given, c.ids)
		if got != c.want || (err == nil) != (c.err == "") || err != nil && !strings.Contains(err.Error(), c.err) {
			t.Errorf("%q: %q, %v", c.given, got, err)
		}
	}
}

// TestLine checks the description of a job.
func TestLine(t *testing.T) {
	id := strings.Repeat("ab", 16)
	for _, c := range []struct {
		job  Job
		want string
	}{
		{Job{State: Queued}, "queued     render a.yaml --seed=3"},
		{Job{State: Running, Tries: []Try{{"a", "x"}, {"b", ""}}}, "running    render a.yaml --seed=3 on b"},
		{Job{State: Done, Size: 104, Seconds: 0.126}, "done       render a.yaml --seed=3, 104 bytes in 0.13 s"},
		{Job{State: Failed, Reason: "a.yaml:1:2: no\nway"}, "failed     render a.yaml --seed=3: a.yaml:1:2: no way"},
		{Job{State: SetAside, Reason: "3 tries"}, "set aside  render a.yaml --seed=3: 3 tries"},
	} {
		c.job.ID, c.job.Order = id, order
		if got := line(&c.job); got != id+"  "+c.want {
			t.Errorf("of %s it says %q, want %q", c.job.State, got, c.want)
		}
	}
	c := Job{ID: id, Order: order, State: Queued}
	for version, want := range map[string]string{"v1": "", "v2": "; it waits for a worker of v1"} {
		if got := versionNote(&c, version); got != want {
			t.Errorf("with the program of %s it says %q, want %q", version, got, want)
		}
	}
}
