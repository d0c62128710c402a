package policytest

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"voicepool/cue"
	"voicepool/cue/report"
)

// column is a column of a table with a heading of two lines.
type column[R any] struct {
	head, unit string
	width      int // negative: left-aligned
	cell       func(R) string
}

// printColumns writes a table to w: two lines of headings, then one line for each element of rows. Each column formats
// its cells with its function cell and pads them to its width. Columns are two spaces apart. Errors of w are ignored.
func printColumns[R any](w io.Writer, columns []column[R], rows []R) {
	line := func(cell func(column[R]) string) {
		var cells []string
		for _, c := range columns {
			cells = append(cells, fmt.Sprintf("%*s", c.width, cell(c)))
		}
		fmt.Fprintln(w, strings.TrimRight(strings.Join(cells, "  "), " "))
	}
	line(func(c column[R]) string { return c.head })
	line(func(c column[R]) string { return c.unit })
	for _, r := range rows {
		line(func(c column[R]) string { return c.cell(r) })
	}
}

// differenceColumns returns the columns of a Difference, which the parameter of returns for a row.
func differenceColumns[R any](of func(R) *Difference) []column[R] {
	return []column[R]{
		{"K-error", "dB", 7, func(r R) string { return decibels(of(r).KError) }},
		{"audible", "tiles", 8, func(r R) string { return percent(of(r).Tiles) }},
		{"Zimtohrli", "distance", 9, func(r R) string { return distance(of(r).Zimtohrli) }},
		{"2f", "score", 5, func(r R) string { return score(of(r).TwoF) }},
	}
}

// nameWidth returns the width of a left-aligned table column that holds names. The parameter name returns the name of
// a row. The width is the length in bytes of the longest name, but not less than the parameter least. The result is
// negative, because a negative width means left-aligned.
func nameWidth[R any](rows []R, least int, name func(R) string) int {
	for _, r := range rows {
		least = max(least, len(name(r)))
	}
	return -least
}

// PrintPolicies writes a table to w that compares policies, one line for each row. A line has the difference from a
// mix without steals, the stolen and rejected voices, and the worst moment. The columns for virtual voices and for
// limits appear only if a row has such voices or such losses.
func PrintPolicies(w io.Writer, rows []PolicyRow) {
	name := func(r PolicyRow) string { return r.Policy }
	columns := []column[PolicyRow]{
		{"policy", "", nameWidth(rows, 16, name), name},
	}
	columns = append(columns, differenceColumns(func(r PolicyRow) *Difference { return &r.Difference })...)
	columns = append(columns,
		column[PolicyRow]{"stolen", "by pool", 8, func(r PolicyRow) string { return fmt.Sprint(r.Steals) }},
		column[PolicyRow]{"rejected", "by pool", 8, func(r PolicyRow) string { return fmt.Sprint(r.Rejected) }})
	if slices.ContainsFunc(rows, func(r PolicyRow) bool { return r.Virtual > 0 }) {
		columns = append(columns, column[PolicyRow]{"became", "virtual", 8, func(r PolicyRow) string { return fmt.Sprint(r.Swaps) }})
	}
	if slices.ContainsFunc(rows, func(r PolicyRow) bool { return r.Limits() }) {
		columns = append(columns,
			column[PolicyRow]{"stolen", "by limit", 8, func(r PolicyRow) string { return fmt.Sprint(r.LimitSteals) }},
			column[PolicyRow]{"refused", "by limit", 8, func(r PolicyRow) string { return fmt.Sprint(r.Limited) }})
	}
	columns = append(columns, column[PolicyRow]{"worst moment", "K-weighted levels", 0, func(r PolicyRow) string {
		if r.Worst == nil {
			return "no difference"
		}
		return r.Worst.String()
	}})
	printColumns(w, columns, rows)
}

