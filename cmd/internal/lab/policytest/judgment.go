package policytest

import (
	"encoding/csv"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"voicepool/internal/words"
)

// JudgedPolicies returns the policies that a Judgment compares by default: all except grow, without and with 64 virtual
// voices. The policy masked needs virtual voices.
func JudgedPolicies() []Policy {
	var all []Policy
	for _, names := range [...]string{"quietest oldest gain reject", "quietest+virtual=64 oldest+virtual=64 gain+virtual=64 reject+virtual=64 masked+virtual=64"} {
		for _, name := range strings.Fields(names) {
			var p Policy
			if err := p.UnmarshalText([]byte(name)); err != nil {
				panic(err)
			}
			all = append(all, p)
		}
	}
	return all
}

// judgedMeasure is a measure of a Judgment.
type judgedMeasure struct {
	name   string
	value  func(*Row) *float64
	better float64 // +1: more is better; -1: less is better
	digits int
	scale  float64
	metric bool // validated against listeners
}

var judgedMeasures = [...]judgedMeasure{
	{"Zimtohrli", func(r *Row) *float64 { return r.Zimtohrli }, -1, 5, 1, true},
	{"2f", func(r *Row) *float64 { return r.TwoF }, 1, 1, 1, true},
	{"K-error, dB", func(r *Row) *float64 { return (*float64)(r.KError) }, -1, 2, 1, false},
	{"tiles, %", func(r *Row) *float64 { return r.Tiles }, -1, 2, 100, false},
}

// estimation is the difference between a policy and the default, paired by seed.
type estimation struct {
	base float64 // mean value of the default policy
	mean float64 // difference
	half float64 // of the 95 % interval; +Inf for one seed

	// detectable is the true difference that the interval would show in 80 % of repetitions with other seeds, if the
	// differences have the measured spread: (t(0.975)+t(0.8)) * s / sqrt(n). In 50 % of them it shows a difference of
	// half. The formula is from Zar, "Biostatistical Analysis", 5th edition, detectable difference of a paired t test.
	detectable float64
	tail       float64 // probability of a mean at least as good if the true difference is 0; 1 without a better mean
}

// beats reports whether the whole 95 % interval is on the better side of 0.
func (m *judgedMeasure) beats(e estimation) bool { return float64(m.better*e.mean) > e.half }

// judgedPolicy compares a policy with the default in a judgedRow.
type judgedPolicy struct {
	name      string
	estimates [len(judgedMeasures)]estimation
}

// judgedRow is a scene at one number of voices and virtual voices.
type judgedRow struct {
	scene           string
	voices, virtual int
	lost            float64 // share of starts that lose a slot under the default policy
	policies        []judgedPolicy
}

// leastLost is the least share of lost starts in a row that counts.
const leastLost = 0.05

func (r *judgedRow) counts() bool { return r.lost >= leastLost }

// beaten reports whether a policy beats the default by the given measure.
func (r *judgedRow) beaten(measure int) bool {
	return slices.ContainsFunc(r.policies, func(p judgedPolicy) bool { return judgedMeasures[measure].beats(p.estimates[measure]) })
}

// measured reports whether the row has an estimate of a measure. A short mix has no 2f score.
func (r *judgedRow) measured(measure int) bool {
	return slices.ContainsFunc(r.policies, func(p judgedPolicy) bool { return !math.IsNaN(p.estimates[measure].mean) })
}

// beatenCorrected reports whether a policy beats the default by a metric, with the correction of Holm for all policies
// and metrics of the row: the least probability must be below 2.5 % divided by their number. Holm, "A simple
// sequentially rejective multiple test procedure", Scandinavian Journal of Statistics 6, 1979.
func (r *judgedRow) beatenCorrected() bool {
	least, comparisons := 1.0, 0
	for i := range r.policies {
		for m, e := range r.policies[i].estimates {
			if judgedMeasures[m].metric && !math.IsNaN(e.mean) {
				least, comparisons = min(least, e.tail), comparisons+1
			}
		}
	}
	return float64(least*float64(comparisons)) < 0.025
}

// Judgment compares policies with the default policy quietest, in rows of a scene and a number of voices.
type Judgment struct {
	rows  []judgedRow
	seeds int
}

// CheckJudged returns an error if policies has a number of virtual voices without quietest, or only quietest. A policy
// that appears twice with the same number is an error, too.
func CheckJudged(policies []Policy) error {
	for i := range policies {
		virtual := policies[i].Virtuals(0)
		for _, p := range policies[:i] {
			if p.Virtuals(0) == virtual && withoutVirtual(p.Name) == withoutVirtual(policies[i].Name) {
				return fmt.Errorf("%s and %s are the same policy: omit one", p.Name, policies[i].Name)
			}
		}
		same := func(quietest bool) bool {
			return slices.ContainsFunc(policies, func(p Policy) bool {
				return p.Virtuals(0) == virtual && (withoutVirtual(p.Name) == "quietest") == quietest
			})
		}
		if !same(true) || !same(false) {
			return fmt.Errorf("with %d virtual voices: want quietest, and another policy to compare with it", virtual)
		}
	}
	return nil
}

