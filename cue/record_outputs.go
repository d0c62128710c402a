package cue

import (
	"cmp"
	"fmt"
	"strings"

	"voicepool/bank/rules"
	"voicepool/internal/sheet/fields"
	"voicepool/internal/sheet/parse"
	"voicepool/internal/sheet/yaml"
	"voicepool/mixer"
)

// addOutputs appends the outputs of the mixer configuration c to s.Outputs. The gain, the filters and the effects of
// the first output are moved to s.Master, because a sheet has them there. An output without a channel gets the two
// channels after the previous output. If an output has an insert, the error wraps ErrRecord.
func (s *Sheet) addOutputs(c *mixer.Config) error {
	next := 1
	for i, o := range c.Outputs {
		if o.Insert != nil {
			return fmt.Errorf("%w: output %s has an insert", ErrRecord, yaml.Quote(o.Name))
		}
		if o.Channel == 0 {
			o.Channel = next
		}
		next = o.Channel + 2
		if i == 0 && o.Gain != 0 { // the gain of the master
			s.Master.Gain, o.Gain = o.Gain, 0
		}
		if i == 0 {
			m := &s.Master
			m.LowPass, m.HighPass = cmp.Or(o.LowPass, m.LowPass), cmp.Or(o.HighPass, m.HighPass)
			o.LowPass, o.HighPass = 0, 0
			if len(o.Effects) > 0 {
				m.Effects, o.Effects = o.Effects, nil
			}
		}
		s.Outputs = append(s.Outputs, rules.Output{Name: o.Name, Channel: o.Channel, Gain: o.Gain, LowPass: o.LowPass, HighPass: o.HighPass, Effects: o.Effects})
	}
	return nil
}

// writeOutputs writes the key `outputs` of a sheet with all outputs to b. Without outputs it writes no key.
func writeOutputs(b *strings.Builder, outputs []rules.Output) {
	if len(outputs) > 0 {
		b.WriteString("outputs:\n")
	}
	for i := range outputs {
		var l fields.Line
		l.Fields(parse.Output(&outputs[i]))
		writeEffects(&l, outputs[i].Effects)
		fmt.Fprintf(b, "  %s: {%s}\n", fields.Quoted(outputs[i].Name), &l)
	}
}
