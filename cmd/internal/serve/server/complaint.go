package server

import (
	"fmt"
	"time"

	"voicepool/cmd/internal/serve/webauth"
	"voicepool/internal/words"
)

// logThrottle limits log lines about events that clients can cause without end: the first line
// appears at once, further lines once a minute. The zero value is ready to use.
type logThrottle struct {
	logged int64     // the count at the last line
	at     time.Time // time of the last line
}

// allow reports whether a log line about events is due, so that clients cannot flood the log. now is the current time,
// and n the number of events since the start. A line is due if n has grown since the last line, and the last line is at
// least a minute old. The first line is due when n is not 0. If a line is due, more is the number of events since the
// last line, and c records the new line. Otherwise more is 0.
func (c *logThrottle) allow(now time.Time, n int64) (more int64, allowed bool) {
	if n == c.logged || !c.at.IsZero() && now.Sub(c.at) < time.Minute {
		return 0, false
	}
	more = n - c.logged
	c.logged, c.at = n, now
	return more, true
}

// connectionLog logs connections that are refused, or that wait because the process has too many open
// files.
type connectionLog struct {
	connections, perAddress int  // limits of open connections, in total and per address
	files                   int  // limit of open files of the process; 0: no limit
	byFiles                 bool // the connection limit comes from the file limit, not from the configuration

	refused, crowded, waiting logThrottle
}

// logNew logs new problems with connections, by calls of the function log. It has one line for each of three kinds:
// connections refused by the total limit, connections refused by the limit per address, and waiting because of too many
// open files. A line appears only if new cases of its kind have occurred, and at most once a minute. now is the current
// time. counts has the totals up to now.
func (c *connectionLog) logNew(now time.Time, counts webauth.Counts, log func(string)) {
	if n, allowed := c.refused.allow(now, counts.Connections); allowed {
		bound := "`limits: connections` of the configuration"
		if c.byFiles {
			bound = fmt.Sprintf("the %d files that the process may open (ulimit -n)", c.files)
		}
		log(fmt.Sprintf("%s refused: at most %d are open at once, by %s", words.Count(int(n), "connection"), c.connections, bound))
	}
	if n, allowed := c.crowded.allow(now, counts.Crowded); allowed {
		log(fmt.Sprintf("%s refused: at most %d from one address are open at once, by `limits: connections_per_address` of the configuration", words.Count(int(n), "connection"), c.perAddress))
	}
	if _, allowed := c.waiting.allow(now, counts.Files); allowed {
		log(fmt.Sprintf("new connections wait: the process has reached its limit of %d open files; raise it with ulimit -n", c.files))
	}
}

// reservedFiles is the number of files reserved for rooms, their sounds and the state.
const reservedFiles = 16

// limitConnections returns a copy of l whose connections fit into the file limit of the process. files is that limit,
// and used the number of files that are open already. Another 16 files are kept in reserve. The sum of Connections and
// Refusals must fit into the rest. Refusals becomes a quarter of the rest, from 1 to 64. Connections is lowered if
// necessary, but never raised, and is at least 1. Before that, a Connections of 0 or less becomes the default. If files
// is 0, the limit is unknown, and l is returned unchanged.
func limitConnections(l webauth.Limits, files, used int) webauth.Limits {
	if files <= 0 {
		return l
	}
	if l.Connections <= 0 {
		l.Connections = webauth.DefaultConnections
	}
	free := max(files-used-reservedFiles, 2)
	l.Refusals = max(min(free/4, 64), 1)
	l.Connections = min(l.Connections, max(free-l.Refusals, 1))
	return l
}