// PrintSheet writes a table to w with a line for each pool size and policy. A line has the difference from a mix
// without steals, and the losses per second. The columns for virtual voices and for limits appear only if a row has
// such voices or such losses. The rows must come from Comparison.Measure.
func PrintSheet(w io.Writer, rows []Row) {
	name := func(r Row) string { return r.Policy }
	columns := []column[Row]{
		{"voices", "", 6, func(r Row) string { return fmt.Sprint(r.Voices) }},
		{"policy", "", nameWidth(rows, 16, name), name},
	}
	columns = append(columns, differenceColumns(func(r Row) *Difference { return &r.Difference })...)
	columns = append(columns,
		column[Row]{"stolen/s", "by pool", 10, func(r Row) string { return figure(r.Steals) }},
		column[Row]{"rejected/s", "by pool", 10, func(r Row) string { return figure(r.Rejected) }})
	if slices.ContainsFunc(rows, func(r Row) bool { return r.Virtual > 0 }) {
		columns = append(columns, column[Row]{"became", "virtual/s", 10, func(r Row) string { return figure(r.Swaps) }})
	}
	if slices.ContainsFunc(rows, func(r Row) bool { return *r.LimitSteals > 0 || *r.Limited > 0 }) {
		columns = append(columns,
			column[Row]{"stolen/s", "by limit", 10, func(r Row) string { return figure(r.LimitSteals) }},
			column[Row]{"refused/s", "by limit", 10, func(r Row) string { return figure(r.Limited) }})
	}
	printColumns(w, columns, rows)
}

// LimitNote returns a sentence for the user. It explains that the given policies choose other victims than the policy
// of sheet at the limits of sounds and buses. Their mixes therefore differ even if the pool steals no voice. The
// parameter policies must have at least one name.
func LimitNote(policies []string, sheet *cue.Sheet) string {
	own := PolicyOf(sheet)
	do := "acts"
	if len(policies) > 1 {
		do = "act"
	}
	return fmt.Sprintf("At the limits of sounds and buses %s %s differently from %s, the policy of the sheet: the mix differs there even if the pool steals no voice.", strings.Join(policies, ", "), do, own.Label(sheet))
}

// PrintScenes writes a table to w with a line for each row, the measured values of a scene. An empty line comes before
// each change of scene or pool size. Missing values are left blank. There must be at least one row.
func PrintScenes(w io.Writer, rows []Row) {
	const line = "%-7s %6s %7s  %-24s %8s %8s %8s %8s %9s %6s %8s %9s %9s %9s\n"
	fmt.Fprintf(w, line, "scene", "voices", "virtual", "policy", "K-error", "power", "to best", "audible", "Zimtohrli", "2f", "cuts", "steals/s", "cuts/s", "ns/start")
	fmt.Fprintf(w, line, "", "", "", "", "dB", "dB", "dB", "tiles", "distance", "score", "audible", "", "audible", "")
	last := rows[0]
	for _, r := range rows {
		if r.Scene != last.Scene || r.Voices != last.Voices {
			fmt.Fprintln(w)
		}
		last = r
		fmt.Fprintf(w, line, r.Scene, fmt.Sprint(r.Voices), fmt.Sprint(r.Virtual), r.Policy, decibels(r.KError), decibels(r.Power), decibels(r.Optimum),
			percent(r.Tiles), distance(r.Zimtohrli), score(r.TwoF), percent(r.Cuts), figure(r.Steals), figure(r.CutsPerSecond), figure(r.NsPerPlay))
	}
}

// Row holds measured values. After Means they are averages over all seeds.
type Row struct {
	Scene   string `json:"scene,omitempty"`
	Voices  int    `json:"voices"`
	Virtual int    `json:"virtual"`
	Policy  string `json:"policy"` // or optimum, bound
	Seed    uint64 `json:"seed,omitempty"`

	Difference
	Power         *report.Level `json:"power_error_db,omitempty"`    // assuming that the powers of voices add up
	Optimum       *report.Level `json:"over_optimum_db,omitempty"`   // KError minus the optimum's
	Lost          *float64      `json:"lost_starts,omitempty"`       // share of the starts that lost their slot to the pool, or never had a slot
	Cuts          *float64      `json:"audible_cuts,omitempty"`      // a share of the steals
	Steals        *float64      `json:"steals_per_second,omitempty"` // relative to the length of the reference
	CutsPerSecond *float64      `json:"audible_cuts_per_second,omitempty"`
	Rejected      *float64      `json:"rejects_per_second,omitempty"`
	Swaps         *float64      `json:"became_virtual_per_second,omitempty"` // of a sheet, whose Steals count the pool only
	LimitSteals   *float64      `json:"limit_steals_per_second,omitempty"`   // of a sheet
	Limited       *float64      `json:"limited_per_second,omitempty"`        // of a sheet
	NsPerPlay     *float64      `json:"ns_per_start,omitempty"`              // in a full pool, without a tail
}

