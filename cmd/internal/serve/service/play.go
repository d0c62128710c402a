package service

import (
	"cmp"
	"encoding/json"
	"maps"
	"math"
	"net/http"
	"slices"
	"time"

	"voicepool/cmd/internal/serve/room"
	"voicepool/internal/property"
	"voicepool/internal/words"
	"voicepool/mixer"
)

// filterKeys are the fields for the filters of a voice.
var filterKeys = words.Names(property.Filters()[:], func(p *property.Property) string { return p.Key })

// filters reads the filters of a voice. A filter that is absent is nil in the result.
func (o *jsonObject) filters() (f mixer.FilterOverrides) {
	for i, x := range f.FilterFields() {
		if p := &property.Filters()[i]; p.IsCutoff() {
			*x = o.cutoff(p.Key)
		} else {
			*x = o.number(p.Key)
		}
	}
	return f
}

// playFields are the fields of a play order.
var playFields = slices.Concat([]string{"sound", "gain", "pan", "pitch", "speed"}, filterKeys, []string{"bus", "loop", "priority", "importance", "protect", "owner", "id", "fade_in", "from", "for", "at", "frame"})

// play carries out the order "play": it starts a sound in the room r. o.With is the JSON body. play returns the HTTP
// status and the body of the answer. The status is 201 for a voice that has begun, and 202 for a start that is still
// pending. The body is then a *room.PlayResult. Otherwise the body is a *problemjson.Problem, the reason why the start
// failed.
func play(r *room.Room, o *Order) (int, any) {
	f := parseObject(o.With, "", playFields...)
	order := f.play()
	if f.err != nil {
		return errorReply(f.err)
	}
	v, err := r.Play(order)
	if err != nil {
		return errorReply(err)
	}
	return startStatus(&v), &v
}

// startStatus returns the HTTP status for v, a start of a sound that has succeeded. If the start is still pending, the
// status is 202, otherwise 201.
func startStatus(v *room.PlayResult) int {
	if v.State == "pending" {
		return http.StatusAccepted
	}
	return http.StatusCreated
}

// play reads the fields of a play order from the JSON object o. Only the field sound is required. Some absent fields
// are nil, the others zero. If an error is in o.err afterwards, the result must not be used. An empty "owner" or "id",
// a "for" of 0, and a negative "frame" are errors. A priority is clamped to 32 bits. Other ranges are not checked.
func (o *jsonObject) play() room.PlayRequest {
	o.require("sound")
	return room.PlayRequest{
		Sound: o.text("sound"), Gain: orZero(o.number("gain")), Pan: orZero(o.number("pan")), Pitch: orZero(o.number("pitch")), Speed: orZero(o.number("speed")),
		FilterOverrides: o.filters(),
		Bus:             o.text("bus"), Loop: o.boolean("loop"), Priority: clampInt32(orZero(o.integer("priority"))), Importance: orZero(o.number("importance")), Protect: orZero(o.boolean("protect")),
		Owner: o.name("owner"), ID: o.name("id"), FadeIn: orZero(o.time("fade_in")), From: orZero(o.time("from")), For: orZero(o.positiveTime("for")), When: o.when(),
	}
}

// clampInt32 converts n to an int, clamped to 32 bits. Larger numbers are out of range for every field anyway.
func clampInt32(n int64) int { return int(min(max(n, math.MinInt32), math.MaxInt32)) }

// when reads from o the moment of an order. The field frame is a frame of the room. The field at is the time since the
// room began. Without both, or with a frame of 0, when returns the zero Moment, which means now. If both fields exist
// or frame is negative, when records an error of o.
func (o *jsonObject) when() room.Moment {
	m := room.Moment{Frame: orZero(o.integer("frame")), At: o.time("at")}
	if m.Frame < 0 {
		o.fail("frame", "is negative")
	}
	if m.At != nil && o.raw("frame") != nil {
		o.fail("at", "give either at or frame, not both")
	}
	return m
}

// setFields are the fields of a set order.
var setFields = slices.Concat([]string{"gain", "pan", "pitch", "speed"}, filterKeys, []string{"over", "seek", "pause", "loop", "priority", "shape", "at", "frame"})

// set carries out the order "set": it changes properties of voices in the room r. o.Voice, a start's number or an id,
// selects the voices. o.With has the properties as JSON. set returns the HTTP status and the body of the answer. The
// body has the numbers of the voices, or is a *problemjson.Problem that explains a failure.
func set(r *room.Room, o *Order) (int, any) {
	f := parseObject(o.With, "", setFields...)
	m := f.voiceChange()
	if f.err != nil {
		return errorReply(f.err)
	}
	return voices(r.Set(o.Voice, m))
}

// voiceChange reads the fields of a set order from the JSON object o. A property that is absent is nil in the result,
// which leaves it unchanged. But an absent "over", the length of a fade, is 0, and an absent "shape" is "". If an error
// is in o.err afterwards, the result must not be used. A priority is clamped to 32 bits. Of the ranges, only a negative
// frame is checked.
func (o *jsonObject) voiceChange() room.VoiceChange {
	m := room.VoiceChange{
		Gain: o.number("gain"), Pan: o.number("pan"), Pitch: o.number("pitch"), Speed: o.number("speed"),
		FilterOverrides: o.filters(),
		Over:            orZero(o.time("over")), Shape: o.text("shape"), Seek: o.time("seek"), Pause: o.boolean("pause"), Loop: o.boolean("loop"), When: o.when(),
	}
	if p := o.integer("priority"); p != nil {
		m.Priority = new(clampInt32(*p))
	}
	return m
}

