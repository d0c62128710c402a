package watch

import (
	"testing"

	"voicepool/internal/leak"
)

func TestMain(m *testing.M) { leak.Main(m) }
