package cue

import (
	"voicepool/internal/sheet/fields"
	"voicepool/internal/sheet/yaml"
	"voicepool/mixer"
	"voicepool/pcm"
	"voicepool/sounds"
)

// chooseFadeShape sets the default shape of a fade in the list of cues. d has its values, and n is its YAML node. The
// shape becomes a raised cosine if the verb of n is fade, n sets no shape, and the fade begins or ends at silence.
// (Two crossing fades that are straight in decibels would leave a hole in the middle.) All other cues keep their
// shape.
//
// The parameter target is the pair of n that names the bus or id, or nil. The function must be called for each cue in
// sheet order, because it records in d.silent which buses and ids are silent after the cue.
func (d *draft) chooseFadeShape(n *yaml.Node, target *yaml.Pair) {
	if d.silent == nil {
		d.silent = map[string]bool{}
		for i := range d.sheet.Buses {
			d.silent[d.sheet.Buses[i].Name] = d.sheet.Buses[i].Gain <= pcm.Silence
		}
		for i := range d.sheet.Outputs {
			d.silent[d.sheet.Outputs[i].Name] = d.sheet.Outputs[i].Gain <= pcm.Silence
		}
		d.silent["master"] = d.sheet.Master.Gain <= pcm.Silence
	}
	name, gain := d.play.ID, d.play.Gain
	switch {
	case d.verb == VerbPlay:
	case target == nil || d.set.Change.Fields&mixer.FieldGain == 0:
		return
	default:
		name, gain = target.Value.Text, d.set.Change.Gain
	}
	silent := gain <= pcm.Silence
	if d.List > 0 && d.verb == VerbFade && fields.Missing(n, "shape") && (silent || d.silent[name]) {
		d.set.Change.Shape = sounds.RaisedCosine
	}
	d.silent[name] = silent
}
