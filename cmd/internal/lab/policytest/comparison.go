// Package policytest renders a sheet with several policies and pool sizes, and compares the mixes with a
// mix without steals. It produces the figures and tables of voicepool compare, tune and stealbench.
package policytest

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"voicepool/cmd/internal/cli/console"
	"voicepool/cmd/internal/lab/steal"
	"voicepool/cue"
	"voicepool/cue/report"
	"voicepool/internal/loudness"
	"voicepool/internal/words"
	"voicepool/mixer"
	"voicepool/pcm"
	"voicepool/sounds/library"
)

// Comparison is a user's sheet with its reference: the mix with so large a pool that it steals no voice.
type Comparison struct {
	Sheet  *cue.Sheet
	Needed int // number of voices for a mix without losses to the pool

	lib       *library.Library
	reference *reference
	seconds   float64
}

// NewComparison renders the reference of sheet: the mix with so large a pool that it steals no voice. It returns a
// Comparison that measures other mixes against it. It also returns the run with the reference mix, which the
// Comparison does not keep. lib supplies the sounds and must have the sample rate of the sheet. With an error, do not
// use the other results.
func NewComparison(ctx context.Context, sheet *cue.Sheet, lib *library.Library) (*Comparison, *Run, error) {
	whole, needed, err := renderWhole(ctx, sheet, lib)
	if err != nil {
		return nil, nil, err
	}
	k := &Comparison{Sheet: sheet, Needed: needed, lib: lib, seconds: max(float64(len(whole.Mix))/float64(sheet.Rate), 1e-3)}
	k.reference, err = newReference(whole.Mix, sheet.Rate)
	return k, whole, err
}

// sufficientPool returns a pool size that is large enough with the policy p: the full pool then neither steals nor
// rejects a voice. For the sheet's own policy it returns k.Needed without rendering, also if p differs only in Ends or
// IgnoreFilters. For another policy it renders the sheet to find the size. The sizes can differ, because a policy also
// decides at the limits of buses.
func (k *Comparison) sufficientPool(ctx context.Context, p Policy) (int, error) {
	if p.Overflow == k.Sheet.Overflow && p.Refuse == k.Sheet.Refuse && p.Virtuals(k.Sheet.Virtual) == k.Sheet.Virtual {
		return k.Needed, nil
	}
	_, needed, err := renderWhole(ctx, p.Apply(k.Sheet, 1), k.lib)
	return needed, err
}

// Label returns the name of the policy for a table. If the policy leaves the number of virtual voices to sheet, and
// that number is not 0, Label appends it, as in "quietest+virtual=64".
func (p *Policy) Label(sheet *cue.Sheet) string {
	if p.Virtual == AsSheet && sheet.Virtual > 0 {
		return fmt.Sprintf("%s+virtual=%d", p.Name, sheet.Virtual)
	}
	return p.Name
}

// Measure renders the sheet with the policy p and a pool of the given number of voices. It compares the mix with the
// reference, a mix without steals. The row has the differences, and the stolen and rejected voices per second of the
// reference. The fields Scene, Seed, and others that only built-in scenes have, stay empty.
func (k *Comparison) Measure(ctx context.Context, p Policy, voices int) (Row, error) {
	r, err := render(ctx, p.Apply(k.Sheet, voices), k.lib)
	if err != nil {
		return Row{}, err
	}
	d, err := console.Within(ctx, func() (Difference, error) { return k.reference.compare(r.Mix) })
	if err != nil {
		return Row{}, fmt.Errorf("%s: %w", words.OneLine(k.Sheet.File), err)
	}
	n := r.Losses()
	perSecond := func(n int64) *float64 { return new(float64(n) / k.seconds) }
	return Row{
		Voices: voices, Virtual: p.Virtuals(k.Sheet.Virtual), Policy: p.Label(k.Sheet), Difference: d,
		Steals: perSecond(n.Steals), Rejected: perSecond(n.Rejected), Swaps: perSecond(n.Swaps), LimitSteals: perSecond(n.LimitSteals), Limited: perSecond(n.Limited),
	}, nil
}

// Differs reports whether the measured mix differs from the reference, a mix without steals, although its pool was
// large enough. The pool must not have stolen or rejected a voice or made a voice virtual. The level of the difference
// must be above -60 dB, relative to the reference. The row must come from Comparison.Measure.
func (r *Row) Differs() bool {
	return *r.Steals == 0 && *r.Rejected == 0 && *r.Swaps == 0 && *r.KError > -60
}

// AudibleShare returns in words how much of the mix audibly differs from a mix without steals. The text in the
// parameter of follows: AudibleShare(" of it go") returns "3 % of it go". If the share is 0 but the K-error is above
// -20 dB, this level is added; this happens if two equal sounds mask each other. Tiles and KError of the row must be
// set.
func (r *Row) AudibleShare(of string) string {
	text := plainPercent(*r.Tiles) + of
	if *r.Tiles == 0 && *r.KError > -20 {
		text += fmt.Sprintf(", though the K-error is %.1f dB", float64(*r.KError))
	}
	return text
}

