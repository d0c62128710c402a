package policytest

import (
	"bytes"
	"math"
	"strings"
	"testing"

	"voicepool/cue/report"
	"voicepool/mixer"
)

// judgedRun returns a row whose measures are multiples of x.
func judgedRun(scene, policy string, virtual int, seed uint64, x, lost float64) Row {
	return Row{
		Scene: scene, Voices: 8, Virtual: virtual, Policy: policy, Seed: seed, Lost: &lost,
		Difference: Difference{new(report.Level(-10 * x)), new(x / 100), new(x / 1000), new(10 * x)},
	}
}

// TestJudgment compares the tables with hand-computed figures. The figures in parentheses are half of the interval
// times (4.3027+1.0607) / 4.3027. In scene a, gain has the differences 1, 2 and 3 to the default, so the mean is 2 and
// half of the interval is 4.3027 / sqrt(3) = 2.48. The differences of oldest are 2, 2.1 and 2.2, so the mean 2.1 is
// beyond 0.248. The rows of b have too few lost starts.
func TestJudgment(t *testing.T) {
	var runs []Row
	for seed, x := range []float64{1, 2, 3} {
		s := uint64(seed + 1)
		runs = append(runs,
			judgedRun("a", "quietest+virtual=4", 4, s, 3, 0.05), judgedRun("a", "masked+virtual=4", 4, s, 3, 0.9),
			judgedRun("a", "quietest", 0, s, 2, 0.05), judgedRun("a", "gain", 0, s, 2+x, 0), judgedRun("a", "oldest", 0, s, 4+x/10-0.1, 0),
			judgedRun("b", "quietest", 0, s, 2, 0.04), judgedRun("b", "oldest", 0, s, 4, 1))
	}
	var b bytes.Buffer
	if err := Judge(runs).Markdown(&b, "about"); err != nil {
		t.Fatal(err)
	}
	about, rest, _ := strings.Cut(b.String(), "\n\n")
	if about != "about" {
		t.Errorf("the first line is %q", about)
	}
	summary, table, _ := strings.Cut(rest, "\n\n")
	const wantSummary = `Of 3 rows, 2 count: in the others less than 5 % of the starts lose their slot under quietest, the default.
No policy beats the default by Zimtohrli or 2f in 1 (50 %) rows; with Holm's correction in each row, in 1 (50 %). By one measure: Zimtohrli 2 (100 %), 2f 1 (50 %), K-error 1 (50 %), tiles 2 (100 %).`
	if summary != wantSummary {
		t.Errorf("the summary is\n%s\nwant\n%s", summary, wantSummary)
	}
	_, table, _ = strings.Cut(table, "|---|---|---|---|---|---|---|---|---|\n")
	const want = `| a | 8 | 0 | 5 % | gain | 0.00200 +0.00200 ± 0.00248 (0.00310) | 20.0 +20.0 ± 24.8 (31.0) | -20.00 -20.00 ± 24.84 (30.97) | 2.00 +2.00 ± 2.48 (3.10) |
| a | 8 | 0 | 5 % | oldest | 0.00200 +0.00210 ± 0.00025 (0.00031) | **20.0 +21.0 ± 2.5 (3.1)** | **-20.00 -21.00 ± 2.48 (3.10)** | 2.00 +2.10 ± 0.25 (0.31) |
| (b) | 8 | 0 | 4 % | oldest | 0.00200 +0.00200 ± 0.00000 (0.00000) | 20.0 +20.0 ± 0.0 (0.0) | -20.00 -20.00 ± 0.00 (0.00) | 2.00 +2.00 ± 0.00 (0.00) |
| a | 8 | 4 | 5 % | masked | 0.00300 +0.00000 ± 0.00000 (0.00000) | 30.0 +0.0 ± 0.0 (0.0) | -30.00 +0.00 ± 0.00 (0.00) | 3.00 +0.00 ± 0.00 (0.00) |
`
	if table != want {
		t.Errorf("the table is\n%s\nwant\n%s", table, want)
	}
	for i := range runs[:2] { // a row without scores, and one seed for the rest
		runs[i].TwoF = nil
	}
	b.Reset()
	if err := Judge(runs[:7]).Markdown(&b, "about"); err != nil || strings.Contains(b.String(), "**20") || strings.Contains(b.String(), "NaN") || !strings.Contains(b.String(), "| masked | 0.00300 +0.00000 ± ? (?) |  | ") {
		t.Errorf("%v: one seed gives\n%s", err, b.String())
	}
	b.Reset()
	if err := WriteCSV(&b, runs[:3], 0.5, "a, b"); err != nil || b.String() != `scene,voices,virtual,policy,seed,zimtohrli,2f,k_error_db,audible_tiles,lost_starts,seconds,sounds
a,8,4,quietest+virtual=4,1,0.003,,-30,0.03,0.05,0.5,"a, b"
a,8,4,masked+virtual=4,1,0.003,,-30,0.03,0.9,0.5,"a, b"
a,8,0,quietest,1,0.002,20,-20,0.02,0.05,0.5,"a, b"
` {
		t.Errorf("%v: %s", err, b.String())
	}
	b.Reset()
	if err := Draw(&b, Means(runs), []string{"a", "b"}, true); err != nil || strings.Count(b.String(), `<g transform`) != 8 || !strings.Contains(b.String(), "2f score") {
		t.Errorf("%v: %s", err, b.String())
	}
}

