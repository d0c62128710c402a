package server

import (
	"fmt"
	"time"

	"voicepool/cmd/internal/serve/webauth"
	"voicepool/internal/words"
)

// complaint limits log lines about events that clients can cause without end: the first line
// appears at once, further lines once a minute. The zero value is ready to use.
type complaint struct {
	told int64     // the count at the last line
	at   time.Time // time of the last line
}

// due reports whether a log line about events is due at now; if so, it marks that line as written. n is the total
// number of events up to now. The first line is due when n is not 0, a further line if n has changed since the last
// line, and that line is at least a minute old. more is the number of events since the last line, or 0 if due is false.
func (c *complaint) due(now time.Time, n int64) (more int64, due bool) {
	if n == c.told || !c.at.IsZero() && now.Sub(c.at) < time.Minute {
		return 0, false
	}
	more = n - c.told
	c.told, c.at = n, now
	return more, true
}

// crowding logs connections that are refused, or that wait because the process has too many open
// files.
type crowding struct {
	connections, perAddress int  // limits of open connections, in total and per address
	files                   int  // limit of open files of the process; 0: no limit
	byFiles                 bool // the connection limit comes from the file limit, not from the configuration

	refused, crowded, waiting complaint
}

// complain passes lines about connections to say: refused by the limit of all, refused by the limit per address, and
// waiting for a free file. Each kind appears only for new cases, and at most once a minute. counts are the totals of
// the guard at now.
func (c *crowding) complain(now time.Time, counts webauth.Counts, say func(string)) {
	if n, due := c.refused.due(now, counts.Connections); due {
		bound := "`limits: connections` of the configuration"
		if c.byFiles {
			bound = fmt.Sprintf("the %d files that the process may open (ulimit -n)", c.files)
		}
		say(fmt.Sprintf("%s refused: at most %d are open at once, by %s", words.Count(int(n), "connection"), c.connections, bound))
	}
	if n, due := c.crowded.due(now, counts.Crowded); due {
		say(fmt.Sprintf("%s refused: at most %d from one address are open at once, by `limits: connections_per_address` of the configuration", words.Count(int(n), "connection"), c.perAddress))
	}
	if _, due := c.waiting.due(now, counts.Files); due {
		say(fmt.Sprintf("new connections wait: the process has reached its limit of %d open files; raise it with ulimit -n", c.files))
	}
}

// spareFiles is the number of files reserved for rooms, their sounds and the state.
const spareFiles = 16

// bound returns l with Connections and Refusals set so that their sum fits into files, the number of files that the
// process may open, minus used, the number that are open already, and 16 in reserve. Both are at least 1, and
// Connections is not raised. If files is 0, the limit is unknown, and l is returned unchanged.
func bound(l webauth.Limits, files, used int) webauth.Limits {
	if files <= 0 {
		return l
	}
	if l.Connections <= 0 {
		l.Connections = webauth.MostConnections
	}
	left := max(files-used-spareFiles, 2)
	l.Refusals = max(min(left/4, 64), 1)
	l.Connections = min(l.Connections, max(left-l.Refusals, 1))
	return l
}
