package rules

import (
	"fmt"
	"strconv"
	"strings"

	"voicepool/internal/sheet/yaml"
)

// Music is a theme: segments that follow each other in musical time.
type Music struct {
	Line, Column int
	Name         string
	Segments     []Segment // at least one; the first begins
	Transitions  []Transition
}

// Transition is a row of the transitions of a theme. The first row that matches applies.
type Transition struct {
	From, To  string     // names of segments; empty: any
	At        MusicPoint // zero: the exits of the segment
	FadeOut   Time       // of the segment that ends; 0: a tail of 10 ms
	Crossfade MusicLength
	Stinger   string // a sound that starts at the exit; may be empty
}

// MusicLength is a length in bars, in beats or as a time. The other two fields are 0.
type MusicLength struct {
	Bars, Beats int
	Time        Time
}

// Segment is a part of a theme.
type Segment struct {
	Line, Column int
	Name         string        // without the name of the theme
	Sound        string        // its sound in Rules.Sounds, THEME.SEGMENT; Sound.Then is the next segment
	Tempo        []TempoChange // in the order of their bars; the first is at bar 1
	Offset       Time          // of bar 1 in the file, if HasOffset is set; otherwise it is the pickup
	HasOffset    bool
	Markers      []Marker
	Exits        []MusicPoint // at least one
	Pickup       MusicLength  // how long before the exit of another segment this one begins
}

// TempoChange is an entry of a tempo map. It takes effect at the beginning of a bar.
type TempoChange struct {
	Bar   int     // from 1
	BPM   float64 // quarter notes per minute, with at most 6 decimals; 0: unchanged
	Ramp  bool    // BPM is reached at Bar, in equal steps once a beat since the last change of the tempo
	Meter Meter   // zero: unchanged
}

// Meter is a time signature, such as 7/8.
type Meter struct {
	Beats int // per bar
	Unit  int // the note value of a beat: 4 is a quarter note
}

// Marker is a named place in a segment.
type Marker struct {
	Line, Column int
	Name         string
	Bar, Beat    int  // from 1; 0: the marker is at Time
	Time         Time // in the file
}

// MusicPoint is a kind of point in musical time: beats, bars or a marker. The zero MusicPoint never occurs.
type MusicPoint struct {
	Beat   bool   // every beat
	Bars   int    // every bar whose number is 1 plus a multiple of Bars; 0: no bars
	Marker string // with or without the name of its segment: drop, explore.drop
}

// MaxMusicBars is the maximum of MusicPoint.Bars.
const MaxMusicBars = 10000

// ParseMusicPoint parses a point: "beat", "bar", "4 bars" or "marker NAME", each also after the word "next".
func ParseMusicPoint(text string) (MusicPoint, error) {
	what := strings.TrimPrefix(text, "next ")
	switch what {
	case "beat":
		return MusicPoint{Beat: true}, nil
	case "bar":
		return MusicPoint{Bars: 1}, nil
	}
	if name, ok := strings.CutPrefix(what, "marker "); ok && name != "" {
		return MusicPoint{Marker: name}, nil
	}
	if count, ok := strings.CutSuffix(what, " bars"); ok {
		if n, err := strconv.Atoi(count); err == nil && n >= 1 && n <= MaxMusicBars {
			return MusicPoint{Bars: n}, nil
		}
	}
	return MusicPoint{}, fmt.Errorf("%s is not a point in musical time; write beat, bar, 4 bars (1 to %d) or marker NAME", yaml.Quote(text), MaxMusicBars)
}
