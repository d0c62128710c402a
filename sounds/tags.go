package sounds

import (
	"encoding/binary"
	"strconv"
	"strings"
)

// parseComments splits a block of Vorbis comments, as FLAC and Ogg have it,
// into its entries "KEY=value". What is faulty ends the list: tags are not what
// a sound is refused for.
func parseComments(b []byte) []string {
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

// applyTags takes the loop points from comments, under any of the names that
// are in use, and the gain.
func applyTags(c *Clip, tags []string) { applyTagsTo(c, tags, c.Frames()) }

// applyTagsTo is applyTags for a clip of so many frames.
func applyTagsTo(c *Clip, tags []string, frames int64) {
	values, number := map[string]string{}, map[string]int64{}
	for _, tag := range tags {
		key, value, ok := strings.Cut(tag, "=")
		if !ok {
			continue
		}
		key, value = strings.ToUpper(key), strings.TrimSpace(value)
		values[key] = value
		if n, err := strconv.ParseInt(value, 10, 64); err == nil && n >= 0 && n < 1<<40 {
			number[key] = n
		}
	}
	c.setGain(values)
	from, ok := firstOf(number, "LOOPSTART", "LOOP_BEGIN", "LOOP_START")
	if !ok {
		return
	}
	to := frames
	if n, ok := number["LOOPLENGTH"]; ok {
		to = from + n
	} else if n, ok := firstOf(number, "LOOP_END", "LOOPEND"); ok {
		to = n
	}
	c.setLoopWithin(from, to, frames)
}

func firstOf(m map[string]int64, keys ...string) (int64, bool) {
	for _, k := range keys {
		if n, ok := m[k]; ok {
			return n, true
		}
	}
	return 0, false
}