// AtOnce returns the beginning of a sentence about a number of voices, such as "1 voice sounds" or "2 voices sound".
func AtOnce(voices int) string {
	if voices == 1 {
		return "1 voice sounds"
	}
	return words.Count(voices, "voice") + " sound"
}

// Sentence describes in words how much of the mix is audibly lost, by pool size: "With 24 voices you would hear 3 % of
// it go; with 32, 0.4 %". It uses only the rows of the given policy, in their order. It stops after the first pool
// without an audible loss: the share is 0 and the K-error at most -20 dB. If rows has no such policy, it returns "".
func Sentence(rows []Row, policy string) string {
	text := ""
	for _, r := range rows {
		switch {
		case r.Policy != policy:
			continue
		case text == "":
			text = fmt.Sprintf("With %s you would hear %s", words.Count(r.Voices, "voice"), r.AudibleShare(" of it go"))
		default:
			text += fmt.Sprintf("; with %d, %s", r.Voices, r.AudibleShare(""))
		}
		if *r.Tiles == 0 && *r.KError <= -20 {
			break
		}
	}
	return text
}

// plainPercent formats share, from 0 to 1, as a percentage for a sentence, such as "0.4 %" or "less than 0.1 %". From
// 2 % it has no decimals. For 0 it returns a word without "%".
func plainPercent(share float64) string {
	switch {
	case share == 0:
		return "nothing"
	case share < 0.0005:
		return "less than 0.1 %"
	case share < 0.02:
		return fmt.Sprintf("%.1f %%", 100*share)
	}
	return fmt.Sprintf("%.0f %%", 100*share)
}

// Search is the result of Smallest.
type Search struct {
	Best   Row   // the smallest sufficient pool, or a pool for all voices
	Within bool  // the damage of Best is within the limit
	Rows   []Row // all measured pools, by size
	Needed int   // number of voices for a mix without losses to the pool
}

// Smallest finds the smallest pool that is good enough for the policy p. A pool is good enough if its difference from a
// mix without steals is within damage. The result has the row of this pool and the rows of all measured pools. If even
// a pool for all voices is not good enough, Search.Within is false. Smallest searches by bisection, which assumes that
// a larger pool loses less. It calls next with each pool size before it measures that pool; next must not be nil. After
// an error the result is incomplete or nil.
func (k *Comparison) Smallest(ctx context.Context, p Policy, damage Damage, next func(voices int)) (*Search, error) {
	needed, err := k.sufficientPool(ctx, p)
	if err != nil {
		return nil, err
	}
	s := &Search{Needed: needed}
	measure := func(voices int) (within bool, err error) {
		next(voices)
		row, err := k.Measure(ctx, p, voices)
		if err != nil {
			return false, err
		}
		s.Rows = append(s.Rows, row)
		if within, err = damage.within(&row); err != nil {
			return false, fmt.Errorf("%s: %w", words.OneLine(k.Sheet.File), err)
		}
		if within || voices == needed {
			s.Best = row
		}
		return within, nil
	}
	s.Within, err = measure(needed)
	for few, enough := 0, needed; err == nil && s.Within && few+1 < enough; {
		middle := (few + enough) / 2
		var within bool
		if within, err = measure(middle); within {
			enough = middle
		} else {
			few = middle
		}
	}
	slices.SortFunc(s.Rows, func(a, b Row) int { return a.Voices - b.Voices })
	return s, err
}

// PolicyRow compares a policy with a mix without steals.
type PolicyRow struct {
	Policy string `json:"policy"`
	Difference
	Virtual int `json:"virtual"` // virtual voices beside the pool
	Losses
	Grown int     `json:"grown_to,omitempty"`
	Worst *Moment `json:"worst"` // null: no difference
	Wav   string  `json:"wav,omitempty"`
}

// DefaultPolicies returns the policies to compare by default: quietest, oldest, gain and reject. If the policy of
// sheet is another policy, it comes last.
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

// Policy renders the sheet with the policy p and the sheet's own pool size. It compares the mix with a mix without
// steals and returns the differences and losses as a row. The parameter whole is the run that NewComparison returned.
// The second result is the new mix. The field Wav of the row stays empty.
func (k *Comparison) Policy(ctx context.Context, p Policy, whole *Run) (PolicyRow, []pcm.Frame, error) {
	limited, err := render(ctx, p.Apply(k.Sheet, k.Sheet.Voices), k.lib)
	if err != nil {
		return PolicyRow{}, nil, err
	}
	d, err := console.Within(ctx, func() (Difference, error) { return k.reference.compare(limited.Mix) })
	if err != nil {
		return PolicyRow{}, nil, fmt.Errorf("%s: %w", words.OneLine(k.Sheet.File), err)
	}
	row := PolicyRow{
		Policy: p.Name, Virtual: p.Virtuals(k.Sheet.Virtual), Difference: d,
		Losses: limited.Losses(), Worst: k.findWorst(whole, limited),
	}
	if p.Overflow == mixer.GrowPool {
		for i := range limited.Report.Events {
			row.Grown = max(row.Grown, k.Sheet.Voices, limited.Report.Events[i].Slot+1)
		}
	}
	return row, limited.Mix, nil
}

