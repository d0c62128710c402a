package trial

import (
	"context"
	"slices"

	"voicepool/cue"
	"voicepool/cue/report"
	"voicepool/mixer"
	"voicepool/pcm"
)

// PolicyRow is how a policy differs from a pool in which nothing gives way.
type PolicyRow struct {
	Policy  string       `json:"policy"`
	KError  report.Level `json:"k_error_db"`
	Tiles   float64      `json:"audible_tiles"`
	Virtual int          `json:"virtual"` // voices beside the pool
	Losses
	Grown int     `json:"grown_to,omitempty"`
	Worst *Moment `json:"worst"` // null: there is no difference
	Wav   string  `json:"wav,omitempty"`
}

// DefaultPolicies are those that are compared when none is named: what a sheet
// says is one of them.
func DefaultPolicies(sheet *cue.Sheet) []Policy {
	var list []Policy
	for _, o := range [...]mixer.Overflow{mixer.StealQuietest, mixer.StealOldest, mixer.StealGain, mixer.Reject} {
		list = append(list, Policy{Name: o.String(), Overflow: o, Virtual: AsSheet})
	}
	if own := PolicyOf(sheet); !slices.Contains(list, own) {
		list = append(list, own)
	}
	return list
}

// Policy compares the mix of a policy, with the sheet's own pool, with the whole one.
// It returns that mix too.
func (k *Comparison) Policy(ctx context.Context, p Policy, whole *Run) (PolicyRow, []pcm.Frame, error) {
	limited, err := render(ctx, p.Apply(k.Sheet, k.Sheet.Voices), k.bank)
	if err != nil {
		return PolicyRow{}, nil, err
	}
	row := PolicyRow{
		Policy: p.Name, Virtual: p.Virtuals(k.Sheet.Virtual), KError: report.Level(k.reference.KError(limited.Mix)), Tiles: k.reference.Tiles(limited.Mix),
		Losses: limited.Losses(), Worst: findWorst(whole, limited, k.Sheet.Rate),
	}
	if p.Overflow == mixer.GrowPool {
		for i := range limited.Report.Events {
			row.Grown = max(row.Grown, k.Sheet.Voices, limited.Report.Events[i].Slot+1)
		}
	}
	return row, limited.Mix, nil
}
