package service_test

import (
	"strings"
	"testing"

	"voicepool/cmd/internal/serve/remote"
	"voicepool/cmd/internal/serve/service"
)

// TestRemote checks that package remote makes the right HTTP call for each order.
func TestRemote(t *testing.T) {
	deeds := service.OrderPatterns()
	for do, pattern := range deeds {
		method, path := (&remote.Order{Do: do, Voice: "a/b", Bus: "c d"}).Call()
		want := strings.NewReplacer("/v1/rooms/{room}", "", "{voice}", "a%2Fb", "{bus}", "c%20d").Replace(pattern)
		if got := method + " " + path; got != want {
			t.Errorf("%s is %s, want %s", do, got, want)
		}
	}
	if len(deeds) != 12 {
		t.Errorf("%d orders are calls, want 12", len(deeds))
	}
}
