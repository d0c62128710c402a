package doctor

import (
	"fmt"
	"io/fs"
	"regexp"
	"time"

	"voicepool/internal/words"
)

const (
	// minPressure is the minimum percentage of time that programs wait for a processor on a busy machine.
	minPressure = 40
	// minPause is the pause of a ready process from which the machine counts as busy.
	minPause = 50 * time.Millisecond
)

// processor matches the line of one processor in /proc/stat.
var processor = regexp.MustCompile(`(?m)^cpu[0-9]+ `)

// load describes in words why the machine m lacks processor time, or returns "" if it has enough. The parameter pause
// is the longest time that this process was ready but did not run; 50 ms or more is a lack.
//
// On Linux, load also reads how long programs waited for a processor in the last 10 s; 40 % or more is a lack. If the
// system does not provide that, it reads the load average; two or more programs for each processor are a lack.
func load(m Machine, pause time.Duration) string {
	if pause >= minPause {
		return fmt.Sprintf("it did not run this program for %d ms", pause.Milliseconds())
	}
	if m.Identity().OS != "linux" {
		return ""
	}
	var share, average float64
	pressure, _ := fs.ReadFile(m.Files(), "proc/pressure/cpu")
	if n, _ := fmt.Sscanf(string(pressure), "some avg10=%g", &share); n == 1 {
		if share < minPressure {
			return ""
		}
		return fmt.Sprintf("programs waited for a processor in %.0f %% of the last 10 s", share)
	}
	averages, _ := fs.ReadFile(m.Files(), "proc/loadavg")
	stat, _ := fs.ReadFile(m.Files(), "proc/stat")
	processors := len(processor.FindAll(stat, -1))
	if n, _ := fmt.Sscanf(string(averages), "%g", &average); n == 1 && processors > 0 && average >= 2*float64(processors) {
		return fmt.Sprintf("%.1f programs want to run at the same time on %s", average, words.Count(processors, "processor"))
	}
	return ""
}
