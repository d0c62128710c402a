package serve

import (
	"fmt"
	"time"

	"voicepool/cmd/internal/guard"
	"voicepool/internal/words"
)

// complaint is a log line about something that clients cause, and so could cause without end: it comes at once,
// and then once a minute. The zero complaint is ready.
type complaint struct {
	told int64     // how many had happened at the last line
	at   time.Time // of the last line
}

// due reports whether a line is due, and how many more have happened since the last one; n is how many in all.
func (c *complaint) due(now time.Time, n int64) (more int64, due bool) {
	if n == c.told || !c.at.IsZero() && now.Sub(c.at) < time.Minute {
		return 0, false
	}
	more = n - c.told
	c.told, c.at = n, now
	return more, true
}

// crowding logs connections that are refused, or that wait for a file of the process.
type crowding struct {
	connections, perAddress int  // the most that are open at once, in all and of one address
	files                   int  // that the process may open
	byFiles                 bool // the files bound the connections, not the configuration

	refused, crowded, waiting complaint
}

func (c *crowding) complain(now time.Time, counts guard.Counts, say func(string)) {
	if n, due := c.refused.due(now, counts.Connections); due {
		bound := "`limits: connections` of the configuration"
		if c.byFiles {
			bound = fmt.Sprintf("the %d files that the process may open (ulimit -n)", c.files)
		}
		say(fmt.Sprintf("%s refused: at most %d are open at once, by %s", words.Count(int(n), "connection"), c.connections, bound))
	}
	if n, due := c.crowded.due(now, counts.Crowded); due {
		say(fmt.Sprintf("%s refused: at most %d of one address are open at once, by `limits: connections_per_address` of the configuration", words.Count(int(n), "connection"), c.perAddress))
	}
	if _, due := c.waiting.due(now, counts.Files); due {
		say(fmt.Sprintf("new connections wait: the process has its %d open files; raise them with ulimit -n", c.files))
	}
}

// spareFiles is how many files the server keeps for rooms, their sounds and the state.
const spareFiles = 16

// bound bounds connections, and those that are told why they are refused, to the files that a process may open;
// used of them are open already. files of 0 is no bound.
func bound(l guard.Limits, files, used int) guard.Limits {
	if files <= 0 {
		return l
	}
	if l.Connections <= 0 {
		l.Connections = guard.MostConnections
	}
	left := max(files-used-spareFiles, 2)
	l.Refusals = max(min(left/4, 64), 1)
	l.Connections = min(l.Connections, max(left-l.Refusals, 1))
	return l
}