// Means averages the rows in runs over all seeds. It returns one row for each combination of scene, policy and pool
// size, in the order of their first run. Swaps, LimitSteals, Limited and NsPerPlay are not averaged and stay nil. All
// rows of a combination must have the same set of values. A value that only some of them have gets a wrong average.
func Means(runs []Row) []Row {
	type key struct {
		scene, policy string
		voices        int
	}
	at := map[key]int{}
	var rows []Row
	var counts []float64
	for _, r := range runs {
		k := key{r.Scene, r.Policy, r.Voices}
		i, ok := at[k]
		if !ok {
			i = len(rows)
			at[k] = i
			rows, counts = append(rows, Row{Scene: r.Scene, Voices: r.Voices, Virtual: r.Virtual, Policy: r.Policy}), append(counts, 0)
		}
		counts[i]++
		n := counts[i]
		updateMean(&rows[i].KError, r.KError, n)
		updateMean(&rows[i].Power, r.Power, n)
		updateMean(&rows[i].Optimum, r.Optimum, n)
		updateMean(&rows[i].Tiles, r.Tiles, n)
		updateMean(&rows[i].Zimtohrli, r.Zimtohrli, n)
		updateMean(&rows[i].TwoF, r.TwoF, n)
		updateMean(&rows[i].Lost, r.Lost, n)
		updateMean(&rows[i].Cuts, r.Cuts, n)
		updateMean(&rows[i].Steals, r.Steals, n)
		updateMean(&rows[i].CutsPerSecond, r.CutsPerSecond, n)
		updateMean(&rows[i].Rejected, r.Rejected, n)
	}
	return rows
}

// updateMean adds the value *x to the running average **mean. n is the number of values so far, including *x. If x is
// nil, the average does not change. If *mean is nil, updateMean allocates the average first.
func updateMean[F ~float64](mean **F, x *F, n float64) {
	if x == nil {
		return
	}
	if *mean == nil {
		*mean = new(F)
	}
	**mean += (*x - **mean) / F(n)
}

// decibels formats a level with two decimals and without a unit. nil gives "".
func decibels(l *report.Level) string {
	if l == nil {
		return ""
	}
	return fmt.Sprintf("%.2f", float64(*l))
}

// percent formats a share, 0 to 1, as a percentage. nil gives "".
func percent(share *float64) string {
	if share == nil {
		return ""
	}
	return fmt.Sprintf("%.2f %%", 100**share)
}

// distance formats a distance of Zimtohrli with four decimals. nil gives "".
func distance(x *float64) string {
	if x == nil {
		return ""
	}
	return fmt.Sprintf("%.4f", *x)
}

// score formats a score of the 2f-model with one decimal. nil gives "".
func score(x *float64) string {
	if x == nil {
		return ""
	}
	return fmt.Sprintf("%.1f", *x)
}

// figure formats a number that is not negative. Below 10 it has one decimal, from there on it has no decimals. A
// number below 0.05 becomes "<0.1", but 0 becomes "0". A nil pointer gives "".
func figure(x *float64) string {
	switch {
	case x == nil:
		return ""
	case *x == 0:
		return "0"
	case *x < 0.05:
		return "<0.1"
	case *x < 9.95:
		return fmt.Sprintf("%.1f", *x)
	}
	return fmt.Sprintf("%.0f", *x)
}