// stopFields are the fields of a stop order.
var stopFields = []string{"over", "at", "frame"}

// stop carries out the order "stop": it fades out voices in the room r. o.Voice, a start's number or an id, selects the
// voices. o.With is a JSON object with the length of the fade and the moment. stop returns the HTTP status and the body
// of the answer. The body contains the numbers of the voices, or is a *problemjson.Problem that explains a failure.
func stop(r *room.Room, o *Order) (int, any) {
	f := parseObject(o.With, "", stopFields...)
	over, when := f.stop()
	if f.err != nil {
		return errorReply(f.err)
	}
	return voices(r.Stop(o.Voice, over, when))
}

// stop reads the fields of a stop order from the JSON object o. over is the length of the fade, 0 if absent. when is
// the beginning of the fade, by default now. If an error is in o.err afterwards, the results must not be used.
func (o *jsonObject) stop() (over time.Duration, when room.Moment) {
	return orZero(o.time("over")), o.when()
}

// voicesReply is the answer to a set or stop order: the affected voices.
type voicesReply struct {
	Voices []uint64 `json:"voices"`
}

// voices returns the HTTP status and the body of an order that has changed voices. numbers are the numbers of these
// voices; the JSON body has a list even if numbers is nil. If err is not nil, voices returns the status and problem of
// err instead.
func voices(numbers []uint64, err error) (int, any) {
	if err != nil {
		return errorReply(err)
	}
	if numbers == nil {
		numbers = []uint64{}
	}
	return http.StatusOK, &voicesReply{numbers}
}

// busFields are the fields of a bus order, and duckFields those in its duck object.
var (
	busFields  = []string{"gain", "volume", "lowpass", "highpass", "mute", "solo", "over", "duck", "effects", "sends", "at", "frame"}
	duckFields = []string{"when", "by", "above", "attack", "hold", "release"}
)

// bus carries out the order "bus": it changes properties of the bus o.Bus in the room r. o.With has the properties as
// JSON. bus returns the HTTP status and the body of the answer. The body is the new state of the bus, or a
// *problemjson.Problem that explains a failure.
func bus(r *room.Room, o *Order) (int, any) {
	f := parseObject(o.With, "", busFields...)
	change := f.busChange()
	if f.err != nil {
		return errorReply(f.err)
	}
	b, err := r.SetBus(o.Bus, change)
	if err != nil {
		return errorReply(err)
	}
	return http.StatusOK, &b
}

// gains reads the field key of o, a JSON object that maps names to gains in dB, such as -6 or "-6dB". It returns nil if
// the field is absent or empty. An invalid gain is left out of the result and recorded as an error of o.
func (o *jsonObject) gains(key string) map[string]float64 {
	var read map[string]json.RawMessage
	o.decodeMap(key, &read, "an object of gains in dB, such as {\"hall\": -6}")
	var all map[string]float64
	for _, name := range slices.Sorted(maps.Keys(read)) {
		v := read[name]
		x, ok := decibels(v)
		if !ok && json.Unmarshal(v, &x) != nil || string(v) == "null" {
			o.fail(key+"."+words.OneLine(name), "it takes a gain in dB, such as -6 or \"-6dB\", not "+words.OneLine(string(v)))
			continue
		}
		if all == nil {
			all = map[string]float64{}
		}
		all[name] = x
	}
	return all
}

// busChange reads the fields of a bus order from the JSON object o. A property that is absent is nil in the result,
// which leaves it unchanged. But an absent "over", the length of a fade, is 0. The field duck lowers the bus while
// another is audible, and requires the fields when and by. A duck of null gives a zero Duck, which ends the ducking. If
// an error is in o.err afterwards, the result must not be used.
func (o *jsonObject) busChange() room.BusChange {
	f := room.BusChange{Gain: o.number("gain"), Volume: o.number("volume"), LowPass: o.cutoff("lowpass"), HighPass: o.cutoff("highpass"), Mute: o.boolean("mute"), Solo: o.boolean("solo"), Over: orZero(o.time("over")), When: o.when()}
	o.decodeMap("effects", &f.Effects, "an object of effects, such as {\"reverb\": {\"time\": 4}}")
	f.Sends = o.gains("sends")
	switch v := o.raw("duck"); {
	case v == nil:
	case string(v) == "null":
		f.Duck = &room.Duck{}
	default:
		d := parseObject(v, o.prefix+"duck.", duckFields...)
		d.require("when", "by")
		f.Duck = &room.Duck{
			When: d.text("when"), By: orZero(d.number("by")), Above: d.number("above"),
			Attack: orZero(d.time("attack")), Hold: orZero(d.time("hold")), Release: orZero(d.time("release")),
		}
		o.err = cmp.Or(o.err, d.err)
	}
	return f
}
