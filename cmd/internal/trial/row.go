package trial

import (
	"fmt"

	"voicepool/cue/report"
)

// Row is what was measured, the mean of the seeds.
type Row struct {
	Scene   string `json:"scene,omitempty"`
	Voices  int    `json:"voices"`
	Virtual int    `json:"virtual"`
	Policy  string `json:"policy"` // or optimum, bound
	Seed    uint64 `json:"seed,omitempty"`

	KError      *report.Level `json:"k_error_db,omitempty"`                // of the mix
	Power       *report.Level `json:"power_error_db,omitempty"`            // as long as voices add up in power
	Optimum     *report.Level `json:"over_optimum_db,omitempty"`           // KError less that of the optimum
	Tiles       *float64      `json:"audible_tiles,omitempty"`             // a share
	Cuts        *float64      `json:"audible_cuts,omitempty"`              // a share of the steals
	Steals      *float64      `json:"steals_per_second,omitempty"`         // of the reference's length
	Rejected    *float64      `json:"rejects_per_second,omitempty"`        //
	Swaps       *float64      `json:"became_virtual_per_second,omitempty"` // of a sheet, where steals are the pool's alone
	LimitSteals *float64      `json:"limit_steals_per_second,omitempty"`   // of a sheet
	Limited     *float64      `json:"limited_per_second,omitempty"`        // of a sheet
	NsPerPlay   *float64      `json:"ns_per_start,omitempty"`              // in a full pool, without a tail
}

// Means returns the mean over all seeds of what was measured.
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
		rolling(&rows[i].KError, r.KError, n)
		rolling(&rows[i].Power, r.Power, n)
		rolling(&rows[i].Optimum, r.Optimum, n)
		rolling(&rows[i].Tiles, r.Tiles, n)
		rolling(&rows[i].Cuts, r.Cuts, n)
		rolling(&rows[i].Steals, r.Steals, n)
		rolling(&rows[i].Rejected, r.Rejected, n)
	}
	return rows
}

// rolling makes mean the mean of n values, of which x is the last. A figure that
// no seed has stays without a value.
func rolling[F ~float64](mean **F, x *F, n float64) {
	if x == nil {
		return
	}
	if *mean == nil {
		*mean = new(F)
	}
	**mean += (*x - **mean) / F(n)
}

func decibels(l *report.Level) string {
	if l == nil {
		return ""
	}
	return fmt.Sprintf("%.2f", float64(*l))
}

func percent(share *float64) string {
	if share == nil {
		return ""
	}
	return fmt.Sprintf("%.2f %%", 100**share)
}

// figure prints a figure with as many digits as mean something.
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
