package parse

import (
	"slices"

	"voicepool/bank/rules"
	"voicepool/internal/sheet/fields"
	"voicepool/internal/sheet/yaml"
)

// MaxLayers is the largest number of sounds in one play.
const MaxLayers = 8

// layerName is the sound name of a layer. The sound may be defined later in the file.
type layerName struct {
	at    yaml.Position
	sound string
}

// layerFields returns the fields of a layer, which parse into l.
func layerFields(l *rules.Layer) []fields.Field {
	return []fields.Field{{Key: "sound", To: &l.Sound}, {Key: "delay", To: &l.Delay}}
}

// parseLayers parses the layers of a sound from p, a list of sound names or mappings, and appends them to s.Layers and
// r.layerNames; checkLayers checks the names later. It records errors. The result is false if the value is not a list
// of 1 to MaxLayers entries.
func (r *Reader) parseLayers(p *yaml.Pair, s *rules.Sound) bool {
	if p.Value.Kind != yaml.List || len(p.Value.Items) == 0 || len(p.Value.Items) > MaxLayers {
		r.Fail(p.Value.Position, "layers takes a list of 1 to %d sounds", MaxLayers)
		return false
	}
	for _, n := range p.Value.Items {
		l, at := rules.Layer{Sound: n.Text}, n.Position
		if n.Kind != yaml.Scalar {
			r.Read(n, "a layer", layerFields(&l))
			if sound := fields.Find(n, "sound"); sound != nil {
				at = sound.Value.Position
			} else if n.Kind == yaml.Mapping && fields.Missing(n, "sound") {
				r.Fail(n.Position, "a layer needs `sound`, the name of its sound")
			}
		}
		s.Layers = append(s.Layers, l)
		r.layerNames = append(r.layerNames, layerName{at, l.Sound})
	}
	return true
}

// layeredKeys are the keys of a sound with layers. Their values apply to all layers.
var layeredKeys = []string{"layers", "parameters", "gain", "pitch", "speed", "pan", "priority", "importance"}

// checkLayeredKeys records an error for each key that a sound with layers cannot have. p is the pair of the sound,
// whose value is its mapping.
func (r *Reader) checkLayeredKeys(p *yaml.Pair) {
	for _, pair := range p.Value.Pairs {
		if !slices.Contains(layeredKeys, pair.Key) {
			r.Fail(pair.Position, "%s is a key of the layers' sounds; a sound with layers takes %s", pair.Key, fields.Join(layeredKeys[1:]))
		}
	}
}

// checkLayers records an error for each layer whose sound is unknown or has layers itself. All sounds must have been
// parsed before.
func (r *Reader) checkLayers() {
	for _, n := range r.layerNames {
		i, known := r.Sounds[n.sound]
		switch {
		case n.sound == "":
		case !known:
			r.Fail(n.at, "layers: there is no sound %s in `sounds`%s", yaml.Quote(n.sound), r.Suggest(n.sound, func() []string { return fields.Sorted(r.Sounds) }))
		case r.rules.Sounds[i].Layers != nil:
			r.Fail(n.at, "layers: the sound %s has layers itself; name its layers instead", yaml.Quote(n.sound))
		}
	}
}
