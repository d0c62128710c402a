package record

import (
	"fmt"
	"strings"

	"voicepool/internal/sheet/fields"
	"voicepool/internal/sheet/parse"
	"voicepool/space"
)

// limitDoppler returns a listener that sounds like l, for a recording. A sheet limits the Doppler effect and the speed
// of sound. If they are outside these limits, they are doubled or halved together, which sounds the same. A speed of
// sound that is too low is not doubled if the Doppler strength would then exceed its own limit.
func limitDoppler(l space.Listener) space.Listener {
	for l.Doppler > 0 && l.SpeedOfSound > parse.SpeedOfSound.To { // only the quotient matters
		l.Doppler, l.SpeedOfSound = l.Doppler/2, l.SpeedOfSound/2
	}
	for l.SpeedOfSound > 0 && l.SpeedOfSound < parse.SpeedOfSound.From && 2*l.Doppler <= parse.Doppler.To {
		l.Doppler, l.SpeedOfSound = 2*l.Doppler, 2*l.SpeedOfSound
	}
	return l
}

// writeEmitter writes the spatial keys of a sound to l: the values of e, except its position. Keys with their default
// values are left out, except `distance`.
func writeEmitter(l *fields.Line, e *space.Emitter) {
	writeDistance(l, "distance", &e.Attenuation)
	if e.SendAttenuation != (space.Attenuation{}) {
		writeDistance(l, "send_distance", &e.SendAttenuation)
	}
	if e.Air != 0 {
		l.Raw("air", fields.Shortest(e.Air))
	}
	if e.Cone != (space.Cone{}) {
		var cone fields.Line
		cone.Fields(parse.Cone(&e.Cone))
		l.Raw("cone", "{"+cone.String()+"}")
	}
	if e.Spread != 0 {
		l.Raw("spread", fields.Shortest(e.Spread))
	}
}

// writeDistance writes the attenuation a over distance to l, as the value of key.
func writeDistance(l *fields.Line, key string, a *space.Attenuation) {
	var distance fields.Line
	if t := a.Table; t != nil {
		distance.Raw("curve", "table")
		var points []string
		for _, p := range t.Points() {
			points = append(points, fmt.Sprintf("[%s, %s]", fields.Shortest(p.Distance), fields.Shortest(float64(p.Gain))))
		}
		distance.Raw("table", "["+strings.Join(points, ", ")+"]")
	} else {
		distance.Raw("curve", a.Curve.String())
		distance.Fields(parse.Distance(a))
	}
	l.Raw(key, "{"+distance.String()+"}")
}
