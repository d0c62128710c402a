package service

import (
	"encoding/json"
	"maps"
	"math"
	"net/http"
	"slices"
	"time"

	"voicepool/cmd/internal/serve/room"
	"voicepool/internal/words"
)

// playFields are the fields of a play order.
var playFields = []string{"sound", "gain", "pan", "pitch", "speed", "lowpass", "highpass", "bus", "loop", "priority", "protect", "owner", "id", "fade_in", "from", "for", "at", "frame"}

// play carries out the order "play", which starts a sound in r. It returns the HTTP status and the result: 201 with
// the voice that has begun, 202 with a pending start, or a problem.
func play(r *room.Room, o *Order) (int, any) {
	f := parseObject(o.With, "", playFields...)
	order := f.play()
	if f.wrong != nil {
		return answer(f.wrong)
	}
	v, err := r.Play(order)
	if err != nil {
		return answer(err)
	}
	return startStatus(&v), &v
}

// startStatus returns the HTTP status of the successful start v: 202 if it is pending, otherwise 201.
func startStatus(v *room.PlayResult) int {
	if v.State == "pending" {
		return http.StatusAccepted
	}
	return http.StatusCreated
}

// play reads the fields of a play order; sound is required. Other absent fields have their zero values. If an error is
// in o.wrong, the result must not be used. play does not check the ranges of values.
func (o *jsonObject) play() room.PlayRequest {
	o.needs("sound")
	return room.PlayRequest{
		Sound: o.text("sound"), Gain: some(o.number("gain")), Pan: some(o.number("pan")), Pitch: some(o.number("pitch")), Speed: some(o.number("speed")),
		LowPass: o.cutoff("lowpass"), HighPass: o.cutoff("highpass"),
		Bus: o.text("bus"), Loop: o.truth("loop"), Priority: short(some(o.whole("priority"))), Protect: some(o.truth("protect")),
		Owner: o.name("owner"), ID: o.name("id"), FadeIn: some(o.time("fade_in")), From: some(o.time("from")), For: some(o.length("for")), When: o.when(),
	}
}

// short converts n to an int, clamped to 32 bits. Larger numbers are out of range for every field anyway.
func short(n int64) int { return int(min(max(n, math.MinInt32), math.MaxInt32)) }

// when reads the moment of an order from the field frame, a frame of the room, or the field at, the time since the
// room began. Without both, it returns the zero Moment: now. Both at once and a negative frame are recorded as errors
// of o.
func (o *jsonObject) when() room.Moment {
	m := room.Moment{Frame: some(o.whole("frame")), At: o.time("at")}
	if m.Frame < 0 {
		o.fault("frame", "is negative")
	}
	if m.At != nil && o.raw("frame") != nil {
		o.fault("at", "give either at or frame, not both")
	}
	return m
}

// setFields are the fields of a set order.
var setFields = []string{"gain", "pan", "pitch", "speed", "lowpass", "highpass", "over", "seek", "pause", "loop", "priority", "shape", "at", "frame"}

// set carries out the order "set", which changes properties of the voices that o.Voice, a number or an id, selects. It
// returns the HTTP status and the numbers of the voices, or a problem.
func set(r *room.Room, o *Order) (int, any) {
	f := parseObject(o.With, "", setFields...)
	m := f.move()
	if f.wrong != nil {
		return answer(f.wrong)
	}
	return voices(r.Set(o.Voice, m))
}

// move reads the fields of a set order. Absent properties are nil, which leaves them unchanged. If an error is in
// o.wrong, the result must not be used. move does not check the ranges of values.
func (o *jsonObject) move() room.VoiceChange {
	m := room.VoiceChange{
		Gain: o.number("gain"), Pan: o.number("pan"), Pitch: o.number("pitch"), Speed: o.number("speed"),
		LowPass: o.cutoff("lowpass"), HighPass: o.cutoff("highpass"),
		Over: some(o.time("over")), Shape: o.text("shape"), Seek: o.time("seek"), Pause: o.truth("pause"), Loop: o.truth("loop"), When: o.when(),
	}
	if p := o.whole("priority"); p != nil {
		m.Priority = new(short(*p))
	}
	return m
}

