package control

import (
	"fmt"
	"net"
	"path/filepath"

	"voicepool/internal/words"
)

// Find connects to the show of this user that plays a sheet, or with "" to the only one that runs.
// If there is no such show, conn is nil, and running lists those that run.
func Find(sheet string) (conn net.Conn, running []string, err error) {
	paths, err := Shows()
	if err != nil {
		return nil, nil, err
	}
	for _, path := range paths {
		conn, err := Dial("unix:" + path)
		if err != nil {
			continue
		}
		answer, err := Remote(conn)("state")
		if err != nil || answer.State == nil {
			conn.Close()
			continue
		}
		name := answer.State.Show
		if sheet == name || filepath.Base(sheet) == filepath.Base(name) || sheet == "" && len(paths) == 1 {
			return conn, nil, nil
		}
		conn.Close()
		running = append(running, fmt.Sprintf("%s (unix:%s)", words.OneLine(name), path))
	}
	return nil, running, nil
}