// Judge compares the runs of each scene and number of voices by seed. The policies with one number of virtual voices
// are compared with quietest with that number. The runs must come from Plan.Measure with policies that CheckJudged
// accepts.
func Judge(runs []Row) *Judgment {
	type key struct {
		scene           string
		voices, virtual int
	}
	groups := map[key]map[string]map[uint64]*Row{}
	var order []key
	names := map[key][]string{}
	seeds := map[uint64]bool{}
	for i := range runs {
		r := &runs[i]
		k := key{r.Scene, r.Voices, r.Virtual}
		if groups[k] == nil {
			groups[k] = map[string]map[uint64]*Row{}
			order = append(order, k)
		}
		name := withoutVirtual(r.Policy)
		if groups[k][name] == nil {
			groups[k][name] = map[uint64]*Row{}
			names[k] = append(names[k], name)
		}
		groups[k][name][r.Seed] = r
		seeds[r.Seed] = true
	}
	j := &Judgment{seeds: len(seeds)}
	for _, k := range order {
		base := groups[k]["quietest"]
		row := judgedRow{scene: k.scene, voices: k.voices, virtual: k.virtual}
		for _, r := range base {
			row.lost += *r.Lost / float64(len(base))
		}
		for _, name := range names[k] {
			if name == "quietest" {
				continue
			}
			p := judgedPolicy{name: name}
			for m := range judgedMeasures {
				p.estimates[m] = estimate(&judgedMeasures[m], base, groups[k][name])
			}
			row.policies = append(row.policies, p)
		}
		j.rows = append(j.rows, row)
	}
	slices.SortStableFunc(j.rows, func(a, b judgedRow) int { return a.virtual - b.virtual })
	return j
}

// estimate compares the runs of a policy with the runs of the default, by seed. Seeds without a value are left out. If
// all lack a value, the mean is NaN.
func estimate(m *judgedMeasure, base, other map[uint64]*Row) estimation {
	var differences []float64
	var e estimation
	for _, seed := range slices.Sorted(maps.Keys(base)) {
		a, b := m.value(base[seed]), m.value(other[seed])
		if a == nil || b == nil {
			continue
		}
		differences = append(differences, m.scale**b-m.scale**a)
		e.base += m.scale * *a
	}
	if differences == nil {
		return estimation{mean: math.NaN()}
	}
	n := float64(len(differences))
	for _, d := range differences {
		e.mean += d / n
	}
	e.base /= n
	squares := 0.0
	for _, d := range differences {
		squares += (d - e.mean) * (d - e.mean)
	}
	e.half, e.detectable, e.tail = math.Inf(1), math.Inf(1), 1
	if n > 1 {
		freedom, deviation := len(differences)-1, math.Sqrt(squares/(n-1)/n)
		e.half = studentT(freedom) * deviation
		e.detectable = e.half + float64(studentT80(freedom)*deviation)
		if better := float64(m.better * e.mean); better > 0 {
			e.tail = studentTail(better/deviation, freedom)
		}
	}
	return e
}

// studentTail returns the probability that a variable with Student's t distribution is above t, which is at least 0.
// The formulas are 26.7.3 and 26.7.4 of Abramowitz and Stegun.
func studentTail(t float64, freedom int) float64 {
	angle := math.Atan(t / math.Sqrt(float64(freedom)))
	sin, cos := math.Sincos(angle)
	sum, term := 0.0, 1.0
	first := freedom % 2 // power of the first cosine
	if first == 1 {
		term = cos
	}
	for power := first; power <= freedom-2; power += 2 {
		sum += term
		term *= cos * cos * float64(power+1) / float64(power+2)
	}
	inside := float64(sin * sum)
	if first == 1 {
		inside = 2 / math.Pi * (angle + inside)
	}
	return (1 - inside) / 2
}

// studentT returns the 97.5 % quantile of Student's t distribution. Up to 6 degrees of freedom it is from a table, then
// from the expansion of Abramowitz and Stegun, 26.7.5, with an error below 0.001.
func studentT(freedom int) float64 {
	if exact := [...]float64{math.Inf(1), 12.7062, 4.3027, 3.1824, 2.7764, 2.5706, 2.4469}; freedom < len(exact) {
		return exact[freedom]
	}
	return expandT(1.959964, freedom)
}

// studentT80 returns the 80 % quantile, as studentT does for 97.5 %.
func studentT80(freedom int) float64 {
	if exact := [...]float64{math.Inf(1), 1.3764, 1.0607, 0.9785, 0.9410, 0.9195, 0.9057}; freedom < len(exact) {
		return exact[freedom]
	}
	return expandT(0.841621, freedom)
}

// expandT returns the quantile of Student's t distribution from the quantile x of the normal distribution.
func expandT(x float64, freedom int) float64 {
	n := float64(freedom)
	return x + (x*x*x+x)/(4*n) + (5*x*x*x*x*x+16*x*x*x+3*x)/(96*n*n) +
		(3*math.Pow(x, 7)+19*math.Pow(x, 5)+17*x*x*x-15*x)/(384*n*n*n)
}