// stopFields are the fields of a stop order.
var stopFields = []string{"over", "at", "frame"}

// stop carries out the order "stop", which fades out the voices that o.Voice, a number or an id, selects. It returns
// the HTTP status and the numbers of the voices, or a problem.
func stop(r *room.Room, o *Order) (int, any) {
	f := parseObject(o.With, "", stopFields...)
	over, when := f.stop()
	if f.wrong != nil {
		return answer(f.wrong)
	}
	return voices(r.Stop(o.Voice, over, when))
}

// stop reads the fields of a stop order: over, the length of the fade, 0 if absent, and the moment. If an error is in
// o.wrong, the results must not be used.
func (o *jsonObject) stop() (over time.Duration, when room.Moment) {
	return some(o.time("over")), o.when()
}

// moved is the answer to a set or stop order: the affected voices.
type moved struct {
	Voices []uint64 `json:"voices"`
}

// voices returns the HTTP status and the body of an order that has changed voices: 200 with their numbers, a list
// that is never null, or the problem of err if err is not nil.
func voices(numbers []uint64, err error) (int, any) {
	if err != nil {
		return answer(err)
	}
	if numbers == nil {
		numbers = []uint64{}
	}
	return http.StatusOK, &moved{numbers}
}

// busFields are the fields of a bus order, and duckFields those in its duck object.
var (
	busFields  = []string{"gain", "lowpass", "highpass", "mute", "solo", "over", "duck", "effects", "sends", "at", "frame"}
	duckFields = []string{"when", "by", "above", "attack", "hold", "release"}
)

// bus carries out the order "bus", which changes the bus o.Bus. It returns the HTTP status and the new state of the
// bus, or a problem.
func bus(r *room.Room, o *Order) (int, any) {
	f := parseObject(o.With, "", busFields...)
	fader := f.fader()
	if f.wrong != nil {
		return answer(f.wrong)
	}
	b, err := r.SetBus(o.Bus, fader)
	if err != nil {
		return answer(err)
	}
	return http.StatusOK, &b
}

// gains reads the field key, an object that maps names to gains in dB, such as -6 or "-6dB". It returns nil if the
// field is absent or empty. An invalid gain is left out of the result and recorded as an error of o.
func (o *jsonObject) gains(key string) map[string]float64 {
	var read map[string]json.RawMessage
	o.decodeMap(key, &read, "an object of gains in dB, such as {\"hall\": -6}")
	var all map[string]float64
	for _, name := range slices.Sorted(maps.Keys(read)) {
		v := read[name]
		x, ok := decibels(v)
		if !ok && json.Unmarshal(v, &x) != nil || string(v) == "null" {
			o.fault(key+"."+words.OneLine(name), "it takes a gain in dB, such as -6 or \"-6dB\", not "+words.OneLine(string(v)))
			continue
		}
		if all == nil {
			all = map[string]float64{}
		}
		all[name] = x
	}
	return all
}

// fader reads the fields of a bus order. Absent properties are nil, which leaves them unchanged; a duck of null gives
// a zero Duck, which ends the ducking. A duck object requires when and by. If an error is in o.wrong, the result must
// not be used.
func (o *jsonObject) fader() room.BusChange {
	f := room.BusChange{Gain: o.number("gain"), LowPass: o.cutoff("lowpass"), HighPass: o.cutoff("highpass"), Mute: o.truth("mute"), Solo: o.truth("solo"), Over: some(o.time("over")), When: o.when()}
	o.decodeMap("effects", &f.Effects, "an object of effects, such as {\"reverb\": {\"time\": 4}}")
	f.Sends = o.gains("sends")
	switch v := o.raw("duck"); {
	case v == nil:
	case string(v) == "null":
		f.Duck = &room.Duck{}
	default:
		d := parseObject(v, o.at+"duck.", duckFields...)
		d.needs("when", "by")
		f.Duck = &room.Duck{
			When: d.text("when"), By: some(d.number("by")), Above: d.number("above"),
			Attack: some(d.time("attack")), Hold: some(d.time("hold")), Release: some(d.time("release")),
		}
		if o.wrong == nil {
			o.wrong = d.wrong
		}
	}
	return f
}
