package source

import (
	"encoding/binary"
	"math"
	"strconv"
	"strings"

	"voicepool/pcm"
)

// Comments splits a block of Vorbis comments, as FLAC and Ogg have it,
// into its entries "KEY=value". What is faulty ends the list: tags are not what
// a sound is refused for.
func Comments(b []byte) []string {
	next := func() (string, bool) {
		if len(b) < 4 {
			return "", false
		}
		n := uint64(binary.LittleEndian.Uint32(b))
		b = b[4:]
		if n > uint64(len(b)) {
			return "", false
		}
		s := string(b[:n])
		b = b[n:]
		return s, true
	}
	if _, ok := next(); !ok || len(b) < 4 { // who wrote it
		return nil
	}
	count := binary.LittleEndian.Uint32(b)
	b = b[4:]
	var list []string
	for range count {
		s, ok := next()
		if !ok {
			break
		}
		list = append(list, s)
	}
	return list
}

// readTags returns the values of tags by their names in capitals, and those that
// are numbers.
func readTags(tags []string) (values map[string]string, numbers map[string]int64) {
	values, numbers = map[string]string{}, map[string]int64{}
	for _, tag := range tags {
		key, value, ok := strings.Cut(tag, "=")
		if !ok {
			continue
		}
		key, value = strings.ToUpper(key), strings.TrimSpace(value)
		values[key] = value
		if n, err := strconv.ParseInt(value, 10, 64); err == nil && n >= 0 && n < 1<<40 {
			numbers[key] = n
		}
	}
	return values, numbers
}

// Loop returns the part to repeat of a sound of so many frames, which tags tell
// before all else, under any of the names that are in use; nil where none lies
// within it.
func (h *Head) Loop(frames int64) *pcm.Loop {
	_, tags := readTags(h.Tags)
	if from, ok := firstOf(tags, "LOOPSTART", "LOOP_BEGIN", "LOOP_START"); ok {
		to := frames
		if n, ok := tags["LOOPLENGTH"]; ok {
			to = from + n
		} else if n, ok := firstOf(tags, "LOOP_END", "LOOPEND"); ok {
			to = n
		}
		if l := (pcm.Loop{from, to}); l.Inside(frames) {
			return &l
		}
	}
	if h.Smpl.Inside(frames) {
		return &h.Smpl
	}
	return nil
}

func firstOf(m map[string]int64, keys ...string) (int64, bool) {
	for _, k := range keys {
		if n, ok := m[k]; ok {
			return n, true
		}
	}
	return 0, false
}

// TagReference is the loudness to which the gain in a file's tags brings it:
// ReplayGain 2.0 has set it so. R128 tags mean -23.
const TagReference = -18

// MaxTagGain is the largest gain, up or down, that a tag is believed.
const MaxTagGain = 64

// Gain returns the gain from the tags, "REPLAYGAIN_TRACK_GAIN=-7.03 dB" before
// "R128_TRACK_GAIN=-1234", which counts in 256ths of a dB; nil: there is none that
// makes sense.
func (h *Head) Gain() *pcm.Decibels {
	values, _ := readTags(h.Tags)
	if text, ok := values["REPLAYGAIN_TRACK_GAIN"]; ok {
		fields := strings.Fields(strings.ToLower(text))
		if len(fields) == 2 && fields[1] == "db" {
			fields = fields[:1]
		}
		if len(fields) == 1 {
			x, err := strconv.ParseFloat(strings.TrimSuffix(fields[0], "db"), 64)
			if gain := Believed(x); err == nil && gain != nil {
				return gain
			}
		}
	}
	if text, ok := values["R128_TRACK_GAIN"]; ok {
		if n, err := strconv.ParseInt(text, 10, 16); err == nil {
			return Believed(float64(n)/256 + (TagReference - -23))
		}
	}
	return nil
}

// Believed returns a tag's gain; nil if it makes no sense.
func Believed(gain float64) *pcm.Decibels {
	if !(math.Abs(gain) <= MaxTagGain) {
		return nil
	}
	return (*pcm.Decibels)(&gain)
}