// Summary writes to w how many rows count, and in how many of them no policy beats the default.
func (j *Judgment) Summary(w io.Writer) {
	count, neither, corrected := 0, 0, 0
	var measured, unbeaten [len(judgedMeasures)]int
	for i := range j.rows {
		r := &j.rows[i]
		if !r.counts() {
			continue
		}
		count++
		beaten := false
		for m := range judgedMeasures {
			if !r.measured(m) {
				continue
			}
			measured[m]++
			if !r.beaten(m) {
				unbeaten[m]++
			} else if judgedMeasures[m].metric {
				beaten = true
			}
		}
		if !beaten {
			neither++
		}
		if !r.beatenCorrected() {
			corrected++
		}
	}
	share := func(n, of int) string {
		text := strconv.Itoa(n)
		if of != count {
			text += fmt.Sprintf(" of %d", of)
		}
		return fmt.Sprintf("%s (%.0f %%)", text, 100*float64(n)/float64(max(of, 1)))
	}
	fmt.Fprintf(w, "Of %d rows, %d count: in the others less than %.0f %% of the starts lose their slot under quietest, the default.\n", len(j.rows), count, 100*leastLost)
	var each []string
	for m := range judgedMeasures {
		name, _, _ := strings.Cut(judgedMeasures[m].name, ",")
		each = append(each, name+" "+share(unbeaten[m], measured[m]))
	}
	fmt.Fprintf(w, "No policy beats the default by Zimtohrli or 2f in %s rows; with Holm's correction in each row, in %s. By one measure: %s.\n",
		share(neither, count), share(corrected, count), strings.Join(each, ", "))
}

// Markdown writes the judgment to w as a table in Markdown, with the summary before it. The first line is about, a
// description of the measurements. The error is an error of w.
func (j *Judgment) Markdown(w io.Writer, about string) error {
	var b strings.Builder
	b.WriteString(about + "\n\n")
	j.Summary(&b)
	fmt.Fprintf(&b, "\nEach cell has the mean of the default and the difference of the policy, paired by %s, ± half its\n", words.Count(j.seeds, "seed"))
	b.WriteString("95 % interval. In parentheses is the true difference that the interval shows in 80 % of cases with other seeds,\n")
	b.WriteString("computed from the spread of the differences. A policy beats the default in **bold** cells. Less is better, except for 2f. Rows in brackets do not count.\n\n")
	b.WriteString("| scene | voices | virtual | lost starts | policy |")
	for m := range judgedMeasures {
		fmt.Fprintf(&b, " %s |", judgedMeasures[m].name)
	}
	b.WriteString("\n|---|---|---|---|---|---|---|---|---|\n")
	for i := range j.rows {
		r := &j.rows[i]
		scene := r.scene
		if !r.counts() {
			scene = "(" + scene + ")"
		}
		for _, p := range r.policies {
			fmt.Fprintf(&b, "| %s | %d | %d | %.0f %% | %s |", scene, r.voices, r.virtual, 100*r.lost, p.name)
			for m := range judgedMeasures {
				b.WriteString(" " + judgedMeasures[m].cell(p.estimates[m], r.counts()) + " |")
			}
			b.WriteString("\n")
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// cell formats an estimate for the table. bold permits bold text.
func (m *judgedMeasure) cell(e estimation, bold bool) string {
	if math.IsNaN(e.mean) {
		return ""
	}
	half, detectable := "?", "?"
	if !math.IsInf(e.half, 1) {
		half, detectable = strconv.FormatFloat(e.half, 'f', m.digits, 64), strconv.FormatFloat(e.detectable, 'f', m.digits, 64)
	}
	text := fmt.Sprintf("%.*f %+.*f ± %s (%s)", m.digits, e.base, m.digits, e.mean, half, detectable)
	if bold && m.beats(e) {
		return "**" + text + "**"
	}
	return text
}

// WriteCSV writes the runs to w, one line for each. Each line ends with the length of the scenes in seconds and the
// source of their sounds. The error is an error of w.
func WriteCSV(w io.Writer, runs []Row, seconds float64, sounds string) error {
	c := csv.NewWriter(w)
	c.Write([]string{"scene", "voices", "virtual", "policy", "seed", "zimtohrli", "2f", "k_error_db", "audible_tiles", "lost_starts", "seconds", "sounds"})
	for i := range runs {
		r := &runs[i]
		line := []string{r.Scene, strconv.Itoa(r.Voices), strconv.Itoa(r.Virtual), r.Policy, strconv.FormatUint(r.Seed, 10)}
		for _, x := range [...]*float64{r.Zimtohrli, r.TwoF, (*float64)(r.KError), r.Tiles, r.Lost} {
			text := ""
			if x != nil {
				text = strconv.FormatFloat(*x, 'g', -1, 64)
			}
			line = append(line, text)
		}
		c.Write(append(line, strconv.FormatFloat(seconds, 'g', -1, 64), sounds))
	}
	c.Flush()
	return c.Error()
}
