package sounds_test

import (
	"testing"

	"go.uber.org/goleak"
)

// No test may leave a goroutine behind, whatever it decodes.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }
