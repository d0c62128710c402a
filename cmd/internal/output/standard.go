package output

import (
	"errors"
	"io"
	"os"

	"voicepool/internal/words"
)

// Standard returns standard output, whose errors say so.
func Standard() io.Writer { return namedWriter{"standard output", os.Stdout} }

// namedWriter says in its errors what it writes to. It can seek where the file
// can.
type namedWriter struct {
	name string
	*os.File
}

func (w namedWriter) Write(p []byte) (int, error) {
	n, err := w.File.Write(p)
	if err != nil {
		err = errors.New(w.name + ": " + words.Cause(err).Error())
	}
	return n, err
}
