package words

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"
)

// TestCircles checks that a cycle is found exactly if some name can reach itself, and that the description
// follows it.
func TestCircles(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var ways []Edge
		reach := [6][6]bool{}
		for range rapid.IntRange(0, 9).Draw(t, "ways") {
			from, to := rapid.IntRange(0, 5).Draw(t, "from"), rapid.IntRange(0, 5).Draw(t, "to")
			ways = append(ways, Edge{fmt.Sprint(from), fmt.Sprint(to), fmt.Sprintf("%d to %d", from, to)})
			reach[from][to] = true
		}
		for k := range reach {
			for i := range reach {
				for j := range reach {
					reach[i][j] = reach[i][j] || reach[i][k] && reach[k][j]
				}
			}
		}
		some := false
		for i := range reach {
			some = some || reach[i][i]
			if got := Circle(ways, fmt.Sprint(i)); (got != "") != reach[i][i] {
				t.Fatalf("%d: %q, want one: %v", i, got, reach[i][i])
			} else if got != "" && (got[0] != byte('0'+i) || got[len(got)-1] != byte('0'+i)) {
				t.Fatalf("%d: %q", i, got)
			}
		}
		if Circles(ways) != some {
			t.Fatalf("there is one: %v, want %v", Circles(ways), some)
		}
	})
}
