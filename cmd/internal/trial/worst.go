package trial

import (
	"fmt"
	"strings"

	"voicepool/cue/report"
	"voicepool/internal/loudness"
	"voicepool/internal/steal"
	"voicepool/internal/words"
	"voicepool/pcm"
)

// Moment is where a mix lacks most.
type Moment struct {
	Seconds float64        `json:"seconds"`      // the middle of it
	From    float64        `json:"from_seconds"` //
	To      float64        `json:"to_seconds"`   //
	Lost    report.Level   `json:"lost_db"`      // the K-weighted level of what is missing
	Whole   report.Level   `json:"reference_db"` // and of all that there should be
	Missing map[string]int `json:"missing"`      // the voices that should be heard, by sound
}

// worstFor is how long a moment is, in tenths of a second: the time after which
// loudness is felt.
const worstFor = 4

// findWorst returns the 400 ms in which the difference of two mixes is strongest,
// in steps of 100 ms; nil when there is none.
func (k *Comparison) findWorst(whole, limited *Run) *Moment {
	rate := k.Sheet.Rate
	step := int(loudness.StepFrames(rate))
	lost, all := stepPowers(k.reference.Difference(limited.Mix), rate, step), stepPowers(whole.Mix, rate, step)
	best, most := -1, 1e-12 // below -120 dB nothing is lost
	for i := range lost {
		if p := powerOf(lost, i); p > most {
			best, most = i, p
		}
	}
	if best < 0 {
		return nil
	}
	from := int64(best * step)
	to := min(from+int64(worstFor*step), int64(len(whole.Mix)))
	return &Moment{
		Seconds: float64(from+to) / 2 / float64(rate), From: float64(from) / float64(rate), To: float64(to) / float64(rate),
		Lost: report.Level(pcm.FromPower(most)), Whole: report.Level(pcm.FromPower(powerOf(all, best))),
		Missing: missingVoices(whole, limited, from, to),
	}
}

// stepPowers returns the K-weighted power of each step, both channels together.
func stepPowers(mix []pcm.Frame, rate, step int) []float64 {
	powers := make([]float64, (len(mix)+step-1)/step)
	for i, p := range steal.Powers(rate, mix) {
		powers[i/step] += p / float64(step)
	}
	return powers
}

// powerOf is the mean power of a moment that begins with a step.
func powerOf(powers []float64, i int) float64 {
	sum := 0.0
	for _, p := range powers[i:min(i+worstFor, len(powers))] {
		sum += p
	}
	return sum / worstFor
}

// heardFor returns for how many frames of a stretch each start is heard, and of which
// sound it is.
func heardFor(r *Run, from, to int64) (frames map[ask]int64, sounds map[ask]string) {
	frames, sounds = map[ask]int64{}, map[ask]string{}
	for _, s := range spells(r.Report.Events) {
		if n := min(s.to, to) - max(s.from, from); n > 0 {
			frames[s.ask] += n
			sounds[s.ask] = s.sound
		}
	}
	return frames, sounds
}

// missingVoices counts, by sound, the starts that are heard for less of a stretch
// in one run than in the other, by at least a tenth of it.
func missingVoices(whole, limited *Run, from, to int64) map[string]int {
	should, sounds := heardFor(whole, from, to)
	is, _ := heardFor(limited, from, to)
	missing := map[string]int{}
	for a, n := range should {
		if 10*(n-is[a]) >= to-from {
			missing[sounds[a]]++
		}
	}
	return missing
}

// String tells it in words.
func (m *Moment) String() string {
	var parts []string
	for i, name := range words.Ranked(m.Missing) {
		if i == 4 {
			parts = append(parts, "...")
			break
		}
		parts = append(parts, fmt.Sprintf("%s %d", words.OneLine(name), m.Missing[name]))
	}
	text := fmt.Sprintf("%s to %s: the mix should have %s dB, what is missing has %s dB", words.Clock(m.From), words.Clock(m.To), words.Level(float64(m.Whole)), words.Level(float64(m.Lost)))
	if parts != nil {
		text += "; lost: " + strings.Join(parts, ", ")
	}
	return text
}