// TestStudentT compares quantiles with the tables of a textbook.
func TestStudentT(t *testing.T) {
	for freedom, want := range map[int]float64{1: 12.7062, 2: 4.3027, 4: 2.7764, 5: 2.5706, 6: 2.4469, 10: 2.2281, 30: 2.0423, 1000: 1.9623} {
		if got := studentT(freedom); math.Abs(got-want) > 0.001 {
			t.Errorf("%d degrees of freedom: %.4f, want %.4f", freedom, got, want)
		}
	}
}

// TestStudentTail compares probabilities with the quantiles above.
func TestStudentTail(t *testing.T) {
	for _, freedom := range []int{1, 2, 3, 4, 5, 6, 10, 29, 30} {
		if got := studentTail(studentT(freedom), freedom); math.Abs(got-0.025) > 1e-5 {
			t.Errorf("%d degrees of freedom: %.6f beyond the 97.5 %% quantile", freedom, got)
		}
		if got := studentTail(studentT80(freedom), freedom); math.Abs(got-0.2) > 3e-5 {
			t.Errorf("%d degrees of freedom: %.6f beyond the 80 %% quantile", freedom, got)
		}
	}
	if got := studentTail(math.Inf(1), 2); got != 0 {
		t.Errorf("beyond infinity: %v", got)
	}
}

// TestHolm checks rows that only count without the correction: 2.5 % are divided by two metrics, and by two policies.
func TestHolm(t *testing.T) {
	row := func(tails ...float64) *judgedRow {
		r := &judgedRow{}
		for _, p := range tails {
			e := estimation{mean: math.NaN()}
			r.policies = append(r.policies, judgedPolicy{estimates: [...]estimation{{tail: p}, {tail: 1}, e, e}})
		}
		return r
	}
	for _, c := range []struct {
		tails []float64
		want  bool
	}{{[]float64{0.012}, true}, {[]float64{0.013}, false}, {[]float64{0.012, 1}, false}, {[]float64{1, 0.006}, true}} {
		if got := row(c.tails...).beatenCorrected(); got != c.want {
			t.Errorf("%v: %v", c.tails, got)
		}
	}
	r := &judgedRow{lost: 1, policies: []judgedPolicy{{estimates: [...]estimation{{}, {mean: math.NaN()}, {}, {}}}}}
	var b bytes.Buffer
	(&Judgment{rows: []judgedRow{*r}}).Summary(&b)
	if want := "Zimtohrli 1 (100 %), 2f 0 of 0 (0 %), "; !strings.Contains(b.String(), want) {
		t.Errorf("a row without a score: %s", b.String())
	}
}

func TestCheckJudged(t *testing.T) {
	if err := CheckJudged(JudgedPolicies()); err != nil {
		t.Error(err)
	}
	for _, p := range JudgedPolicies() {
		if err := p.Check(p.Virtuals(0), ""); err != nil {
			t.Errorf("%s: %v", p.Name, err)
		}
	}
}

// TestCheckJudgedNames checks that a policy appears once, and that only quietest itself counts as the default.
func TestCheckJudgedNames(t *testing.T) {
	for text, want := range map[string]string{
		"quietest quietest+refuse":                       "",
		"quietest+virtual=64 quietest+virtual=64+refuse": "",
		"quietest+virtual=64+refuse oldest+virtual=64":   "with 64 virtual voices: want quietest, and another policy to compare with it",
		"quietest oldest oldest":                         "oldest and oldest are the same policy: omit one",
		"quietest quietest+virtual=0 oldest":             "quietest and quietest+virtual=0 are the same policy: omit one",
		"quietest gain+end+virtual=0 gain+virtual=0+end": "gain+end+virtual=0 and gain+virtual=0+end are the same policy: omit one",
	} {
		var policies []Policy
		for _, name := range strings.Fields(text) {
			var p Policy
			if err := p.UnmarshalText([]byte(name)); err != nil {
				t.Fatal(err)
			}
			policies = append(policies, p)
		}
		got := ""
		if err := CheckJudged(policies); err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}

// TestLostStarts counts voices, not events: a voice that is exchanged twice is one.
func TestLostStarts(t *testing.T) {
	r := &Run{Report: &report.Report{Events: []report.Event{
		{Kind: mixer.EventStarted, Voice: 1}, {Kind: mixer.EventStarted, Voice: 2, Slot: -1}, {Kind: mixer.EventStarted, Voice: 3, Slot: 1}, {Kind: mixer.EventStarted, Voice: 4, Slot: 2},
		{Kind: mixer.EventVirtual, Voice: 1}, {Kind: mixer.EventReal, Voice: 1}, {Kind: mixer.EventVirtual, Voice: 1}, {Kind: mixer.EventEnded, Voice: 3},
		{Kind: mixer.EventStolen, Voice: 4}, {Kind: mixer.EventRejected},
	}}}
	if got := r.lostStarts(); got != 0.8 {
		t.Errorf("%v of the starts are lost, want 4 of 5", got)
	}
	if got := (&Run{Report: &report.Report{}}).lostStarts(); got != 0 {
		t.Errorf("without starts: %v", got)
	}
}
