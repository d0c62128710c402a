package archtest

import "testing"

// choice is a value of a factor, both by their indices.
type choice struct{ factor, value int }

// pair is two choices of different factors, the lower index first.
type pair [2]choice

// coveringArray returns rows with one value for each factor, so that every pair of values of two factors is
// in an allowed row. Values are counted from 0; a row of zeros must be allowed. impossible are the pairs
// without an allowed row.
func coveringArray(values []int, allowed func(row []int) bool) (rows [][]int, impossible []pair) {
	var open []pair
	for i := range values {
		for j := range i {
			for x := range values[i] {
				for y := range values[j] {
					open = append(open, pair{{j, y}, {i, x}})
				}
			}
		}
	}
	covered := map[pair]bool{}
	for _, p := range open {
		if covered[p] {
			continue
		}
		row := rowWith(p, values, allowed)
		if row == nil {
			impossible = append(impossible, p)
			continue
		}
		fixed := map[int]bool{p[0].factor: true, p[1].factor: true}
		for factor := range values {
			if !fixed[factor] && row[factor] == 0 {
				fill(row, factor, values[factor], covered, allowed)
			}
		}
		for i := range row {
			for j := range i {
				covered[pair{{j, row[j]}, {i, row[i]}}] = true
			}
		}
		rows = append(rows, row)
	}
	return rows, impossible
}

// rowWith returns an allowed row with a pair and otherwise zeros, or with one or two further values if
// necessary; nil: no such row.
func rowWith(p pair, values []int, allowed func([]int) bool) []int {
	row := make([]int, len(values))
	row[p[0].factor], row[p[1].factor] = p[0].value, p[1].value
	var help func(depth int) bool
	help = func(depth int) bool {
		if allowed(row) {
			return true
		}
		for factor := range values {
			if depth == 0 || factor == p[0].factor || factor == p[1].factor || row[factor] != 0 {
				continue
			}
			for value := 1; value < values[factor]; value++ {
				if row[factor] = value; help(depth - 1) {
					return true
				}
			}
			row[factor] = 0
		}
		return false
	}
	for depth := range 3 {
		if help(depth) {
			return row
		}
	}
	return nil
}

// fill sets a factor of a row to the allowed value that covers most new pairs.
func fill(row []int, factor, values int, covered map[pair]bool, allowed func([]int) bool) {
	best, most := 0, -1
	for value := range values {
		row[factor] = value
		if !allowed(row) {
			continue
		}
		news := 0
		for other := range row {
			p := pair{{other, row[other]}, {factor, value}}
			if other > factor {
				p[0], p[1] = p[1], p[0]
			}
			if other != factor && !covered[p] {
				news++
			}
		}
		if news > most {
			best, most = value, news
		}
	}
	row[factor] = best
}

// TestCoveringArray counts the pairs of an array with forbidden pairs.
func TestCoveringArray(t *testing.T) {
	values := []int{2, 3, 4, 2, 2, 5}
	allowed := func(row []int) bool { return (row[1] != 2 || row[2] != 3) && (row[4] == 0 || row[0] == 1) }
	rows, impossible := coveringArray(values, allowed)
	seen := map[pair]bool{}
	for _, row := range rows {
		if !allowed(row) {
			t.Errorf("row %v is not allowed", row)
		}
		for i := range row {
			for j := range i {
				seen[pair{{j, row[j]}, {i, row[i]}}] = true
			}
		}
	}
	want := 0
	for i := range values {
		for j := range i {
			want += values[i] * values[j]
		}
	}
	if len(impossible) != 2 || len(seen)+len(impossible) != want || len(rows) > 40 {
		t.Errorf("%d rows cover %d of %d pairs, %v are impossible", len(rows), len(seen), want, impossible)
	}
}
