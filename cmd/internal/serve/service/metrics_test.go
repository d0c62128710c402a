package service_test

import (
	"runtime"
	"slices"
	"strings"
	"testing"

	"voicepool/cmd/internal/serve/service"
)

// TestMetricsAreDescribed requires every promised metric in an answer, with one help text, one type
// and a value.
func TestMetricsAreDescribed(t *testing.T) {
	s, helps := open(t), service.MetricHelps()
	s.ask("PUT /v1/rooms/other", "sounds: {bell: {}}", "Content-Type", "application/yaml").is(t, 201)
	var names []string
	help, kind, value := map[string]int{}, map[string]string{}, map[string]bool{}
	for line := range strings.Lines(string(s.ask("GET /metrics", "").body)) {
		words := strings.Fields(line)
		switch {
		case strings.HasPrefix(line, "# HELP "):
			if names = append(names, words[2]); len(words) < 4 {
				t.Errorf("%s has no help text", words[2])
			}
			help[words[2]]++
		case strings.HasPrefix(line, "# TYPE "):
			if kind[words[2]] != "" {
				t.Errorf("%s has two types", words[2])
			}
			kind[words[2]] = words[3]
		default:
			name, _, _ := strings.Cut(words[0], "{")
			for _, suffix := range []string{"", "_bucket", "_sum", "_count"} {
				if base := strings.TrimSuffix(name, suffix); base == names[len(names)-1] {
					value[base] = true
				}
			}
		}
	}
	for name := range helps {
		if strings.HasPrefix(name, "process_") && runtime.GOOS != "linux" {
			continue
		}
		if help[name] != 1 || kind[name] == "" || !value[name] {
			t.Errorf("%s: %d help texts, type %q, value %v", name, help[name], kind[name], value[name])
		}
		if counter := kind[name] == "counter"; counter != strings.HasSuffix(name, "_total") {
			t.Errorf("%s is a %s", name, kind[name])
		}
	}
	if strange := slices.DeleteFunc(names, func(name string) bool { return helps[name] != "" }); len(strange) > 0 {
		t.Errorf("metrics without an entry: %v", strange)
	}
}
