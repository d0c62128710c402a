package doctor

import (
	"fmt"
	"io/fs"
	"regexp"
	"time"

	"voicepool/internal/words"
)

const (
	// pressed is the share of time, in percent, in which programs wait for a processor of a busy machine.
	pressed = 40
	// paused is for how long a process is not run on a busy machine, though it is due.
	paused = 50 * time.Millisecond
)

// processor is the line of one processor in /proc/stat.
var processor = regexp.MustCompile(`(?m)^cpu[0-9]+ `)

// load returns how a machine was short of processor time, by the longest pause of this process and by the figures
// of Linux; "" if it was not.
func load(m Machine, pause time.Duration) string {
	if pause >= paused {
		return fmt.Sprintf("it did not run this program for %d ms", pause.Milliseconds())
	}
	if m.Identity().OS != "linux" {
		return ""
	}
	var share, average float64
	pressure, _ := fs.ReadFile(m.Files(), "proc/pressure/cpu")
	if n, _ := fmt.Sscanf(string(pressure), "some avg10=%g", &share); n == 1 {
		if share < pressed {
			return ""
		}
		return fmt.Sprintf("programs waited for a processor in %.0f %% of the last 10 s", share)
	}
	averages, _ := fs.ReadFile(m.Files(), "proc/loadavg")
	stat, _ := fs.ReadFile(m.Files(), "proc/stat")
	processors := len(processor.FindAll(stat, -1))
	if n, _ := fmt.Sscanf(string(averages), "%g", &average); n == 1 && processors > 0 && average >= 2*float64(processors) {
		return fmt.Sprintf("%.1f programs want to run at a time, and it has %s", average, words.Count(processors, "processor"))
	}
	return ""
}
