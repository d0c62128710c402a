package policytest

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"voicepool/cmd/internal/lab/steal"
	"voicepool/cue/report"
	"voicepool/internal/metric/mixes"
	"voicepool/pcm"
)

// Difference measures a mix against the mix without steals. Fields that were not measured are nil.
type Difference struct {
	KError    *report.Level `json:"k_error_db,omitempty"`
	Tiles     *float64      `json:"audible_tiles,omitempty"` // a share, 0 to 1
	Zimtohrli *float64      `json:"zimtohrli,omitempty"`     // distance, 0 (no difference) to 1
	TwoF      *float64      `json:"2f,omitempty"`            // score, 0 to 100 (no difference); nil: the mix lasts less than 0.53 s
}

// reference compares mixes with the mix without steals by all four measures. Its methods may be called by one goroutine
// at a time.
type reference struct {
	*steal.Reference
	metrics *mixes.Reference
}

// newReference returns a reference for the mix frames, whose rate is in Hz. It keeps the slice, which must not change.
func newReference(frames []pcm.Frame, rate int) (*reference, error) {
	r, err := steal.NewReference(frames, rate)
	if err != nil {
		return nil, err
	}
	metrics, err := mixes.NewReference(frames, rate)
	return &reference{r, metrics}, err
}

// compare measures the difference between the reference and mix.
func (r *reference) compare(mix []pcm.Frame) (Difference, error) {
	m, err := r.metrics.Compare(mix)
	if err != nil {
		return Difference{}, err
	}
	return Difference{new(report.Level(r.KError(mix))), new(r.Tiles(mix)), &m.Zimtohrli, m.TwoF}, nil
}

// Damage is the largest acceptable difference from a mix without steals, by one measure.
type Damage struct {
	Measure string  // "tiles", "zimtohrli" or "2f"
	Limit   float64 // share of tiles, 0 to 1; distance, 0 to 1; points of the score below 100, 0 to 100
}

// UnmarshalText parses a share of tiles such as 1% or 0.01, a distance such as zimtohrli=0.002, or points such as
// 2f=40. Other text is an error and leaves d unchanged.
func (d *Damage) UnmarshalText(text []byte) error {
	measure, value, named := strings.Cut(string(text), "=")
	most := 1.0
	switch {
	case !named:
		measure, value = "tiles", measure
	case measure == "2f":
		most = 100
	case measure != "zimtohrli":
		return fmt.Errorf("unknown measure %q (want 1%%, zimtohrli=0.002 or 2f=40)", measure)
	}
	number, percent := value, false
	if !named {
		number, percent = strings.CutSuffix(value, "%")
	}
	x, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
	if percent {
		x /= 100
	}
	switch valid := err == nil && x >= 0 && x <= most; {
	case valid:
		*d = Damage{measure, x}
		return nil
	case named:
		return fmt.Errorf("invalid %s %q (want 0 to %g)", measure, value, most)
	}
	return fmt.Errorf("invalid share %q (want 0%% to 100%%, or 0 to 1)", text)
}

// within reports whether the difference of r is at most d. A missing score is an error.
func (d Damage) within(r *Row) (bool, error) {
	switch {
	case d.Measure == "tiles":
		return *r.Tiles <= d.Limit, nil
	case d.Measure == "zimtohrli":
		return *r.Zimtohrli <= d.Limit, nil
	case r.TwoF == nil:
		return false, errors.New("the mix lasts less than 0.53 s, too short for the 2f-model; give --damage as a share or in zimtohrli")
	}
	return *r.TwoF >= 100-d.Limit, nil
}

// Describe returns the damage of r as a clause, such as "you would hear 3 % of it go" or "the 2f score is 58.4".
func (d Damage) Describe(r *Row) string {
	switch d.Measure {
	case "tiles":
		return "you would hear " + r.AudibleShare(" of it go")
	case "zimtohrli":
		return "the Zimtohrli distance is " + d.Value(r)
	}
	return "the 2f score is " + d.Value(r)
}

// Value returns the damage of r without its measure, such as "3 %" or "58.4".
func (d Damage) Value(r *Row) string {
	switch d.Measure {
	case "tiles":
		return r.AudibleShare("")
	case "zimtohrli":
		return mixes.Figure(*r.Zimtohrli, d.Limit)
	}
	return mixes.Figure(*r.TwoF, 100-d.Limit)
}

// Exceeded returns the limit for a damage beyond it, such as "more than 1 %" or "less than 60".
func (d Damage) Exceeded() string {
	switch d.Measure {
	case "tiles":
		return fmt.Sprintf("more than %.3g %%", 100*d.Limit)
	case "zimtohrli":
		return fmt.Sprintf("more than %g", d.Limit)
	}
	return fmt.Sprintf("less than %g", 100-d.Limit)
}