// Moment is the moment of the largest loss in a mix.
type Moment struct {
	Seconds float64        `json:"seconds"` // its middle
	From    float64        `json:"from_seconds"`
	To      float64        `json:"to_seconds"`
	Lost    report.Level   `json:"lost_db"`      // K-weighted level of the missing part
	Whole   report.Level   `json:"reference_db"` // K-weighted level of the complete mix
	Missing map[string]int `json:"missing"`      // number of inaudible starts by sound
}

// worstTenths is the length of a Moment in tenths of a second. 400 ms is the block length of momentary
// loudness.
const worstTenths = 4

// findWorst finds the 400 ms, in steps of 100 ms, with the strongest difference between two mixes. whole is the run of
// the reference, limited the run with losses. The result has the K-weighted levels there, and the number of missing
// starts for each sound. If the difference never exceeds -120 dB, the result is nil.
func (k *Comparison) findWorst(whole, limited *Run) *Moment {
	rate := k.Sheet.Rate
	step := int(loudness.StepFrames(rate))
	lost, all := stepPowers(k.reference.Difference(limited.Mix), rate, step), stepPowers(whole.Mix, rate, step)
	best, most := -1, 1e-12 // differences below -120 dB are ignored
	for i := range lost {
		if p := powerOf(lost, i); p > most {
			best, most = i, p
		}
	}
	if best < 0 {
		return nil
	}
	from := int64(best * step)
	to := min(from+int64(worstTenths*step), int64(len(whole.Mix)))
	return &Moment{
		Seconds: float64(from+to) / 2 / float64(rate), From: float64(from) / float64(rate), To: float64(to) / float64(rate),
		Lost: report.Level(pcm.FromPower(most)), Whole: report.Level(pcm.FromPower(powerOf(all, best))),
		Missing: missingVoices(whole, limited, from, to),
	}
}

// stepPowers divides mix into pieces of step frames. It returns the mean K-weighted power of each piece, summed over
// both channels. rate is in Hz. The last piece may be shorter; it counts as filled up with silence.
func stepPowers(mix []pcm.Frame, rate, step int) []float64 {
	powers := make([]float64, (len(mix)+step-1)/step)
	for i, p := range steal.Powers(rate, mix) {
		powers[i/step] += p / float64(step)
	}
	return powers
}

// powerOf returns the mean power of the 400 ms that begin with element i of powers. Each element is the power of 100
// ms, as stepPowers returns it. Elements beyond the end count as 0.
func powerOf(powers []float64, i int) float64 {
	sum := 0.0
	for _, p := range powers[i:min(i+worstTenths, len(powers))] {
		sum += p
	}
	return sum / worstTenths
}

// framesWithSlot returns for each start of the run r how many frames it had a slot, so that it was mixed. It counts
// only frames in a range; the frame in the parameter to is excluded. Starts without such frames are left out.
func framesWithSlot(r *Run, from, to int64) map[startID]int64 {
	frames := map[startID]int64{}
	for _, s := range slotSpans(r.Report.Events) {
		if n := min(s.to, to) - max(s.from, from); n > 0 {
			frames[s.startID] += n
		}
	}
	return frames
}

// missingVoices counts the starts that are missing in the run limited but not in the run whole, by the name of the
// sound. It considers only the frames between from and to. A start is missing if its time with a slot is shorter in
// limited, by at least a tenth of that range.
func missingVoices(whole, limited *Run, from, to int64) map[string]int {
	is, missing := framesWithSlot(limited, from, to), map[string]int{}
	for a, n := range framesWithSlot(whole, from, to) {
		if 10*(n-is[a]) >= to-from {
			missing[a.sound]++
		}
	}
	return missing
}

// String describes the moment in one line: its time, the levels of the full mix and of the missing part, and up to
// four sounds with the most missing starts. Further sounds are shown as "...".
func (m *Moment) String() string {
	var parts []string
	for i, name := range words.Ranked(m.Missing) {
		if i == 4 {
			parts = append(parts, "...")
			break
		}
		parts = append(parts, fmt.Sprintf("%s %d", words.OneLine(name), m.Missing[name]))
	}
	text := fmt.Sprintf("%s to %s: the full mix has %s dB, the missing part %s dB", words.Clock(m.From), words.Clock(m.To), words.Level(float64(m.Whole)), words.Level(float64(m.Lost)))
	if parts != nil {
		text += "; lost: " + strings.Join(parts, ", ")
	}
	return text
}
