package words

import (
	"fmt"
	"math"
)

// Level returns a level in decibels to a tenth, without its unit; silence is "-inf".
func Level(db float64) string {
	if math.IsInf(db, -1) {
		return "-inf"
	}
	return fmt.Sprintf("%.1f", db)
}
