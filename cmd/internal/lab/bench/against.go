package bench

import (
	"encoding/json"
	"fmt"
	"io"
	"math"

	"golang.org/x/perf/benchmath"
)

// Results is the output of `voicepool bench --json`.
type Results struct {
	Rate  int   `json:"rate"`
	Block int   `json:"block"`
	Runs  int   `json:"runs"`
	Rows  []Row `json:"rows"`
}

// ReadResults parses text, the output of an earlier `voicepool bench --json`. If text is other JSON or not JSON at
// all, it returns an error. Results without a single sample are an error, too, because they cannot be compared.
func ReadResults(text []byte) (*Results, error) {
	var r Results
	if err := json.Unmarshal(text, &r); err != nil {
		return nil, fmt.Errorf("was not printed by bench --json: %w", err)
	}
	some := false
	for i := range r.Rows {
		some = some || len(r.Rows[i].Samples) > 0
	}
	if !some {
		return nil, fmt.Errorf("has no rows with samples: not printed by bench --json, or by an older version")
	}
	return &r, nil
}

// Change compares a row with the same row of earlier results.
type Change struct {
	Case   string  `json:"case"`
	Voices int     `json:"voices"`
	Unit   string  `json:"unit"`
	Before float64 `json:"before"` // the median of the samples
	Now    float64 `json:"now"`
	Share  float64 `json:"change"` // Now/Before - 1
	P      float64 `json:"p"`      // the probability that chance alone makes such a difference
}

// significant is the p-value below which a difference is significant, as in benchstat.
const significant = 0.05

// Differs reports whether the difference is statistically significant: P is below 0.05.
func (c *Change) Differs() bool { return c.P < significant }

// Against compares two results of a benchmark row by row. Rows match if case, number of voices and unit are equal. Rows
// without a match or without samples are left out. If the earlier median is 0, the field Share is infinite or NaN. The
// changes are in the order of now. Each has the medians and a p-value from the Mann-Whitney U test on the samples, as
// in benchstat.
func Against(now, before *Results) (changes []Change) {
	for i := range now.Rows {
		n := &now.Rows[i]
		for k := range before.Rows {
			b := &before.Rows[k]
			if n.Case != b.Case || n.Voices != b.Voices || n.Unit() != b.Unit() || len(n.Samples) == 0 || len(b.Samples) == 0 {
				continue
			}
			p := benchmath.AssumeNothing.Compare(sample(b.Samples), sample(n.Samples)).P
			was, is := Median(b.Samples), Median(n.Samples)
			changes = append(changes, Change{Case: n.Case, Voices: n.Voices, Unit: n.Unit(), Before: was, Now: is, Share: is/was - 1, P: p})
		}
	}
	return changes
}

// sample copies values into a sample of the benchmath package, for the Mann-Whitney U test.
func sample(values []float64) *benchmath.Sample {
	return benchmath.NewSample(append([]float64{}, values...), &benchmath.DefaultThresholds)
}

// PrintChanges writes changes as a table to w, one line for each. If a difference is not significant, or if its share
// is NaN, the line has "~" instead of the percentage. Errors of w are ignored.
func PrintChanges(w io.Writer, changes []Change) {
	fmt.Fprintf(w, "%-21s %6s %8s %12s %12s %9s %7s\n", "case", "voices", "unit", "before", "now", "change", "p")
	for i := range changes {
		c := &changes[i]
		change := "~"
		if c.Differs() && !math.IsNaN(c.Share) {
			change = fmt.Sprintf("%+.1f %%", 100*c.Share)
		}
		fmt.Fprintf(w, "%-21s %6d %8s %12.4g %12.4g %9s %7.3f\n", c.Case, c.Voices, c.Unit, c.Before, c.Now, change, c.P)
	}
}
