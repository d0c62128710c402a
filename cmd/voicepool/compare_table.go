package main

import (
	"fmt"
	"io"
	"slices"
	"strings"
)

// column is a column of a table with two lines of heading.
type column[R any] struct {
	head, unit string
	width      int // negative: from the left
	cell       func(R) string
}

// printColumns prints a table; columns are two spaces apart.
func printColumns[R any](w io.Writer, columns []column[R], rows []R) {
	line := func(cell func(column[R]) string) {
		var cells []string
		for _, c := range columns {
			cells = append(cells, fmt.Sprintf("%*s", c.width, cell(c)))
		}
		fmt.Fprintln(w, strings.TrimRight(strings.Join(cells, "  "), " "))
	}
	line(func(c column[R]) string { return c.head })
	line(func(c column[R]) string { return c.unit })
	for _, r := range rows {
		line(func(c column[R]) string { return c.cell(r) })
	}
}

// widest is the width of a column of names.
func widest[R any](rows []R, least int, name func(R) string) int {
	for _, r := range rows {
		least = max(least, len(name(r)))
	}
	return -least
}

// printPolicies prints what each policy loses. Columns of virtual voices and of
// limits stand there if they have anything to say.
func printPolicies(w io.Writer, rows []policyRow) {
	name := func(r policyRow) string { return r.Policy }
	columns := []column[policyRow]{
		{"policy", "", widest(rows, 16, name), name},
		{"K-error", "dB", 7, func(r policyRow) string { return decibels(&r.KError) }},
		{"audible", "tiles", 8, func(r policyRow) string { return percent(&r.Tiles) }},
		{"stolen", "by pool", 8, func(r policyRow) string { return fmt.Sprint(r.Steals) }},
		{"rejected", "by pool", 8, func(r policyRow) string { return fmt.Sprint(r.Rejected) }},
	}
	if slices.ContainsFunc(rows, func(r policyRow) bool { return r.Virtual > 0 }) {
		columns = append(columns, column[policyRow]{"became", "virtual", 8, func(r policyRow) string { return fmt.Sprint(r.Swaps) }})
	}
	if slices.ContainsFunc(rows, func(r policyRow) bool { return r.limits() }) {
		columns = append(columns,
			column[policyRow]{"stolen", "by limit", 8, func(r policyRow) string { return fmt.Sprint(r.LimitSteals) }},
			column[policyRow]{"refused", "by limit", 8, func(r policyRow) string { return fmt.Sprint(r.Limited) }})
	}
	columns = append(columns, column[policyRow]{"worst moment", "K-weighted levels", 0, func(r policyRow) string {
		if r.Worst == nil {
			return "no difference"
		}
		return r.Worst.String()
	}})
	printColumns(w, columns, rows)
}

// printSheetSteals prints what pools of several sizes lose in a second.
func printSheetSteals(w io.Writer, rows []stealRow) {
	name := func(r stealRow) string { return r.Policy }
	has := func(figure func(r stealRow) *float64) bool {
		return slices.ContainsFunc(rows, func(r stealRow) bool { x := figure(r); return x != nil && *x > 0 })
	}
	swaps := func(r stealRow) *float64 { return r.Swaps }
	stolen := func(r stealRow) *float64 { return r.LimitSteals }
	limited := func(r stealRow) *float64 { return r.Limited }
	of := func(figures func(r stealRow) *float64) func(stealRow) string {
		return func(r stealRow) string { return figure(figures(r)) }
	}
	columns := []column[stealRow]{
		{"voices", "", 6, func(r stealRow) string { return fmt.Sprint(r.Voices) }},
		{"policy", "", widest(rows, 16, name), name},
		{"K-error", "dB", 7, func(r stealRow) string { return decibels(r.KError) }},
		{"audible", "tiles", 8, func(r stealRow) string { return percent(r.Tiles) }},
		{"stolen/s", "by pool", 10, of(func(r stealRow) *float64 { return r.Steals })},
		{"rejected/s", "by pool", 10, of(func(r stealRow) *float64 { return r.Rejected })},
	}
	if slices.ContainsFunc(rows, func(r stealRow) bool { return r.Virtual > 0 }) {
		columns = append(columns, column[stealRow]{"became", "virtual/s", 10, of(swaps)})
	}
	if has(stolen) || has(limited) {
		columns = append(columns, column[stealRow]{"stolen/s", "by limit", 10, of(stolen)}, column[stealRow]{"refused/s", "by limit", 10, of(limited)})
	}
	printColumns(w, columns, rows)
}

// otherwise says whence a difference comes that no pool makes. Those are the
// policies that have it, own is that of the sheet.
func otherwise(those []string, own string) string {
	do := "does"
	if len(those) > 1 {
		do = "do"
	}
	return fmt.Sprintf("At the limits of sounds and buses %s %s otherwise than %s, which the sheet says: so the mix differs where the pool takes nothing.", strings.Join(those, ", "), do, own)
}
