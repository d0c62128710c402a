// Package words formats names, counts and times for lines of plain text.
package words

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math"
	"slices"
	"strings"
	"time"
)

// OneLine returns text as one line. It replaces control characters, which file names may contain, by spaces.
func OneLine(text string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return ' '
		}
		return r
	}, strings.TrimSpace(text))
}

// Name returns the element of names with the index value; beyond their end it returns what and the number, such as
// "kind(9)".
func Name[T ~uint8](what string, value T, names []string) string {
	if int(value) < len(names) {
		return names[value]
	}
	return fmt.Sprintf("%s(%d)", what, value)
}

// Names returns the name of each element of a list, in order. The parameter name returns the name of an element.
func Names[T any](list []T, name func(*T) string) []string {
	names := make([]string, len(list))
	for i := range list {
		names[i] = name(&list[i])
	}
	return names
}

// Parse returns the index of name in names, the inverse of Name. For any other name the error names the nearest one.
// kind describes the value for the error, such as "policy".
func Parse[T ~uint8](kind, name string, names []string) (T, error) {
	i := slices.Index(names, name)
	if i < 0 {
		return 0, fmt.Errorf("unknown %s %q; the nearest is %q", kind, name, Nearest(name, names))
	}
	return T(i), nil
}

// Count formats a number with a noun, given in the singular, and adds an s to the noun unless n is 1: "1 voice", "2
// voices".
func Count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// Ranked returns the keys of a count, the most frequent first; equally frequent ones are sorted.
func Ranked(n map[string]int) []string {
	return slices.SortedFunc(maps.Keys(n), func(x, y string) int {
		return cmp.Or(cmp.Compare(n[y], n[x]), cmp.Compare(x, y))
	})
}

// Tally formats the sum of a count, with its six most frequent keys first: "34 (bell 20, drip 14)".
func Tally(n map[string]int) string {
	sum := 0
	var parts []string
	for _, name := range Ranked(n) {
		sum += n[name]
		part := OneLine(name)
		if n[name] > 1 {
			part += fmt.Sprintf(" %d", n[name])
		}
		parts = append(parts, part)
	}
	if len(parts) > 6 {
		parts = append(parts[:6], "...")
	}
	return fmt.Sprintf("%d (%s)", sum, strings.Join(parts, ", "))
}

// Seconds formats a number of frames at a rate in Hz as a time, to a tenth of a second: "2.5 s", "1m2.5s".
func Seconds(frames int64, rate int) string {
	s := float64(frames) / float64(rate)
	if s >= 60 {
		return (time.Duration(s*10) * time.Second / 10).String()
	}
	return fmt.Sprintf("%.1f s", s)
}

// Clock formats a time in seconds, to the millisecond: "1.250 s", "2:05.000".
func Clock(seconds float64) string {
	if seconds < 60 {
		return fmt.Sprintf("%.3f s", seconds)
	}
	return fmt.Sprintf("%d:%06.3f", int(seconds/60), seconds-60*float64(int(seconds/60)))
}

// Level formats a level in decibels to a tenth, without a unit. Silence is "-inf".
func Level(db float64) string {
	if math.IsInf(db, -1) {
		return "-inf"
	}
	return fmt.Sprintf("%.1f", db)
}

// Cause returns the underlying error of an fs.PathError that err wraps, without the operation and the file name,
// which the message already contains; otherwise err.
func Cause(err error) error {
	var at *fs.PathError
	if errors.As(err, &at) {
		return at.Err
	}
	return err
}

// packages are prefixes of errors that do not help a user of the command.
var packages = [...]string{"cue: ", "sounds: ", "wav: ", "oto: ", "pulse: ", "mixer: ", "voice: ", "watch: "}

// Plain returns the message of an error as one line, without the package prefix.
func Plain(err error) string {
	line := OneLine(err.Error())
	for _, name := range packages {
		line = strings.TrimPrefix(line, name)
	}
	return line
}

// Nearest returns the element of names nearest to a given name, or the first of several; "" if names is empty. An
// element that begins with the name is the nearest of all.
func Nearest(name string, names []string) string {
	best, least := "", 0
	for _, n := range names {
		d := 0
		if name == "" || !strings.HasPrefix(n, name) { // a name that begins with the given text has distance 0
			d = Distance(name[:min(len(name), 64)], n)
		}
		if best == "" || d < least {
			best, least = n, d
		}
	}
	return best
}

// Distance returns the number of letters that must be inserted, deleted, replaced or swapped with a neighbour
// to turn a into b.
func Distance(a, b string) int {
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, last, row = last, row, before
	}
	return last[len(b)]
}
