package mixer_test

import (
	"fmt"
	"testing"

	"voicepool/mixer"
	"voicepool/sounds"
)

// TestNamesOfWhatIsNone checks that String of an invalid value gives its type and number.
func TestNamesOfWhatIsNone(t *testing.T) {
	for want, value := range map[string]fmt.Stringer{
		"overflow(99)": mixer.Overflow(99), "state(99)": mixer.State(99), "kind(99)": mixer.EventKind(99), "reason(99)": mixer.Reason(99),
		"shape(99)": sounds.Shape(99), "quality(99)": sounds.Quality(99),
	} {
		if got := value.String(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
